//! What a search came to.

use std::{collections::BTreeSet, mem::discriminant, time::Duration};

#[cfg(doc)]
use super::explore_streams;
use crate::{
    scenario::{Failure, Scenario},
    streams::scenario::StreamFailure,
};

/// Where a search gave up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Limit {
    /// At its number of states.
    States,
    /// At its number of choices of one schedule.
    Choices,
    /// At its time.
    Time,
}

/// A schedule that breaks a rule, by its answers.
#[derive(Clone, Debug)]
pub(super) struct Broken<F> {
    pub(super) answers: Vec<u16>,
    pub(super) moves: u32,
    pub(super) failure: F,
}

/// Why a schedule failed.
pub(super) trait Cause {
    /// Whether the same rule is broken, or, where none is named, the same goes wrong.
    fn is_like(&self, other: &Self) -> bool;
}
impl Cause for Failure {
    fn is_like(&self, other: &Self) -> bool {
        let what = |of: &Self| (of.rule, of.rule.is_none().then(|| discriminant(&of.wrong)));
        what(self) == what(other)
    }
}
impl Cause for StreamFailure {
    fn is_like(&self, other: &Self) -> bool {
        let what = |of: &Self| (of.rule, of.rule.is_none().then(|| discriminant(&of.wrong)));
        what(self) == what(other)
    }
}

/// A schedule that breaks a rule: of signals, or of streams ([`explore_streams`]).
#[derive(Clone, Debug)]
pub struct Witness<F = Failure, S = Scenario> {
    /// What goes wrong.
    pub failure: F,
    /// The schedule as a scenario, which fails in the same way when it is replayed.
    pub scenario: S,
    /// Steps of the host and moves of the device in it.
    pub moves: u32,
    /// Whether there is no shorter one.
    pub shortest: Shortest,
}

/// Whether a schedule is a shortest one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shortest {
    /// It is: all shorter ones were tried, in every order of the host's steps.
    Yes,
    /// The search for it reached a bound.
    Unknown,
}

/// What is known at the end.
#[derive(Clone, Debug)]
#[must_use]
pub enum Verdict<F = Failure, S = Scenario> {
    /// No rule can break within this bound: everything was tried.
    Exhausted,
    /// A bound was reached, and no rule broke before.
    Bounded(Limit),
    /// A rule breaks.
    Broken(Box<Witness<F, S>>),
    /// Two states with one digest are not equal: nothing can be said.
    Unsound,
}

/// What it took.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Figures {
    /// States with more than one way on, and ends.
    pub states: u64,
    /// Ways from one state to the next.
    pub transitions: u64,
    /// Ways from the beginning to an end.
    pub schedules: f64,
    /// Choices of the longest schedule.
    pub deepest: usize,
    /// States that were met again.
    pub hits: u64,
    /// Of those, how many were expanded again.
    pub rechecked: u64,
    /// Of those, how many led elsewhere than the state that they were taken for.
    pub differing: u64,
    /// How long it took.
    pub time: Duration,
}
impl Figures {
    /// States a second.
    pub fn states_a_second(&self) -> f64 {
        self.states as f64 / self.time.as_secs_f64().max(1e-6)
    }
}

/// What a search came to.
#[derive(Clone, Debug)]
pub struct Explored<F = Failure, S = Scenario> {
    /// What is known.
    pub verdict: Verdict<F, S>,
    /// What it took.
    pub figures: Figures,
    /// Digests of what the host found at the ends of schedules.
    pub ends: BTreeSet<u64>,
    /// The names of all rules that were seen to break, or what else went wrong.
    pub rules: BTreeSet<String>,
}
