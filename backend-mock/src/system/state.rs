//! What a system is made of.

use std::{cell::RefCell, collections::BTreeSet, rc::Rc, time::Duration};

use ringfence::{
    backend::{DeviceStatus, Profiler, SignalMemory},
    id::{DeviceId, LaneId, PacketId, QueueId, SignalHandle},
    timing::TickRate,
};

use super::{DeviceSettings, Settings, handlers::Watched, planned::Plan};
use crate::{
    chooser::{Chooser, Course, Look},
    clock::Clock,
    cost::HostTime,
    counts::Counts,
    faults::Faults,
    model::Model,
    oracle::{Blame, Declaration, Oracle},
    stamps::Stamps,
    trace::{Event, Trace},
    work::Works,
};

/// How many lines of trace a violation carries.
const LINES_OF_A_VIOLATION: usize = 60;

pub(super) struct DeviceState {
    pub(super) tick_rate: TickRate,
    pub(super) profiler: Profiler,
    pub(super) counts: Counts,
}

pub(super) struct State {
    pub(super) model: Model,
    pub(super) chooser: Box<dyn Chooser>,
    pub(super) settings: Settings,
    pub(super) clock: Clock,
    pub(super) host_time: HostTime,
    pub(super) oracle: Oracle,
    pub(super) trace: Trace,
    pub(super) devices: Vec<DeviceState>,
    pub(super) stamps: Stamps,
    pub(super) works: Works,
    pub(super) faults: Faults,
    pub(super) watched: Vec<Watched>,
    pub(super) interrupts: u32,
    /// Published by strangers, or to be: not the host's packets.
    pub(super) foreign: BTreeSet<(LaneId, PacketId)>,
    /// Never finished by the chooser.
    pub(super) stalled: BTreeSet<(LaneId, PacketId)>,
    /// What a search decides.
    pub(super) course: Option<Rc<RefCell<Course>>>,
    /// How finely it tells states apart.
    pub(super) blame: Blame,
    /// What a script does at looks of the step to come.
    pub(super) planned: Plan,
    /// Looks of the present step so far.
    pub(super) looks: Look,
    /// A digest of what the present step saw.
    pub(super) seen: u64,
    /// Queues whose read index only a script moves.
    pub(super) scripted: BTreeSet<QueueId>,
}
impl State {
    pub(super) fn new(chooser: Box<dyn Chooser>, settings: Settings) -> Self {
        Self {
            model: Model::new(),
            chooser,
            settings,
            clock: Clock::new(),
            host_time: HostTime::default(),
            oracle: Oracle::default(),
            trace: Trace::new(settings.trace),
            devices: Vec::new(),
            stamps: Stamps::default(),
            works: Works::default(),
            faults: Faults::default(),
            watched: Vec::new(),
            interrupts: 0,
            foreign: BTreeSet::new(),
            stalled: BTreeSet::new(),
            scripted: BTreeSet::new(),
            course: None,
            blame: Blame::default(),
            planned: Plan::default(),
            looks: Look::default(),
            seen: 0,
        }
    }
    pub(super) fn add_device(&mut self, settings: DeviceSettings) -> DeviceId {
        let (tick_rate, profiler) = (settings.tick_rate, Profiler::Absent);
        self.devices.push(DeviceState { tick_rate, profiler, counts: Counts::default() });
        self.model.add_agent(settings.capabilities)
    }
    #[inline]
    pub(super) fn device(&mut self, id: DeviceId) -> &mut DeviceState {
        &mut self.devices[id.as_u32() as usize]
    }
    #[inline]
    pub(super) fn counts(&mut self, id: DeviceId) -> &mut Counts {
        &mut self.device(id).counts
    }
    pub(super) fn tick_rate(&self, id: DeviceId) -> TickRate {
        self.devices[id.as_u32() as usize].tick_rate
    }
    pub(super) fn is_lost(&self, id: DeviceId) -> bool {
        self.model.status(id) == DeviceStatus::Lost
    }
    /// The memory of a signal; host memory for one that does not exist.
    #[inline]
    pub(super) fn memory(&self, signal: SignalHandle) -> SignalMemory {
        self.model.cell(signal).map_or(SignalMemory::Host, crate::model::Cell::memory)
    }
    /// A call took the host so long.
    #[inline]
    pub(super) fn spend(&mut self, time: Duration) {
        self.clock.pass(time);
        self.host_time.calls += time;
    }
    /// Something happened: it is written down, and what it broke is reported with it.
    #[inline]
    pub(super) fn note(&mut self, event: Event) {
        self.trace.push(event);
        if self.oracle.has_news() {
            self.report();
        }
    }
    #[cold]
    pub(super) fn report(&mut self) {
        let lines = self.trace.last(LINES_OF_A_VIOLATION);
        self.oracle.report(self.trace.step(), &lines);
    }
    pub(super) fn declare(&mut self, statement: Declaration) {
        self.oracle.declare(statement, &self.model);
        self.note(Event::Declared(statement));
    }
}
