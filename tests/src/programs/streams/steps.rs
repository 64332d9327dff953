//! From drafts to steps: every name that a step uses is defined by an earlier one.

use proptest::sample::Index;
use ringfence::{backend::streams::CaptureMode, id::Priority, stream::Access};
use ringfence_mock::{
    clock::Ticks,
    scenario::Name,
    streams::{
        op::RunTime,
        profile::DriverProfile,
        scenario::{
            Acquire, Capture, DriverFault, Ending, FailingCall, Manner as Asked, Place, Refusal,
            Run, StreamAction, StreamStep, Through,
        },
    },
};

use super::{Draft, Manner};

/// A lease, as far as a program has to know it.
#[derive(Clone)]
struct Held {
    name: Name,
    task: Option<usize>,
    exposed: bool,
}

/// What is defined so far.
struct Names {
    manner: Manner,
    profile: DriverProfile,
    refused: bool,
    count: u32,
    leases: Vec<Held>,
    memory: Vec<Name>,
    graphs: Vec<Name>,
    futures: Vec<Name>,
    /// The lease that captures now: its stream does nothing else.
    captures: Vec<Name>,
}
impl Names {
    fn next(&mut self, letter: &str) -> Name {
        self.count += 1;
        Name::new(format!("{letter}{}", self.count))
    }
    /// A lease that may be used now.
    fn lease(&self, which: &Index) -> Option<Held> {
        let free: Vec<&Held> = self.leases.iter().filter(|held| !self.is_captured(held)).collect();
        (!free.is_empty()).then(|| (*which.get(&free)).clone())
    }
    /// A stream that captures does nothing else, and neither does its task.
    fn is_captured(&self, held: &Held) -> bool {
        self.captures.contains(&held.name) || held.task.is_some_and(|task| self.is_busy(task))
    }
    fn is_busy(&self, task: usize) -> bool {
        let mine = |held: &&Held| held.task == Some(task);
        self.leases.iter().filter(mine).any(|held| self.captures.contains(&held.name))
    }
    fn end(&mut self, lease: &Name) {
        self.leases.retain(|held| held.name != *lease);
    }
}
fn pick(which: &Index, among: &[Name]) -> Option<Name> {
    (!among.is_empty()).then(|| which.get(among).clone())
}
fn optional(which: &Option<Index>, among: &[Name]) -> Vec<Name> {
    which.iter().filter_map(|which| pick(which, among)).collect()
}
fn place(high: bool) -> Place {
    Place { device: 0, priority: if high { Priority::High } else { Priority::Normal } }
}
fn ticks(ticks: u16) -> Ticks {
    Ticks::new(u64::from(ticks))
}

