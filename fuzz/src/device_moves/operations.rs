//! From bytes to a machine and what the host does with it.

use std::collections::BTreeMap;

use ringfence::{
    backend::{HostDataPath, RingMemory},
    event::EventKind,
    id::Barrier,
    placement::{DeviceSignals, EventPlacement, Role},
};
use ringfence_mock::scenario::{
    Action, By, CopyParts, Feature, Graph, Kind, MachineFault, Name, Run, Scenario, Setup, Signal,
    Stamps, Step, Submit, Timing, Tracking,
};

use crate::bytes::Bytes;

/// Events by number; fewer than steps, so that they are recorded again.
const EVENTS: u32 = 5;

/// The run that `bytes` stand for, of `most` steps at most.
pub(super) fn scenario(bytes: &mut Bytes<'_>, most: usize) -> Scenario {
    let setup = setup(bytes);
    let mut host = Host { bytes, setup: &setup, uses: 0 };
    let mut steps: Vec<Step> = Vec::new();
    while !host.bytes.is_empty() && steps.len() < most {
        steps.push(host.action().into());
    }
    let name = "made from bytes".to_owned();
    Scenario { name, source: None, rules: Vec::new(), catches: Vec::new(), setup, steps }
}

fn setup(bytes: &mut Bytes<'_>) -> Setup {
    let queues = 1 + bytes.below(3);
    let streams = (0..1 + bytes.below(4))
        .map(|stream| (numbered("s", stream), numbered("q", bytes.below(queues))));
    let streams: BTreeMap<Name, Name> = streams.collect();
    let ring = 2 << bytes.below(4);
    let tracker = match bytes.below(8) {
        0 => Tracking::Polling,
        _ => Tracking::Retiring,
    };
    let mut features = Setup::FEATURES.to_vec();
    if bytes.below(2) == 1 {
        features.push(Feature::DeviceSignalsOnCopies);
    }
    Setup {
        queues,
        engines: 2,
        streams,
        tracker,
        features,
        cap: ring * bytes.pick(&[16, 1, 2]),
        spares: bytes.below(3),
        signals: bytes.pick(&[DeviceSignals::On, DeviceSignals::Off]),
        events: bytes.pick(&[EventPlacement::Host, EventPlacement::Device, EventPlacement::Twin]),
        rings: bytes.pick(&[RingMemory::System, RingMemory::Device]),
        path: bytes.pick(&[HostDataPath::Hdp, HostDataPath::Coherent]),
        submission_batch: bytes.pick(&[64, 3]),
        hertz: bytes.pick(&[100_000_000, 25_000_000, 1_000_000_000]),
        ..Setup::with_ring(ring)
    }
}

fn numbered(prefix: &str, number: u32) -> Name {
    Name::new(format!("{prefix}{number}"))
}

/// Makes one operation after the other.
struct Host<'a, 'b> {
    bytes: &'a mut Bytes<'b>,
    setup: &'a Setup,
    /// Uses that were named so far.
    uses: u32,
}
impl Host<'_, '_> {
    fn stream(&mut self) -> Name {
        let count = u32::try_from(self.setup.streams.len()).expect("at most four streams");
        numbered("s", self.bytes.below(count))
    }
    fn queue(&mut self) -> Name {
        numbered("q", self.bytes.below(self.setup.queues))
    }
    fn event(&mut self) -> Name {
        numbered("e", self.bytes.below(EVENTS))
    }
    fn new_use(&mut self) -> Name {
        self.uses += 1;
        numbered("u", self.uses)
    }
    fn old_use(&mut self) -> Name {
        // The latest uses are the ones in flight.
        let back = self.bytes.below(8).min(self.uses);
        numbered("u", self.uses - back)
    }
    fn barrier(&mut self) -> Barrier {
        self.bytes.pick(&[Barrier::Set, Barrier::Clear])
    }
    fn timing(&mut self) -> Timing {
        self.bytes.pick(&[Timing::NotWanted, Timing::NotWanted, Timing::Wanted])
    }

