//! Completing one packet with the least that has to happen before.

use ringfence::{
    backend::Body,
    id::{SignalHandle, SignalValue, UseId},
};

use super::{Blocked, Model, Move, PacketState, Queue, Reader};

/// Whether a packet could be made complete.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum Completion {
    /// It is complete now, and so is what had to be before it.
    Done,
    /// The device cannot complete it in this state, whatever it does. Nothing was changed.
    Impossible,
}

/// Which of `n` dependencies made a BARRIER_OR pass.
type Choose<'a> = &'a mut dyn FnMut(u32) -> u32;

impl Model {
    /// The moves that make the packet or the ticket of `of` complete, with the fewest other
    /// completions: earlier packets for a barrier bit, a barrier packet that holds back what comes
    /// later, the uses that a dependency waits for. A BARRIER_OR asks `choose` which of `n`
    /// dependencies made it pass. `None` if no moves can do it.
    pub fn causes(&self, of: UseId, choose: Choose<'_>) -> Option<Vec<Move>> {
        let mut plan = Plan::of(self);
        plan.finish(of, choose)?;
        Some(plan.moves)
    }
    /// The moves that decrement `signal` once more: those of the use that owes it a decrement, for a copy
    /// those of its first unfinished part alone. `None` if nothing can.
    pub fn causes_of_decrement(
        &self,
        signal: SignalHandle,
        choose: Choose<'_>,
    ) -> Option<Vec<Move>> {
        let mut plan = Plan::of(self);
        plan.decrement(signal, choose)?;
        Some(plan.moves)
    }
    /// The moves that complete the first unfinished part of a copy.
    pub fn causes_of_part(&self, of: UseId, choose: Choose<'_>) -> Option<Vec<Move>> {
        let mut plan = Plan::of(self);
        plan.finish_first_part(of, choose)?;
        Some(plan.moves)
    }
    /// Makes the moves of [`causes`](Self::causes).
    pub fn complete(&mut self, of: UseId, choose: Choose<'_>) -> Completion {
        let Some(moves) = self.causes(of, choose) else { return Completion::Impossible };
        for one in moves {
            let _ = self.apply(one);
        }
        Completion::Done
    }
}

#[derive(Clone)]
struct Plan {
    model: Model,
    moves: Vec<Move>,
    /// The uses whose causes are being made: meeting one again is a deadlock.
    path: Vec<UseId>,
}
impl Plan {
    fn of(model: &Model) -> Self {
        Self { model: model.clone(), moves: Vec::new(), path: Vec::new() }
    }
    fn take(&mut self, one: Move) -> Option<()> {
        self.model.check(one).ok()?;
        let _ = self.model.apply_checked(one);
        self.moves.push(one);
        Some(())
    }
    fn finish(&mut self, of: UseId, choose: Choose<'_>) -> Option<()> {
        match self.model.state(of) {
            PacketState::Complete => return Some(()),
            PacketState::Published | PacketState::Active if !self.path.contains(&of) => {}
            _ => return None,
        }
        self.path.push(of);
        if self.model.is_engine(of.lane()) {
            self.finish_parts(of, choose)?;
        } else {
            self.start(of, choose)?;
            self.meet_waits(of, choose)?;
            self.take(Move::Finish(of))?;
        }
        self.path.pop();
        Some(())
    }
    fn finish_parts(&mut self, of: UseId, choose: Choose<'_>) -> Option<()> {
        for _ in 0..self.model.outstanding(of) {
            self.finish_first_part(of, choose)?;
        }
        Some(())
    }
    fn finish_first_part(&mut self, of: UseId, choose: Choose<'_>) -> Option<()> {
        let reader = Reader::Engine(self.model.agent_of(of.lane()));
        let engine = self.model.engine(of.lane())?;
        let part = engine.parts().find(|part| part.at == of.packet())?.clone();
        if !part.active {
            for &signal in &part.waits {
                self.zero(signal, reader, choose)?;
            }
            self.take(Move::StartPart(of, part.part))?;
        }
        self.take(Move::FinishPart(of, part.part))
    }
    /// Starts every packet up to this one: packets start in index order.
    fn start(&mut self, of: UseId, choose: Choose<'_>) -> Option<()> {
        let lane = of.lane();
        while self.model.state(of) == PacketState::Published {
            let at = self.model.queue(lane)?.started_below();
            let one = Move::Start(UseId::new(lane, at));
            while let Err(blocked) = self.model.check(one) {
                let first = match blocked {
                    Blocked::HeldBack { by } => by,
                    Blocked::EarlierIncomplete { oldest } => oldest,
                    _ => return None,
                };
                self.finish(UseId::new(lane, first), choose)?;
            }
            self.take(one)?;
        }
        Some(())
    }
    /// Makes the dependencies of an active packet what it waits for.
    fn meet_waits(&mut self, of: UseId, choose: Choose<'_>) -> Option<()> {
        let packet = *self.model.queue(of.lane())?.packet(of.packet())?;
        let reader = Reader::Processor(self.model.agent_of(of.lane()));
        match packet.body {
            Body::Kernel(()) => {}
            Body::And(deps) => {
                for signal in deps.iter() {
                    self.zero(signal, reader, choose)?;
                }
            }
            Body::Or(deps) => self.one_zero(&deps.iter().collect::<Vec<_>>(), reader, choose)?,
            Body::Value(wait) => {
                while self.model.check(Move::Finish(of)).is_err() {
                    self.decrement(wait.signal, choose)?;
                }
            }
        }
        Some(())
    }
    /// Completes what owes `signal` decrements, until `reader` sees 0.
    fn zero(&mut self, signal: SignalHandle, reader: Reader, choose: Choose<'_>) -> Option<()> {
        while !self.is_zero(signal, reader) {
            self.decrement(signal, choose)?;
        }
        Some(())
    }
    fn is_zero(&self, signal: SignalHandle, reader: Reader) -> bool {
        self.model.view(signal, reader).is_none_or(|value| value == SignalValue::DONE)
    }
    fn decrement(&mut self, signal: SignalHandle, choose: Choose<'_>) -> Option<()> {
        let owes = self.owes(signal)?;
        if !self.model.is_engine(owes.lane()) {
            return self.finish(owes, choose);
        }
        if self.path.contains(&owes) {
            return None;
        }
        self.path.push(owes);
        self.finish_first_part(owes, choose)?;
        self.path.pop();
        Some(())
    }
    fn one_zero(
        &mut self,
        deps: &[SignalHandle],
        reader: Reader,
        choose: Choose<'_>,
    ) -> Option<()> {
        if deps.is_empty() || deps.iter().any(|&signal| self.is_zero(signal, reader)) {
            return Some(());
        }
        let possible: Vec<Self> = deps
            .iter()
            .filter_map(|&signal| {
                let mut next = self.clone();
                next.zero(signal, reader, &mut |_| 0).map(|()| next)
            })
            .collect();
        let count = super::number(possible.len());
        let chosen = if count > 1 { choose(count) } else { 0 };
        *self = possible.into_iter().nth(chosen as usize)?;
        Some(())
    }
    /// A use that is published, not complete, and decrements `signal`.
    fn owes(&self, signal: SignalHandle) -> Option<UseId> {
        let queued = |queue: &Queue| {
            let at = queue.unfinished().find(|&(_, packet)| packet.completes == signal)?.0;
            Some(UseId::new(queue.lane(), at))
        };
        self.model.queues().iter().find_map(queued).or_else(|| {
            self.model.engines().iter().find_map(|engine| {
                let part = engine.parts().find(|part| part.completes == signal)?;
                Some(UseId::new(engine.lane(), part.at))
            })
        })
    }
}
