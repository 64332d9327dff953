//! Why a scenario failed, in words for somebody who did not write it.

use std::fmt;

use ringfence::error::Error;

use crate::{
    oracle::{Rule, Violation},
    scenario::{
        ErrorKind, Word,
        rule::{named, sentence},
    },
};

/// What went otherwise than the scenario says.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Wrong {
    /// The oracle saw a rule broken.
    RuleBroken {
        /// What happened, to which object.
        what: String,
    },
    /// Something is not as it was expected to be.
    NotSo {
        /// What was expected.
        expected: String,
        /// What was seen.
        seen: String,
    },
    /// A step ended in an error that it did not announce.
    UnexpectedError {
        /// What the library said.
        error: String,
    },
    /// A step was to end in an error, and succeeded.
    NoError {
        /// The error.
        expected: ErrorKind,
    },
    /// A step ended in another error than announced.
    OtherError {
        /// What was announced.
        expected: ErrorKind,
        /// What the library said.
        error: String,
    },
    /// The device was told to do what no device may do.
    Impossible {
        /// What, and why not.
        what: String,
    },
    /// The step makes no sense here.
    Misuse {
        /// Why.
        what: String,
    },
    /// Something was left over at the end.
    LeftOver {
        /// What.
        what: String,
    },
    /// The library panicked.
    Panicked {
        /// What it said.
        message: String,
    },
}
impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RuleBroken { what } => write!(f, "a rule was broken: {what}"),
            Self::NotSo { expected, seen } => write!(f, "expected {expected}, but {seen}"),
            Self::UnexpectedError { error } => write!(f, "this step failed: {error}"),
            Self::NoError { expected } => {
                write!(f, "expected this step to fail with `{}`, but it succeeded", expected.word())
            }
            Self::OtherError { expected, error } => {
                write!(
                    f,
                    "expected this step to fail with `{}`, but it failed otherwise: {error}",
                    expected.word()
                )
            }
            Self::Impossible { what } => write!(f, "the device cannot do that: {what}"),
            Self::Misuse { what } => write!(f, "this step makes no sense here: {what}"),
            Self::LeftOver { what } => write!(f, "something is left over at the end: {what}"),
            Self::Panicked { message } => write!(f, "the library panicked: {message}"),
        }
    }
}

/// Why a scenario failed, and where.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What went otherwise.
    pub wrong: Wrong,
    /// The rule that is broken by it, if that is known.
    pub rule: Option<Rule>,
    /// The error of the library that the step ended in, if it is one that a file can announce.
    pub error: Option<ErrorKind>,
    /// The step: its position among the scenario's steps, then among those that it repeats. Empty at
    /// the end of the scenario.
    pub path: Vec<usize>,
    /// For each repetition around the step: which round, from 1, of how many.
    pub rounds: Vec<(u32, u32)>,
    /// The last calls and device moves, oldest first.
    pub trace: Vec<String>,
}
impl Failure {
    pub(super) fn new(wrong: Wrong) -> Box<Self> {
        let (path, rounds, trace) = (Vec::new(), Vec::new(), Vec::new());
        Box::new(Self { wrong, rule: None, error: None, path, rounds, trace })
    }
    fn of_rule(mut self: Box<Self>, rule: Option<Rule>) -> Box<Self> {
        self.rule = rule;
        self
    }
    pub(super) fn misuse(what: impl Into<String>) -> Box<Self> {
        Self::new(Wrong::Misuse { what: what.into() })
    }
    pub(super) fn not_so(expected: impl Into<String>, seen: impl Into<String>) -> Box<Self> {
        Self::new(Wrong::NotSo { expected: expected.into(), seen: seen.into() })
    }
    pub(super) fn left_over(what: impl Into<String>) -> Box<Self> {
        Self::new(Wrong::LeftOver { what: what.into() }).of_rule(Some(Rule::S20))
    }
    pub(super) fn broken(violation: Violation) -> Box<Self> {
        let Violation { rule, what, trace, .. } = violation;
        let mut failure = Self::new(Wrong::RuleBroken { what }).of_rule(Some(rule));
        failure.trace = trace;
        failure
    }
    /// A panic of the library; its message names the rule that the assertion guards.
    pub(crate) fn panicked(message: String) -> Box<Self> {
        let rule = message.split_once(':').and_then(|(name, _)| named(name));
        Self::new(Wrong::Panicked { message }).of_rule(rule)
    }
    /// The rule and what it says.
    pub fn rule_sentence(&self) -> Option<String> {
        self.rule.map(|rule| format!("{rule} says: {}", sentence(rule)))
    }
}
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.wrong.fmt(f)?;
        match self.rule {
            Some(rule) => write!(f, " [{rule}]"),
            None => Ok(()),
        }
    }
}
impl std::error::Error for Failure {}

/// How a step ended when it did not end well.
#[derive(Debug)]
pub(super) enum Stop {
    /// The library answered with an error: the step may have announced it.
    Error(Error),
    /// The scenario failed.
    Failure(Box<Failure>),
}
impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}
impl From<Box<Failure>> for Stop {
    fn from(failure: Box<Failure>) -> Self {
        Self::Failure(failure)
    }
}
