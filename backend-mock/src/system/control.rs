//! What a script does to the devices: forced moves and faults.

use ringfence::{
    backend::{PartIndex, Profiler},
    id::{DeviceId, LaneId, PacketId, SignalHandle, UseId},
};

use super::{MockSystem, Moved, Pace, state::State};
use crate::{
    faults::{CreationFault, Nth},
    model::{Blocked, Completion, Move, PacketState},
    stamps::Stamping,
    trace::Event,
};

impl MockSystem {
    /// One device move of the chooser's choice.
    pub fn step(&self) -> Moved {
        self.state().chosen_move(usize::MAX)
    }
    /// Lets the devices run until nothing more can happen; time jumps as needed. How many moves.
    pub fn run_until_idle(&self) -> usize {
        self.state().run_until_idle()
    }
    /// Who sets the pace.
    pub fn pace(&self) -> Pace {
        self.state().settings.pace
    }
    /// Changes who sets the pace.
    pub fn set_pace(&self, pace: Pace) {
        self.state().settings.pace = pace;
    }
    /// The packet becomes active, and every earlier one of its queue that has not; all parts of a copy.
    ///
    /// # Errors
    /// With the rule that forbids it. Earlier packets may have started.
    pub fn start(&self, of: UseId) -> Result<(), Blocked> {
        self.state().start(of)
    }
    /// The packet completes, or all issued parts of a copy; what is not active yet is started first.
    /// Its duration is over by then.
    ///
    /// # Errors
    /// With the rule that forbids it.
    pub fn finish(&self, of: UseId) -> Result<(), Blocked> {
        self.state().finish(of)
    }
    /// One issued part of a copy completes.
    ///
    /// # Errors
    /// With the rule that forbids it.
    pub fn finish_part(&self, of: UseId, part: PartIndex) -> Result<(), Blocked> {
        let mut state = self.state();
        if state.model.check(Move::StartPart(of, part)).is_ok() {
            state.force_move(Move::StartPart(of, part))?;
        }
        state.force_move(Move::FinishPart(of, part))
    }
    /// Makes the packet complete, with the least that has to happen before.
    pub fn complete(&self, of: UseId) -> Completion {
        self.state().complete(of)
    }
    /// Moves the read index of a queue; from then on only this moves it.
    ///
    /// # Errors
    /// If that is behind where it is, or past what is published.
    pub fn set_read_index(&self, lane: LaneId, to: PacketId) -> Result<(), Blocked> {
        self.state().force_move(Move::Read(lane, to))
    }
    /// A buffered store becomes visible to everybody.
    ///
    /// # Errors
    /// If none is buffered.
    pub fn make_visible(&self, signal: SignalHandle) -> Result<(), Blocked> {
        self.state().force_move(Move::Land(signal))
    }
    /// No packet or part of this use completes by itself until [`resume`](Self::resume), also in waits.
    pub fn stall(&self, of: UseId) {
        self.state().stalled.insert((of.lane(), of.packet()));
    }
    /// Undoes [`stall`](Self::stall).
    pub fn resume(&self, of: UseId) {
        self.state().stalled.remove(&(of.lane(), of.packet()));
    }
    /// The `nth` signal that is created from now on goes wrong.
    pub fn fail_creation(&self, nth: Nth, fault: CreationFault) {
        self.state().faults.at_creation(nth, fault);
    }
    /// The next part with this index is refused, once.
    pub fn refuse_part(&self, part: PartIndex) {
        self.state().faults.at_part(part);
    }
    /// The device decrements a signal once more than its packets owe, or once more than it has so far.
    pub fn late_decrement(&self, signal: SignalHandle) {
        let mut state = self.state();
        state.model.decrement(signal);
        state.note(Event::ExtraDecrement(signal));
    }
    /// The next completions with a signal write these timestamps, one each.
    pub fn stamp_next(&self, how: impl IntoIterator<Item = Stamping>) {
        self.state().faults.stamps.extend(how);
    }
    /// The next so many sleeping waits miss their interrupt.
    pub fn lose_interrupts(&self, count: u32) {
        self.state().faults.interrupts_to_lose += count;
    }
}

impl State {
    fn start(&mut self, of: UseId) -> Result<(), Blocked> {
        if let Some(engine) = self.model.engine(of.lane()) {
            let parts: Vec<_> = engine.unfinished().filter(|part| part.0 == of.packet()).collect();
            for (_, part) in parts {
                self.force_move(Move::StartPart(of, part))?;
            }
            return Ok(());
        }
        while self.model.state(of) == PacketState::Published {
            let queue = self.model.queue(of.lane()).expect("a published packet has a queue");
            let next = UseId::new(of.lane(), queue.started_below());
            self.force_move(Move::Start(next))?;
        }
        match self.model.state(of) {
            PacketState::Active => Ok(()),
            state => Err(Blocked::Not { needed: PacketState::Published, state }),
        }
    }
    pub(super) fn finish(&mut self, of: UseId) -> Result<(), Blocked> {
        if let Some(engine) = self.model.engine(of.lane()) {
            let parts: Vec<_> = engine.unfinished().filter(|part| part.0 == of.packet()).collect();
            if parts.is_empty() {
                let state = self.model.state(of);
                return Err(Blocked::Not { needed: PacketState::Active, state });
            }
            for (_, part) in parts {
                if self.model.check(Move::FinishPart(of, part)).is_err() {
                    self.force_move(Move::StartPart(of, part))?;
                }
                self.force_move(Move::FinishPart(of, part))?;
            }
            return Ok(());
        }
        if self.model.state(of) == PacketState::Published {
            self.start(of)?;
        }
        self.force_move(Move::Finish(of))
    }
    fn complete(&mut self, of: UseId) -> Completion {
        let chooser = &mut self.chooser;
        let causes = self.model.causes(of, &mut |n| chooser.choose(crate::chooser::Site::Which, n));
        let Some(moves) = causes else { return Completion::Impossible };
        for one in moves {
            self.perform(one);
        }
        Completion::Done
    }
    fn run_until_idle(&mut self) -> usize {
        let mut moves = 0;
        loop {
            let moved = match self.settings.pace {
                Pace::Held | Pace::Scripted | Pace::Lazy | Pace::Eager => self.first_move(),
                Pace::Chosen => self.chosen_move(usize::MAX),
            };
            match (moved, self.next_due()) {
                (Moved::Yes, _) => moves += 1,
                (Moved::No, Some(due)) => self.clock.jump(due),
                (Moved::No, None) => return moves,
            }
        }
    }
    pub(super) fn lose(&mut self, device: DeviceId) {
        self.model.lose(device);
        self.oracle.lost(device);
        self.note(Event::Lost(device));
    }
    pub(super) fn attach_profiler(&mut self, device: DeviceId) {
        self.device(device).profiler = Profiler::Attached;
        self.note(Event::ProfilerAttached(device));
    }
}