    fn action(&mut self) -> Action {
        match self.bytes.below(32) {
            0..=8 => self.submit(),
            9..=10 => self.graph(),
            11..=12 => self.copy(),
            13..=15 => self.record(),
            16..=18 => self.wait(),
            19 => Action::Query { of: self.event() },
            20 => Action::SyncEvent { event: self.event() },
            21 => Action::SyncStream { stream: self.stream() },
            22 => Action::Elapsed { from: self.event(), to: self.event() },
            23 => Action::Destroy { event: self.event() },
            24 => Action::Reclaim { on: self.stream() },
            25 => Action::Probe { on: self.stream() },
            26 => Action::Switch { on: self.stream(), to: self.queue() },
            27 => Action::Handler { event: self.event() },
            28 => Action::Deliver,
            29 => self.device(),
            30 => self.foreign(),
            _ => Action::Fail(self.fault()),
        }
    }
    fn submit(&mut self) -> Action {
        let with = self.bytes.byte();
        let signal = if with & 3 == 3 { Signal::No } else { Signal::Yes };
        let is_signalled = signal == Signal::Yes;
        let roles = [None, Some(Role::Dispatch), Some(Role::TimingOnly), Some(Role::Blocking)];
        let submit = Submit {
            kind: if with & 12 == 12 { Kind::Marker } else { Kind::Kernel },
            barrier: self.barrier(),
            role: if is_signalled { self.bytes.pick(&roles) } else { None },
            timing: if is_signalled { self.timing() } else { Timing::NotWanted },
            event: (is_signalled && with & 16 != 0).then(|| self.event()),
            ticks: 1 + u32::from(with >> 5) * 100,
            signal,
            ..Submit::new(self.new_use(), self.stream())
        };
        Action::Submit(submit)
    }
    fn graph(&mut self) -> Action {
        let packets = 1 + self.bytes.below(6);
        let named = self.bytes.byte();
        let positions = (0..packets).filter(|position| named >> position & 1 == 1);
        let signals = positions.map(|position| (position, self.new_use())).collect();
        let (barrier, timing) = (self.barrier(), self.timing());
        Action::Graph(Graph { signals, on: self.stream(), packets, barrier, timing })
    }
    fn copy(&mut self) -> Action {
        let engine = numbered("sdma", self.bytes.below(self.setup.engines));
        let waits = (0..self.bytes.below(3)).map(|_| self.event()).collect();
        let event = (self.bytes.below(2) == 1).then(|| self.event());
        let (parts, timing) = (1 + self.bytes.below(4), self.timing());
        let (name, on) = (self.new_use(), self.stream());
        Action::Copy(CopyParts { name, on, engine, parts, waits, timing, event })
    }
    fn record(&mut self) -> Action {
        let kind = self.bytes.pick(&[EventKind::Plain, EventKind::Plain, EventKind::Blocking]);
        Action::Record { event: self.event(), on: self.stream(), kind, timing: self.timing() }
    }
    fn wait(&mut self) -> Action {
        let by = self.bytes.pick(&[By::And, By::And, By::Or, By::Value]);
        let events = (0..1 + self.bytes.below(3)).map(|_| self.event()).collect();
        Action::Wait { on: self.stream(), events, by, packet: None }
    }
    fn device(&mut self) -> Action {
        match self.bytes.below(4) {
            0 => Action::Run(Run::Idle),
            1 => Action::Run(Run::Moves(1 + self.bytes.below(9))),
            2 => Action::Start { of: self.old_use() },
            _ => Action::Finish { of: vec![self.old_use()], parts: None },
        }
    }
    fn foreign(&mut self) -> Action {
        let (queue, packets) = (self.queue(), 1 + self.bytes.below(4));
        Action::Foreign { queue, packets, barrier: self.barrier() }
    }
    fn fault(&mut self) -> MachineFault {
        match self.bytes.below(6) {
            0 => MachineFault::Creation { at: 1 + self.bytes.below(8) },
            1 => MachineFault::NullHandle { at: 1 + self.bytes.below(8) },
            2 => MachineFault::FallBack { at: 1 + self.bytes.below(8) },
            3 => MachineFault::Part { at: self.bytes.below(4) },
            4 => MachineFault::Interrupt,
            _ => {
                let all = [Stamps::Zero, Stamps::Reversed, Stamps::NoStart, Stamps::Late];
                MachineFault::Timestamps {
                    stamps: self.bytes.pick(&all),
                    times: 1 + self.bytes.below(4),
                }
            }
        }
    }
}
