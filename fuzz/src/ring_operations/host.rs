//! What a host does with rings, as bytes say.

use std::num::NonZeroU32;

use ringfence::{
    backend::{Engine, Settled, SignalMemory},
    id::{Barrier, Generation, LaneId, PacketId, Parts, QueueId, SignalHandle, UseId},
    proof::Harvest,
    ring::{
        Arm, Awaits, Confirmed, Drained, Finished, Holder, PacketOrder, Probe, Reaper, Released,
        Ring, RingLimits, Shortage, Timing, Use, Wants,
    },
    sync::Arc,
    watermark::Watermark,
};

use super::gpu::{Gpu, Order, Packet};
use crate::bytes::Bytes;

/// Compute queues, the generations of one of them included.
const QUEUES: u32 = 3;
const ENGINE: LaneId = LaneId::new(QueueId::new(9), Generation::FIRST);
const POOLS: [SignalMemory; 3] =
    [SignalMemory::Device, SignalMemory::Host, SignalMemory::Interrupt];

/// A use that somebody looks at.
struct Held {
    of: UseId,
    ring: usize,
    hold: Holder,
}

/// Streams over one device.
pub(super) struct Host {
    pub(super) gpu: Gpu,
    pub(super) rings: Vec<Ring>,
    pub(super) reaper: Arc<Reaper>,
    marks: Vec<Arc<Watermark>>,
    held: Vec<Held>,
    /// Whether somebody decremented a signal once too often: what waits for it never ends.
    pub(super) is_faulty: bool,
    /// Whether a use was given up: what waits for it may need its signal put back to 0 first.
    is_forced: bool,
}

/// A lane for each queue: the last is the second generation of the first.
fn lane(queue: u32) -> LaneId {
    match queue {
        2 => lane(0).restarted(),
        number => LaneId::new(QueueId::new(number), Generation::FIRST),
    }
}

impl Host {
    pub(super) fn new(bytes: &mut Bytes<'_>) -> Self {
        let mut gpu = Gpu::default();
        let lanes: Vec<LaneId> = (0..QUEUES).map(lane).collect();
        lanes.iter().for_each(|&lane| gpu.add_queue(lane, Order::Queue));
        gpu.add_queue(ENGINE, Order::None);
        let marks: Vec<_> = lanes.iter().map(|&lane| Arc::new(Watermark::new(lane))).collect();
        let reaper = Arc::new(Reaper::new());
        let size = 1 << bytes.below(4);
        let limits = RingLimits {
            cap: size * bytes.pick(&[2, 1, 16]),
            batch: 1 + bytes.below(size),
            ..RingLimits::with_size(size)
        };
        let streams = 1 + bytes.below(2);
        let rings = (0..streams)
            .map(|_| {
                let mark = bytes.below(QUEUES) as usize;
                Ring::new(Arc::clone(&marks[mark]), limits, Arc::clone(&reaper))
            })
            .collect();
        Self { gpu, rings, reaper, marks, held: Vec::new(), is_faulty: false, is_forced: false }
    }
    pub(super) fn operate(&mut self, bytes: &mut Bytes<'_>) {
        let ring = bytes.below(self.rings.len() as u32) as usize;
        match bytes.below(24) {
            0..=5 => self.submit(ring, bytes),
            6..=7 => self.wait_on_device(ring, bytes),
            8 => self.copy(ring, bytes),
            9..=12 => self.device(bytes),
            13..=15 => {
                let published = self.gpu.published(self.rings[ring].lane());
                let read_index = PacketId::new(u64::from(bytes.byte()) % (published + 1));
                self.look(ring, read_index);
            }
            16 => {
                let of = [Ring::newest_fence, Ring::oldest, Ring::elsewhere];
                if let Some(probe) = bytes.pick(&of)(&self.rings[ring]) {
                    self.confirm(ring, probe);
                }
            }
            17 => self.retire_together(ring, bytes),
            18 => self.flush(ring),
            19 => {
                let at = bytes.byte() as usize % self.held.len().max(1);
                if at < self.held.len() {
                    drop(self.held.swap_remove(at));
                }
            }
            20 => {
                self.ask_for_fence(ring, bytes); // as a tracker leaves a marker behind
                if self.rings[ring].wants() == Wants::Fence {
                    return;
                }
                let mark = &self.marks[bytes.below(QUEUES) as usize];
                self.rings[ring].switch(Arc::clone(mark));
            }
            21 => self.drained(ring, bytes.below(QUEUES) as usize),
            22 => self.force(bytes),
            _ => self.decrement_too_often(bytes),
        }
    }

