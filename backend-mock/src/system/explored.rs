//! A device whose timing a search decides, or a script of what a search found.
//!
//! A *look* is a point in a step of the host at which it touches what the device touches. In
//! [`Pace::Eager`] the device may make any moves at every look. In [`Pace::Lazy`] it makes none until the
//! host is about to see its effect: a load or a wait of a signal, a read of the read index, a callback; and
//! then only the moves without which the host could not see it ([`Model::causes_of_decrement`]). What the
//! host never sees may as well not have happened yet, and "not yet" is always a legal answer.
//!
//! Host stores to device memory land at a flush, or never before a reader is certain to see them: a packet
//! that looks at a store on its way has broken S10 when it was published, and the oracle says so there.

use std::{
    cell::RefCell,
    hash::{DefaultHasher, Hash, Hasher},
    rc::Rc,
    time::Duration,
};

use ringfence::{
    backend::WaitOutcome,
    id::{DeviceId, LaneId, PacketId, SignalHandle, SignalValue, UseId},
};

use super::{MockSystem, Pace, planned::Turn, state::State, wait::SHORT};
use crate::{
    chooser::{Act, Course, Look},
    model::{Model, Move, PacketState},
    oracle::Blame,
};

/// Where a search decides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Site {
    /// A device's turn.
    Turn,
    /// Whether one more decrement is there.
    Decrement,
    /// Which dependency of a BARRIER_OR it was, after these answers to the same question in the same look.
    Dependency(u64),
    /// Where the read index is.
    ReadIndex,
    /// Which move a wait sees next.
    Wait,
    /// Whether a short wait ends first.
    Patience,
    /// Whether its interrupt comes.
    Interrupt,
    /// Whether a handler that is due is called.
    Handler(u32),
}

impl MockSystem {
    /// From here on `course` decides, at a pace that is [`Lazy`](Pace::Lazy) or [`Eager`](Pace::Eager).
    pub fn follow(&self, course: Rc<RefCell<Course>>, pace: Pace, blame: Blame) {
        let mut state = self.state();
        state.settings.pace = pace;
        state.course = Some(course);
        state.blame = blame;
    }
    /// The use completes, or one part of a copy, with the least that has to happen before; nothing where
    /// it is complete.
    pub fn bring_about(&self, of: UseId, part: WhichParts) {
        self.state().bring_about(of, part);
    }
    /// The read index is at `to` at least, as far as packets are published.
    pub fn bring_read_index(&self, lane: LaneId, to: PacketId) {
        let mut state = self.state();
        let end =
            state.model.queue(lane).map(|queue| (queue.read_index(), queue.published_below()));
        if let Some((read, end)) = end
            && to.min(end) > read
        {
            state.make(Move::Read(lane, to.min(end)));
        }
    }
    /// Feeds everything of the devices and the oracle that later steps depend on to `digest`.
    pub fn digest<H: Hasher>(&self, digest: &mut H) {
        self.state().digest(digest);
    }
}

/// How much of a use is to complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhichParts {
    /// The first unfinished part.
    First,
    /// All of it.
    All,
}

