//! Random scenarios that a file can say.

use std::collections::BTreeMap;

use proptest::{collection::vec, option, prelude::*, sample::select};
use ringfence::{event::EventKind, id::Barrier};

use crate::{
    chooser::Look,
    oracle::Rule,
    scenario::{
        Action, Blocked, Bound, CopyParts, Expect, Graph, Kind, MachineFault, Name, Run, Scenario,
        Setup, Signal, Step, Submit, Timing, Word,
    },
};

/// One of the words of `T`.
pub(super) fn word<T: Word + std::fmt::Debug>() -> impl Strategy<Value = T> {
    select(T::ALL)
}
fn name(prefix: &'static str) -> impl Strategy<Value = Name> {
    (0..3u32).prop_map(move |n| Name::new(format!("{prefix}{n}")))
}
fn event() -> impl Strategy<Value = Name> {
    name("e")
}
fn stream() -> impl Strategy<Value = Name> {
    select(vec!["s0", "a stream \"of\" two\\words", "übung"]).prop_map(Name::from)
}
fn barrier() -> impl Strategy<Value = Barrier> {
    select(vec![Barrier::Set, Barrier::Clear])
}

/// A packet; its name is given later, so that no two are alike.
fn submit() -> impl Strategy<Value = Action> {
    let rest =
        (option::of(word()), word::<Timing>(), 1..99u32, option::of(word()), option::of(event()));
    (word::<Kind>(), stream(), barrier(), word(), rest).prop_map(
        |(kind, on, barrier, signal, rest)| {
            let (role, timing, ticks, release, event) = rest;
            let submit = Submit {
                kind,
                barrier,
                signal,
                ticks,
                release,
                ..Submit::new("to be named", "s0")
            };
            Action::Submit(match signal {
                Signal::Yes => Submit { on, role, timing, event, ..submit },
                Signal::No => Submit { on, ..submit },
            })
        },
    )
}
fn copy() -> impl Strategy<Value = Action> {
    let rest = (1..9u32, vec(event(), 0..3), word::<Timing>(), option::of(event()));
    (stream(), name("sdma"), rest).prop_map(|(on, engine, (parts, waits, timing, event))| {
        let name = Name::new("to be named");
        Action::Copy(CopyParts { name, on, engine, parts, waits, timing, event })
    })
}
fn graph() -> impl Strategy<Value = Action> {
    (1..9u32, stream(), barrier(), word::<Timing>(), vec(any::<bool>(), 9)).prop_map(
        |(packets, on, barrier, timing, places)| {
            let signals = (0..packets).filter(|n| places[*n as usize]);
            let signals = signals.map(|n| (n, Name::new("to be named"))).collect();
            Action::Graph(Graph { signals, on, packets, barrier, timing })
        },
    )
}
fn fault() -> impl Strategy<Value = MachineFault> {
    prop_oneof![
        (1..9u32).prop_map(|at| MachineFault::Creation { at }),
        (1..9u32).prop_map(|at| MachineFault::NullHandle { at }),
        (0..9u32).prop_map(|at| MachineFault::Part { at }),
        (1..9u32).prop_map(|at| MachineFault::FallBack { at }),
        Just(MachineFault::Interrupt),
        event().prop_map(|of| MachineFault::LateDecrement { of }),
        (word(), 1..4u32).prop_map(|(stamps, times)| MachineFault::Timestamps { stamps, times }),
        name("gpu").prop_map(|device| MachineFault::Device { device }),
    ]
}
fn expectation() -> impl Strategy<Value = Expect> {
    let several = || vec(event(), 2..4);
    prop_oneof![
        several().prop_map(Expect::Retired),
        several().prop_map(Expect::Busy),
        several().prop_map(Expect::Complete),
        several().prop_map(Expect::Running),
        several().prop_map(Expect::Same),
        several().prop_map(Expect::Distinct),
        several().prop_map(Expect::CompletedBefore),
        (word(), select(Bound::ALL.to_vec()), any::<u64>().prop_map(|n| n >> 1))
            .prop_map(|(counter, bound, value)| Expect::Count { counter, bound, value }),
        word::<Blocked>().prop_map(Expect::Blocked),
        (several(), word()).prop_map(|(of, is)| Expect::State { of, is }),
        (several(), word()).prop_map(|(of, is)| Expect::Memory { of, is }),
        (several(), word()).prop_map(|(of, is)| Expect::Interval { of, is }),
        (several(), word()).prop_map(|(of, is)| Expect::Error { of, is }),
        option::of(0..1_000_000u64).prop_map(Expect::ElapsedNs),
    ]
}
fn plain() -> impl Strategy<Value = Action> {
    let queue = || name("q");
    prop_oneof![
        (event(), stream(), word(), word()).prop_map(|(event, on, kind, timing)| Action::Record {
            event,
            on,
            kind,
            timing
        }),
        event().prop_map(|of| Action::Snapshot { name: Name::new("e0"), of }),
        (stream(), vec(event(), 1..4), word(), option::of(Just(Name::new("to be named"))))
            .prop_map(|(on, events, by, packet)| Action::Wait { on, events, by, packet }),
        event().prop_map(|event| Action::Query { of: event }),
        event().prop_map(|event| Action::SyncEvent { event }),
        stream().prop_map(|stream| Action::SyncStream { stream }),
        (event(), event()).prop_map(|(from, to)| Action::Elapsed { from, to }),
        event().prop_map(|event| Action::Destroy { event }),
        stream().prop_map(|on| Action::Reclaim { on }),
        stream().prop_map(|on| Action::Probe { on }),
        stream().prop_map(|on| Action::Drain { on }),
        (stream(), queue()).prop_map(|(on, to)| Action::Switch { on, to }),
        stream().prop_map(|stream| Action::Close { stream }),
        event().prop_map(|event| Action::Handler { event }),
        Just(Action::Deliver),
        (1..9u32).prop_map(|nth| Action::DeliverOne { nth }),
        (stream(), 1..9u32).prop_map(|(on, steps)| Action::Search { on, steps }),
        event().prop_map(|event| Action::Force { event }),
        event().prop_map(|of| Action::Start { of }),
        (vec(event(), 1..3), option::of(1..9u32))
            .prop_map(|(of, parts)| Action::Finish { of, parts }),
        (any::<u64>().prop_map(|n| n >> 1), queue())
            .prop_map(|(index, of)| Action::ReadIndex { index, of }),
        option::of(0..99u32).prop_map(|moves| Action::Run(moves.map_or(Run::Idle, Run::Moves))),
        (queue(), 1..9u32, barrier()).prop_map(|(queue, packets, barrier)| Action::Foreign {
            queue,
            packets,
            barrier
        }),
        queue().prop_map(|queue| Action::Restart { queue }),
        name("gpu").prop_map(|device| Action::Profiler { device }),
        fault().prop_map(Action::Fail),
        word().prop_map(Action::Steady),
        Just(Action::CountFrom),
        expectation().prop_map(Action::Expect),
    ]
}
fn action() -> impl Strategy<Value = Action> {
    let leaf = prop_oneof![3 => submit(), 1 => copy(), 1 => graph(), 12 => plain()];
    leaf.prop_recursive(2, 16, 4, |inner| {
        let steps = vec(inner.prop_map(Step::from), 0..4);
        (1..99u32, steps).prop_map(|(times, steps)| Action::Repeat { times, steps })
    })
}
fn step() -> impl Strategy<Value = Step> {
    let rule = option::weighted(0.2, select(Rule::ALL));
    let more = (option::weighted(0.2, name("task")), option::weighted(0.2, 1..9u32));
    (action(), option::weighted(0.2, word()), rule, more).prop_map(
        |(action, fails, rule, (task, at))| {
            let device =
                matches!(action, Action::Finish { .. } | Action::ReadIndex { .. } | Action::Run(_));
            let at = at.filter(|_| device).map(Look::new);
            Step { action, fails, rule, task, at }
        },
    )
}