    /// A signal of `pool`, or none: then only others can help.
    fn room(&mut self, ring: usize, pool: SignalMemory, bytes: &mut Bytes<'_>) -> bool {
        loop {
            let shortage = match self.rings[ring].secure(pool) {
                Ok(_dropped) => return true,
                Err(shortage) => shortage,
            };
            match shortage {
                Shortage::Flush => self.flush(ring),
                Shortage::Grow { count, room, pool } => {
                    assert!(count > 0 && count <= room, "growth by {count} of {room}");
                    let memory = bytes.pick(&[pool, pool, SignalMemory::Host]);
                    for _ in 0..1 + bytes.below(count) {
                        let signal = self.gpu.create(memory);
                        self.rings[ring].add(signal, pool, memory);
                    }
                }
                Shortage::WaitFor(probe) => {
                    self.gpu.run_until_idle();
                    if self.gpu.load(probe.signal()).as_i64() > 0 {
                        let is_odd = self.is_faulty || self.is_forced;
                        assert!(is_odd, "S14: a wait for {} never ends", probe.of());
                        self.unpark(ring);
                        return false;
                    }
                    self.confirm(ring, probe);
                    self.unpark(ring);
                }
                Shortage::Exhausted => return false,
            }
        }
    }
    fn publish(
        &mut self,
        ring: usize,
        pool: SignalMemory,
        lane: LaneId,
        packet: Packet,
        timing: Timing,
        bytes: &mut Bytes<'_>,
    ) -> Option<UseId> {
        if !self.room(ring, pool, bytes) {
            return None;
        }
        let mut secured = self.rings[ring].secure(pool).expect("there is room");
        let is_copy = lane == ENGINE;
        let with = Use {
            lane,
            engine: if is_copy { Engine::Copy } else { Engine::Compute },
            barrier: if packet.barrier { Barrier::Set } else { Barrier::Clear },
            order: if packet.holds_back { PacketOrder::HoldsBackLater } else { PacketOrder::Free },
            timing,
            parts: Parts::new(NonZeroU32::new(packet.parts).expect("one part at least")),
        };
        let hold = (bytes.below(3) == 0).then(|| secured.lend());
        let packet = Packet { completes: Some(secured.signal()), ..packet };
        let at = self.gpu.publish(lane, packet);
        let of = secured.bind(at, with, None);
        self.held.extend(hold.map(|hold| Held { of, ring, hold }));
        Some(of)
    }
    fn submit(&mut self, ring: usize, bytes: &mut Bytes<'_>) {
        let with = bytes.byte();
        let packet = Packet {
            barrier: with & 1 == 0,
            holds_back: with & 6 == 6,
            waits: Vec::new(),
            by: Awaits::EachInOrder,
            completes: None,
            parts: 1,
        };
        let lane = self.rings[ring].lane();
        if with & 24 == 24 {
            self.gpu.publish(lane, packet); // somebody else's, or without a signal
            return;
        }
        let timing = if with & 32 == 0 { Timing::Unwanted } else { Timing::Wanted };
        let pool = bytes.pick(&POOLS);
        let _of = self.publish(ring, pool, lane, packet, timing, bytes);
    }
    /// A packet waits for what is held.
    fn wait_on_device(&mut self, ring: usize, bytes: &mut Bytes<'_>) {
        let by = bytes.pick(&[Awaits::EachInOrder, Awaits::AnyInOrder, Awaits::EachUnordered]);
        let count = 1 + bytes.below(3) as usize;
        let awaited: Vec<(UseId, Holder)> = (0..count)
            .filter_map(|_| self.held.get(bytes.byte() as usize % self.held.len().max(1)))
            .map(|held| (held.of, held.hold.clone()))
            .collect();
        let by =
            if by == Awaits::AnyInOrder && awaited.len() < 2 { Awaits::EachInOrder } else { by };
        let packet = Packet {
            barrier: bytes.below(2) == 0,
            holds_back: by != Awaits::EachUnordered,
            waits: awaited.iter().map(|(_, hold)| hold.signal()).collect(),
            by,
            completes: None,
            parts: 1,
        };
        let (lane, pool) = (self.rings[ring].lane(), bytes.pick(&POOLS));
        // What packets may pass has a signal, as the tracker gives it one: a fence proves it too late.
        let consumer = match bytes.below(4) {
            0 if by != Awaits::EachUnordered => {
                Some(UseId::new(lane, self.gpu.publish(lane, packet)))
            }
            _ => self.publish(ring, pool, lane, packet, Timing::Unwanted, bytes),
        };
        let Some(consumer) = consumer else { return };
        for (of, hold) in awaited {
            self.rings[ring].pin(consumer, by, Some(of), hold);
        }
    }
    fn copy(&mut self, ring: usize, bytes: &mut Bytes<'_>) {
        let packet = Packet {
            barrier: false,
            holds_back: false,
            waits: Vec::new(),
            by: Awaits::EachUnordered,
            completes: None,
            parts: 1 + bytes.below(3),
        };
        let timing = bytes.pick(&[Timing::Unwanted, Timing::Wanted]);
        let _of = self.publish(ring, SignalMemory::Host, ENGINE, packet, timing, bytes);
    }
    fn device(&mut self, bytes: &mut Bytes<'_>) {
        for _ in 0..=bytes.below(3) {
            let enabled = self.gpu.enabled();
            if !enabled.is_empty() {
                self.gpu.go_on(enabled[bytes.byte() as usize % enabled.len()]);
            }
        }
    }

