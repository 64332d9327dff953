//! Why a scenario of streams failed, in words for somebody who did not write it.

use std::fmt;

use ringfence::error::{DriverError, StreamError};

use crate::{
    scenario::Word,
    streams::{
        oracle::{StreamRule, StreamViolation},
        scenario::StreamErrorKind,
    },
};

/// What went otherwise than the scenario says.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StreamWrong {
    /// The oracle saw a rule broken.
    RuleBroken {
        /// What happened, to which object.
        what: String,
    },
    /// A call would have killed or hung a real process.
    Crashed {
        /// What happened.
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
        /// Of which kind.
        kind: StreamErrorKind,
        /// What the library, or the driver, said.
        error: String,
    },
    /// A step was to end in an error, and succeeded.
    NoError {
        /// The error.
        expected: StreamErrorKind,
    },
    /// A step ended in another error than announced.
    OtherError {
        /// What was announced.
        expected: StreamErrorKind,
        /// Of which kind it was.
        kind: StreamErrorKind,
        /// What the library, or the driver, said.
        error: String,
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
impl fmt::Display for StreamWrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RuleBroken { what } => write!(f, "a rule was broken: {what}"),
            Self::Crashed { what } => write!(f, "a real process would not have survived: {what}"),
            Self::NotSo { expected, seen } => write!(f, "expected {expected}, but {seen}"),
            Self::UnexpectedError { error, .. } => write!(f, "this step failed: {error}"),
            Self::NoError { expected } => {
                write!(f, "expected this step to fail with `{}`, but it succeeded", expected.word())
            }
            Self::OtherError { expected, error, .. } => {
                let expected = expected.word();
                write!(
                    f,
                    "expected this step to fail with `{expected}`, but it failed otherwise: {error}"
                )
            }
            Self::Misuse { what } => write!(f, "this step makes no sense here: {what}"),
            Self::LeftOver { what } => write!(f, "something is left over at the end: {what}"),
            Self::Panicked { message } => write!(f, "the library panicked: {message}"),
        }
    }
}

/// Why a scenario of streams failed, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StreamFailure {
    /// What went otherwise.
    pub wrong: StreamWrong,
    /// The rule that is broken by it, if that is known.
    pub rule: Option<StreamRule>,
    /// The step: its position among the scenario's steps, then among those inside it. Empty at the end of
    /// the scenario.
    pub path: Vec<usize>,
    /// For each repetition around the step: which round, from 1, of how many.
    pub rounds: Vec<(u32, u32)>,
    /// The last calls and device moves, oldest first.
    pub trace: Vec<String>,
}
impl StreamFailure {
    pub(super) fn new(wrong: StreamWrong) -> Box<Self> {
        let (path, rounds, trace) = (Vec::new(), Vec::new(), Vec::new());
        Box::new(Self { wrong, rule: None, path, rounds, trace })
    }
    pub(super) fn of_rule(mut self: Box<Self>, rule: StreamRule) -> Box<Self> {
        self.rule = Some(rule);
        self
    }
    pub(super) fn misuse(what: impl Into<String>) -> Box<Self> {
        Self::new(StreamWrong::Misuse { what: what.into() })
    }
    pub(super) fn not_so(expected: impl Into<String>, seen: impl Into<String>) -> Box<Self> {
        Self::new(StreamWrong::NotSo { expected: expected.into(), seen: seen.into() })
    }
    pub(super) fn left_over(what: impl Into<String>) -> Box<Self> {
        Self::new(StreamWrong::LeftOver { what: what.into() })
    }
    pub(super) fn broken(violation: StreamViolation) -> Box<Self> {
        let StreamViolation { rule, what, .. } = violation;
        Self::new(StreamWrong::RuleBroken { what }).of_rule(rule)
    }
    /// A panic of the library; its message may begin with the rule that the assertion guards.
    pub(crate) fn panicked(message: String) -> Box<Self> {
        let rule = message.split_once(':').and_then(|(name, _)| name.parse().ok());
        let mut failure = Self::new(StreamWrong::Panicked { message });
        failure.rule = rule;
        failure
    }
    /// The rule and what it says.
    pub fn rule_sentence(&self) -> Option<String> {
        self.rule.map(|rule| format!("{rule} says: {}", rule.summary()))
    }
}
impl fmt::Display for StreamFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.wrong.fmt(f)?;
        match self.rule {
            Some(rule) => write!(f, " [{rule}]"),
            None => Ok(()),
        }
    }
}
impl std::error::Error for StreamFailure {}

/// How a step ended when it did not end well.
#[derive(Debug)]
pub(super) enum Stop {
    /// The library or the driver answered with an error: the step may have announced it.
    Error(StreamErrorKind, String),
    /// The scenario failed.
    Failure(Box<StreamFailure>),
}
impl Stop {
    /// An error of the user's own driver call.
    pub(super) fn driver(error: DriverError) -> Self {
        Self::Error(StreamErrorKind::of_driver(error), error.to_string())
    }
}
impl From<StreamError> for Stop {
    fn from(error: StreamError) -> Self {
        Self::Error(StreamErrorKind::of(&error), error.to_string())
    }
}
impl From<Box<StreamFailure>> for Stop {
    fn from(failure: Box<StreamFailure>) -> Self {
        Self::Failure(failure)
    }
}
