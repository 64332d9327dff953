//! Hardware queues, as the library sees them.

use std::num::NonZeroU32;

use ringfence::{
    backend::{Body, Packet, PacketCount, PacketQueue, Settled},
    id::{Barrier, DeviceId, LaneId, PacketId, QueueId, SignalHandle, UseId},
};

use super::{MockSystem, Moved, state::State};
use crate::{
    clock::Ticks,
    model::{Commit, ModelPacket, Move},
    trace::{Event, PacketKind},
    work::Kernel,
};

/// One hardware queue. A cheap handle: clones are the same queue, and several streams may share it.
///
/// A system numbers its queues and engines from 0, so that each run is like the last. Two systems have the same numbers: what is
/// of one goes with nothing of another, nor with the queues of another backend whose numbers are not
/// [`QueueId::unique`].
///
/// ```
/// # use ringfence::{backend::*, id::*};
/// use ringfence_mock::{chooser::Scripted, clock::Ticks, system::*};
/// let system = MockSystem::new(Scripted::tame(), Settings::default());
/// let queue = system.add_device(DeviceSettings::default()).add_queue();
/// let stranger = queue.foreign_packet(Barrier::Clear, Ticks::new(5)); // nobody told the library
/// assert_eq!(stranger.lane(), queue.lane());
/// queue.restart();
/// assert_ne!(stranger.lane(), queue.lane()); // the next generation of the queue
/// ```
#[derive(Clone, Debug)]
pub struct MockQueue {
    system: MockSystem,
    device: DeviceId,
    queue: QueueId,
}
impl MockQueue {
    pub(super) fn new(system: MockSystem, device: DeviceId, queue: QueueId) -> Self {
        Self { system, device, queue }
    }
    /// Its identity; its generation is part of [`lane`](PacketQueue::lane).
    pub fn id(&self) -> QueueId {
        self.queue
    }
    /// A stranger publishes a kernel without a signal on this queue.
    pub fn foreign_packet(&self, barrier: Barrier, takes: Ticks) -> UseId {
        let lane = self.lane();
        self.system.state().foreign_packet(lane, barrier, takes)
    }
    /// Its index space restarts at 0 under the next generation; what the old one holds completes in
    /// its own time.
    pub fn restart(&self) -> LaneId {
        let mut state = self.system.state();
        let lane = state.model.lane_now(self.queue);
        let next = state.model.restart(lane);
        state.note(Event::Restarted(next));
        next
    }
}
impl PacketQueue for MockQueue {
    type Work = Kernel;
    #[inline]
    fn lane(&self) -> LaneId {
        self.system.0.borrow().model.lane_now(self.queue)
    }
    #[inline]
    fn reserve(&self, count: PacketCount) -> PacketId {
        self.system.state().reserve(self.device, self.queue, count.count())
    }
    fn capacity(&self) -> PacketCount {
        self.system.state().capacity()
    }
    #[inline]
    fn commit(&self, at: PacketId, packet: &Packet<Kernel>) {
        self.system.state().commit(self.device, self.queue, at, packet);
    }
    #[inline]
    fn ring_doorbell(&self, last: PacketId) {
        self.system.state().ring_doorbell(self.device, self.queue, last);
    }
    #[inline]
    fn read_index(&self) -> PacketId {
        self.system.state().read_index(self.device, self.queue)
    }
    fn settled(&self) -> Settled {
        self.system.state().settled(self.queue)
    }
}

