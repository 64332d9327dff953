//! A backend that breaks its contract wherever the bytes say so. When they are used up, it is honest.
//!
//! One lie is left out, since no library could see through it: that work is finished which is not.

use std::{cell::RefCell, num::NonZeroU64, rc::Rc, time::Duration};

use ringfence::{
    backend::{
        Capabilities, CopyEngine, CopyRefused, Created, Device, DeviceStatus, Engine, Features,
        HandlerToken, Handlers, HostDataPath, HostWait, Packet, PacketCount, PacketQueue,
        PartIndex, Profiler, RingMemory, Settled, SignalMemory, Signals, Timestamps, WaitHint,
        WaitOutcome,
    },
    error::{CreateError, HandlerRefused},
    id::{DeviceId, Generation, LaneId, PacketId, QueueId, SignalHandle, SignalValue},
    timing::{RawInterval, TickRate},
};

use super::truth::Truth;

/// What all its parts share.
#[derive(Debug)]
struct State {
    lies: Vec<u8>,
    told: usize,
    truth: Truth,
    reserved: [u64; 3],
}
impl State {
    fn byte(&mut self) -> u8 {
        let byte = self.lies.get(self.told).copied().unwrap_or(0);
        self.told += 1;
        byte
    }
    /// 0: the truth, four times of five.
    fn lie(&mut self, lies: u8) -> u8 {
        let byte = self.byte();
        if byte < 205 { 0 } else { byte % (lies + 1) }
    }
}

/// The device.
#[derive(Clone, Debug)]
pub(super) struct Liar(Rc<RefCell<State>>);
impl Liar {
    pub(super) fn new(lies: &[u8]) -> Self {
        let (lies, truth) = (lies.to_vec(), Truth::default());
        Self(Rc::new(RefCell::new(State { lies, told: 0, truth, reserved: [0; 3] })))
    }
    pub(super) fn queue(&self, number: u32) -> LiarsQueue {
        LiarsQueue { device: self.clone(), number }
    }
    pub(super) fn with_truth<R>(&self, look: impl FnOnce(&mut Truth) -> R) -> R {
        look(&mut self.0.borrow_mut().truth)
    }
    fn lie(&self, lies: u8) -> u8 {
        self.0.borrow_mut().lie(lies)
    }
    fn byte(&self) -> u8 {
        self.0.borrow_mut().byte()
    }
    /// A value that says nothing false of completion: 0 is said only when it is so.
    fn value(&self, signal: SignalHandle) -> SignalValue {
        let truth = self.with_truth(|truth| truth.value(signal));
        if self.with_truth(|truth| truth.is_suspect(signal)) {
            return SignalValue::new(truth);
        }
        let lie = self.lie(6);
        if matches!(lie, 3 | 4) {
            self.with_truth(|truth| truth.end_in_error(signal));
        }
        SignalValue::new(match lie {
            0 => truth,
            1 => 1,
            2 => truth.saturating_add(1).max(1),
            3 => -1,
            4 => i64::MIN,
            5 => i64::MAX,
            _ => i64::from(self.byte()).max(1),
        })
    }
}

