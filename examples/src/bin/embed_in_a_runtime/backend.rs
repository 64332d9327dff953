//! The GPU as Ringfence sees it: facts and actions, no policy.

use std::{
    num::NonZeroU64,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use ringfence::{
    backend::{
        Body, Capabilities, Created, Device, DeviceStatus, Engine, Features, HandlerToken,
        Handlers, HostDataPath, HostWait, Packet, PacketCount, PacketQueue, Profiler, RingMemory,
        Settled, SignalMemory, Signals, Timestamps, WaitHint, WaitOutcome,
    },
    error::{CreateError, HandlerRefused},
    id::{DeviceId, Generation, LaneId, PacketId, QueueId, SignalHandle, SignalValue},
    timing::{RawInterval, TickRate},
};

use crate::gpu::{Command, Gpu, Kernel};

/// Signal 0 is "no signal" to Ringfence, so that its handles are the GPU's numbers plus 1.
fn handle(index: usize) -> SignalHandle {
    SignalHandle::new(index as u64 + 1)
}
fn index(signal: SignalHandle) -> Option<usize> {
    (signal.as_u64() as usize).checked_sub(1)
}
impl Gpu {
    fn cell(&self, signal: SignalHandle) -> &std::sync::atomic::AtomicI64 {
        self.signal(index(signal).expect("Ringfence never passes the null handle"))
    }
}

impl Signals for Gpu {
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        if self.is_lost() {
            return Err(CreateError::DeviceLost);
        }
        // All of them lie in host memory, and wake who sleeps.
        let memory = match memory {
            SignalMemory::Interrupt => SignalMemory::Interrupt,
            SignalMemory::Host | SignalMemory::Device | SignalMemory::Shared => SignalMemory::Host,
        };
        let mut count = 0;
        for place in batch {
            let Some(index) = self.make_signal() else { break };
            *place = handle(index);
            self.arm(*place, SignalValue::ARMED);
            count += 1;
        }
        if count == 0 {
            return Err(CreateError::OutOfMemory);
        }
        Ok(Created { count, memory })
    }
    fn destroy(&self, _: SignalHandle) {}
    fn load(&self, signal: SignalHandle) -> SignalValue {
        SignalValue::new(self.cell(signal).load(Ordering::Acquire))
    }
    fn arm(&self, signal: SignalHandle, value: SignalValue) {
        self.cell(signal).store(value.as_i64(), Ordering::Release);
    }
    fn publish_stores(&self) {}
    fn flush(&self) {}
}

impl HostWait for Gpu {
    fn wait(
        &self,
        signal: SignalHandle,
        below: SignalValue,
        hint: WaitHint,
        limit: Duration,
    ) -> WaitOutcome {
        let start = Instant::now();
        let is_over = || self.load(signal) < below || self.is_lost();
        match hint {
            WaitHint::Blocked => self.sleep_until(limit, is_over),
            WaitHint::Active => {
                while !is_over() && start.elapsed() < limit {
                    std::thread::yield_now();
                }
            }
        }
        match self.load(signal) {
            value if value < below => WaitOutcome::Reached(value),
            _ if self.is_lost() => WaitOutcome::Lost,
            _ => WaitOutcome::TimedOut,
        }
    }
    fn force(&self, signal: SignalHandle) {
        self.cell(signal).store(0, Ordering::Release);
        self.tell();
    }
}

impl Handlers for Gpu {
    fn watch(&self, signal: SignalHandle, token: HandlerToken) -> Result<(), HandlerRefused> {
        let signal = index(signal).ok_or(HandlerRefused::NoInterrupt)?;
        Gpu::watch(self, signal, token.as_u64());
        Ok(())
    }
}

impl Timestamps for Gpu {
    fn timestamps(&self, _: SignalHandle, _: Engine) -> RawInterval {
        RawInterval::default() // this GPU has no clock, and says so
    }
    fn tick_rate(&self) -> TickRate {
        TickRate::new(NonZeroU64::MIN)
    }
}

impl Device for Gpu {
    fn id(&self) -> DeviceId {
        DeviceId::new(0)
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities::new(Features::INTERRUPTS, RingMemory::System, HostDataPath::Coherent)
    }
    fn status(&self) -> DeviceStatus {
        if self.is_lost() { DeviceStatus::Lost } else { DeviceStatus::Alive }
    }
    fn profiler(&self) -> Profiler {
        Profiler::Absent
    }
}

/// One of the GPU's queues.
#[derive(Clone)]
pub(crate) struct Queue {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) number: usize,
    /// No other queue of the process has it, of whatever runtime.
    pub(crate) id: QueueId,
}
impl PacketQueue for Queue {
    type Work = Kernel;
    fn lane(&self) -> LaneId {
        LaneId::new(self.id, Generation::FIRST)
    }
    fn reserve(&self, count: PacketCount) -> PacketId {
        PacketId::new(self.gpu.queues[self.number].reserve(u64::from(count.count())))
    }
    fn commit(&self, at: PacketId, packet: &Packet<Kernel>) {
        let mut command =
            Command { kernel: None, waits: [None; 5], completes: index(packet.completes) };
        // This processor runs packets one after the other, so that the barrier bit is always obeyed.
        match packet.body {
            Body::Kernel(kernel) => command.kernel = Some(kernel),
            Body::And(deps) => {
                for (place, signal) in command.waits.iter_mut().zip(deps.iter()) {
                    *place = index(signal);
                }
            }
            Body::Or(_) | Body::Value(_) => unreachable!("this runtime submits no such packet"),
        }
        self.gpu.queues[self.number].write(at.as_u64(), command);
    }
    fn ring_doorbell(&self, _last: PacketId) {
        self.gpu.queues[self.number].ring_doorbell();
    }
    fn read_index(&self) -> PacketId {
        PacketId::new(self.gpu.queues[self.number].read_index())
    }
    fn settled(&self) -> Settled {
        match self.gpu.queues[self.number].settled() {
            Some(end) => Settled::Below(PacketId::new(end)),
            None => Settled::Reserving,
        }
    }
}
