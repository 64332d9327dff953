//! The packet processor of one AQL queue.
//!
//! Which packet may start when is the business of [`Queue`], the model that the mock uses too; what
//! packets wait for is that of [`Waits`]. Here they get their 64 bytes from a ring in memory, take
//! time, and complete as hardware completes them: timestamps, then the decrement, then the interrupt.

mod complete;
mod read_index;

use std::time::Duration;

use ringfence::id::{DeviceId, Generation, LaneId, PacketId, QueueId, SignalHandle, SignalValue};
use ringfence_mock::model::{Queue, Waits};

use crate::{
    abi::{
        aql::{self, Body, Malformed, Packet},
        objects::Exception,
    },
    address::Address,
    bus::{Bus, Fault},
    chance::Chance,
    faults::Countdown,
    kernels::Kernels,
    sdma::Stopped,
    settings::{Dependencies, Settings},
};

/// What others must be told of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Report {
    /// An event was raised.
    Interrupt(u32),
    /// The queue met a packet that is none, and goes no further.
    Malformed(Malformed),
    /// Something that is not mapped was touched.
    Fault(Fault),
    /// The GPU is gone.
    Lost,
    /// A copy engine met a packet that is not modelled, and goes no further.
    Stopped(Stopped),
    /// A kernel of this name is not modelled, and computed nothing.
    Unmodelled(String),
    /// A copy engine flushed the host data path of its GPU.
    Flushed,
}

/// Whether a queue has something to do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[must_use]
pub enum Progress {
    /// Nothing until a doorbell rings.
    Idle,
    /// It waits: for something in memory, or for this point in time.
    Waiting(Option<Duration>),
    /// Something happened; more may.
    Made,
}

/// What a device sees and has while it makes a step.
pub struct Turn<'a, B: Bus> {
    /// Memory.
    pub bus: &'a B,
    /// The time.
    pub now: Duration,
    /// The same, in ticks of the device.
    pub ticks: u64,
    /// How it behaves.
    pub settings: &'a Settings,
    /// Choices.
    pub chance: &'a mut Chance,
    /// What kernels compute.
    pub kernels: &'a mut Kernels,
    /// What goes wrong when.
    pub faults: &'a mut Countdown,
    /// What happened.
    pub reports: &'a mut Vec<Report>,
    /// Signals that were decremented, and to what: for [`AqlQueue::saw`] of all other queues. None where
    /// dependencies are polled.
    pub decremented: &'a mut Vec<(SignalHandle, SignalValue)>,
}

/// Where a queue lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its packets.
    pub ring: Address,
    /// How many packets the ring holds, a power of 2.
    pub packets: u64,
    /// Where its read index is written.
    pub read_index: Address,
    /// Where its clients keep the write index.
    pub write_index: Address,
    /// Its context save area, with the address of its error bits; or null.
    pub save_area: Address,
}

/// Whether a queue runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Life {
    Running,
    Suspended,
    /// A packet was malformed: none is read any more; what has started completes.
    Halted,
    Failed,
}

/// A packet that has become active.
struct Active {
    at: PacketId,
    /// In ticks of the device.
    started: u64,
    waits: Waits,
    /// When it may complete, once it waits for nothing.
    due: Option<Duration>,
    /// Whether it finds all the memory that it touches.
    touches: Result<(), Fault>,
}

/// One AQL queue.
pub struct AqlQueue {
    place: Place,
    life: Life,
    order: Queue<Packet>,
    active: Vec<Active>,
    /// The write index at the last doorbell.
    written: u64,
    /// The read index that is in memory.
    read: u64,
}

impl AqlQueue {
    /// How many packets at most complete in one step, so that other queues get their turn.
    const BUDGET: u32 = 64;

    /// Queue number `id` of `gpu`.
    pub fn new(id: u32, gpu: u32, place: Place) -> Self {
        let lane = LaneId::new(QueueId::new(id), Generation::FIRST);
        let order = Queue::new(lane, DeviceId::new(gpu));
        Self { place, life: Life::Running, order, active: Vec::new(), written: 0, read: 0 }
    }
    /// Stops or goes on.
    pub fn suspend(&mut self, suspended: bool) {
        self.life = match self.life {
            Life::Halted | Life::Failed => self.life,
            _ if suspended => Life::Suspended,
            _ => Life::Running,
        };
    }
    /// It goes no further.
    pub fn fail(&mut self) {
        self.life = Life::Failed;
    }
    /// Its doorbell rang.
    pub fn ring_doorbell<B: Bus>(&mut self, turn: &mut Turn<'_, B>) {
        match turn.bus.load_u64(self.place.write_index) {
            Ok(written) => self.written = self.written.max(written),
            Err(fault) => self.faulted(fault, turn),
        }
    }
    /// A signal was seen to have this value, if only for a moment.
    pub fn saw(&mut self, signal: SignalHandle, value: SignalValue) {
        self.active.iter_mut().for_each(|active| active.waits.saw(signal, value));
    }
    /// Whether nothing is left to do.
    pub fn is_idle(&self) -> bool {
        let read = self.order.next().as_u64() >= self.written || self.life == Life::Halted;
        self.active.is_empty() && read
    }
    /// Goes as far as it can now.
    pub fn step<B: Bus>(&mut self, turn: &mut Turn<'_, B>) -> Progress {
        if matches!(self.life, Life::Suspended | Life::Failed) || self.is_idle() {
            return Progress::Idle;
        }
        let mut made = false;
        for _ in 0..Self::BUDGET {
            let completed = self.complete_due(turn);
            let started = self.life == Life::Running && self.start_next(turn);
            if self.life == Life::Failed {
                return Progress::Made;
            }
            if !(completed || started) {
                break;
            }
            made = true;
        }
        if let Err(fault) = self.show_read_index(turn) {
            self.faulted(fault, turn);
        }
        // A kernel that is overdue waits for memory: that may change at any time.
        let dues = self.active.iter().filter_map(|active| active.due);
        match () {
            () if made => Progress::Made,
            () if self.is_idle() => Progress::Idle,
            () => Progress::Waiting(dues.filter(|&due| due > turn.now).min()),
        }
    }

