//! Running the tests of the streams half, and what came of them.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use super::{
    super::{Line, Lists, Outcome, Report, Stop},
    StreamCase, StreamSubject, stream_cases,
};

/// Runs the tests that `wanted` picks, each with the subject that `start` gives it.
pub fn run<S: StreamSubject>(
    wanted: impl Fn(&StreamCase<S>) -> bool,
    mut start: impl FnMut() -> S,
) -> Report {
    let all = stream_cases::<S>();
    let lines = all.iter().filter(|case| wanted(case)).map(|case| one(case, &start()));
    let mut report = Report { lines: lines.collect() };
    report.lines.extend(strangers(&all, &start().lists()));
    report
}

fn one<S: StreamSubject>(case: &StreamCase<S>, on: &S) -> Line {
    let begun = Instant::now();
    let ran = catch_unwind(AssertUnwindSafe(|| (case.run)(on)));
    let ended = ran.unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Stop::Failed(format!("panicked: {}", words.unwrap_or("without words"))))
    });
    let ended = ended.and_then(|()| match on.violations().as_slice() {
        [] => Ok(()),
        [first, ..] => Err(Stop::Failed(first.clone())),
    });
    let took = begun.elapsed();
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
fn strangers<S>(all: &[StreamCase<S>], Lists { cannot, not_yet }: &Lists) -> Vec<Line> {
    let unknown =
        cannot.iter().chain(not_yet).filter(|(name, _)| !all.iter().any(|case| case.name == *name));
    let line = |(name, _): &(&str, &str)| Line {
        name: (*name).to_owned(),
        outcome: Outcome::Contradicted("is listed, and no test has this name".to_owned()),
        took: Duration::ZERO,
    };
    unknown.map(line).collect()
}
