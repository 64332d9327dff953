//! A hardware queue that does not keep its contract.

use std::cell::{Cell, RefCell};

use ringfence::{
    backend::{
        Body, Deps, Device, DeviceStatus, MAX_DEPS, Packet, PacketCount, PacketQueue, Settled,
        Signals,
    },
    id::{Barrier, DeviceId, LaneId, PacketId, SignalHandle, SignalValue},
};
use ringfence_mock::{
    system::{MockDevice, MockQueue},
    work::Kernel,
};

use crate::flaw::Flaw;

#[derive(Debug)]
pub(crate) struct BrokenQueue {
    pub(crate) queue: MockQueue,
    pub(crate) device: MockDevice,
    pub(crate) flaw: Flaw,
    pub(crate) lane: LaneId,
    /// Another queue of the device, where packets go that should not be seen yet.
    pub(crate) aside: MockQueue,
    /// A signal that is never done.
    pub(crate) never: SignalHandle,
    pub(crate) state: State,
}
/// What a broken queue remembers.
#[derive(Debug, Default)]
pub(crate) struct State {
    next: Cell<u64>,
    written: RefCell<Vec<u64>>,
    bell: Cell<u64>,
    reads: Cell<u64>,
    completions: Cell<u64>,
}
impl BrokenQueue {
    fn is(&self, flaw: Flaw) -> bool {
        self.flaw == flaw
    }
    fn put_aside(&self, packet: &Packet<Kernel>) {
        let at = self.aside.reserve(PacketCount::ONE);
        self.aside.commit(at, packet);
        self.aside.ring_doorbell(at);
    }
    fn owner(&self, signal: SignalHandle) -> Option<DeviceId> {
        self.device.system().with_model(|model| model.cell(signal).map(|cell| cell.owner()))
    }
    fn keep(&self, deps: Deps, keep: impl Fn(SignalHandle) -> bool) -> Deps {
        let kept: Vec<_> = deps.iter().filter(|&signal| keep(signal)).collect();
        Deps::take(&kept).0
    }
    /// What the device gets to see instead.
    fn changed(&self, mut packet: Packet<Kernel>) -> Packet<Kernel> {
        let numbered = |every: u64| {
            let number = self.state.completions.get() + 1;
            self.state.completions.set(number);
            number.is_multiple_of(every)
        };
        packet.body = match (self.flaw, packet.body) {
            (Flaw::AndIsOr, Body::And(deps)) => Body::Or(deps),
            (Flaw::OrIsAnd, Body::Or(deps)) => Body::And(deps),
            (Flaw::AndOfNothing, Body::And(_)) => Body::And(Deps::NONE),
            (Flaw::AndOfFour, Body::And(deps)) => {
                let four: Vec<_> = deps.iter().take(MAX_DEPS - 1).collect();
                Body::And(Deps::take(&four).0)
            }
            (Flaw::AndOfNothingHangs, Body::And(deps)) if deps.iter().next().is_none() => {
                Body::And(Deps::take(&[self.never]).0)
            }
            (Flaw::AndBelowZero, Body::And(deps)) => {
                Body::And(self.keep(deps, |signal| self.device.load(signal) >= SignalValue::DONE))
            }
            (Flaw::PeersUnseen, Body::And(deps)) => {
                Body::And(self.keep(deps, |signal| self.owner(signal) == Some(self.device.id())))
            }
            (Flaw::ValueIsAnd, Body::Value(wait)) => Body::And(Deps::take(&[wait.signal]).0),
            (Flaw::ValueOfNothing, Body::Value(_)) => Body::And(Deps::NONE),
            (_, body) => body,
        };
        if self.is(Flaw::NoBarrierBit) {
            packet.barrier = Barrier::Clear;
        }
        if !packet.completes.is_null() {
            match self.flaw {
                Flaw::DecrementsTwice if numbered(10) => {
                    self.put_aside(&Packet { body: Body::And(Deps::NONE), ..packet });
                }
                Flaw::DecrementsNot if !numbered(u64::MAX) && self.state.completions.get() == 1 => {
                    packet.completes = SignalHandle::NULL;
                }
                _ => {}
            }
        } else if self.is(Flaw::DecrementsAnother) {
            packet.completes = SignalHandle::new(1);
        }
        packet
    }
}
impl PacketQueue for BrokenQueue {
    type Work = Kernel;
    fn lane(&self) -> LaneId {
        if self.is(Flaw::OneLane) { self.lane } else { self.queue.lane() }
    }
    fn reserve(&self, count: PacketCount) -> PacketId {
        match self.flaw {
            Flaw::IndicesSkip => {
                let left_out = self.queue.reserve(PacketCount::ONE);
                self.queue.commit(left_out, &Packet::nothing());
            }
            Flaw::WaitsForTheLostRing if self.device.status() == DeviceStatus::Lost => {
                self.device.system().pass(std::time::Duration::from_secs(1));
            }
            _ => {}
        }
        let first = self.queue.reserve(count);
        if self.is(Flaw::IndicesRepeat) && count.count() > 1 {
            // Now and then the last of them twice.
            let repeated = PacketId::new(first.as_u64() + u64::from(count.count()) - 1);
            self.state.next.set(first.as_u64() + u64::from(count.count()));
            return if self.state.reads.replace(1) == 1 { repeated } else { first };
        }
        self.state.next.set(first.as_u64() + u64::from(count.count()));
        first
    }
    fn capacity(&self) -> PacketCount {
        if self.is(Flaw::CapacityUnsaid) { PacketCount::MAX } else { self.queue.capacity() }
    }
    fn commit(&self, at: PacketId, packet: &Packet<Kernel>) {
        let packet = self.changed(*packet);
        let mut written = self.state.written.borrow_mut();
        let in_order = written.len() as u64 == at.as_u64();
        written.push(at.as_u64());
        let early = self.is(Flaw::SeenOutOfOrder) && !in_order;
        let beside = self.is(Flaw::AndHoldsNothingBack) && matches!(packet.body, Body::And(_));
        if early || beside {
            self.put_aside(&packet);
            self.queue.commit(at, &Packet { barrier: packet.barrier, ..Packet::nothing() });
        } else {
            self.queue.commit(at, &packet);
        }
    }
    fn ring_doorbell(&self, last: PacketId) {
        if self.is(Flaw::BellForOne) {
            // Heard only by who rings for each packet.
            if last.as_u64() > self.state.bell.get() {
                return;
            }
            self.state.bell.set(self.state.bell.get().max(last.as_u64() + 1));
        }
        self.queue.ring_doorbell(last);
    }
    fn read_index(&self) -> PacketId {
        let read = self.queue.read_index();
        self.state.reads.set(self.state.reads.get() + 1);
        match self.flaw {
            Flaw::ReadIndexGoesBack if self.state.reads.get().is_multiple_of(7) => {
                PacketId::new(read.as_u64().saturating_sub(3))
            }
            Flaw::ReadIndexPasses => read.plus(1),
            _ => read,
        }
    }
    fn settled(&self) -> Settled {
        match self.flaw {
            Flaw::SettledTooEarly => Settled::Below(PacketId::new(self.state.next.get())),
            Flaw::SettledNever => Settled::Reserving,
            _ => self.queue.settled(),
        }
    }
}
