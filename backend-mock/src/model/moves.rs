//! Everything that a device may do next, and doing it.

use ringfence::{
    backend::{Body, DeviceStatus, PartIndex, SignalMemory},
    id::{LaneId, PacketId, SignalHandle, SignalValue, UseId},
};

use crate::chooser::Look;

use super::{Model, ModelPacket, Reader, Waits, engine::Part, queue::PacketState};

/// One thing that a device does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Move {
    /// A published packet becomes active.
    Start(UseId),
    /// An active packet completes: its signal is decremented.
    Finish(UseId),
    /// A part of a copy becomes active.
    StartPart(UseId, PartIndex),
    /// An active part completes: the signal is decremented.
    FinishPart(UseId, PartIndex),
    /// The read index moves to this packet.
    Read(LaneId, PacketId),
    /// A buffered host store reaches memory by itself.
    Land(SignalHandle),
}

/// What a move changed that others can see.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum Effect {
    /// Nothing that a signal tells.
    Silent,
    /// A packet or part completed. `signal` is null if it had none; `value` is what is left in it.
    Completed {
        /// Its completion signal.
        signal: SignalHandle,
        /// The value after the decrement.
        value: SignalValue,
    },
}

/// Why a device may not make a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
pub enum Blocked {
    /// The packet is not in the state that the move starts from.
    #[error("it is {state:?}, not {needed:?}")]
    Not {
        /// The state that is needed.
        needed: PacketState,
        /// The state that it is in.
        state: PacketState,
    },
    /// Packets start in index order.
    #[error("an earlier packet of its queue has not started")]
    EarlierNotStarted,
    /// It has the barrier bit.
    #[error("it has the barrier bit, and packet {oldest} is not complete")]
    EarlierIncomplete {
        /// The oldest packet that is not complete.
        oldest: PacketId,
    },
    /// An earlier BARRIER_AND or OR is not complete.
    #[error("the barrier packet {by} before it is not complete")]
    HeldBack {
        /// That packet.
        by: PacketId,
    },
    /// What it waits for is not there.
    #[error("it waits for signal {signal:?}, which is {value:?} where it looks")]
    WaitsFor {
        /// The signal, or one of several.
        signal: SignalHandle,
        /// What it sees there.
        value: SignalValue,
    },
    /// The read index never goes back and never passes what is published.
    #[error("the read index is {read} and {published} packets are published")]
    ReadIndexRange {
        /// Where it is.
        read: PacketId,
        /// How far it may go.
        published: PacketId,
    },
    /// No store to this signal is on its way.
    #[error("no store to it is buffered")]
    NothingBuffered,
    /// The device is gone.
    #[error("its device was lost")]
    Lost,
    /// A script has something for a look that the host does not take.
    #[error("the step looks at the device {} times, and something is planned for look {}", looks.number(), at.number())]
    NoLook {
        /// That look.
        at: Look,
        /// How many there were.
        looks: Look,
    },
}

impl Model {
    /// Every move that a device may make now, in a fixed order. The read index is listed in steps of
    /// one: larger ones are several.
    pub fn enabled(&self, out: &mut Vec<Move>) {
        for queue in self.queues() {
            let lane = queue.lane();
            if self.status(queue.agent()) == DeviceStatus::Lost {
                continue;
            }
            out.extend(queue.startable().map(|at| Move::Start(UseId::new(lane, at))));
            let finishes = queue.active().map(|at| Move::Finish(UseId::new(lane, at)));
            out.extend(finishes.filter(|&finish| self.check(finish).is_ok()));
            let next = Move::Read(lane, queue.read_index().next());
            out.extend(self.check(next).is_ok().then_some(next));
        }
        for engine in self.engines() {
            for (at, part) in engine.unfinished() {
                let of = UseId::new(engine.lane(), at);
                let both = [Move::StartPart(of, part), Move::FinishPart(of, part)];
                out.extend(both.into_iter().filter(|&one| self.check(one).is_ok()));
            }
        }
        out.extend(self.buffered().map(Move::Land));
    }

