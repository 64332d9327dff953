//! From drafts to steps: every name that a step uses is defined by an earlier one.

use proptest::sample::Index;
use ringfence::{event::EventKind, id::Barrier};
use ringfence_mock::scenario::{
    Action, CopyParts, Graph, MachineFault, Name, Run, Setup, Stamps, Steady, Step, Submit, Timing,
    Tracking,
};

use super::Draft;

const STREAMS: [&str; 3] = ["a", "b", "c"];
const EVENTS: usize = 4;

/// What is defined so far.
#[derive(Default)]
struct Names {
    uses: Vec<Name>,
    recorded: Vec<Name>,
    snapshots: u32,
    handled: Vec<Name>,
    /// Events of copies in several parts: forced, they are never over.
    in_parts: Vec<Name>,
    on_second_queue: bool,
    given_up: bool,
}
impl Names {
    fn new_use(&mut self) -> Name {
        let name = Name::new(format!("u{}", self.uses.len()));
        self.uses.push(name.clone());
        name
    }
    fn record(&mut self, event: &Index) -> Name {
        let name = Name::new(format!("e{}", event.index(EVENTS)));
        if !self.recorded.contains(&name) {
            self.recorded.push(name.clone());
        }
        self.in_parts.retain(|event| *event != name);
        name
    }
    fn event(&self, which: &Index) -> Option<Name> {
        (!self.recorded.is_empty()).then(|| which.get(&self.recorded).clone())
    }
    fn used(&self, which: &Index) -> Option<Name> {
        (!self.uses.is_empty()).then(|| which.get(&self.uses).clone())
    }
}

