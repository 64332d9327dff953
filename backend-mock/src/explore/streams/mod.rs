//! Scenarios of streams, searched: when work is finished, and in which order threads take their steps.
//!
//! # What is searched
//!
//! A schedule is a run on one driver with every free choice answered. Where a call is about to see whether work is finished (a query, a
//! progress word, an event), the answer is a choice: "not yet", or that it is, and the device then does what that needs. A wait
//! with a limit ends in time or not. Steps of threads that stand together in the file are taken in every order that keeps a thread's
//! own; one that names what is not there yet ends its schedule. With faults, a call of the driver fails, a stream is in error, or the
//! device is lost, between any two steps. At the end all work finishes, and everything has to be accounted for.
//!
//! Ticks of the file are left out, since any timing is tried; `tick = "idle"` and `finish` hold. Expectations are about the file's
//! own timing and are not asked: the oracle judges, T1 to T13.
//!
//! # Why nothing is lost
//!
//! No two schedules are taken for one: a schedule is known by all of its answers (a hash of 64 bits), and nothing rests on what a
//! digest of the state leaves out. The one reduction is the lazy device
//! (`streams::model::pace`): it has done no more than what was seen needs. "Not yet" is a legal answer whatever it has done, so a
//! host on any device sees what it sees on a lazy one; `tests/tests/explore/streams` compares both, at every call.
//!
//! # What is not covered
//!
//! A call of the pool is whole for other threads, but for what [`while_creating`](crate::streams::scenario::Acquire::while_creating)
//! puts into a creation: loom and shuttle search the locks.

mod program;
mod schedule;

use super::{
    DeviceTiming, Explored, Options, Unfit, Until, Verdict, Witness,
    outcome::{Broken, Shortest},
    search::search,
};
use crate::streams::{
    profile::DriverProfile,
    scenario::{StreamFailure, StreamScenario, StreamSetup},
};
use program::Program;
use schedule::Streams;

/// What a search of streams came to.
pub type StreamExplored = Explored<StreamFailure, StreamScenario>;

/// Tries every timing of the device, and every order of the threads' steps, of a scenario of streams on one driver. Of the
/// options, `host`, `blame`, `recheck` and `without` are of signals alone.
///
/// # Errors
/// Why the scenario cannot be searched.
///
/// ```
/// use ringfence_mock::explore::{Options, Verdict, explore_streams};
/// use ringfence_mock::streams::{profile::DriverProfile, scenario::parse};
/// let text = r#"
/// name = "whose work is not finished, keeps its stream"
/// setup.driver = "cuda"
/// steps = [
///   { acquire = "a" },
///   { run = 10, on = "a" },
///   { release = "a" },
///   { acquire = "b" },
/// ]
/// "#;
/// let scenario = parse("one.toml", text).expect("it parses").scenario;
/// let explored = explore_streams(&scenario, DriverProfile::Cuda, &Options::default());
/// let explored = explored.expect("it can be searched");
/// assert!(matches!(explored.verdict, Verdict::Exhausted));
/// assert!(explored.figures.schedules > 1.0); // finished in time or not
/// ```
pub fn explore_streams(
    scenario: &StreamScenario,
    driver: DriverProfile,
    options: &Options,
) -> Result<StreamExplored, Unfit> {
    let program = Program::new(scenario, driver)?;
    let found = search(&Streams { program: &program, options }, options);
    let rules = found.broken.iter().map(|broken| name_of(&broken.failure)).collect();
    let verdict = match (found.broken.into_iter().next(), found.limit) {
        (None, None) => Verdict::Exhausted,
        (None, Some(limit)) => Verdict::Bounded(limit),
        (Some(broken), limit) => {
            let lazy = Options { timing: DeviceTiming::Lazy, until: Until::Broken, ..*options };
            let streams = Streams { program: &program, options: &lazy };
            let (broken, limit) = match options.timing {
                DeviceTiming::Lazy => (broken, limit),
                DeviceTiming::Eager => {
                    let again = search(&streams, &lazy);
                    (again.broken.into_iter().next().unwrap_or(broken), again.limit)
                }
            };
            let shortest = if limit.is_none() { Shortest::Yes } else { Shortest::Unknown };
            Verdict::Broken(Box::new(witness(scenario, &streams, broken, shortest)))
        }
    };
    Ok(Explored { verdict, figures: found.figures, ends: found.ends, rules })
}

/// The schedule as a scenario: its steps as they went, and what the device answered.
fn witness(
    of: &StreamScenario,
    streams: &Streams<'_>,
    broken: Broken<StreamFailure>,
    shortest: Shortest,
) -> Witness<StreamFailure, StreamScenario> {
    let (_, played) = streams.play(&broken.answers);
    let setup = StreamSetup { answers: Some(played.device), ..streams.program.setup.clone() };
    let scenario = StreamScenario {
        name: format!("a schedule of: {}", of.name),
        source: None,
        rules: broken.failure.rule.into_iter().collect(),
        catches: Vec::new(),
        setup,
        steps: played.steps,
    };
    Witness { failure: broken.failure, scenario, moves: broken.moves, shortest }
}

/// The rule's name, or what went wrong where none is named.
fn name_of(failure: &StreamFailure) -> String {
    failure.rule.map_or_else(|| failure.wrong.to_string(), |rule| rule.to_string())
}
