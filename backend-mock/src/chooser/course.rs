//! The answers of one schedule, for a search that runs a program again and again.

/// One schedule: it follows the answers that it was given, and stops at the first choice past them.
///
/// Whoever runs the program under a course asks `decide` at every choice, and ends the run
/// soon after `end` is there: from then on every answer is 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Course {
    answers: Vec<u16>,
    followed: usize,
    step: u64,
    end: Option<Point>,
    acts: Vec<(Look, Act)>,
}

/// A choice that nobody has answered yet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Point {
    /// A digest of the state that the choice is made in.
    pub key: u64,
    /// A digest of where the step began that the choice is part of; the key itself between steps.
    pub step: u64,
    /// How many answers there are.
    pub choices: u16,
}

/// The how-manieth look at the device, in one step of the host; 0 before the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Look(pub(crate) u32);
impl Look {
    /// Look number `number`, from 1.
    pub const fn new(number: u32) -> Self {
        Self(number)
    }
    /// The number.
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// What happened at a look, by a choice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Act {
    /// The device made a move.
    Move(crate::model::Move),
    /// A wait ended before the device did anything.
    Nothing,
    /// The interrupt that was to end a wait was lost.
    InterruptLost,
    /// The handler at this place, from 1, was called.
    Handler(u32),
}

impl Course {
    /// A course that begins with `answers`, the last of which were given in the step that `step` stands for.
    pub fn new(answers: Vec<u16>, step: u64) -> Self {
        Self { answers, step, ..Self::default() }
    }
    /// One of `0..choices`; `key` is asked for where the answer is not known.
    pub(crate) fn decide(&mut self, choices: u16, key: impl FnOnce(u64) -> u64) -> u16 {
        if let Some(&answer) = self.answers.get(self.followed) {
            self.followed += 1;
            return answer.min(choices.saturating_sub(1));
        }
        if self.end.is_none() {
            self.end = Some(Point { key: key(self.step), step: self.step, choices });
        }
        0
    }
    /// How many answers are still to be followed.
    #[cfg(feature = "scenarios")]
    pub(crate) fn left(&self) -> usize {
        self.answers.len() - self.followed
    }
    /// From here on, keys are of this step.
    #[cfg(feature = "scenarios")]
    pub(crate) fn begin_step(&mut self, step: u64) {
        self.step = step;
    }
    /// The first choice past the answers, once it was met.
    pub(crate) fn end(&self) -> Option<Point> {
        self.end
    }
    pub(crate) fn note(&mut self, look: Look, act: Act) {
        if self.end.is_none() {
            self.acts.push((look, act));
        }
    }
    /// What happened by choice since the last call.
    #[cfg(feature = "scenarios")]
    pub(crate) fn take_acts(&mut self) -> Vec<(Look, Act)> {
        std::mem::take(&mut self.acts)
    }
}
