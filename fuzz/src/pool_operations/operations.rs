//! From bytes to a driver, a pool, and what happens to them.
//!
//! A careful user's program: what no pool can mend (work past a capture that was abandoned, an array that a
//! graph touches and nobody pinned) is not made.

use ringfence::{
    backend::streams::CaptureMode,
    id::{Priority, StreamFlags},
    stream::Access,
};
use ringfence_mock::{
    clock::Ticks,
    scenario::Name,
    streams::{
        op::RunTime,
        profile::DriverProfile,
        scenario::{
            Acquire, Capture, DriverFault, Ending, FailingCall, Leaving, Manner, Place, PolicyKind,
            Pumping, Refusal, Run, Spawn, StreamAction, StreamSetup, StreamStep, Through,
        },
        system::Words,
    },
};

use super::strangers::Strangers;
use crate::bytes::Bytes;

/// Microseconds: a graph of some hundred, launched at each step, is finished by then.
const LONGER_THAN_ANY_PROGRAM: u32 = 1_000_000;
/// Leases that are held at once.
const LEASES: usize = 6;

/// The driver and the pool.
pub(super) fn setup(bytes: &mut Bytes<'_>) -> (StreamSetup, DriverProfile) {
    let profile = bytes.pick(DriverProfile::ALL);
    let with = bytes.byte();
    let policies =
        [PolicyKind::Lease, PolicyKind::Lease, PolicyKind::FreshDrop, PolicyKind::FreshDeferred];
    let setup = StreamSetup {
        words: if with & 1 == 0 { Words::On } else { Words::Off },
        flags: if with & 6 == 6 { StreamFlags::empty() } else { StreamFlags::NON_BLOCKING },
        pump: if with & 8 == 0 { Pumping::Manual } else { Pumping::Auto },
        policy: bytes.pick(&policies),
        live_cap: if with & 48 == 48 { 1 + bytes.below(4) } else { 0 },
        idle_cap: bytes.below(4),
        queues: bytes.below(3),
        create_ticks: bytes.pick(&[0, 0, 7]),
        devices: 1 + bytes.below(2),
        ..StreamSetup::on([profile])
    };
    (setup, profile)
}

