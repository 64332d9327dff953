//! Random programs about streams: tasks, work, memory, captures, futures and faults, in the operation
//! language of scenario files.

mod run;
mod steps;

pub use run::{StreamVerdict, run};
pub use steps::program;

use proptest::{prelude::*, sample::Index};
use ringfence_mock::streams::{
    profile::DriverProfile,
    scenario::{Manner as Asked, Pumping, StreamSetup},
    system::Words,
};

/// One step, before names are given.
#[expect(missing_docs, reason = "the fields say what they are")]
#[derive(Clone, Debug)]
pub enum Draft {
    /// A task of its own gets a stream.
    Acquire { high: bool, manner: Asked },
    /// One of three tasks asks for its stream of a kind.
    Switch { task: Index, high: bool },
    /// A lease is dropped.
    Release(Index),
    /// A task is over.
    End(Index),
    /// A lease is forgotten.
    Forget(Index),
    /// Work is submitted, by the handle where it was given out.
    Run { on: Index, ticks: u16, reads: Option<Index>, writes: Option<Index>, past: bool },
    /// An array is taken over.
    Use { memory: Index, on: Index, ticks: u16, writes: bool },
    /// An asynchronous copy.
    Copy { on: Index, ticks: u16 },
    /// A future is polled.
    Poll(Index),
    /// A future is dropped.
    Cancel(Index),
    /// Time passes.
    Tick(u16),
    /// Time passes until everything is done.
    Rest,
    /// Memory is allocated.
    Alloc(Index),
    /// Memory is given up.
    Free(Index),
    /// The raw handle is given out.
    Expose(Index),
    /// A capture, in which others go about their business.
    Capture {
        on: Index,
        fork: Option<Index>,
        pins: Option<Index>,
        others: Vec<Draft>,
        panics: bool,
    },
    /// The user captures past the pool, others go about their business, and the user ends it.
    UserCapture { on: Index, others: Vec<Draft> },
    /// A graph is launched.
    Launch { graph: Index, on: Index },
    /// A graph is let go of.
    DropGraph(Index),
    /// The handle of a pooled stream is wrapped.
    Wrap(Index),
    /// The host waits for memory.
    Sync(Index),
    /// The pool is tidied.
    Pump,
    /// The pool lets go of what nobody needed.
    Trim,
    /// The next creation fails.
    FailCreate,
    /// A free is refused.
    RefuseFree(u16),
    /// A query is refused.
    RefuseQuery,
    /// A stream is in error from now on.
    Poison(Index),
    /// The user destroys the stream of a lease.
    Destroy(Index),
    /// A capture begins on a stream and is left open.
    Abandon(Index),
    /// The user resets the device.
    Reset,
    /// The device is lost.
    Lose,
}

/// How rough a program is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manner {
    /// Nothing breaks, and nobody goes past the pool: every step has to succeed.
    Healthy,
    /// The driver refuses frees now and then, as it may: every step has to succeed.
    Refusing,
    /// Handles are given out and used.
    Exposed,
    /// Things break: steps may end in errors, but no rule may break.
    Faulty,
    /// As that, and the device may be lost.
    Losing,
}

