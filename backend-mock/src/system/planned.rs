//! What a script does in the middle of a host step: at its first look at the device, its second, and
//! so on.

use std::collections::VecDeque;

use ringfence::id::{LaneId, PacketId, UseId};

use super::{MockSystem, state::State};
use crate::{
    chooser::Look,
    model::{Blocked, Move},
};

/// What the device does at a look.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Planned {
    /// A packet completes, or all issued parts of a copy.
    Finish(UseId),
    /// The first unfinished part of a copy completes.
    FinishPart(UseId),
    /// The read index moves.
    ReadIndex(LaneId, PacketId),
    /// Nothing: a wait that has a short limit runs into it.
    Nothing,
}

/// The plan of the step to come.
#[derive(Clone, Hash, Default, Debug)]
pub(super) struct Plan {
    acts: VecDeque<(Look, Planned)>,
    impossible: Option<Blocked>,
}

/// Whether the device had its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turn {
    Taken,
    /// The script says that it does nothing.
    Passed,
}

impl MockSystem {
    /// At look `at` of the next step of the host, the device does this.
    pub fn plan(&self, at: Look, act: Planned) {
        self.state().planned.acts.push_back((at, act));
    }
    /// A step of the host begins: looks are counted from here.
    pub fn begin_step(&self) {
        self.state().begin_step();
    }
    /// The step is over.
    ///
    /// # Errors
    /// With the first planned act that the device could not do, or that no look came for.
    pub fn end_step(&self) -> Result<(), Blocked> {
        let mut state = self.state();
        let plan = std::mem::take(&mut state.planned);
        match (plan.impossible, plan.acts.front()) {
            (Some(why), _) => Err(why),
            (None, Some(&(at, _))) => Err(Blocked::NoLook { at, looks: state.looks }),
            (None, None) => Ok(()),
        }
    }
}

impl State {
    pub(super) fn begin_step(&mut self) {
        self.looks = Look::default();
        self.seen = 0;
    }
    /// What the plan has for this look is done.
    pub(super) fn follow_plan(&mut self) -> Turn {
        let mut turn = Turn::Taken;
        while let Some(&(at, act)) = self.planned.acts.front()
            && at <= self.looks
        {
            self.planned.acts.pop_front();
            let done = match act {
                Planned::Finish(of) => self.finish(of),
                Planned::FinishPart(of) => self.finish_first_part(of),
                Planned::ReadIndex(lane, to) => self.force_move(Move::Read(lane, to)),
                Planned::Nothing => {
                    turn = Turn::Passed;
                    Ok(())
                }
            };
            if let Err(why) = done {
                self.planned.impossible.get_or_insert(why);
            }
        }
        turn
    }
    fn finish_first_part(&mut self, of: UseId) -> Result<(), Blocked> {
        let part = self.model.engine(of.lane()).and_then(|engine| {
            engine.unfinished().find(|part| part.0 == of.packet()).map(|part| part.1)
        });
        let Some(part) = part else { return self.finish(of) };
        if self.model.check(Move::StartPart(of, part)).is_ok() {
            self.force_move(Move::StartPart(of, part))?;
        }
        self.force_move(Move::FinishPart(of, part))
    }
}
