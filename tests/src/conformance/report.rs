//! Running tests, and what came of them.

use std::{
    collections::BTreeMap,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use super::{Case, Lists, Stop, Subject, cases};

/// What came of one test, seen against the lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It failed, and no list says that it does.
    Failed(String),
    /// It lacks something, as the list says: the reason there.
    Cannot(String),
    /// It failed, as the list says: the reason there.
    NotYet(String),
    /// A list says otherwise.
    Contradicted(String),
}
impl Outcome {
    /// Whether the suite fails by it.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Contradicted(_))
    }
}

/// One test, and what came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// What came of it.
    pub outcome: Outcome,
    /// How long it took.
    pub took: Duration,
}
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, why) = match &self.outcome {
            Outcome::Passed => ("ok", ""),
            Outcome::Failed(why) => ("FAILED", why.as_str()),
            Outcome::Cannot(why) => ("cannot", why.as_str()),
            Outcome::NotYet(why) => ("not yet", why.as_str()),
            Outcome::Contradicted(why) => ("CONTRADICTED", why.as_str()),
        };
        write!(f, "{word:8}{} ({} ms)", self.name, self.took.as_millis())?;
        if why.is_empty() { Ok(()) } else { write!(f, ": {why}") }
    }
}

/// What came of a set of tests.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// A line a test.
    pub lines: Vec<Line>,
}
impl Report {
    /// Runs the tests that `wanted` picks, each with the subject that `start` gives it.
    pub fn run<S: Subject>(
        wanted: impl Fn(&Case<S>) -> bool,
        mut start: impl FnMut() -> S,
    ) -> Self {
        let all = cases::<S>();
        let lines = all.iter().filter(|case| wanted(case)).map(|case| one(case, &start()));
        let mut report = Self { lines: lines.collect() };
        report.lines.extend(strangers(&all, &start().lists()));
        report
    }
    /// The names of the tests by which the suite fails.
    pub fn failures(&self) -> Vec<&str> {
        let failed = self.lines.iter().filter(|line| line.outcome.is_failure());
        failed.map(|line| line.name.as_str()).collect()
    }
    /// How many tests ended so.
    pub fn count(&self, which: impl Fn(&Outcome) -> bool) -> usize {
        self.lines.iter().filter(|line| which(&line.outcome)).count()
    }
}
impl fmt::Display for Report {
    /// The tests that fail, how many are left out and why, and the counts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left_out = BTreeMap::new();
        for line in &self.lines {
            match &line.outcome {
                Outcome::Passed => {}
                Outcome::Cannot(why) => *left_out.entry(why).or_insert(0) += 1,
                Outcome::Failed(_) | Outcome::NotYet(_) | Outcome::Contradicted(_) => {
                    writeln!(f, "  {line}")?;
                }
            }
        }
        for (why, count) in left_out {
            writeln!(f, "  cannot  {count}: {why}")?;
        }
        let slowest = self.lines.iter().max_by_key(|line| line.took);
        if let Some(slowest) = slowest {
            writeln!(f, "  slowest: {} ({} ms)", slowest.name, slowest.took.as_millis())?;
        }
        write!(
            f,
            "  {} passed, {} failed, {} cannot, {} not yet",
            self.count(|outcome| *outcome == Outcome::Passed),
            self.count(Outcome::is_failure),
            self.count(|outcome| matches!(outcome, Outcome::Cannot(_))),
            self.count(|outcome| matches!(outcome, Outcome::NotYet(_))),
        )
    }
}

fn one<S: Subject>(case: &Case<S>, on: &S) -> Line {
    let begun = Instant::now();
    let ran = catch_unwind(AssertUnwindSafe(|| (case.run)(on)));
    let took = begun.elapsed();
    let ended = ran.unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Stop::Failed(format!("panicked: {}", words.unwrap_or("without words"))))
    });
    let Lists { cannot, not_yet } = on.lists();
    let listed = |list: &[(&str, &str)]| {
        list.iter().find(|(name, _)| *name == case.name).map(|(_, why)| (*why).to_owned())
    };
    let outcome = match (ended, listed(&cannot), listed(&not_yet)) {
        (Err(Stop::Lacking(_)), Some(why), _) => Outcome::Cannot(why),
        (Err(Stop::Lacking(what)), None, _) => {
            Outcome::Contradicted(format!("lacks {what}, and no list says so"))
        }
        (ended, Some(_), _) => Outcome::Contradicted(format!("listed as impossible: {ended:?}")),
        (Ok(()), None, Some(why)) => Outcome::Contradicted(format!("passes, and is listed: {why}")),
        (Err(Stop::Failed(_)), None, Some(why)) => Outcome::NotYet(why),
        (Ok(()), None, None) => Outcome::Passed,
        (Err(Stop::Failed(what)), None, None) => Outcome::Failed(what),
    };
    Line { name: case.name.to_owned(), outcome, took }
}
/// Names in the lists that no test has.
fn strangers<S>(all: &[Case<S>], Lists { cannot, not_yet }: &Lists) -> Vec<Line> {
    let unknown =
        cannot.iter().chain(not_yet).filter(|(name, _)| !all.iter().any(|case| case.name == *name));
    let line = |(name, _): &(&str, &str)| Line {
        name: (*name).to_owned(),
        outcome: Outcome::Contradicted("is listed, and no test has this name".to_owned()),
        took: Duration::ZERO,
    };
    unknown.map(line).collect()
}