fn setup() -> impl Strategy<Value = Setup> {
    let ring = (1..64u32, 1..20u32, 1..64u32, 0..9u32, 1..99u32, 3..2048u32);
    let words = (word(), word(), word(), word(), word(), word(), word());
    let rest = (1..10_000_000u64, 1..1_000_000u64, 1..50u32, vec(word(), 0..4), 0..3u32);
    (ring, words, rest).prop_map(|(ring, words, rest)| {
        let streams = ["s0", "a stream \"of\" two\\words", "übung"];
        let queue = |n: usize| Name::new(format!("q{n}"));
        Setup {
            devices: 3,
            queues: 3,
            engines: 3,
            on_device: BTreeMap::from([(Name::new("q1"), rest.4), (Name::new("sdma2"), rest.4)]),
            streams: streams
                .into_iter()
                .enumerate()
                .map(|(n, s)| (Name::new(s), queue(n)))
                .collect(),
            tracker: words.0,
            signals: words.1,
            events: words.2,
            ring: ring.0,
            cap: ring.0 * ring.1,
            batch: ring.2,
            spares: ring.3,
            submission_batch: ring.4,
            features: rest.3,
            rings: words.3,
            path: words.4,
            slots: ring.5,
            hertz: rest.0,
            wait_limit_us: rest.1,
            interrupts: ring.4,
            audit: words.6,
            profile: words.5,
            seeds: rest.2,
        }
    })
}

/// Gives each use a name of its own.
fn name_uses(steps: &mut [Step], next: &mut u32) {
    fn fresh(next: &mut u32) -> Name {
        *next += 1;
        Name::new(format!("use {next}"))
    }
    for step in steps {
        match &mut step.action {
            Action::Submit(submit) => submit.name = fresh(next),
            Action::Copy(copy) => copy.name = fresh(next),
            Action::Wait { packet: Some(packet), .. } => *packet = fresh(next),
            Action::Graph(graph) => {
                graph.signals.iter_mut().for_each(|(_, name)| *name = fresh(next))
            }
            Action::Repeat { steps, .. } => name_uses(steps, next),
            _ => {}
        }
    }
}

/// A scenario whose names are all defined: its events are recorded first.
pub(super) fn scenario() -> impl Strategy<Value = Scenario> {
    let rules = vec(select(Rule::ALL), 0..3);
    let head = (".{0,20}", option::of(".{1,20}"), rules, vec("[A-Z][a-z]{1,8}", 0..2));
    (head, setup(), vec(step(), 0..12)).prop_map(|((name, source, rules, catches), setup, tail)| {
        let first = |n| Action::Record {
            event: Name::new(format!("e{n}")),
            on: Name::new("s0"),
            kind: EventKind::Plain,
            timing: Timing::NotWanted,
        };
        let mut steps: Vec<Step> = (0..3).map(|n| first(n).into()).collect();
        steps.extend(tail);
        name_uses(&mut steps, &mut 0);
        Scenario { name, source, rules, catches, setup, steps }
    })
}
