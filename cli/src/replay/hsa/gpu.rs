//! GPUs that scenarios are played on, and what is done there past the library: a stranger's packets, and waiting until nothing is
//! left to do.

use std::{
    num::NonZeroU32,
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

use ringfence::{
    backend::{
        Body, Deps, HandlerToken, HostWait, Packet, PacketCount, PacketQueue, SignalMemory,
        Signals, WaitHint, WaitOutcome,
    },
    drive::{HandlerTable, HardwareQueue},
    id::{Barrier, CacheScope, DeviceId, SignalHandle, SignalValue},
    ring::Record,
};
use ringfence_hsa::{Dispatch, HsaDevice, HsaError, HsaQueue, QueueOptions, RingSize, Runtime};

use super::allowed::GpuCount;

/// The longest that anything is waited for.
pub(super) const LIMIT: Duration = Duration::from_secs(10);

/// The GPUs of this machine.
pub(super) struct Gpus {
    pub(super) runtime: Runtime,
    all: Vec<Gpu>,
    /// Handlers of all scenarios: a call that is late finds its own.
    pub(super) handlers: HandlerTable<()>,
}

/// One of them.
pub(super) struct Gpu {
    pub(super) device: HsaDevice,
    pub(super) kernel: Dispatch,
    /// What the runtime's threads reported.
    due: Receiver<HandlerToken>,
}

/// Something did not end in time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Late;

impl Gpus {
    pub(super) fn open() -> Result<Self, HsaError> {
        let runtime = Runtime::start()?;
        let open = |device: HsaDevice| {
            let (tell, due) = channel();
            device.on_completion(move |_, token| {
                // Nobody listens once the last scenario was played.
                let _ = tell.send(token);
            })?;
            Ok(Gpu { kernel: device.empty_kernel()?, device, due })
        };
        let all = runtime.devices().into_iter().map(open).collect::<Result<_, HsaError>>()?;
        Ok(Self { runtime, all, handlers: HandlerTable::new() })
    }
    pub(super) fn count(&self) -> GpuCount {
        GpuCount(self.all.len())
    }
    pub(super) fn gpu(&self, number: usize) -> &Gpu {
        &self.all[number]
    }
    /// The first one's name, and the runtime's version.
    pub(super) fn title(&self) -> Result<String, HsaError> {
        let device = self.runtime.device(DeviceId::new(0))?;
        let facts = device.facts();
        Ok(format!("{} ({}), {}", facts.name(), facts.product(), self.runtime.version()))
    }
    /// Handles what was reported so far.
    pub(super) fn handle_due(&self) {
        for gpu in &self.all {
            while let Ok(token) = gpu.due.try_recv() {
                let _handled = self.handlers.handle(&gpu.device, token);
            }
        }
    }
    /// Handles what is reported until no more than `left` handlers wait.
    pub(super) fn handle_all_but(&self, left: usize) -> Result<(), Late> {
        let until = Instant::now() + LIMIT;
        loop {
            self.handle_due();
            if self.handlers.waiting() <= left {
                return Ok(());
            }
            if Instant::now() > until {
                return Err(Late);
            }
            std::thread::yield_now();
        }
    }
}

/// A hardware queue.
pub(super) struct Queue {
    pub(super) hardware: HardwareQueue<HsaQueue>,
    raw: HsaQueue,
    pub(super) device: usize,
    /// What the stranger's marker completes.
    marker: SignalHandle,
}

impl Queue {
    pub(super) fn open(gpus: &Gpus, device: usize, slots: u32) -> Result<Self, HsaError> {
        let packets = RingSize::at_least(slots);
        let gpu = &gpus.all[device].device;
        let raw = gpu.create_queue(QueueOptions { packets, ..QueueOptions::default() })?;
        Ok(Self {
            hardware: HardwareQueue::new(raw.clone()),
            raw,
            device,
            marker: SignalHandle::NULL,
        })
    }
    /// Publishes `packets` that the library knows nothing of.
    pub(super) fn publish_foreign(&self, kernel: Dispatch, packets: u32, barrier: Barrier) {
        let packet = Packet { body: Body::Kernel(kernel), barrier, ..Packet::nothing() };
        (0..packets).for_each(|_| self.publish(&packet));
    }
    fn publish(&self, packet: &Packet<Dispatch>) {
        let at = self.raw.reserve(PacketCount::new(NonZeroU32::MIN));
        self.raw.commit(at, packet);
        self.raw.ring_doorbell(at);
    }
    /// Waits until everything in the queue is complete: by a marker with a signal of its own, so that no tracker learns of it.
    pub(super) fn wait_until_idle(&mut self, gpus: &Gpus) -> Result<(), Late> {
        let device = &gpus.all[self.device].device;
        if self.marker.is_null() {
            let mut one = [SignalHandle::NULL];
            let created = device.create(SignalMemory::Host, &mut one).map_err(|_| Late)?;
            debug_assert_eq!(created.count, 1);
            [self.marker] = one;
        }
        device.arm(self.marker, SignalValue::ARMED);
        device.publish_stores();
        self.publish(&Packet {
            body: Body::And(Deps::NONE),
            barrier: Barrier::Set,
            release: CacheScope::System,
            completes: self.marker,
            ..Packet::nothing()
        });
        wait(device, self.marker)
    }
    /// Ends the stranger's part. Nothing of it may be in the queue any more.
    pub(super) fn close(self, gpus: &Gpus) {
        if !self.marker.is_null() {
            gpus.all[self.device].device.destroy(self.marker);
        }
    }
}

/// Waits for a recorded use, and for a moment only holds its signal: its tracker learns nothing.
pub(super) fn wait_for(gpus: &Gpus, device: usize, record: &Record) -> Result<(), Late> {
    match record.hold() {
        Some(hold) => wait(&gpus.all[device].device, hold.signal()),
        None => Ok(()),
    }
}

fn wait(device: &HsaDevice, signal: SignalHandle) -> Result<(), Late> {
    match device.wait(signal, SignalValue::ARMED, WaitHint::Active, LIMIT) {
        WaitOutcome::Reached(_) => Ok(()),
        WaitOutcome::TimedOut | WaitOutcome::Lost => Err(Late),
    }
}