/// The steps of a program: every name that one uses is defined by an earlier one. The polling tracker
/// gives no names of uses, and promises no steady loop, so that neither is asked of it.
pub fn program(drafts: &[Draft], setup: &Setup) -> Vec<Step> {
    let mut names = Names::default();
    let asked = |draft: &&Draft| {
        setup.tracker == Tracking::Retiring
            || !matches!(draft, Draft::QueryUse(_) | Draft::SteadyLoop)
    };
    let drafts = drafts.iter().filter(asked);
    drafts.flat_map(|draft| steps(draft, setup, &mut names)).map(Step::from).collect()
}
fn steps(draft: &Draft, setup: &Setup, names: &mut Names) -> Vec<Action> {
    let stream = |index: &Index| Name::from(STREAMS[index.index(STREAMS.len())]);
    let bit = |set: bool| if set { Barrier::Set } else { Barrier::Clear };
    let wanted = |timed: bool| if timed { Timing::Wanted } else { Timing::NotWanted };
    match draft {
        Draft::Submit { stream: on, barrier, timed, event } => {
            let event = event.as_ref().map(|event| names.record(event));
            vec![Action::Submit(Submit {
                barrier: bit(*barrier),
                timing: wanted(*timed && event.is_some()),
                event,
                ..Submit::new(names.new_use(), stream(on))
            })]
        }
        Draft::Record { stream: on, event, blocking } => {
            let kind = if *blocking { EventKind::Blocking } else { EventKind::Plain };
            let timing = Timing::NotWanted;
            vec![Action::Record { event: names.record(event), on: stream(on), kind, timing }]
        }
        Draft::Wait { stream: on, events, by } => {
            let mut awaited: Vec<Name> = events.iter().filter_map(|e| names.event(e)).collect();
            awaited.dedup();
            if awaited.is_empty() {
                return Vec::new();
            }
            vec![Action::Wait { on: stream(on), events: awaited, by: *by, packet: None }]
        }
        Draft::Snapshot(event) => {
            let Some(of) = names.event(event) else { return Vec::new() };
            let name = Name::new(format!("snapshot{}", names.snapshots));
            names.snapshots += 1;
            if names.in_parts.contains(&of) {
                names.in_parts.push(name.clone());
            }
            names.recorded.push(name.clone());
            vec![Action::Snapshot { name, of }]
        }
        Draft::Query(event) => {
            names.event(event).map(|of| Action::Query { of }).into_iter().collect()
        }
        Draft::QueryUse(used) => {
            names.used(used).map(|of| Action::Query { of }).into_iter().collect()
        }
        Draft::SyncEvent(event) => {
            names.event(event).map(|event| Action::SyncEvent { event }).into_iter().collect()
        }
        Draft::SyncStream(on) => vec![Action::SyncStream { stream: stream(on) }],
        Draft::Reclaim(on) => vec![Action::Reclaim { on: stream(on) }],
        Draft::Probe(on) => vec![Action::Probe { on: stream(on) }],
        Draft::Switch => {
            names.on_second_queue = !names.on_second_queue;
            let to = if names.on_second_queue { "q1" } else { "q0" };
            vec![Action::Switch { on: "a".into(), to: to.into() }]
        }
        Draft::Restart => {
            let drained = STREAMS.map(|stream| Action::Drain { on: stream.into() });
            let mut steps = vec![Action::Run(Run::Idle)];
            steps.extend(drained);
            steps.push(Action::Restart { queue: "q0".into() });
            steps
        }
        Draft::Copy { stream: on, parts, after, event } => {
            let waits = after.iter().filter_map(|event| names.event(event)).collect();
            let event = names.record(event);
            if *parts > 1 {
                names.in_parts.push(event.clone());
            }
            let on = stream(on);
            let device = setup.streams.get(&on).map_or(0, |queue| setup.device_of(queue));
            vec![Action::Copy(CopyParts {
                name: names.new_use(),
                on,
                engine: Name::new(format!("sdma{device}")),
                parts: *parts,
                waits,
                timing: Timing::NotWanted,
                event: Some(event),
            })]
        }
        Draft::Graph { stream: on, packets } => {
            let signals = vec![(packets / 2, names.new_use())];
            let (barrier, timing) = (Barrier::Clear, Timing::NotWanted);
            vec![Action::Graph(Graph {
                signals,
                on: stream(on),
                packets: *packets,
                barrier,
                timing,
            })]
        }
        Draft::Foreign(queue) => {
            let queue = Name::from(["q0", "q1"][queue.index(2)]);
            vec![Action::Foreign { queue, packets: 1, barrier: Barrier::Clear }]
        }
        Draft::Run(moves) => vec![Action::Run(Run::Moves(*moves))],
        Draft::Handler(event) => match names.event(event) {
            Some(event) if !names.handled.contains(&event) => {
                // On a recording with an interrupt of its own: others wake nobody.
                let (on, kind) = (Name::from("b"), EventKind::Blocking);
                let record =
                    Action::Record { event: event.clone(), on, kind, timing: Timing::NotWanted };
                if event.as_str().starts_with("snapshot") {
                    return Vec::new();
                }
                vec![record, Action::Handler { event }]
            }
            _ => Vec::new(),
        },
        Draft::Deliver => vec![Action::Deliver],
        Draft::Force(event) => {
            let may = |event: &Name| !names.in_parts.contains(event);
            let event = names.event(event).filter(may);
            names.given_up |= event.is_some();
            event.map(|event| Action::Force { event }).into_iter().collect()
        }
        Draft::RefusePart(at) => vec![Action::Fail(MachineFault::Part { at: *at })],
        Draft::BadStamps(zero) => {
            let stamps = if *zero { Stamps::Zero } else { Stamps::Reversed };
            let event = Name::from("timed");
            let timed = Submit {
                timing: Timing::Wanted,
                event: Some(event.clone()),
                ..Submit::new(names.new_use(), "b")
            };
            vec![
                Action::Run(Run::Idle),
                Action::Fail(MachineFault::Timestamps { stamps, times: 1 }),
                Action::Submit(timed),
                Action::SyncEvent { event: event.clone() },
                Action::Elapsed { from: event.clone(), to: event },
            ]
        }
        // Behind a forced completion, a packet may wait until the host restores the signal; on a lost
        // device it waits for ever.
        Draft::LateDecrement(_) if names.given_up => Vec::new(),
        Draft::LateDecrement(on) => {
            // Of a use that is over and not looked at yet: one that is still to finish would only look
            // finished, and nobody could tell.
            let of = names.new_use();
            let submit = Submit { barrier: Barrier::Clear, ..Submit::new(of.clone(), stream(on)) };
            let fault = MachineFault::LateDecrement { of: of.clone() };
            vec![
                Action::Submit(submit),
                Action::Run(Run::Idle),
                Action::Fail(fault),
                Action::Query { of },
            ]
        }
        Draft::SteadyLoop => {
            // On an event and a stream of its own; twice before, so that everything it needs is there.
            let (on, event) = (Name::from("b"), Name::from("steady"));
            let (kind, timing) = (EventKind::Plain, Timing::NotWanted);
            let mut once = || {
                let kernel = Submit::new(names.new_use(), on.clone());
                let record = Action::Record { event: event.clone(), on: on.clone(), kind, timing };
                let sync = Action::SyncEvent { event: event.clone() };
                [record.clone(), sync.clone(), Action::Submit(kernel), record, sync]
            };
            let mut steps = vec![Action::SyncStream { stream: "b".into() }];
            steps.extend(once().into_iter().chain(once()));
            steps.push(Action::Reclaim { on: "b".into() });
            steps.push(Action::Steady(Steady::Begin));
            steps.extend(once());
            steps.push(Action::Steady(Steady::End));
            steps
        }
        Draft::LoseDevice => {
            names.given_up = true;
            vec![Action::Fail(MachineFault::Device { device: "gpu0".into() })]
        }
    }
}
