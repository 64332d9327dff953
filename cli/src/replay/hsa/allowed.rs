//! Which scenarios a real queue allows: pure, told from the file alone.
//!
//! A real device does what it does when it does it. `run = "idle"` asks no more than to wait until it has nothing left to do, and so
//! does a `finish` of all that is open. Whatever else tells the device what to do, and when, only a model can follow.

use std::collections::BTreeMap;

use ringfence::backend::{HostDataPath, RingMemory};
use ringfence_mock::scenario::{
    Action, MachineFault, Name, Parsed, Place, Profile, Run, Setup, Step, StepPlace, Submit,
};

/// The least that a real packet ring holds (`HSA_AGENT_INFO_QUEUE_MIN_SIZE` of AMD's GPUs).
const LEAST_SLOTS: u32 = 64;
/// Repetitions that are looked at: what a first one leaves open, a second one meets.
const ROUNDS: u32 = 2;

/// Why a scenario is not played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LeftOut {
    /// The step or the key of the set-up, as it is written.
    pub(super) what: &'static str,
    /// Why no real device can.
    pub(super) why: &'static str,
    /// Where it is.
    pub(super) place: Option<Place>,
}

/// How many GPUs there are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct GpuCount(pub(super) usize);

/// The first thing in a scenario that a real device cannot do.
pub(super) fn first_impossible(parsed: &Parsed, gpus: GpuCount) -> Option<LeftOut> {
    let text = parsed.text.inner();
    if let Some((key, why)) = setup(&parsed.scenario.setup, gpus) {
        return Some(LeftOut { what: key, why, place: place_of_key(text, key) });
    }
    let mut open = Open::default();
    let (span, (what, why)) = open.walk(&parsed.scenario.steps, &parsed.places)?;
    Some(LeftOut { what, why, place: Some(Place::of(text, span)) })
}

/// What the machine of the set-up must be and a real one is not.
fn setup(setup: &Setup, gpus: GpuCount) -> Option<(&'static str, &'static str)> {
    let Setup { devices, features, rings, path, interrupts, slots, profile, .. } = setup;
    let usual = Setup::default();
    if usize::try_from(*devices).is_ok_and(|devices| devices > gpus.0) {
        return Some(("setup.devices", "there are fewer GPUs here"));
    }
    if features.as_slice() != Setup::FEATURES {
        return Some(("setup.features", "a GPU has the features that it has"));
    }
    if *rings != RingMemory::System {
        return Some(("setup.rings", "the runtime decides where packet rings live"));
    }
    if *path != HostDataPath::Hdp {
        return Some(("setup.path", "how host stores reach a GPU is the machine's"));
    }
    if *interrupts != usual.interrupts {
        return Some(("setup.interrupts", "how many events a process has is the driver's"));
    }
    if *profile == Profile::Scripted {
        return Some(("setup.profile", "a real device follows no script"));
    }
    (*slots < LEAST_SLOTS).then_some(("setup.slots", "a real packet ring holds 64 or more"))
}

