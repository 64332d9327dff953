//! A device that does not keep its contract.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    num::NonZeroU64,
    rc::Rc,
    time::Duration,
};

use ringfence::{
    backend::{
        Capabilities, Created, Device, DeviceStatus, Engine, Features, HandlerToken, Handlers,
        HostWait, Profiler, SignalMemory, Signals, Timestamps, WaitHint, WaitOutcome,
    },
    error::{CreateError, HandlerRefused},
    id::{DeviceId, SignalHandle, SignalValue},
    timing::{Interval, RawInterval, TickRate},
};
use ringfence_mock::system::MockDevice;

use crate::flaw::Flaw;

/// Answers of a lost device that are right, before it forgets.
const REMEMBERS: u32 = 20;

/// What the devices of a subject share.
#[derive(Debug, Default)]
pub(crate) struct Common {
    /// Tokens in the order of their handlers, with the signal that each waits for.
    pub(crate) watched: RefCell<Vec<(SignalHandle, HandlerToken)>>,
    /// Tokens that are reported for no good reason.
    pub(crate) reported: RefCell<Vec<HandlerToken>>,
    created: Cell<bool>,
    asked: Cell<u32>,
    loads: RefCell<BTreeMap<u64, SignalValue>>,
    forced: RefCell<BTreeSet<u64>>,
    stamps: RefCell<BTreeMap<u64, RawInterval>>,
}

#[derive(Debug)]
pub(crate) struct BrokenDevice {
    pub(crate) device: MockDevice,
    pub(crate) flaw: Flaw,
    pub(crate) common: Rc<Common>,
}
impl BrokenDevice {
    fn is(&self, flaw: Flaw) -> bool {
        self.flaw == flaw
    }
    fn memory(&self, signal: SignalHandle) -> Option<SignalMemory> {
        self.device.system().with_model(|model| model.cell(signal).map(|cell| cell.memory()))
    }
    /// Some things are wrong with these alone, so that it shows what they are.
    fn is_shared(&self, signal: SignalHandle) -> bool {
        self.memory(signal) == Some(SignalMemory::Shared)
    }
    /// Whether a signal was made, once.
    fn has_created(&self) -> bool {
        self.common.created.get()
    }
}

