//! Random programs in the operation language of scenario files, run on a hostile device.
//!
//! A [`Draft`] is what proptest makes and shrinks; [`program`] turns drafts into steps whose names are
//! all defined, so that a program is a scenario that nobody wrote.

mod run;
mod steps;
pub mod streams;

pub use run::{Verdict, run};
pub use steps::program;

use proptest::{prelude::*, sample::Index};
use ringfence::placement::EventPlacement;
use ringfence_mock::scenario::{By, Profile, Setup};

/// One step, before names are given.
#[expect(missing_docs, reason = "the fields say what they are")]
#[derive(Clone, Debug)]
pub enum Draft {
    /// A kernel, which may record an event.
    Submit { stream: Index, barrier: bool, timed: bool, event: Option<Index> },
    /// An event is recorded.
    Record { stream: Index, event: Index, blocking: bool },
    /// A stream waits for one or two events.
    Wait { stream: Index, events: [Index; 2], by: By },
    /// A snapshot of an event is taken.
    Snapshot(Index),
    /// An event or a use is queried.
    Query(Index),
    /// A use is queried by name.
    QueryUse(Index),
    /// The host waits for an event.
    SyncEvent(Index),
    /// The host waits for a stream.
    SyncStream(Index),
    /// The tracker looks for finished uses.
    Reclaim(Index),
    /// The tracker loads the newest fence.
    Probe(Index),
    /// The first stream moves to the other queue.
    Switch,
    /// The first queue's index space restarts, once everything on it is done.
    Restart,
    /// A copy.
    Copy { stream: Index, parts: u32, after: Option<Index>, event: Index },
    /// Packets by one reservation.
    Graph { stream: Index, packets: u32 },
    /// Somebody else's packet.
    Foreign(Index),
    /// The device moves.
    Run(u32),
    /// A handler is set on an event, and later called.
    Handler(Index),
    /// What completed is reported.
    Deliver,
    /// A timeout gives an event up.
    Force(Index),
    /// The next copy is refused at a part.
    RefusePart(u32),
    /// The next completions write bad stamps.
    BadStamps(bool),
    /// Somebody decrements a finished use's signal once more.
    LateDecrement(Index),
    /// A steady loop of records and synchronizes, in which nothing may be created.
    SteadyLoop,
    /// The device is lost.
    LoseDevice,
}

/// How rough a program is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Roughness {
    /// Nothing breaks: every step has to succeed.
    Healthy,
    /// Things break: steps may end in errors, but no rule may break.
    Faulty,
    /// As that, and the device may be lost.
    Losing,
}

/// Strategy for one draft.
pub fn draft(roughness: Roughness) -> BoxedStrategy<Draft> {
    let index = any::<Index>;
    let by = prop_oneof![3 => Just(By::And), 1 => Just(By::Or), 1 => Just(By::Value)];
    let healthy = prop_oneof![
        8 => (index(), any::<bool>(), prop::bool::weighted(0.3), prop::option::weighted(0.4, index()))
            .prop_map(|(stream, barrier, timed, event)| Draft::Submit { stream, barrier, timed, event }),
        4 => (index(), index(), prop::bool::weighted(0.2))
            .prop_map(|(stream, event, blocking)| Draft::Record { stream, event, blocking }),
        4 => (index(), [index(), index()], by)
            .prop_map(|(stream, events, by)| Draft::Wait { stream, events, by }),
        2 => index().prop_map(Draft::Snapshot),
        3 => index().prop_map(Draft::Query),
        2 => index().prop_map(Draft::QueryUse),
        2 => index().prop_map(Draft::SyncEvent),
        1 => index().prop_map(Draft::SyncStream),
        5 => index().prop_map(Draft::Reclaim),
        2 => index().prop_map(Draft::Probe),
        1 => Just(Draft::Switch),
        1 => Just(Draft::Restart),
        3 => (index(), 1..4_u32, prop::option::of(index()), index())
            .prop_map(|(stream, parts, after, event)| Draft::Copy { stream, parts, after, event }),
        1 => (index(), 1..12_u32).prop_map(|(stream, packets)| Draft::Graph { stream, packets }),
        2 => index().prop_map(Draft::Foreign),
        5 => (1..12_u32).prop_map(Draft::Run),
        2 => index().prop_map(Draft::Handler),
        2 => Just(Draft::Deliver),
    ];
    match roughness {
        Roughness::Healthy => prop_oneof![40 => healthy, 1 => Just(Draft::SteadyLoop)].boxed(),
        Roughness::Losing => {
            prop_oneof![20 => draft(Roughness::Faulty), 1 => Just(Draft::LoseDevice)].boxed()
        }
        Roughness::Faulty => prop_oneof![
            24 => healthy,
            1 => index().prop_map(Draft::Force),
            1 => (0..3_u32).prop_map(Draft::RefusePart),
            1 => any::<bool>().prop_map(Draft::BadStamps),
            1 => index().prop_map(Draft::LateDecrement),
        ]
        .boxed(),
    }
}
/// Strategy for a whole program.
pub fn drafts(roughness: Roughness) -> impl Strategy<Value = Vec<Draft>> {
    prop::collection::vec(draft(roughness), 1..60)
}

/// A machine with three streams on two queues and a copy engine, and small rings.
pub fn machine(events: EventPlacement) -> Setup {
    let streams = [("a", "q0"), ("b", "q0"), ("c", "q1")];
    Setup {
        queues: 2,
        engines: 1,
        streams: streams.into_iter().map(|(stream, queue)| (stream.into(), queue.into())).collect(),
        events,
        profile: Profile::Hostile,
        spares: 2,
        ..Setup::with_ring(4)
    }
}

/// The same with the third stream on a queue of a second device, which has an engine of its own.
pub fn machine_with_a_peer(events: EventPlacement) -> Setup {
    let one = machine(events);
    let mut streams = one.streams.clone();
    streams.insert("c".into(), "q2".into());
    let on_device = [("q2".into(), 1), ("sdma1".into(), 1)].into();
    Setup { devices: 2, queues: 3, engines: 2, on_device, streams, ..one }
}