/// The line of a key of the set-up.
fn place_of_key(text: &str, key: &str) -> Option<Place> {
    let short = key.trim_start_matches("setup.");
    let named = |line: &str, key| {
        line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    let at = text.lines().position(|line| named(line.trim_start(), key));
    let at = at.or_else(|| text.lines().position(|line| named(line.trim_start(), short)));
    at.map(|line| Place { line: line + 1, column: 1 })
}

/// What may be unfinished where the reader stands, with the stream that it is on. Each name once: a second use of one name is
/// finished by whatever finishes the first.
#[derive(Debug, Default)]
struct Open {
    work: BTreeMap<Name, Name>,
    /// The use that an event was recorded with.
    recorded: BTreeMap<Name, Name>,
    /// Packets that no step can name.
    unnamed: BTreeMap<Name, ()>,
}
type Reason = (&'static str, &'static str);

impl Open {
    fn walk(&mut self, steps: &[Step], places: &[StepPlace]) -> Option<(usize, Reason)> {
        for (step, place) in steps.iter().zip(places) {
            let found = match &step.action {
                Action::Repeat { times, steps } => {
                    (0..ROUNDS.min(*times)).find_map(|_| self.walk(steps, &place.inner))
                }
                action => self.impossible(action).map(|reason| (place.span.start, reason)),
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }
    fn add(&mut self, name: &Name, on: &Name) {
        self.work.insert(name.clone(), on.clone());
    }
    fn impossible(&mut self, action: &Action) -> Option<Reason> {
        match action {
            Action::Submit(Submit { name, on, event, .. }) => {
                self.add(name, on);
                if let Some(event) = event {
                    self.recorded.insert(event.clone(), name.clone());
                }
            }
            Action::Graph(graph) => {
                graph.signals.iter().for_each(|(_, name)| self.add(name, &graph.on));
                self.unnamed.insert(graph.on.clone(), ());
            }
            Action::Copy(copy) => {
                self.add(&copy.name, &copy.on);
                if let Some(event) = &copy.event {
                    self.recorded.insert(event.clone(), copy.name.clone());
                }
            }
            Action::Record { event, on, .. } => {
                self.add(event, on);
                self.recorded.remove(event);
            }
            Action::Wait { on, packet: Some(packet), .. } => self.add(packet, on),
            Action::Wait { on, packet: None, .. } | Action::Switch { on, .. } => {
                self.unnamed.insert(on.clone(), ());
            }
            Action::Foreign { queue, .. } => {
                self.unnamed.insert(queue.clone(), ());
            }
            Action::SyncEvent { event } => {
                self.work.remove(self.recorded.get(event).unwrap_or(event));
            }
            Action::SyncStream { stream }
            | Action::Drain { on: stream }
            | Action::Close { stream } => {
                self.work.retain(|_, on| on != stream);
                self.unnamed.remove(stream);
            }
            Action::Run(Run::Idle) => *self = Self::default(),
            Action::Finish { of, parts: None } if self.is_all(of) => *self = Self::default(),
            Action::Finish { .. } => {
                return Some(("finish", "a real device chooses what it completes next"));
            }
            Action::Start { .. } => {
                return Some(("start", "a real device starts packets when it likes"));
            }
            Action::ReadIndex { .. } => {
                return Some(("read_index", "the read index is the device's to move"));
            }
            Action::Run(Run::Moves(_)) => {
                return Some(("run", "a real device makes as many moves as it likes"));
            }
            Action::Restart { .. } => {
                return Some(("restart", "the index space of a real queue never restarts"));
            }
            Action::Profiler { .. } => {
                return Some(("profiler", "no profiler attaches on demand"));
            }
            Action::Force { .. } => {
                return Some(("force", "it is for work that hangs, and real work does not"));
            }
            Action::Search { .. } => {
                return Some(("reclaim in steps", "a search alone stops between them"));
            }
            Action::DeliverOne { .. } => {
                return Some(("deliver of one handler", "the runtime's own thread calls them all"));
            }
            Action::Fail(fault) => {
                return Some((fault_name(fault), "a model alone fails on demand"));
            }
            Action::Snapshot { .. }
            | Action::Query { .. }
            | Action::Elapsed { .. }
            | Action::Destroy { .. }
            | Action::Reclaim { .. }
            | Action::Probe { .. }
            | Action::Share { .. }
            | Action::Handler { .. }
            | Action::Deliver
            | Action::Steady(_)
            | Action::CountFrom
            | Action::Repeat { .. }
            | Action::Expect(_) => {}
        }
        None
    }
    /// Whether nothing is open but what is named in `of`.
    fn is_all(&self, of: &[Name]) -> bool {
        let named = |name| {
            of.contains(name) || of.iter().any(|event| self.recorded.get(event) == Some(name))
        };
        self.unnamed.is_empty() && self.work.keys().all(named)
    }
}

fn fault_name(fault: &MachineFault) -> &'static str {
    match fault {
        MachineFault::Creation { .. } => "fail = \"creation\"",
        MachineFault::NullHandle { .. } => "fail = \"null_handle\"",
        MachineFault::Part { .. } => "fail = \"part\"",
        MachineFault::FallBack { .. } => "fail = \"fall_back\"",
        MachineFault::Interrupt => "fail = \"interrupt\"",
        MachineFault::LateDecrement { .. } => "fail = \"late_decrement\"",
        MachineFault::Timestamps { .. } => "fail = \"timestamps\"",
        MachineFault::Device { .. } => "fail = \"device\"",
    }
}