/// What a program has so far.
pub(super) struct Program {
    next: u32,
    devices: u32,
    pub(super) leases: Vec<Name>,
    exposed: Vec<Name>,
    pub(super) arrays: Vec<Name>,
    graphs: Vec<Name>,
    futures: Vec<Name>,
    /// Leases that joined a capture: on HIP 5.2 the user's own work on them crashes.
    joined: Vec<Name>,
    pub(super) wrapped: Strangers,
    /// The lease on which the user captures past the pool.
    pub(super) capturing: Option<Name>,
    is_inside: bool,
    /// Whether something was broken on purpose.
    pub(super) is_faulty: bool,
    pub(super) is_capped: bool,
    /// Whether the policy has a cap of its own: one that deals with old streams later refuses new ones meanwhile.
    pub(super) defers: bool,
    /// Whether the process left the driver behind: a careful user calls it no more.
    pub(super) has_left: bool,
}
impl Program {
    pub(super) fn new(setup: &StreamSetup) -> Self {
        Self {
            next: 0,
            devices: setup.devices,
            leases: Vec::new(),
            exposed: Vec::new(),
            arrays: Vec::new(),
            graphs: Vec::new(),
            futures: Vec::new(),
            joined: Vec::new(),
            wrapped: Strangers::default(),
            capturing: None,
            is_inside: false,
            is_faulty: false,
            is_capped: setup.live_cap > 0,
            defers: setup.policy == PolicyKind::FreshDeferred,
            has_left: false,
        }
    }
    pub(super) fn has_joined(&self) -> bool {
        !self.joined.is_empty()
    }
    /// A step was answered with an error. Whoever did not begin a capture does not end one: the stream may still be in
    /// another, whose second end is a crash on CLR 2024.
    pub(super) fn note_refused(&mut self, step: &StreamStep) {
        if matches!(step.action, StreamAction::BeginCapture { .. }) {
            self.capturing = None;
        }
    }
    pub(super) fn name(&mut self, prefix: &str) -> Name {
        self.next += 1;
        Name::new(format!("{prefix}{}", self.next))
    }
    pub(super) fn place(&self, bytes: &mut Bytes<'_>) -> Place {
        let device = bytes.below(self.devices);
        Place { device, priority: bytes.pick(&[Priority::Normal, Priority::High]) }
    }
    /// The next step; `None`: there is nothing to do it with.
    pub(super) fn step(&mut self, bytes: &mut Bytes<'_>) -> Option<StreamStep> {
        let verb = bytes.below(36);
        let lease = one(bytes, &self.leases);
        let action = match verb {
            0..=3 if self.leases.len() < LEASES => self.acquire(bytes),
            4..=5 => self.release(bytes)?,
            6..=8 => StreamAction::Run(self.run(lease?, bytes)),
            9 => {
                let (memory, on) = (self.name("m"), lease?);
                self.arrays.push(memory.clone());
                StreamAction::Alloc { memory, on }
            }
            10..=11 => {
                let access = bytes.pick(&[Access::Read, Access::Write]);
                let memory = one(bytes, &self.arrays)?;
                StreamAction::Use { memory, access, on: lease?, ticks: ticks(bytes), name: None }
            }
            12 => StreamAction::Free(take(bytes, &mut self.arrays)?),
            13..=14 => StreamAction::Tick(ticks(bytes)),
            15 => StreamAction::Pump,
            16 => {
                let lease = lease?;
                self.exposed.push(lease.clone());
                StreamAction::Expose(lease)
            }
            17 => {
                let on = self.in_the_users_hands(bytes)?;
                let run = self.run(on, bytes);
                let (reads, writes) = (Vec::new(), Vec::new());
                StreamAction::Run(Run { reads, writes, through: Through::Handle, ..run })
            }
            18 | 24 if !self.is_inside => self.capture(lease?, bytes),
            19 => StreamAction::Launch { graph: one(bytes, &self.graphs)?, on: lease?, name: None },
            20 => StreamAction::DropGraph(take(bytes, &mut self.graphs)?),
            21 => {
                let (future, on) = (self.name("f"), lease?);
                self.futures.push(future.clone());
                StreamAction::Copy { future, on, ticks: ticks(bytes) }
            }
            22 => StreamAction::Drop(take(bytes, &mut self.futures)?),
            23 => StreamAction::Poll(one(bytes, &self.futures)?),
            25 if !self.is_inside => self.users_capture(bytes)?,
            26 => StreamAction::Trim,
            27 => {
                let (future, lease) = (self.name("f"), self.name("l"));
                self.futures.push(future.clone());
                let what = Spawn::Acquire { lease, task: None, place: self.place(bytes) };
                StreamAction::Spawn { future, what }
            }
            // In its own mode, which would break a capture of that stream.
            28 if !self.is_inside && self.capturing.is_none() => {
                StreamAction::Query(self.in_the_users_hands(bytes)?)
            }
            29 => StreamAction::Switch {
                stream: self.name("s"),
                task: Name::from("worker"),
                place: self.place(bytes),
            },
            30 => StreamAction::End(Name::from("worker")),
            31 if bytes.below(4) == 3 && !self.is_inside => self.fault(bytes, lease)?,
            33 if !self.is_inside => self.disown(bytes)?,
            34..=35 if !self.is_inside => self.strangers(bytes)?,
            _ => {
                StreamAction::Sync { of: one(bytes, &self.arrays)?, limit: LONGER_THAN_ANY_PROGRAM }
            }
        };
        Some(action.into())
    }
    fn acquire(&mut self, bytes: &mut Bytes<'_>) -> StreamAction {
        let lease = self.name("l");
        self.leases.push(lease.clone());
        let manners = [Manner::Any, Manner::Any, Manner::Any, Manner::Reserved];
        let (drawn, place) = (bytes.pick(&manners), self.place(bytes));
        // At the hard cap an idle stream goes for a reserved one, which the oracle of T2 does not know.
        let manner = if self.is_capped { Manner::Any } else { drawn };
        StreamAction::Acquire(Acquire { place, manner, ..Acquire::of(lease) })
    }
    fn release(&mut self, bytes: &mut Bytes<'_>) -> Option<StreamAction> {
        let lease = one(bytes, &self.leases)?;
        if self.capturing.as_ref() == Some(&lease) {
            return None; // an abandoned capture stays: a scenario of its own
        }
        self.forget(&lease);
        Some(StreamAction::Release(vec![lease]))
    }
    /// A lease is nobody's any more.
    fn forget(&mut self, lease: &Name) {
        self.leases.retain(|other| other != lease);
        self.exposed.retain(|other| other != lease);
        self.wrapped.forget(lease);
    }
    /// A stream becomes the user's own, as one that a user made.
    fn disown(&mut self, bytes: &mut Bytes<'_>) -> Option<StreamAction> {
        let lease = one(bytes, &self.leases)?;
        if self.capturing.as_ref() == Some(&lease) || self.joined.contains(&lease) {
            return None;
        }
        self.forget(&lease);
        Some(StreamAction::Disown(lease))
    }
    pub(super) fn run(&self, on: Name, bytes: &mut Bytes<'_>) -> Run {
        let time = RunTime::Ticks(ticks(bytes));
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        match bytes.below(4) {
            0 => reads.extend(one(bytes, &self.arrays)),
            1 => writes.extend(one(bytes, &self.arrays)),
            _ => {}
        }
        Run { time, on: vec![on], reads, writes, name: None, through: Through::Pool }
    }
    fn in_the_users_hands(&self, bytes: &mut Bytes<'_>) -> Option<Name> {
        let on = one(bytes, &self.exposed)?;
        (!self.has_left && !self.joined.contains(&on)).then_some(on)
    }
    /// The user begins a capture past the pool, or ends it.
    fn users_capture(&mut self, bytes: &mut Bytes<'_>) -> Option<StreamAction> {
        if self.has_left {
            return None;
        }
        if let Some(on) = self.capturing.take() {
            return Some(StreamAction::EndCapture { graph: self.name("u"), on });
        }
        let on = self.in_the_users_hands(bytes)?;
        self.capturing = Some(on.clone());
        Some(StreamAction::BeginCapture { on, mode: mode(bytes) })
    }
    /// A capture in which others go on.
    fn capture(&mut self, on: Name, bytes: &mut Bytes<'_>) -> StreamAction {
        let (graph, mode) = (self.name("g"), mode(bytes));
        let mut steps: Vec<StreamStep> = Vec::new();
        let run = self.run(on.clone(), bytes);
        let pins = run.writes.iter().chain(&run.reads).cloned();
        steps.extend(pins.map(|memory| StreamAction::Pin(memory).into()));
        steps.push(StreamAction::Run(run).into());
        self.is_inside = true;
        for _ in 0..bytes.below(4) {
            if let Some(mut step) = self.step(bytes) {
                if let StreamAction::Run(run) = &mut step.action
                    && run.on.contains(&on)
                {
                    // What a graph touches has to be pinned.
                    (run.reads, run.writes) = (Vec::new(), Vec::new());
                }
                steps.push(StreamStep { thread: Some(Name::from("other")), ..step });
            }
        }
        self.is_inside = false;
        if bytes.below(3) == 1
            && let Some(other) = one(bytes, &self.leases)
            && other != on
        {
            let run = self.run(other.clone(), bytes);
            let run = Run { reads: Vec::new(), writes: Vec::new(), ..run };
            self.joined.push(other.clone());
            let fork = StreamAction::Fork(other.clone());
            let all = [fork, StreamAction::Run(run), StreamAction::Join(other)];
            steps.extend(all.map(StreamStep::from));
        }
        let ends = if bytes.below(8) == 7 { Ending::Panics } else { Ending::Returns };
        self.graphs.push(graph.clone());
        StreamAction::Capture(Capture { graph, on, mode, ends, steps })
    }
    fn fault(&mut self, bytes: &mut Bytes<'_>, lease: Option<Name>) -> Option<StreamAction> {
        self.is_faulty = true;
        let calls = [
            FailingCall::Create,
            FailingCall::Query,
            FailingCall::Status,
            FailingCall::Record,
            FailingCall::Wait,
            FailingCall::BeginCapture,
            FailingCall::Launch,
            FailingCall::Allocate,
            FailingCall::Free,
            FailingCall::Mark,
            FailingCall::Destroy,
        ];
        let refusals = [None, Some(Refusal::Conflict), Some(Refusal::Bad), Some(Refusal::Memory)];
        let fault = match bytes.below(12) {
            0..=7 => DriverFault::Call {
                call: bytes.pick(&calls),
                nth: bytes.below(4),
                says: bytes.pick(&refusals),
            },
            8 => DriverFault::AtLive(1 + bytes.below(4)),
            9 => DriverFault::Stream(lease?),
            10 => DriverFault::Device,
            _ => {
                self.has_left = true;
                let how = bytes.pick(&[Leaving::Fork, Leaving::Exit]);
                return Some(StreamAction::Process(how));
            }
        };
        Some(StreamAction::Fail(fault))
    }
}

pub(super) fn one(bytes: &mut Bytes<'_>, of: &[Name]) -> Option<Name> {
    of.get(usize::from(bytes.byte()) % of.len().max(1)).cloned()
}
fn take(bytes: &mut Bytes<'_>, from: &mut Vec<Name>) -> Option<Name> {
    let name = one(bytes, from)?;
    from.retain(|other| *other != name);
    Some(name)
}
fn ticks(bytes: &mut Bytes<'_>) -> Ticks {
    Ticks::new(u64::from(bytes.below(30)))
}
fn mode(bytes: &mut Bytes<'_>) -> CaptureMode {
    bytes.pick(&[CaptureMode::Global, CaptureMode::ThreadLocal, CaptureMode::Relaxed])
}
