//! Random scenarios of streams that a file can say.

use proptest::{collection::vec, option, prelude::*, sample::select};
use ringfence::{backend::streams::CaptureMode, id::StreamFlags, stream::Access};

use crate::{
    clock::Ticks,
    scenario::{Blocked, Bound, Name, Word},
    streams::{
        op::RunTime,
        oracle::StreamRule,
        profile::DriverProfile,
        scenario::{
            Acquire, Capture, DriverFault, Ending, Leaks, Manner, Place, Run, Spawn, StreamAction,
            StreamExpect, StreamScenario, StreamSetup, StreamStep,
        },
        system::Words,
    },
};

/// One of the words of `T`.
fn word<T: Word + std::fmt::Debug>() -> impl Strategy<Value = T> {
    select(<T as Word>::ALL)
}
/// Leases, memory and so on that each scenario defines at its beginning.
fn known(prefix: &'static str) -> impl Strategy<Value = Name> {
    (0..3u32).prop_map(move |n| Name::new(format!("{prefix}{n}")))
}
fn several(prefix: &'static str) -> impl Strategy<Value = Vec<Name>> {
    vec(known(prefix), 1..3)
}
/// A name that is given later, so that no two are alike.
fn new() -> Name {
    Name::from("to be named")
}
fn place() -> impl Strategy<Value = Place> {
    (0..2u32, word()).prop_map(|(device, priority)| Place { device, priority })
}
fn ticks() -> impl Strategy<Value = Ticks> {
    (0..99u64).prop_map(Ticks::new)
}
fn mode() -> impl Strategy<Value = CaptureMode> {
    word()
}