impl Device for BrokenDevice {
    fn id(&self) -> DeviceId {
        if self.is(Flaw::OneIdentity) { DeviceId::new(0) } else { self.device.id() }
    }
    fn capabilities(&self) -> Capabilities {
        let mut all = self.device.capabilities();
        if self.is(Flaw::CapabilitiesChange) && self.has_created() {
            all.features.remove(Features::PEER_DEVICE_WAITS | Features::BARRIER_VALUE);
        }
        all
    }
    fn status(&self) -> DeviceStatus {
        let status = self.device.status();
        match self.flaw {
            Flaw::SecondIsLost if self.device.id() == DeviceId::new(1) => {
                return DeviceStatus::Lost;
            }
            Flaw::LossUnnoticed => return DeviceStatus::Alive,
            _ => {}
        }
        if status == DeviceStatus::Lost && self.is(Flaw::LossIsForgotten) {
            self.common.asked.set(self.common.asked.get() + 1);
            if self.common.asked.get() > REMEMBERS {
                return DeviceStatus::Alive;
            }
        }
        status
    }
    fn profiler(&self) -> Profiler {
        if self.is(Flaw::ProfilerUnnoticed) { Profiler::Absent } else { self.device.profiler() }
    }
}
impl Signals for BrokenDevice {
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        self.common.created.set(true);
        let created = match self.device.create(memory, batch) {
            Err(CreateError::Unsupported) if self.is(Flaw::CreatesElsewhere) => {
                let made = self.device.create(SignalMemory::Host, batch)?;
                return Ok(Created { memory, ..made });
            }
            Err(CreateError::DeviceLost) if self.is(Flaw::CreatesWhenLost) => {
                return Ok(Created { count: 1, memory });
            }
            created => created?,
        };
        let made = &mut batch[..created.count];
        match self.flaw {
            Flaw::CreatesTwice if made.len() > 5 => made[5] = made[2],
            Flaw::CreatesArmedWithTwo if memory == SignalMemory::Shared => {
                made.iter().for_each(|&signal| self.device.arm(signal, SignalValue::new(2)));
                self.device.flush();
            }
            _ => {}
        }
        Ok(created)
    }
    fn destroy(&self, signal: SignalHandle) {
        if !self.is(Flaw::DestroysNothing) {
            self.device.destroy(signal);
        }
    }
    fn load(&self, signal: SignalHandle) -> SignalValue {
        if self.is(Flaw::LoadsWait) {
            let limit = Duration::from_millis(10);
            let _ = self.device.wait(signal, SignalValue::ARMED, WaitHint::Active, limit);
        }
        let value = self.device.load(signal);
        match self.flaw {
            Flaw::LoadsNothingBelowZero => value.max(SignalValue::DONE),
            Flaw::ForcesForGood if self.common.forced.borrow().contains(&signal.as_u64()) => {
                value.max(SignalValue::DONE)
            }
            Flaw::LoadsLate if self.is_shared(signal) => {
                let before = self.common.loads.borrow_mut().insert(signal.as_u64(), value);
                before.unwrap_or(value)
            }
            _ => value,
        }
    }
    fn arm(&self, signal: SignalHandle, value: SignalValue) {
        match self.flaw {
            Flaw::ArmsNothing if self.is_shared(signal) => {}
            Flaw::ArmsByAdding if value > SignalValue::DONE => {
                let sum = self.device.load(signal).as_i64() + value.as_i64();
                self.device.arm(signal, SignalValue::new(sum));
            }
            _ => self.device.arm(signal, value),
        }
    }
    fn publish_stores(&self) {
        if !self.is(Flaw::PublishesNothing) {
            self.device.publish_stores();
        }
    }
    fn flush(&self) {
        match self.flaw {
            Flaw::FlushesNothing => {}
            Flaw::FlushesHalfWay => self.device.publish_stores(),
            _ => self.device.flush(),
        }
    }
}
impl HostWait for BrokenDevice {
    fn wait(
        &self,
        signal: SignalHandle,
        below: SignalValue,
        hint: WaitHint,
        limit: Duration,
    ) -> WaitOutcome {
        let now = self.device.load(signal);
        match self.flaw {
            Flaw::WaitsForNothing => return WaitOutcome::Reached(SignalValue::DONE),
            Flaw::GivesUpAtOnce if now >= below => return WaitOutcome::TimedOut,
            Flaw::SleepsFirst if limit.is_zero() => return WaitOutcome::TimedOut,
            Flaw::WakesLate if hint == WaitHint::Blocked && now >= below => {
                self.device.system().pass(limit.min(Duration::from_secs(1)));
            }
            _ => {}
        }
        match (self.flaw, self.device.wait(signal, below, hint, limit)) {
            (Flaw::TimesOutAsReached, WaitOutcome::TimedOut) => {
                WaitOutcome::Reached(SignalValue::DONE)
            }
            (Flaw::WaitsForTheLost, WaitOutcome::Lost) => {
                self.device.system().pass(limit);
                WaitOutcome::TimedOut
            }
            (Flaw::ReachesZero, WaitOutcome::Reached(_)) => WaitOutcome::Reached(SignalValue::DONE),
            (_, outcome) => outcome,
        }
    }
    fn force(&self, signal: SignalHandle) {
        match self.flaw {
            Flaw::ForcesNothing => {}
            Flaw::ForcesForGood => {
                self.device.force(signal);
                // The device's decrement, which is late, brings it to 0 and not below.
                self.common.forced.borrow_mut().insert(signal.as_u64());
            }
            _ => self.device.force(signal),
        }
    }
}
impl Timestamps for BrokenDevice {
    fn timestamps(&self, signal: SignalHandle, engine: Engine) -> RawInterval {
        let engine = if self.is(Flaw::StampsOfTheOtherEngine) { Engine::Compute } else { engine };
        let raw = self.device.timestamps(signal, engine);
        match self.flaw {
            Flaw::StampsReversed => Interval::new(raw, self.device.tick_rate())
                .map_or(raw, |ran| RawInterval::new(ran.end() + 1, ran.start())),
            Flaw::StampsStay => {
                *self.common.stamps.borrow_mut().entry(signal.as_u64()).or_insert(raw)
            }
            _ => raw,
        }
    }
    fn tick_rate(&self) -> TickRate {
        let rate = self.device.tick_rate();
        let part = |by| NonZeroU64::new(rate.hertz() / by).map_or(rate, TickRate::new);
        match self.flaw {
            Flaw::RateChanges if self.has_created() => part(4),
            Flaw::RateIsWrong => part(10),
            _ => rate,
        }
    }
}
impl Handlers for BrokenDevice {
    fn watch(&self, signal: SignalHandle, token: HandlerToken) -> Result<(), HandlerRefused> {
        match self.flaw {
            Flaw::TellsNever => return Ok(()),
            Flaw::TellsAtOnce => {
                self.common.reported.borrow_mut().push(token);
                return Ok(());
            }
            _ => {}
        }
        self.device.watch(signal, token)?;
        self.common.watched.borrow_mut().push((signal, token));
        Ok(())
    }
}