/// Strategy for one draft; `inside` a capture nothing nests.
fn draft(manner: Manner, inside: bool) -> BoxedStrategy<Draft> {
    let index = any::<Index>;
    let ticks = || 1..40_u16;
    let rare = |odds| prop::bool::weighted(odds);
    let asked =
        prop_oneof![8 => Just(Asked::Any), 1 => Just(Asked::Existing), 1 => Just(Asked::Reserved)];
    let plain = prop_oneof![
        8 => (rare(0.2), asked).prop_map(|(high, manner)| Draft::Acquire { high, manner }),
        3 => (index(), any::<bool>()).prop_map(|(task, high)| Draft::Switch { task, high }),
        6 => index().prop_map(Draft::Release),
        1 => index().prop_map(Draft::End),
        8 => (index(), ticks(), prop::option::of(index()), prop::option::of(index()))
            .prop_map(|(on, ticks, reads, writes)| Draft::Run { on, ticks, reads, writes, past: false }),
        4 => (index(), index(), ticks(), any::<bool>())
            .prop_map(|(memory, on, ticks, writes)| Draft::Use { memory, on, ticks, writes }),
        2 => (index(), ticks()).prop_map(|(on, ticks)| Draft::Copy { on, ticks }),
        2 => index().prop_map(Draft::Poll),
        1 => index().prop_map(Draft::Cancel),
        5 => ticks().prop_map(Draft::Tick),
        1 => Just(Draft::Rest),
        4 => index().prop_map(Draft::Alloc),
        4 => index().prop_map(Draft::Free),
        2 => (index(), index()).prop_map(|(graph, on)| Draft::Launch { graph, on }),
        1 => index().prop_map(Draft::DropGraph),
        2 => index().prop_map(Draft::Sync),
        4 => Just(Draft::Pump),
        1 => Just(Draft::Trim),
    ];
    let nested = || prop::collection::vec(draft(manner, true), 0..5);
    let capture = || {
        (
            index(),
            prop::option::weighted(0.3, index()),
            prop::option::of(index()),
            nested(),
            rare(0.1),
        )
            .prop_map(|(on, fork, pins, others, panics)| Draft::Capture {
                on,
                fork,
                pins,
                others,
                panics,
            })
    };
    let healthy = match inside {
        true => plain.boxed(),
        false => prop_oneof![20 => plain, 2 => capture()].boxed(),
    };
    let exposed = || {
        let past =
            (index(), ticks(), prop::option::of(index()), prop::option::of(index())).prop_map(
                |(on, ticks, reads, writes)| Draft::Run { on, ticks, reads, writes, past: true },
            );
        let odd = prop_oneof![
            4 => past,
            3 => index().prop_map(Draft::Expose),
            1 => index().prop_map(Draft::Wrap),
            1 => index().prop_map(Draft::Forget),
        ];
        match inside {
            true => odd.boxed(),
            false => {
                let user =
                    (index(), nested()).prop_map(|(on, others)| Draft::UserCapture { on, others });
                prop_oneof![8 => odd, 1 => user].boxed()
            }
        }
    };
    match manner {
        Manner::Healthy => healthy,
        Manner::Refusing => prop_oneof![
            8 => healthy,
            1 => (0..3_u16).prop_map(Draft::RefuseFree),
        ]
        .boxed(),
        Manner::Exposed => prop_oneof![6 => healthy, 1 => exposed()].boxed(),
        Manner::Faulty => prop_oneof![
            20 => healthy,
            3 => exposed(),
            1 => Just(Draft::FailCreate),
            1 => (0..3_u16).prop_map(Draft::RefuseFree),
            1 => Just(Draft::RefuseQuery),
            1 => index().prop_map(Draft::Poison),
            1 => index().prop_map(Draft::Destroy),
            1 => index().prop_map(Draft::Abandon),
        ]
        .boxed(),
        Manner::Losing => prop_oneof![
            30 => draft(Manner::Faulty, inside),
            1 => Just(Draft::Lose),
            1 => Just(Draft::Reset),
        ]
        .boxed(),
    }
}
/// Strategy for a whole program.
pub fn drafts(manner: Manner) -> impl Strategy<Value = Vec<Draft>> {
    prop::collection::vec(draft(manner, false), 1..60)
}

/// A pool with room for little, on this driver; `variant` sets what programs should not depend on.
pub fn machine(profile: DriverProfile, variant: u32) -> StreamSetup {
    StreamSetup {
        words: if variant & 1 == 0 { Words::On } else { Words::Off },
        pump: if variant & 2 == 0 { Pumping::Manual } else { Pumping::Auto },
        idle_cap: 2,
        looks: if variant & 4 == 0 { 32 } else { 5 },
        queues: 2,
        ..StreamSetup::on([profile])
    }
}