impl State {
    fn reserve(&mut self, device: DeviceId, queue: QueueId, count: u32) -> PacketId {
        let lane = self.model.lane_now(queue);
        self.wait_for_slots(device, lane, count);
        let first = self.model.reserve(lane, count);
        self.oracle.reserved(lane, count, self.capacity());
        self.note(Event::Reserved(lane, first, count));
        first
    }
    fn capacity(&self) -> PacketCount {
        let slots = NonZeroU32::new(self.settings.quotas.ring_slots);
        slots.map_or(PacketCount::ONE, PacketCount::new)
    }
    /// The only wait that a reservation may do. On a device that is stuck or lost it goes on with
    /// what there is, so that no call hangs.
    fn wait_for_slots(&mut self, device: DeviceId, lane: LaneId, count: u32) {
        let slots = u64::from(self.settings.quotas.ring_slots);
        let taken = |state: &Self| {
            let queue = state.model.queue(lane).expect("the lane of a queue");
            queue.next().as_u64() + u64::from(count) - queue.read_index().as_u64()
        };
        if taken(self) <= slots {
            return;
        }
        self.counts(device).ring_full += 1;
        self.note(Event::RingFull(lane));
        if self.settings.pace.is_timeless() {
            self.make_slots(lane, taken(self) - slots);
        }
        while taken(self) > slots {
            let queue = self.model.queue(lane).expect("the lane of a queue");
            let (read, complete) = (queue.read_index(), queue.complete_below());
            if complete > read {
                self.perform(Move::Read(lane, complete));
            } else if self.first_move() == Moved::No {
                match self.next_due() {
                    Some(due) => self.clock.jump(due),
                    None => return,
                }
            }
        }
    }
    fn commit(&mut self, device: DeviceId, queue: QueueId, at: PacketId, packet: &Packet<Kernel>) {
        let lane = self.model.lane_now(queue);
        let of = UseId::new(lane, at);
        self.spend(self.settings.costs.packet);
        let before = self.published_below(lane);
        match self.model.commit(lane, at, &without_work(packet)) {
            Commit::Written => {
                self.counts(device).packets += 1;
                self.expect_packet(of, &packet.body);
            }
            Commit::NotReserved => self.oracle.not_reserved(of),
        }
        let (kind, barrier, completes) =
            (PacketKind::of(&packet.body), packet.barrier, packet.completes);
        self.note(Event::Committed { of, kind, barrier, completes });
        self.tell_oracle(device, lane, before);
    }
    fn ring_doorbell(&mut self, device: DeviceId, queue: QueueId, last: PacketId) {
        let lane = self.model.lane_now(queue);
        let before = self.published_below(lane);
        self.counts(device).doorbells += 1;
        self.model.ring_doorbell(lane, last);
        self.note(Event::Doorbell(lane, last));
        self.tell_oracle(device, lane, before);
        self.breathe();
    }
    fn published_below(&self, lane: LaneId) -> u64 {
        self.model.queue(lane).map_or(0, |queue| queue.published_below().as_u64())
    }
    /// The oracle learns of every packet of the host that the device knows since `before`.
    fn tell_oracle(&mut self, device: DeviceId, lane: LaneId, before: u64) {
        let profiler = self.device(device).profiler;
        for at in (before..self.published_below(lane)).map(PacketId::new) {
            if !self.foreign.is_empty() && self.foreign.remove(&(lane, at)) {
                continue;
            }
            let queue = self.model.queue(lane).expect("the lane of a queue");
            let Some(&packet) = queue.packet(at) else { continue };
            self.oracle.published(UseId::new(lane, at), &packet, profiler, &self.model);
        }
        if self.oracle.has_news() {
            self.report();
        }
    }
    fn read_index(&mut self, device: DeviceId, queue: QueueId) -> PacketId {
        self.breathe();
        let lane = self.model.lane_now(queue);
        self.move_read_index(lane);
        self.spend(self.settings.costs.read_index);
        self.counts(device).read_indices += 1;
        let read = self.model.queue(lane).map_or(PacketId::FIRST, crate::model::Queue::read_index);
        self.saw(read);
        self.oracle.read_index(lane, read);
        self.note(Event::ReadIndex(lane, read));
        read
    }
    fn settled(&mut self, queue: QueueId) -> Settled {
        self.breathe();
        let lane = self.model.lane_now(queue);
        self.model.queue(lane).map_or(Settled::Reserving, crate::model::Queue::settled)
    }
    fn foreign_packet(&mut self, lane: LaneId, barrier: Barrier, takes: Ticks) -> UseId {
        let device = self.model.agent_of(lane);
        let at = self.model.reserve(lane, 1);
        self.foreign.insert((lane, at));
        let packet =
            Packet { body: Body::Kernel(Kernel::new(0, takes)), barrier, ..Packet::nothing() };
        let before = self.published_below(lane);
        let written = self.model.commit(lane, at, &without_work(&packet));
        debug_assert_eq!(written, Commit::Written, "just reserved");
        let of = UseId::new(lane, at);
        self.expect_packet(of, &packet.body);
        self.model.ring_doorbell(lane, at);
        self.note(Event::Foreign { of, barrier });
        self.tell_oracle(device, lane, before);
        of
    }
}

fn without_work(packet: &Packet<Kernel>) -> ModelPacket {
    let &Packet { body, barrier, acquire, release, completes } = packet;
    let body = match body {
        Body::Kernel(_) => Body::Kernel(()),
        Body::And(deps) => Body::And(deps),
        Body::Or(deps) => Body::Or(deps),
        Body::Value(wait) => Body::Value(wait),
    };
    let completes: SignalHandle = completes;
    ModelPacket { body, barrier, acquire, release, completes }
}