impl State {
    /// The host looks at the device.
    pub(super) fn look_again(&mut self) {
        self.looks = Look(self.looks.0 + 1);
        match self.settings.pace {
            Pace::Scripted => {
                let _ = self.follow_plan();
            }
            Pace::Eager => self.eager_turn(),
            Pace::Lazy | Pace::Held | Pace::Chosen => {}
        }
    }
    /// Any moves, in any order, or none.
    fn eager_turn(&mut self) {
        let mut moves = Vec::new();
        loop {
            moves.clear();
            self.model.enabled(&mut moves);
            match self.decide(Site::Turn, moves.len() + 1) {
                0 => return,
                chosen => self.make(moves[chosen - 1]),
            }
        }
    }
    /// The host saw this: all that it knows of the device, in this step, is what it saw.
    #[inline]
    pub(super) fn saw(&mut self, what: impl Hash) {
        if self.settings.pace.is_timeless() {
            self.seen = digest_of(&(self.seen, what));
        }
    }
    fn decide(&self, at: Site, choices: usize) -> usize {
        let Some(course) = self.course.as_ref().filter(|_| choices > 1) else { return 0 };
        let choices = u16::try_from(choices).unwrap_or(u16::MAX);
        usize::from(course.borrow_mut().decide(choices, |step| self.key(step, at)))
    }
    /// A step of the host is what it was when it began, and what it has seen since: with the devices as
    /// they are now, that is the state.
    fn key(&self, step: u64, at: Site) -> u64 {
        let mut digest = DefaultHasher::new();
        (step, self.looks, self.seen, at).hash(&mut digest);
        self.digest(&mut digest);
        digest.finish()
    }
    pub(super) fn digest<H: Hasher>(&self, digest: &mut H) {
        self.model.hash(digest);
        self.oracle.digest(self.blame, digest);
        (&self.stamps, &self.faults, &self.watched, self.interrupts).hash(digest);
        (&self.foreign, &self.stalled, &self.scripted).hash(digest);
        for device in &self.devices {
            (device.profiler as u8).hash(digest);
        }
    }
    fn note_act(&self, act: Act) {
        if let Some(course) = &self.course {
            course.borrow_mut().note(self.looks, act);
        }
    }
    /// A move of the search's choice.
    fn make(&mut self, one: Move) {
        self.note_act(Act::Move(one));
        self.perform(one);
    }
    fn make_all(&mut self, moves: Option<Vec<Move>>) {
        moves.into_iter().flatten().for_each(|one| self.make(one));
    }
    /// The causes of something, with the search's choice of what made a BARRIER_OR pass.
    fn causes(
        &self,
        of: impl Fn(&Model, &mut dyn FnMut(u32) -> u32) -> Option<Vec<Move>>,
    ) -> Option<Vec<Move>> {
        let mut answers = 0;
        of(&self.model, &mut |n| {
            let answer = self.decide(Site::Dependency(answers), n as usize) as u32;
            answers = digest_of(&(answers, answer)); // no move is made before the last is answered
            answer
        })
    }
    fn can_decrement(&self, signal: SignalHandle) -> bool {
        self.model.causes_of_decrement(signal, &mut |_| 0).is_some()
    }
    fn decrement(&mut self, signal: SignalHandle) {
        let moves = self.causes(|model, choose| model.causes_of_decrement(signal, choose));
        self.make_all(moves);
    }
    /// The host is about to see `signal`: as many of its decrements as a lazy device likes are there.
    #[inline]
    pub(super) fn reveal(&mut self, signal: SignalHandle) {
        if self.settings.pace == Pace::Lazy {
            self.reveal_lazily(signal);
        }
    }
    fn reveal_lazily(&mut self, signal: SignalHandle) {
        while self.can_decrement(signal) && self.decide(Site::Decrement, 2) == 1 {
            self.decrement(signal);
        }
    }
    /// The host is about to see the read index: anywhere up to what is published.
    pub(super) fn find_read_index(&mut self, lane: LaneId) {
        if self.settings.pace != Pace::Lazy {
            return; // an eager device has moved it, or a script
        }
        let Some(queue) = self.model.queue(lane) else { return };
        let (read, end) = (queue.read_index().as_u64(), queue.published_below().as_u64());
        let ahead = self.decide(Site::ReadIndex, (end - read) as usize + 1) as u64;
        if ahead > 0 {
            self.make(Move::Read(lane, PacketId::new(read + ahead)));
        }
    }
    /// A reservation waits for `missing` slots: the read index moves so far, and perhaps further.
    pub(super) fn make_slots(&mut self, lane: LaneId, missing: u64) {
        self.looks = Look(self.looks.0 + 1);
        if self.settings.pace == Pace::Scripted {
            let _ = self.follow_plan();
            return;
        }
        let Some(queue) = self.model.queue(lane) else { return };
        let (least, end) =
            (queue.read_index().as_u64() + missing, queue.published_below().as_u64());
        if least <= end {
            let ahead = self.decide(Site::ReadIndex, (end - least) as usize + 1) as u64;
            self.make(Move::Read(lane, PacketId::new(least + ahead)));
        }
    }
    /// A wait that did not find its value: until it does, until nothing can bring it, or, where its limit
    /// is short, until that is over.
    pub(super) fn sleep_as_chosen(
        &mut self,
        device: DeviceId,
        signal: SignalHandle,
        below: SignalValue,
        limit: Duration,
    ) -> WaitOutcome {
        self.looks = Look(self.looks.0 + 1);
        let passed = match self.settings.pace {
            Pace::Scripted => self.follow_plan() == Turn::Passed,
            _ => limit <= SHORT && self.decide(Site::Patience, 2) == 1,
        };
        let deadline = self.clock.now().plus(limit);
        if passed {
            self.note_act(Act::Nothing);
            self.clock.jump(deadline);
            return WaitOutcome::TimedOut;
        }
        loop {
            if let Some(outcome) = self.look(device, signal, below) {
                return outcome;
            }
            match self.settings.pace {
                Pace::Lazy if self.can_decrement(signal) => self.decrement(signal),
                Pace::Eager => {
                    let mut moves = Vec::new();
                    self.model.enabled(&mut moves);
                    moves.retain(|one| !matches!(one, Move::Read(..)));
                    if moves.is_empty() {
                        break;
                    }
                    let chosen = self.decide(Site::Wait, moves.len());
                    self.make(moves[chosen]);
                }
                _ => break,
            }
        }
        self.clock.jump(deadline);
        WaitOutcome::TimedOut
    }
    /// 1 if the interrupt that ends this wait is lost.
    pub(super) fn lose_by_choice(&mut self) -> u32 {
        let lost = self.decide(Site::Interrupt, 2) as u32;
        if lost == 1 {
            self.note_act(Act::InterruptLost);
        }
        lost
    }
    /// Whether the handler that was set `nth`, from 1, on `signal` is called in this turn.
    pub(super) fn calls_handler(&mut self, nth: u32, signal: SignalHandle, lost: bool) -> bool {
        self.reveal(signal);
        let over = lost || self.host_view(signal) < SignalValue::ARMED;
        let called = over && self.decide(Site::Handler(nth), 2) == 0;
        self.saw(called); // those to be called are off the list until the last was asked about
        if called {
            self.note_act(Act::Handler(nth));
        }
        called
    }
    /// A lazy device completes what the handler waits for, if it can.
    pub(super) fn bring_over(&mut self, signal: SignalHandle) {
        while self.settings.pace == Pace::Lazy
            && self.host_view(signal) >= SignalValue::ARMED
            && self.can_decrement(signal)
        {
            self.decrement(signal);
        }
    }
    /// Whether a handler on `signal` could be called now.
    #[cfg(feature = "scenarios")]
    pub(super) fn may_be_over(&self, signal: SignalHandle) -> bool {
        match self.settings.pace {
            Pace::Eager => true, // it may be by the time of the look
            _ => self.host_view(signal) < SignalValue::ARMED || self.can_decrement(signal),
        }
    }
    fn bring_about(&mut self, of: UseId, parts: WhichParts) {
        if self.model.state(of) == PacketState::Complete {
            return;
        }
        let moves = match parts {
            WhichParts::All => self.causes(|model, choose| model.causes(of, choose)),
            WhichParts::First => self.causes(|model, choose| model.causes_of_part(of, choose)),
        };
        self.make_all(moves);
    }
}

fn digest_of(what: &impl Hash) -> u64 {
    let mut digest = DefaultHasher::new();
    what.hash(&mut digest);
    digest.finish()
}