/// The steps of a program.
pub fn program(drafts: &[Draft], manner: Manner, profile: DriverProfile) -> Vec<StreamStep> {
    let mut names = Names {
        manner,
        profile,
        refused: false,
        count: 0,
        leases: Vec::new(),
        memory: Vec::new(),
        graphs: Vec::new(),
        futures: Vec::new(),
        captures: Vec::new(),
    };
    all(drafts, &mut names)
}
fn all(drafts: &[Draft], names: &mut Names) -> Vec<StreamStep> {
    drafts.iter().flat_map(|draft| steps(draft, names)).collect()
}
fn steps(draft: &Draft, names: &mut Names) -> Vec<StreamStep> {
    let steps = match draft {
        Draft::UserCapture { on, others } => user_capture(on, others, names),
        _ => step(draft, names).map(|actions| actions.into_iter().map(StreamStep::from).collect()),
    };
    steps.unwrap_or_default()
}
/// A capture past the pool. Its steps stand by themselves: an error of one does not leave it open.
fn user_capture(on: &Index, others: &[Draft], names: &mut Names) -> Option<Vec<StreamStep>> {
    let on = names.lease(on).filter(|held| held.exposed)?.name;
    names.captures.push(on.clone());
    let begin = StreamAction::BeginCapture { on: on.clone(), mode: CaptureMode::Relaxed };
    let mut steps = vec![StreamStep::from(begin)];
    steps.extend(all(others, names));
    names.captures.clear();
    let graph = names.next("g");
    steps.push(StreamAction::EndCapture { graph, on }.into());
    Some(steps)
}
/// `None`: nothing that it could be about exists.
fn step(draft: &Draft, names: &mut Names) -> Option<Vec<StreamAction>> {
    let one = |action| Some(vec![action]);
    match draft {
        Draft::Acquire { high, manner } => acquire(names, *high, *manner),
        Draft::Switch { task, high } => switch(names, task.index(3), *high),
        Draft::Release(which) => {
            let held = names.lease(which).filter(|held| held.task.is_none())?;
            names.end(&held.name);
            one(StreamAction::Release(vec![held.name]))
        }
        Draft::End(which) => end_task(names, which.index(3)),
        Draft::Forget(which) => {
            let held = names.lease(which).filter(|held| held.task.is_none())?;
            names.end(&held.name);
            one(StreamAction::Forget(held.name))
        }
        Draft::Run { on, ticks: time, reads, writes, past } => {
            let held = names.lease(on)?;
            if *past && !held.exposed {
                return None;
            }
            // Nobody orders work that goes past the pool but its author.
            let (reads, writes) = if *past { (&None, &None) } else { (reads, writes) };
            one(StreamAction::Run(Run {
                time: RunTime::Ticks(ticks(*time)),
                on: vec![held.name],
                reads: optional(reads, &names.memory),
                writes: optional(writes, &names.memory),
                name: None,
                through: if *past { Through::Handle } else { Through::Pool },
            }))
        }
        Draft::Use { memory, on, ticks: time, writes } => {
            let (held, memory) = (names.lease(on)?, pick(memory, &names.memory)?);
            let access = if *writes { Access::Write } else { Access::Read };
            let (on, ticks) = (held.name, ticks(*time));
            one(StreamAction::Use { memory, access, on, ticks, name: None })
        }
        Draft::Copy { on, ticks: time } => {
            let on = names.lease(on)?.name;
            let future = names.next("f");
            names.futures.push(future.clone());
            one(StreamAction::Copy { future, on, ticks: ticks(*time) })
        }
        Draft::Poll(which) => {
            // Once: it may be ready, and is over then.
            let future = pick(which, &names.futures)?;
            names.futures.retain(|other| *other != future);
            one(StreamAction::Poll(future))
        }
        Draft::Cancel(which) => {
            let future = pick(which, &names.futures)?;
            names.futures.retain(|other| *other != future);
            one(StreamAction::Drop(future))
        }
        Draft::Tick(time) => one(StreamAction::Tick(ticks(*time))),
        Draft::Rest => one(StreamAction::TickIdle),
        Draft::Alloc(on) => {
            let on = names.lease(on)?.name;
            let memory = names.next("m");
            names.memory.push(memory.clone());
            one(StreamAction::Alloc { memory, on })
        }
        Draft::Free(which) => {
            let memory = pick(which, &names.memory)?;
            names.memory.retain(|other| *other != memory);
            one(StreamAction::Free(memory))
        }
        Draft::Expose(which) => {
            let held = names.lease(which)?;
            expose(names, &held.name);
            one(StreamAction::Expose(held.name))
        }
        Draft::Launch { graph, on } => {
            let (graph, on) = (pick(graph, &names.graphs)?, names.lease(on)?.name);
            one(StreamAction::Launch { graph, on, name: None })
        }
        Draft::DropGraph(which) => {
            let graph = pick(which, &names.graphs)?;
            names.graphs.retain(|other| *other != graph);
            one(StreamAction::DropGraph(graph))
        }
        Draft::Wrap(which) => {
            let held = names.lease(which)?;
            expose(names, &held.name);
            let wrapped = names.next("w");
            Some(vec![
                StreamAction::Expose(held.name.clone()),
                StreamAction::Wrap { wrapped, of: Some(held.name) },
            ])
        }
        Draft::Sync(which) => {
            // HIP 5.7 refuses host waits to a thread that captures.
            if !names.captures.is_empty() {
                return None;
            }
            let of = pick(which, &names.memory)?;
            one(StreamAction::Sync { of, limit: 1_000_000 })
        }
        Draft::Pump => one(StreamAction::Pump),
        Draft::Trim => one(StreamAction::Trim),
        Draft::Capture { .. } | Draft::Abandon(_) => captures(draft, names),
        _ => faults(draft, names),
    }
}
fn acquire(names: &mut Names, high: bool, manner: Asked) -> Option<Vec<StreamAction>> {
    let existing = manner == Asked::Existing;
    let healthy = matches!(names.manner, Manner::Healthy | Manner::Refusing);
    // A lease of an existing stream may find none: then its name stands for nothing.
    if existing && (healthy || !names.captures.is_empty()) {
        return None;
    }
    let name = names.next("s");
    if !existing {
        names.leases.push(Held { name: name.clone(), task: None, exposed: false });
    }
    Some(vec![StreamAction::Acquire(Acquire { place: place(high), manner, ..Acquire::of(name) })])
}
fn switch(names: &mut Names, task: usize, high: bool) -> Option<Vec<StreamAction>> {
    // A task has one name for each kind of stream.
    let stream = Name::new(format!("t{task}{}", if high { "high" } else { "normal" }));
    if names.is_busy(task) {
        return None;
    }
    if !names.leases.iter().any(|held| held.name == stream) {
        names.leases.push(Held { name: stream.clone(), task: Some(task), exposed: false });
    }
    let task = Name::new(format!("t{task}"));
    Some(vec![StreamAction::Switch { stream, task, place: place(high) }])
}
fn end_task(names: &mut Names, task: usize) -> Option<Vec<StreamAction>> {
    let mine = |held: &Held| held.task == Some(task);
    let any = names.leases.iter().any(mine);
    if !any || names.is_busy(task) {
        return None;
    }
    names.leases.retain(|held| !mine(held));
    Some(vec![StreamAction::End(Name::new(format!("t{task}")))])
}
fn expose(names: &mut Names, lease: &Name) {
    for held in &mut names.leases {
        held.exposed |= held.name == *lease;
    }
}
fn captures(draft: &Draft, names: &mut Names) -> Option<Vec<StreamAction>> {
    match draft {
        Draft::Capture { on, fork, pins, others, panics } => {
            let held = names.lease(on).filter(|held| !held.exposed)?;
            let graph = names.next("g");
            names.captures.push(held.name.clone());
            // A stream that joined a capture of HIP 5.2 captures for ever, and is never destroyed (T9, T10).
            let fork = fork.as_ref().filter(|_| names.profile != DriverProfile::Hip52);
            // An error inside a capture leaves its fork unjoined.
            let fork = fork.filter(|_| names.manner != Manner::Exposed);
            let fork = fork.and_then(|fork| names.lease(fork)).filter(|fork| !fork.exposed);
            let node = |on: &Name, writes| {
                StreamAction::Run(Run {
                    time: RunTime::Ticks(Ticks::new(5)),
                    on: vec![on.clone()],
                    reads: Vec::new(),
                    writes,
                    name: None,
                    through: Through::Pool,
                })
            };
            let pins = optional(pins, &names.memory);
            let mut inside: Vec<StreamAction> =
                pins.iter().cloned().map(StreamAction::Pin).collect();
            inside.push(node(&held.name, pins));
            if let Some(fork) = &fork {
                names.captures.push(fork.name.clone());
                inside.push(StreamAction::Fork(fork.name.clone()));
                inside.push(node(&fork.name, Vec::new()));
            }
            let mut inside: Vec<StreamStep> = inside.into_iter().map(StreamStep::from).collect();
            inside.extend(all(others, names));
            if let Some(fork) = &fork {
                inside.push(StreamAction::Join(fork.name.clone()).into());
                inside.push(node(&held.name, Vec::new()).into());
            }
            names.captures.clear();
            let ends = if *panics { Ending::Panics } else { Ending::Returns };
            if !panics {
                names.graphs.push(graph.clone());
            }
            let mode = CaptureMode::ThreadLocal;
            let capture = Capture { graph, on: held.name, mode, ends, steps: inside };
            let mut step = StreamStep::from(StreamAction::Capture(capture));
            if *panics {
                step.fails = Some(ringfence_mock::streams::scenario::StreamErrorKind::Panicked);
            }
            Some(vec![StreamAction::Repeat { times: 1, steps: vec![step] }])
        }
        Draft::Abandon(on) => {
            let held = names.lease(on).filter(|held| held.task.is_none())?;
            names.end(&held.name);
            Some(vec![
                StreamAction::Expose(held.name.clone()),
                StreamAction::BeginCapture { on: held.name.clone(), mode: CaptureMode::Relaxed },
                StreamAction::Release(vec![held.name]),
            ])
        }
        _ => None,
    }
}
fn faults(draft: &Draft, names: &mut Names) -> Option<Vec<StreamAction>> {
    let conflict = Some(Refusal::Conflict);
    let refused = |call, nth: u16, says| {
        Some(vec![StreamAction::Fail(DriverFault::Call { call, nth: u32::from(nth), says })])
    };
    match draft {
        Draft::FailCreate => refused(FailingCall::Create, 0, None),
        // Two in a row: the second is that of the disposal stream, which tries when the first was refused.
        Draft::RefuseFree(nth) => {
            // Once in a program: what is refused for ever is leaked in the end.
            if std::mem::replace(&mut names.refused, true) {
                return None;
            }
            let twice = [*nth, *nth + 1].map(|nth| refused(FailingCall::Free, nth, conflict));
            Some(twice.into_iter().flatten().flatten().collect())
        }
        Draft::RefuseQuery => refused(FailingCall::Query, 0, Some(Refusal::Conflict)),
        Draft::Poison(on) => {
            let held = names.lease(on).filter(|held| held.task.is_none())?;
            Some(vec![StreamAction::Fail(DriverFault::Stream(held.name))])
        }
        Draft::Destroy(on) => {
            // Where a stale handle is a crash, an owner has to say that he destroys a pooled stream.
            let held = names.lease(on).filter(|_| names.profile != DriverProfile::ClrNew)?;
            if held.task.is_some() {
                return None;
            }
            names.end(&held.name);
            Some(vec![
                StreamAction::Expose(held.name.clone()),
                StreamAction::Destroy(held.name.clone()),
                StreamAction::Release(vec![held.name]),
            ])
        }
        Draft::Reset => reset(names),
        Draft::Lose => Some(vec![StreamAction::Fail(DriverFault::Device)]),
        _ => None,
    }
}
/// A device is reset: nobody uses its streams and graphs after that.
fn reset(names: &mut Names) -> Option<Vec<StreamAction>> {
    if !names.captures.is_empty() {
        return None;
    }
    let mut steps = vec![StreamAction::Reset(0)];
    let mut tasks: Vec<usize> = names.leases.iter().filter_map(|held| held.task).collect();
    tasks.sort_unstable();
    tasks.dedup();
    let own = names.leases.drain(..).filter(|held| held.task.is_none());
    steps.extend(own.map(|held| StreamAction::Release(vec![held.name])));
    steps.extend(tasks.into_iter().map(|task| StreamAction::End(Name::new(format!("t{task}")))));
    steps.extend(names.graphs.drain(..).map(StreamAction::DropGraph));
    Some(steps)
}