fn acquire() -> impl Strategy<Value = StreamAction> {
    let task = option::of(select(vec!["t1", "a task \"of\" two\\words", "übung"]));
    let manner = select(vec![Manner::Any, Manner::Existing, Manner::Reserved]);
    (1..4u32, task, place(), manner, any::<bool>()).prop_map(
        |(times, task, place, manner, others)| {
            let during = [StreamAction::Pump.into(), StreamAction::TickIdle.into()];
            StreamAction::Acquire(Acquire {
                times,
                task: task.map(Name::from),
                place,
                manner,
                while_creating: if others { during.to_vec() } else { Vec::new() },
                ..Acquire::of(new())
            })
        },
    )
}
fn run() -> impl Strategy<Value = StreamAction> {
    let time = prop_oneof![ticks().prop_map(RunTime::Ticks), Just(RunTime::Endless)];
    (time, several("l"), vec(known("m"), 0..3), vec(known("m"), 0..2), any::<bool>(), word())
        .prop_map(|(time, on, reads, writes, named, through)| {
            let name = named.then(new);
            StreamAction::Run(Run { time, on, reads, writes, name, through })
        })
}
fn capture() -> impl Strategy<Value = StreamAction> {
    let inner = prop_oneof![
        known("m").prop_map(StreamAction::Pin),
        known("l").prop_map(StreamAction::Fork),
        known("l").prop_map(StreamAction::Join),
        known("m").prop_map(StreamAction::Free),
    ];
    let ends = select(vec![Ending::Returns, Ending::Panics]);
    (known("l"), mode(), ends, vec(inner.prop_map(StreamStep::from), 0..3)).prop_map(
        |(on, mode, ends, steps)| {
            StreamAction::Capture(Capture { graph: new(), on, mode, ends, steps })
        },
    )
}
fn fault() -> impl Strategy<Value = DriverFault> {
    prop_oneof![
        (word(), 0..3u32, option::of(word())).prop_map(|(call, nth, says)| DriverFault::Call {
            call,
            nth,
            says
        }),
        (1..9u32).prop_map(DriverFault::AtLive),
        known("l").prop_map(DriverFault::Stream),
        Just(DriverFault::Device),
    ]
}
fn expectation() -> impl Strategy<Value = StreamExpect> {
    let count = (word(), select(&Bound::ALL), any::<u32>()).prop_map(|(counter, bound, value)| {
        StreamExpect::Count { counter, bound, value: value.into() }
    });
    prop_oneof![
        several("l").prop_map(StreamExpect::Same),
        several("l").prop_map(StreamExpect::Distinct),
        several("w").prop_map(StreamExpect::Finished),
        several("w").prop_map(StreamExpect::Unfinished),
        several("w").prop_map(StreamExpect::Complete),
        several("w").prop_map(StreamExpect::Running),
        vec(known("w"), 2..4).prop_map(StreamExpect::CompletedBefore),
        (several("l"), 0..9u32).prop_map(|(of, is)| StreamExpect::Generation { of, is }),
        word().prop_map(StreamExpect::Ordered),
        (several("m"), word()).prop_map(|(of, is)| StreamExpect::Freed { of, is }),
        several("m").prop_map(StreamExpect::Kept),
        several("m").prop_map(StreamExpect::Gone),
        (several("l"), word()).prop_map(|(of, is)| StreamExpect::Status { of, is }),
        (several("g"), 0..9u32).prop_map(|(of, is)| StreamExpect::GraphNodes { of, is }),
        word().prop_map(StreamExpect::Answer),
        several("f").prop_map(StreamExpect::Ready),
        several("f").prop_map(StreamExpect::Pending),
        word::<Blocked>().prop_map(StreamExpect::Blocked),
        count,
    ]
}
fn lease_step() -> impl Strategy<Value = StreamAction> {
    let access = select(vec![Access::Read, Access::Write]);
    prop_oneof![
        place().prop_map(|place| StreamAction::Switch {
            stream: new(),
            task: Name::from("t1"),
            place
        }),
        place().prop_map(|place| StreamAction::Own {
            stream: new(),
            owner: Name::from("o1"),
            place
        }),
        Just(StreamAction::Over(Name::from("o1"))),
        several("l").prop_map(StreamAction::Release),
        Just(StreamAction::End(Name::from("t1"))),
        known("l").prop_map(StreamAction::Forget),
        known("f").prop_map(StreamAction::Drop),
        known("f").prop_map(StreamAction::Poll),
        (known("m"), access, known("l"), ticks(), any::<bool>()).prop_map(
            |(memory, access, on, ticks, named)| {
                let name = named.then(new);
                StreamAction::Use { memory, access, on, ticks, name }
            }
        ),
        (known("l"), ticks()).prop_map(|(on, ticks)| StreamAction::Copy {
            future: new(),
            on,
            ticks
        }),
        known("w")
            .prop_map(|work| StreamAction::Spawn { future: new(), what: Spawn::Finished { work } }),
        place().prop_map(|place| StreamAction::Spawn {
            future: new(),
            what: Spawn::Acquire { lease: new(), task: None, place }
        }),
        known("l").prop_map(|on| StreamAction::Alloc { memory: new(), on }),
        known("m").prop_map(StreamAction::Free),
        known("l").prop_map(StreamAction::Expose),
        known("l").prop_map(StreamAction::Disown),
    ]
}
fn users_step() -> impl Strategy<Value = StreamAction> {
    prop_oneof![
        (known("l"), mode()).prop_map(|(on, mode)| StreamAction::BeginCapture { on, mode }),
        known("l").prop_map(|on| StreamAction::EndCapture { graph: new(), on }),
        (known("g"), known("l"), any::<bool>()).prop_map(|(graph, on, named)| {
            StreamAction::Launch { graph, on, name: named.then(new) }
        }),
        known("g").prop_map(StreamAction::DropGraph),
        known("l").prop_map(StreamAction::Query),
        known("l").prop_map(|on| StreamAction::Record { event: Name::from("e0"), on }),
        known("l").prop_map(|on| StreamAction::Wait { event: Name::from("e0"), on }),
        place().prop_map(|place| StreamAction::Create { handle: new(), place }),
        known("l").prop_map(StreamAction::Destroy),
        option::of(known("l")).prop_map(|of| StreamAction::Wrap { wrapped: new(), of }),
        known("l").prop_map(StreamAction::Unwrap),
    ]
}
fn keeping_step() -> impl Strategy<Value = StreamAction> {
    prop_oneof![
        ticks().prop_map(StreamAction::Tick),
        Just(StreamAction::TickIdle),
        known("l").prop_map(StreamAction::Finish),
        (known("m"), 0..99u32).prop_map(|(of, limit)| StreamAction::Sync { of, limit }),
        (word(), place()).prop_map(|(is, place)| StreamAction::Peek { is, place }),
        Just(StreamAction::Pump),
        Just(StreamAction::Trim),
        (0..2u32).prop_map(StreamAction::Reset),
        (0..3u32, 0..3u32, 0..3u32).prop_map(|(streams, memory, buffers)| {
            StreamAction::ShutDown(Leaks { streams, memory, buffers })
        }),
        word().prop_map(StreamAction::Process),
        fault().prop_map(StreamAction::Fail),
        Just(StreamAction::CountFrom),
    ]
}
fn action() -> impl Strategy<Value = StreamAction> {
    prop_oneof![
        acquire(),
        run(),
        capture(),
        lease_step(),
        users_step(),
        keeping_step(),
        expectation().prop_map(StreamAction::Expect),
    ]
}
fn step() -> impl Strategy<Value = StreamStep> {
    let thread = option::of(select(vec!["second", "the watchdog"]));
    let rule = option::of(select(StreamRule::ALL));
    (action(), thread, option::of(word()), rule).prop_map(|(action, thread, fails, rule)| {
        StreamStep { action, thread: thread.map(Name::from), fails, rule }
    })
}
fn setup() -> impl Strategy<Value = StreamSetup> {
    let numbers = (1..9u32, 0..9u32, 0..9u32, 0..9u32, 0..99u32);
    let rest = (0..9u32, 0..9u32, any::<bool>(), any::<bool>());
    let drivers = vec(word::<DriverProfile>(), 1..4);
    (drivers, word(), word(), numbers, rest).prop_map(
        |(drivers, policy, pump, (streams, idle_cap, live_cap, looks, warn_past), rest)| {
            let (create_ticks, queues, words, blocking) = rest;
            StreamSetup {
                policy,
                pump,
                streams,
                idle_cap,
                live_cap,
                looks,
                warn_past,
                create_ticks,
                queues,
                words: if words { Words::On } else { Words::Off },
                flags: if blocking { StreamFlags::empty() } else { StreamFlags::NON_BLOCKING },
                devices: 2,
                ..StreamSetup::on(drivers)
            }
        },
    )
}

