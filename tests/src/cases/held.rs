//! The ring by itself, with every signal lent once: what a pin, a handler or a wait does.

use std::hint::black_box;

use ringfence::{
    backend::{Engine, PacketCount, PacketQueue, SignalMemory, Signals},
    drive::HardwareQueue,
    id::{Barrier, Parts, QueueId, SignalHandle, SignalValue},
    ledger::Counts,
    ring::{Confirmed, PacketOrder, Reaper, Ring, RingLimits, Timing, Use},
    sync::Arc,
};

use super::Steady;
use crate::null::{NullDevice, NullQueue};

const POOL: SignalMemory = SignalMemory::Device;

/// Secure, lend, bind, let go; and every 32 uses look, retire and flush.
pub(super) struct Held {
    ring: Ring,
    queue: NullQueue,
    device: NullDevice,
    limits: RingLimits,
}
impl Held {
    pub(super) fn new() -> Self {
        let limits = RingLimits::default();
        let queue = NullQueue::new(QueueId::new(0));
        let mark = HardwareQueue::new(queue.clone()).mark().clone();
        let mut ring = Ring::new(mark, limits, Arc::new(Reaper::new()));
        (1..=u64::from(limits.size)).for_each(|raw| ring.add(SignalHandle::new(raw), POOL, POOL));
        Self { ring, queue, device: NullDevice::new(), limits }
    }
    #[inline(never)]
    fn look(&mut self) {
        let Self { ring, queue, device, limits } = self;
        if let Some(probe) = ring.nominate(queue.read_index()) {
            let value = device.load(probe.signal());
            if let Ok(Confirmed::Fence(proof)) = ring.confirm(probe, value) {
                let _proven = ring.mark().raise(proof);
            }
        }
        let Some(proven) = ring.observe() else { return };
        let batch = ring.retire_together(proven, limits.batch as usize, |arm| {
            device.arm(arm.signal(), SignalValue::ARMED);
        });
        assert_eq!(batch.parked, 0, "every hold is dropped at once");
        device.flush();
        ring.flushed();
    }
}
impl Steady for Held {
    fn run(&mut self, units: u64) {
        let low_water = self.limits.size as usize / 2;
        for _ in 0..units {
            if self.ring.usable(POOL) <= low_water {
                self.look();
            }
            let with = Use {
                lane: self.ring.lane(),
                engine: Engine::Compute,
                barrier: Barrier::Set,
                order: PacketOrder::Free,
                timing: Timing::Unwanted,
                parts: Parts::ONE,
            };
            let mut secured = self.ring.secure(POOL).expect("half of the ring is ready");
            let held = secured.lend();
            let at = self.queue.reserve(PacketCount::ONE);
            black_box(secured.bind(at, with, None));
            self.queue.ring_doorbell(at);
            drop(black_box(held));
        }
    }
    fn counts(&self) -> Counts {
        let calls = self.device.calls();
        let mut counts = Counts::default();
        (counts.arms, counts.flushes) = (calls.arms, calls.flushes);
        counts
    }
}
