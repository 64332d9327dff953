//! Running a scenario file: once for each of its seeds.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use miette::{Diagnostic, LabeledSpan, SourceCode};

use super::{Failure, Parsed, Place, Report, Scenario, StepPlace, Text, World, panic::message};

/// A scenario that failed, shown in its file.
#[derive(Clone, Debug)]
pub struct Failed {
    failure: Failure,
    seed: u64,
    span: std::ops::Range<usize>,
    text: Text,
}
impl Failed {
    /// Why.
    pub fn failure(&self) -> &Failure {
        &self.failure
    }
    /// The seed of the run that failed.
    pub fn seed(&self) -> u64 {
        self.seed
    }
    /// Line and column of the step; those of the last step for what was found at the end.
    pub fn place(&self) -> Place {
        Place::of(self.text.inner(), self.span.start)
    }
}
impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.text.name(), self.place(), self.failure.wrong)
    }
}
impl std::error::Error for Failed {}
impl Diagnostic for Failed {
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
        let mut label =
            if self.failure.path.is_empty() { "found after the last step" } else { "here" }
                .to_owned();
        for (round, times) in &self.failure.rounds {
            label.push_str(&format!(", in round {round} of {times}"));
        }
        if self.seed > 1 {
            label.push_str(&format!(", with seed {}", self.seed));
        }
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some(label), self.span.clone()))))
    }
}

/// Runs a scenario once, with one seed.
///
/// # Errors
/// Why it failed. A panic of the library is a failure as well.
pub fn run_once(scenario: &Scenario, seed: u64) -> Result<Report, Box<Failure>> {
    let at = std::cell::Cell::new(0);
    let run = || {
        let mut world = World::new(&scenario.setup, seed)?;
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
        let mut failure = Failure::panicked(message(panic.as_ref()));
        failure.path.push(at.get());
        Err(failure)
    })
}

/// Runs a scenario file with each of its seeds.
///
/// # Errors
/// The first run that failed.
///
/// ```
/// use ringfence_mock::scenario::{parse, run};
/// let text = "name = 'one kernel'\nsource = 'a report'\nsteps = [{ submit = 'k', on = 's0' }]\n";
/// let parsed = parse("one.toml", text).expect("it is well formed");
/// match run(&parsed) {
///     Ok(_report) => println!("no rule was broken"),
///     Err(failed) => panic!("{failed} (seed {})", failed.seed()), // with line and column
/// }
/// ```
pub fn run(parsed: &Parsed) -> Result<Report, Box<Failed>> {
    let seeds = u64::from(parsed.scenario.setup.seeds.max(1));
    let mut last = None;
    for seed in 1..=seeds {
        let report = run_once(&parsed.scenario, seed).map_err(|failure| {
            let span = place(&parsed.places, &failure.path);
            Box::new(Failed { failure: *failure, seed, span, text: parsed.text.clone() })
        })?;
        last = Some(report);
    }
    Ok(last.expect("a scenario has at least one seed"))
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