impl Signals for Liar {
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        let refused = [
            CreateError::OutOfMemory,
            CreateError::NoInterrupts,
            CreateError::Unsupported,
            CreateError::NullHandle,
            CreateError::DeviceLost,
        ];
        let lie = self.lie(7);
        if lie == 1 {
            return Err(refused[usize::from(self.byte()) % refused.len()]);
        }
        for (at, place) in batch.iter_mut().enumerate() {
            let is_null = lie == 2 || (lie == 3 && at % 2 == 0);
            *place = match is_null {
                true => SignalHandle::NULL,
                false => self.with_truth(Truth::create),
            };
        }
        let count = match lie {
            4 => 0,
            5 => usize::from(self.byte()),
            6 => usize::MAX,
            _ => batch.len(),
        };
        let memory = if lie == 7 { SignalMemory::Shared } else { memory };
        Ok(Created { count, memory })
    }
    fn destroy(&self, signal: SignalHandle) {
        self.with_truth(|truth| truth.destroy(signal));
    }
    fn load(&self, signal: SignalHandle) -> SignalValue {
        self.value(signal)
    }
    fn arm(&self, signal: SignalHandle, value: SignalValue) {
        self.with_truth(|truth| {
            truth.check_free(signal, "armed");
            truth.store(signal, value.as_i64());
        });
    }
    fn publish_stores(&self) {}
    fn flush(&self) {}
}
impl HostWait for Liar {
    fn wait(
        &self,
        signal: SignalHandle,
        _below: SignalValue,
        _hint: WaitHint,
        _limit: Duration,
    ) -> WaitOutcome {
        match self.lie(3) {
            1 => return WaitOutcome::TimedOut,
            2 => return WaitOutcome::Lost,
            3 => return WaitOutcome::Reached(self.value(signal)), // whatever it is
            _ => {}
        }
        self.with_truth(Truth::run_until_idle);
        match self.with_truth(|truth| truth.value(signal)) {
            value @ ..=0 => WaitOutcome::Reached(SignalValue::new(value)),
            _ => WaitOutcome::TimedOut,
        }
    }
    fn force(&self, signal: SignalHandle) {
        self.with_truth(|truth| {
            truth.store(signal, 0);
            truth.suspect(signal);
        });
    }
}
impl Timestamps for Liar {
    fn timestamps(&self, _signal: SignalHandle, _engine: Engine) -> RawInterval {
        match self.lie(3) {
            0 => RawInterval::new(1, 2),
            1 => RawInterval::new(u64::MAX, 1),
            2 => RawInterval::new(0, u64::MAX),
            _ => RawInterval::new(u64::MAX, u64::MAX),
        }
    }
    fn tick_rate(&self) -> TickRate {
        let hertz = if self.lie(1) == 0 { 100_000_000 } else { 1 };
        TickRate::new(NonZeroU64::new(hertz).expect("not 0"))
    }
}
impl Device for Liar {
    /// Always the same: an event that is asked about on another device is its user's mistake, and a
    /// documented panic.
    fn id(&self) -> DeviceId {
        DeviceId::new(0)
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities::new(
            Features::from_bits_truncate(u32::from(self.byte())),
            if self.lie(1) == 0 { RingMemory::System } else { RingMemory::Device },
            if self.lie(1) == 0 { HostDataPath::Hdp } else { HostDataPath::Coherent },
        )
    }
    fn status(&self) -> DeviceStatus {
        // One in so many, and then it lives again.
        if self.byte() == 255 { DeviceStatus::Lost } else { DeviceStatus::Alive }
    }
    fn profiler(&self) -> Profiler {
        if self.lie(1) == 0 { Profiler::Absent } else { Profiler::Attached }
    }
}
impl Handlers for Liar {
    fn watch(&self, _signal: SignalHandle, _token: HandlerToken) -> Result<(), HandlerRefused> {
        match self.lie(2) {
            0 => Ok(()),
            1 => Err(HandlerRefused::NoInterrupt),
            _ => Err(HandlerRefused::DeviceLost),
        }
    }
}

/// One of its queues, or its copy engine.
#[derive(Clone, Debug)]
pub(super) struct LiarsQueue {
    device: Liar,
    number: u32,
}
impl LiarsQueue {
    fn own_lane(&self) -> LaneId {
        LaneId::new(QueueId::new(self.number), Generation::FIRST)
    }
    fn take(&self, count: u32) -> PacketId {
        let gap = match self.device.lie(2) {
            1 => 1,
            2 => 1 << 20,
            _ => 0, // others publish between
        };
        let next = &mut self.device.0.borrow_mut().reserved[self.number as usize];
        let first = *next + gap;
        *next = first + u64::from(count);
        PacketId::new(first)
    }
}
impl PacketQueue for LiarsQueue {
    type Work = ();
    fn lane(&self) -> LaneId {
        self.own_lane()
    }
    fn reserve(&self, count: PacketCount) -> PacketId {
        self.take(count.count())
    }
    fn commit(&self, at: PacketId, packet: &Packet<()>) {
        self.device.with_truth(|truth| truth.publish(self.own_lane(), at, packet));
    }
    fn ring_doorbell(&self, _last: PacketId) {}
    fn read_index(&self) -> PacketId {
        let published = self.device.0.borrow().reserved[self.number as usize];
        PacketId::new(match self.device.lie(4) {
            0 => published,
            1 => 0,
            2 => u64::MAX,
            3 => published + 7,
            _ => u64::from(self.device.byte()),
        })
    }
    fn settled(&self) -> Settled {
        let published = self.device.0.borrow().reserved[self.number as usize];
        match self.device.lie(3) {
            0 => Settled::Below(PacketId::new(published)),
            1 => Settled::Below(PacketId::FIRST),
            2 => Settled::Below(PacketId::new(u64::MAX)),
            _ => Settled::Reserving,
        }
    }
}
impl CopyEngine for LiarsQueue {
    type Work = ();
    fn lane(&self) -> LaneId {
        self.own_lane()
    }
    fn reserve(&self) -> PacketId {
        self.take(1)
    }
    fn submit(
        &self,
        at: PacketId,
        _part: PartIndex,
        _work: (),
        completes: SignalHandle,
        waits: &[SignalHandle],
    ) -> Result<(), CopyRefused> {
        let lie = self.device.lie(3);
        if lie > 0 {
            self.device.with_truth(|truth| truth.suspect(completes));
        }
        match lie {
            1 => return Err(CopyRefused::Failed),
            2 => return Err(CopyRefused::SignalMemory),
            3 => return Err(CopyRefused::DeviceLost),
            _ => {}
        }
        self.device.with_truth(|truth| truth.copy(self.own_lane(), at, completes, waits));
        Ok(())
    }
}