    /// Reads the next packet if it is written, and starts it if it may.
    fn start_next<B: Bus>(&mut self, turn: &mut Turn<'_, B>) -> bool {
        if self.order.started_below() == self.order.next() && !self.fetch(turn) {
            return false;
        }
        let Some(at) = self.order.startable() else { return false };
        self.order.start(at);
        let packet = *self.order.packet(at).expect("an active packet is kept");
        let (waits, due, touches) = match packet.body {
            Body::Kernel(_) => {
                let due = turn.now + turn.chance.within(turn.settings.kernel);
                (Waits::Nothing, Some(due), turn.faults.touch_unmapped())
            }
            Body::Barrier(waits) | Body::Value(waits) => (waits, None, Ok(())),
        };
        self.active.push(Active { at, started: turn.ticks, waits, due, touches });
        if turn.faults.lose_at_packet() {
            self.fail();
            turn.reports.push(Report::Lost);
        }
        true
    }
    /// Takes the next packet out of the ring. A header that is still invalid is behind its doorbell:
    /// another producer has rung for it, or for a later one.
    fn fetch<B: Bus>(&mut self, turn: &mut Turn<'_, B>) -> bool {
        let next = self.order.next();
        if next.as_u64() >= self.written {
            return false;
        }
        match self.fetch_packet(next, turn) {
            Ok(None) => false,
            Ok(Some(packet)) => {
                let at = self.order.reserve(1);
                let _ = self.order.commit(at, &packet);
                self.order.ring_doorbell(at);
                true
            }
            Err(fault) => {
                self.faulted(fault, turn);
                false
            }
        }
    }
    fn fetch_packet<B: Bus>(
        &mut self,
        at: PacketId,
        turn: &mut Turn<'_, B>,
    ) -> Result<Option<Packet>, Fault> {
        let offset = at.as_u64() % self.place.packets * aql::BYTES as u64;
        let slot = self.place.ring.plus(offset);
        let header = turn.bus.load_u32(slot)? as u16;
        if header & 0xff == aql::INVALID {
            return Ok(None);
        }
        let mut bytes = [0; aql::BYTES];
        turn.bus.read(slot, &mut bytes)?;
        let header = if turn.faults.break_packet() { u16::MAX } else { header };
        match Packet::decode(header, &bytes) {
            Ok(packet) => {
                turn.bus.store_u32(slot, u32::from(aql::INVALID))?;
                Ok(Some(packet))
            }
            Err(why) => {
                turn.reports.push(Report::Malformed(why));
                self.except(Exception::UnsupportedPacket, turn)?;
                Ok(None)
            }
        }
    }
    /// The queue is in error: its clients are told by the exception handler's bits, or by the signal
    /// that it has for that.
    fn except<B: Bus>(&mut self, what: Exception, turn: &mut Turn<'_, B>) -> Result<(), Fault> {
        self.life = Life::Halted;
        if !self.place.save_area.is_null() {
            use crate::abi::objects::save_area::{ERROR_EVENT, ERROR_PAYLOAD};
            let payload = turn.bus.load_u64(self.place.save_area.plus(ERROR_PAYLOAD))?;
            let event = turn.bus.load_u32(self.place.save_area.plus(ERROR_EVENT))?;
            if payload != 0 {
                turn.bus.or_u64(Address::new(payload), what.payload())?;
                turn.reports.push(Report::Interrupt(event));
                return Ok(());
            }
        }
        let handle = crate::abi::objects::queue::inactive_signal(self.place.read_index);
        let signal = Address::new(turn.bus.load_u64(handle)?);
        if !signal.is_null() {
            complete::store(signal, what.code(), turn)?;
        }
        Ok(())
    }
    fn faulted<B: Bus>(&mut self, fault: Fault, turn: &mut Turn<'_, B>) {
        self.fail();
        turn.reports.push(Report::Fault(fault));
    }
    /// Whether what `active` waits for is there, as this processor looks.
    fn met<B: Bus>(active: &mut Active, turn: &Turn<'_, B>) -> Result<bool, Fault> {
        if active.waits.signals().next().is_none() {
            return Ok(true);
        }
        let fault = std::cell::Cell::new(None);
        let see = |signal: SignalHandle| {
            if signal.is_null() {
                return None;
            }
            let at = Address::new(signal.as_u64()).plus(crate::abi::objects::signal::VALUE);
            let value = turn.bus.load_u64(at).map_err(|failed| fault.set(Some(failed))).ok()?;
            Some(SignalValue::new(value.cast_signed()))
        };
        if turn.settings.dependencies == Dependencies::Latched {
            let before = active.waits;
            for signal in before.signals() {
                if let Some(value) = see(signal) {
                    active.waits.saw(signal, value);
                }
            }
        }
        let met = active.waits.check(see).is_ok();
        fault.take().map_or(Ok(met), Err)
    }
}

#[cfg(test)]
mod tests;
