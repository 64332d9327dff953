//! Why a scenario failed on a real device, shown in its file.

use std::{fmt, ops::Range};

use miette::{Diagnostic, LabeledSpan, SourceCode};
use ringfence::error::Error;
use ringfence_hsa::HsaError;
use ringfence_mock::scenario::{Parsed, StepPlace, Text};

use super::gpu::{LIMIT, Late};

/// How a step ended when it did not end well.
#[derive(Debug)]
pub(super) enum Stop {
    /// The library answered with an error: the step may have announced it.
    Error(Error),
    /// The scenario failed.
    Failure(Failure),
}
impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}
impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}
impl From<Late> for Stop {
    fn from(late: Late) -> Self {
        Self::Failure(late.into())
    }
}

/// What went otherwise, and where.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) what: String,
    /// The step: its position among the scenario's steps, then among those that it repeats. Empty at the end.
    pub(super) path: Vec<usize>,
    /// For each repetition around the step: which round, from 1, of how many.
    pub(super) rounds: Vec<(u32, u32)>,
}
impl Failure {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), path: Vec::new(), rounds: Vec::new() }
    }
    pub(super) fn not_so(expected: impl fmt::Display, seen: impl fmt::Display) -> Self {
        Self::new(format!("expected {expected}, but {seen}"))
    }
}
impl From<Late> for Failure {
    fn from(_: Late) -> Self {
        Self::new(format!("the device did not finish within {} s, or is lost", LIMIT.as_secs()))
    }
}
impl From<HsaError> for Failure {
    fn from(error: HsaError) -> Self {
        Self::new(format!("the machine of the set-up cannot be had: {error}"))
    }
}
impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Failure(failure) => failure,
            Stop::Error(error @ Error::TimedOut { .. }) => {
                Self::new(format!("not finished within {} s: {error}", LIMIT.as_secs()))
            }
            Stop::Error(error) => {
                let mut text = format!("this step failed: {error}");
                if let Some(cause) = std::error::Error::source(&error) {
                    text.push_str(&format!(": {cause}"));
                }
                Self::new(text)
            }
        }
    }
}

/// A failure with its file.
#[derive(Debug)]
pub(super) struct Shown {
    failure: Failure,
    seed: u32,
    span: Range<usize>,
    text: Text,
}
impl Shown {
    pub(super) fn new(failure: Failure, seed: u32, parsed: &Parsed) -> Self {
        let span = span(&parsed.places, &failure.path);
        Self { failure, seed, span, text: parsed.text.clone() }
    }
}
impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.failure.what)
    }
}
impl std::error::Error for Shown {}
impl Diagnostic for Shown {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.text)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let at_the_end = self.failure.path.is_empty();
        let mut label = if at_the_end { "found after the last step" } else { "here" }.to_owned();
        for (round, times) in &self.failure.rounds {
            label.push_str(&format!(", in round {round} of {times}"));
        }
        if self.seed > 1 {
            label.push_str(&format!(", in run {}", self.seed));
        }
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some(label), self.span.clone()))))
    }
}

/// The bytes of the step at `path`; of the last step for an empty path.
fn span(places: &[StepPlace], path: &[usize]) -> Range<usize> {
    let Some((first, rest)) = path.split_first() else {
        return places.last().map_or(0..0, |last| last.span.clone());
    };
    match places.get(*first) {
        Some(step) if rest.is_empty() || step.inner.is_empty() => step.span.clone(),
        Some(step) => span(&step.inner, rest),
        None => 0..0,
    }
}
