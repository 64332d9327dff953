//! Running a scenario of streams: once on each of its drivers.

use std::{
    cell::Cell,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use miette::{Diagnostic, LabeledSpan, SourceCode};

use super::{StreamFailure, StreamParsed, StreamReport, StreamScenario, StreamWorld};
use crate::{
    scenario::{Place, StepPlace, Text, panic::message},
    streams::profile::DriverProfile,
};

/// A scenario of streams that failed, shown in its file.
#[derive(Clone, Debug)]
pub struct StreamFailed {
    failure: StreamFailure,
    profile: DriverProfile,
    span: std::ops::Range<usize>,
    text: Text,
}
impl StreamFailed {
    /// Why.
    pub fn failure(&self) -> &StreamFailure {
        &self.failure
    }
    /// The driver of the run that failed.
    pub fn profile(&self) -> DriverProfile {
        self.profile
    }
    /// Line and column of the step; those of the last step for what was found at the end.
    pub fn place(&self) -> Place {
        Place::of(self.text.inner(), self.span.start)
    }
}
impl fmt::Display for StreamFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, place) = (self.text.name(), self.place());
        write!(f, "{name}:{place}: on {}: {}", self.profile, self.failure.wrong)
    }
}
impl std::error::Error for StreamFailed {}
impl Diagnostic for StreamFailed {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let mut help = self.failure.rule_sentence().unwrap_or_default();
        if !self.failure.trace.is_empty() {
            if !help.is_empty() {
                help.push_str("\n\n");
            }
            help.push_str("the last calls and device moves:\n");
            help.push_str(&self.failure.trace.join("\n"));
        }
        (!help.is_empty()).then(|| Box::new(help) as _)
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.text)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let at_the_end = self.failure.path.is_empty();
        let mut label = if at_the_end { "found after the last step" } else { "here" }.to_owned();
        for (round, times) in &self.failure.rounds {
            label.push_str(&format!(", in round {round} of {times}"));
        }
        label.push_str(&format!(", on {}", self.profile));
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some(label), self.span.clone()))))
    }
}

/// Runs a scenario of streams on one driver.
///
/// # Errors
/// Why it failed. A panic of the library is a failure as well.
pub fn run_on(
    scenario: &StreamScenario,
    profile: DriverProfile,
) -> Result<StreamReport, Box<StreamFailure>> {
    let at = Cell::new(0);
    let run = || {
        let mut world = StreamWorld::new(&scenario.setup, profile);
        for (position, step) in scenario.steps.iter().enumerate() {
            at.set(position);
            world.apply(step).map_err(|mut failure| {
                failure.path.insert(0, position);
                failure
            })?;
        }
        world.finish()
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let mut failure = StreamFailure::panicked(message(panic.as_ref()));
        failure.path.push(at.get());
        Err(failure)
    })
}

/// Runs a scenario file of streams on each of its drivers. The report is of the last.
///
/// # Errors
/// The first run that failed.
pub fn run(parsed: &StreamParsed) -> Result<StreamReport, Box<StreamFailed>> {
    let mut last = None;
    for &profile in &parsed.scenario.setup.drivers {
        let report = run_on(&parsed.scenario, profile).map_err(|failure| {
            let span = place(&parsed.places, &failure.path);
            let text = parsed.text.clone();
            Box::new(StreamFailed { failure: *failure, profile, span, text })
        })?;
        last = Some(report);
    }
    Ok(last.expect("a scenario names at least one driver"))
}

/// The bytes of the step at `path`; of the last step for an empty path.
fn place(places: &[StepPlace], path: &[usize]) -> std::ops::Range<usize> {
    let Some((first, rest)) = path.split_first() else {
        return places.last().map_or(0..0, |last| last.span.clone());
    };
    match places.get(*first) {
        Some(step) if rest.is_empty() || step.inner.is_empty() => step.span.clone(),
        Some(step) => place(&step.inner, rest),
        None => 0..0,
    }
}