/// What each scenario has names for at its beginning.
fn beginning() -> Vec<StreamStep> {
    let names = |prefix: &'static str| (0..3).map(move |n| Name::new(format!("{prefix}{n}")));
    let lease = Name::from("l0");
    let mut steps =
        vec![StreamAction::Acquire(Acquire { leases: names("l").collect(), ..Acquire::of("l0") })];
    let on = || lease.clone();
    steps.extend(names("m").map(|memory| StreamAction::Alloc { memory, on: on() }));
    steps.extend(names("f").map(|future| StreamAction::Copy {
        future,
        on: on(),
        ticks: Ticks::new(1),
    }));
    steps.extend(names("g").map(|graph| StreamAction::EndCapture { graph, on: on() }));
    steps.extend(names("w").map(|name| StreamAction::Use {
        memory: Name::from("m0"),
        access: Access::Read,
        on: on(),
        ticks: Ticks::new(1),
        name: Some(name),
    }));
    steps.push(StreamAction::Record { event: Name::from("e0"), on: on() });
    steps.into_iter().map(StreamStep::from).collect()
}
/// Gives every new thing a name of its own.
fn baptise(action: &mut StreamAction, next: &mut u32) {
    let mut give = |name: &mut Name| {
        if *name == new() {
            *next += 1;
            *name = Name::new(format!("n{next}"));
        }
    };
    match action {
        StreamAction::Acquire(acquire) => acquire.leases.iter_mut().for_each(give),
        StreamAction::Switch { stream: name, .. }
        | StreamAction::Own { stream: name, .. }
        | StreamAction::Copy { future: name, .. }
        | StreamAction::Alloc { memory: name, .. }
        | StreamAction::EndCapture { graph: name, .. }
        | StreamAction::Create { handle: name, .. }
        | StreamAction::Wrap { wrapped: name, .. }
        | StreamAction::Capture(Capture { graph: name, .. }) => give(name),
        StreamAction::Spawn { future, what } => {
            give(future);
            if let Spawn::Acquire { lease, .. } = what {
                give(lease);
            }
        }
        StreamAction::Run(Run { name, .. })
        | StreamAction::Use { name, .. }
        | StreamAction::Launch { name, .. } => name.iter_mut().for_each(give),
        _ => {}
    }
}

/// A scenario that a file can say; whether it makes sense is another matter.
pub(super) fn scenario() -> impl Strategy<Value = StreamScenario> {
    let text = select(vec!["plain", "with \"quotes\"", "back\\slash", "Zürich", "a\ttab"]);
    let rules = vec(select(StreamRule::ALL), 0..3);
    let repeated = (any::<bool>(), 1..9u32);
    (text.clone(), option::of(text), rules, setup(), vec(step(), 0..12), repeated).prop_map(
        |(name, source, rules, setup, mut drawn, (repeat, times))| {
            let mut next = 0;
            drawn.iter_mut().for_each(|step| baptise(&mut step.action, &mut next));
            if repeat {
                drawn = vec![StreamAction::Repeat { times, steps: drawn }.into()];
            }
            let mut steps = beginning();
            steps.extend(drawn);
            let catches = if repeat { vec!["LeaseBeforeDone".to_owned()] } else { Vec::new() };
            let source = source.map(str::to_owned);
            StreamScenario { name: name.to_owned(), source, rules, catches, setup, steps }
        },
    )
}