    /// One search for finished uses.
    pub(super) fn look(&mut self, ring: usize, read_index: PacketId) {
        let ring_of = &mut self.rings[ring];
        let nominated = ring_of.look_elsewhere().or_else(|| ring_of.nominate(read_index));
        if let Some(probe) = nominated.or_else(|| ring_of.look_further()) {
            self.confirm(ring, probe);
        }
        self.retire_known(ring);
        self.unpark(ring);
    }
    fn confirm(&mut self, ring: usize, probe: Probe) {
        let (of, value) = (probe.of(), self.gpu.load(probe.signal()));
        match self.rings[ring].confirm(probe, value) {
            Ok(Confirmed::Fence(proof)) => {
                let lane = of.lane();
                let below = of.packet().next();
                assert!(self.gpu.is_complete_below(lane, below), "S2: {of} proves what still runs");
                let mark = Arc::clone(self.rings[ring].mark_of(lane).expect("a queue's fence"));
                let _ = mark.raise(proof);
            }
            Ok(Confirmed::Own(finished)) => self.finish(ring, finished),
            Ok(Confirmed::Pending | Confirmed::Settled) => {}
            Err(error) => assert!(self.is_faulty, "S7: {error}"),
        }
        self.retire_known(ring);
    }
    pub(super) fn retire_known(&mut self, ring: usize) {
        while let Some(finished) = self.rings[ring].next_finished() {
            self.finish(ring, finished);
        }
    }
    fn retire_together(&mut self, ring: usize, bytes: &mut Bytes<'_>) {
        let Some(proven) = self.rings[ring].observe() else { return };
        let mut arms = Vec::new();
        let limit = 1 + bytes.below(8) as usize;
        let batch = self.rings[ring].retire_together(proven, limit, |arm| arms.push(arm));
        assert_eq!(batch.armed, arms.len(), "each order is handed out");
        arms.into_iter().for_each(|arm| self.arm(&arm));
    }
    fn finish(&mut self, ring: usize, finished: Finished) {
        let (of, grounds) = (finished.of(), finished.grounds());
        assert!(self.gpu.is_complete(of), "{of} is taken for finished ({grounds:?}), and runs");
        let harvest = match finished.timing() {
            Timing::Wanted => Harvest::taken(None),
            Timing::Unwanted => Harvest::NOT_WANTED,
        };
        if let Some(arm) = self.rings[ring].retire(finished, harvest) {
            self.arm(&arm);
        }
    }
    fn arm(&mut self, arm: &Arm) {
        let held = self.held.iter().find(|held| held.hold.signal() == arm.signal());
        if let Some(held) = held {
            panic!("S1: {:?} is armed while somebody holds {}", arm.signal(), held.of);
        }
        self.gpu.arm(arm.signal());
    }
    fn unpark(&mut self, ring: usize) {
        for _ in 0..self.rings[ring].parked() {
            if let Some(arm) = self.rings[ring].unpark() {
                self.arm(&arm);
            }
        }
        if let Some(suspect) = self.rings[ring].next_suspect() {
            let value = self.gpu.load(suspect.signal());
            match self.rings[ring].release(suspect, value) {
                Released::NotYet => {}
                Released::Arm(arm) => self.arm(&arm),
                Released::Restore(signal, _) => {
                    let last = self.gpu.last_use(signal).expect("it was used");
                    assert!(self.gpu.is_complete(last), "S18: {last} was forced, and runs");
                    self.gpu.store(signal, 0);
                }
            }
        }
    }
    pub(super) fn flush(&mut self, ring: usize) {
        // Every stream's stores become visible; only this ring is told.
        self.gpu.flush();
        self.rings[ring].flushed();
    }
    fn drained(&mut self, ring: usize, queue: usize) {
        let lane = self.marks[queue].lane();
        let settled = Settled::Below(PacketId::new(self.gpu.published(lane)));
        let proven = self.marks[queue].observe();
        let below = proven.below();
        assert!(self.gpu.is_complete_below(lane, below), "S2: {lane} is not complete to {below}");
        if let Some(drained) = Drained::by_fence(settled, proven) {
            while let Some(finished) = self.rings[ring].next_drained(drained) {
                self.finish(ring, finished);
            }
        }
    }
    /// A timeout gives up a use that somebody looks at.
    fn force(&mut self, bytes: &mut Bytes<'_>) {
        let Some(held) = self.held.get(bytes.byte() as usize % self.held.len().max(1)) else {
            return;
        };
        let (of, ring) = (held.of, held.ring);
        let Some(probe) = self.rings[ring].probe_use(of) else { return };
        if self.gpu.is_complete(of) || of.lane() == ENGINE {
            return; // nothing to force; a copy in parts is never known to be over after it
        }
        let signal = self.rings[ring].force(of).expect("it is in flight");
        assert_eq!(signal, probe.signal());
        self.gpu.store(signal, 0);
        self.is_forced = true;
    }
    /// Somebody decrements a signal that is not theirs.
    fn decrement_too_often(&mut self, bytes: &mut Bytes<'_>) {
        if self.gpu.created() == 0 || bytes.below(8) != 7 {
            return;
        }
        let number = 1 + u64::from(bytes.byte()) % self.gpu.created() as u64;
        let signal = SignalHandle::new(number);
        if self.gpu.last_use(signal).is_some_and(|last| self.gpu.is_complete(last))
            && self.gpu.load(signal).as_i64() == 0
        {
            self.gpu.store(signal, -1);
            self.is_faulty = true;
        }
    }
    pub(super) fn let_go(&mut self) {
        self.held.clear();
    }
    /// A fence, where nothing else would ever prove what is pinned (S20).
    pub(super) fn ask_for_fence(&mut self, ring: usize, bytes: &mut Bytes<'_>) {
        if self.rings[ring].wants() == Wants::Nothing {
            return;
        }
        if !self.room(ring, SignalMemory::Host, bytes) {
            // Beyond the cap, as the tracker does.
            let signal = self.gpu.create(SignalMemory::Host);
            self.rings[ring].add(signal, SignalMemory::Host, SignalMemory::Host);
        }
        let packet = Packet {
            barrier: true,
            holds_back: true,
            waits: Vec::new(),
            by: Awaits::EachInOrder,
            completes: None,
            parts: 1,
        };
        let lane = self.rings[ring].lane();
        let of = self.publish(ring, SignalMemory::Host, lane, packet, Timing::Unwanted, bytes);
        assert!(of.is_some(), "S20: no fence can be had");
    }
}