    /// Whether a device may make this move now.
    ///
    /// # Errors
    /// With the rule that forbids it.
    pub fn check(&self, one: Move) -> Result<(), Blocked> {
        match one {
            Move::Start(of) => {
                self.check_alive(of)?;
                self.queue(of.lane()).ok_or(unknown(PacketState::Published))?.may_start(of.packet())
            }
            Move::Finish(of) => {
                self.check_alive(of)?;
                let queue = self.queue(of.lane()).ok_or(unknown(PacketState::Active))?;
                match (queue.state(of.packet()), queue.packet(of.packet())) {
                    (PacketState::Active, Some(packet)) => {
                        self.check_waits(packet, Reader::Processor(queue.agent()))
                    }
                    (state, _) => Err(Blocked::Not { needed: PacketState::Active, state }),
                }
            }
            Move::StartPart(of, part) => {
                let found = self.check_part(of, part, PacketState::Published)?;
                let reader = Reader::Engine(self.agent_of(of.lane()));
                found.waits.iter().try_for_each(|&signal| self.check_zero(signal, reader))
            }
            Move::FinishPart(of, part) => self.check_part(of, part, PacketState::Active).map(drop),
            Move::Read(lane, to) => {
                let queue = self.queue(lane).ok_or(unknown(PacketState::Published))?;
                queue.may_move_read_index(to)
            }
            Move::Land(signal) => {
                let found = self.buffered().any(|other| other == signal);
                if found { Ok(()) } else { Err(Blocked::NothingBuffered) }
            }
        }
    }
    fn check_alive(&self, of: UseId) -> Result<(), Blocked> {
        let agent = self.place(of.lane()).map(|_| self.agent_of(of.lane()));
        let lost = agent.is_some_and(|agent| self.status(agent) == DeviceStatus::Lost);
        if lost { Err(Blocked::Lost) } else { Ok(()) }
    }
    fn check_part(
        &self,
        of: UseId,
        part: PartIndex,
        needed: PacketState,
    ) -> Result<&Part, Blocked> {
        self.check_alive(of)?;
        let engine = self.engine(of.lane()).ok_or(unknown(needed))?;
        let found = engine.find(of.packet(), part).ok_or(unknown(needed))?;
        let state = if found.active { PacketState::Active } else { PacketState::Published };
        if state == needed { Ok(found) } else { Err(Blocked::Not { needed, state }) }
    }
    fn check_zero(&self, signal: SignalHandle, reader: Reader) -> Result<(), Blocked> {
        let value = self.view(signal, reader).unwrap_or(SignalValue::DONE);
        if value == SignalValue::DONE { Ok(()) } else { Err(Blocked::WaitsFor { signal, value }) }
    }
    /// Whether the dependencies of an active packet let it complete.
    fn check_waits(&self, packet: &ModelPacket, reader: Reader) -> Result<(), Blocked> {
        Waits::from(packet).check(|signal| self.view(signal, reader))
    }

    /// Makes one move.
    ///
    /// # Panics
    /// If [`check`](Self::check) forbids it.
    pub fn apply(&mut self, one: Move) -> Effect {
        if let Err(why) = self.check(one) {
            panic!("{one:?}: {why}");
        }
        self.apply_checked(one)
    }
    /// Makes a move that was checked just before.
    pub(crate) fn apply_checked(&mut self, one: Move) -> Effect {
        match one {
            Move::Start(of) => self.queue_mut(of.lane()).start(of.packet()),
            Move::Finish(of) => {
                let packet = self.queue_mut(of.lane()).finish(of.packet());
                let by = Reader::Processor(self.agent_of(of.lane()));
                return self.completed(packet.completes, by);
            }
            Move::StartPart(of, part) => self.engine_mut(of.lane()).start(of.packet(), part),
            Move::FinishPart(of, part) => {
                let done = self.engine_mut(of.lane()).finish(of.packet(), part);
                let by = Reader::Engine(self.agent_of(of.lane()));
                return self.completed(done.completes, by);
            }
            Move::Read(lane, to) => self.queue_mut(lane).move_read_index(to),
            Move::Land(signal) => self.land(signal),
        }
        Effect::Silent
    }
    fn completed(&mut self, signal: SignalHandle, by: Reader) -> Effect {
        let value =
            if signal.is_null() { SignalValue::DONE } else { self.complete_signal(signal, by) };
        Effect::Completed { signal, value }
    }

    /// Issues one part of a copy.
    pub fn submit(
        &mut self,
        of: UseId,
        part: PartIndex,
        completes: SignalHandle,
        waits: &[SignalHandle],
    ) {
        let (at, waits) = (of.packet(), waits.to_vec());
        self.engine_mut(of.lane()).issue(Part { at, part, completes, waits, active: false });
    }
    /// A ticket is given up: no part of it was taken.
    pub fn refuse(&mut self, of: UseId) {
        self.engine_mut(of.lane()).use_ticket(of.packet());
    }
    /// Whether a packet waits for a signal in host memory: the processor polls it across PCIe.
    pub(crate) fn polls_host_memory(&self, packet: &ModelPacket) -> bool {
        let host =
            |signal| self.cell(signal).is_some_and(|cell| cell.memory() != SignalMemory::Device);
        match packet.body {
            Body::Kernel(()) => false,
            Body::And(deps) | Body::Or(deps) => deps.iter().any(host),
            Body::Value(wait) => host(wait.signal),
        }
    }
}

const fn unknown(needed: PacketState) -> Blocked {
    Blocked::Not { needed, state: PacketState::Unknown }
}
