//! Exhaustive search: every timing of the device, and every order of the tasks' steps, up to a bound.
//!
//! # What is searched
//!
//! A *schedule* is a run of a scenario with every free choice answered: when packets complete, where the
//! host finds the read index, whether a short wait ends first, whether an interrupt is lost, when the
//! callback thread calls which handler, which task takes its next step, which fault comes in between. What
//! the file makes the device do (`finish`, `read_index`) has happened by then at the latest. A step takes no time, and timestamps are all
//! equal; expectations about one timing are not asked. A schedule ends with `World::finish`, which has to retire everything.
//!
//! A [`Course`](crate::chooser::Course) holds the answers of one schedule. The search runs the whole scenario again for
//! each answer: a world has reference-counted handles inside, and a run takes some ten microseconds.
//!
//! # What a state is
//!
//! Between two steps: a digest of the device model with its memory, of the oracle, and of all that the
//! library keeps (rings, watermarks, pins, events, handlers), with the place in the scenario. Left out are
//! counts, the clock and the trace, which decide nothing. In the middle of a step: the digest of where the
//! step began, what the host has seen since, how often it has looked, and the devices and the oracle as
//! they are. The library is deterministic, so that these decide all that follows. A digest has 64 bits: of a
//! million states, two different ones share one with a probability of 3 in 100 million.
//!
//! One in 64 visits of a state that was met before expands it again: the same must follow from it. What a
//! digest leaves out and something depends on is noticed so, and the verdict is then [`Verdict::Unsound`].
//!
//! # What is left out of the search, and why nothing is lost
//!
//! - **Equal states once.** See above.
//! - **Lazy devices** ([`DeviceTiming::Lazy`]). The host sees the device at looks alone: a load, the end of a
//!   wait, the read index, a callback. "Not yet" is a legal answer at each, whatever was true on the device, as long as the host
//!   did not see a consequence. So each schedule of an eager device has one of a lazy device in which the host sees
//!   the same, and the device has done no more than that needs: the least causes of what was seen, by barrier bits,
//!   barrier packets and dependencies. The causes are of the device's rules and of nothing that the library believes, so
//!   that no planted fault of the library can make them wrong. Where several dependencies could have made
//!   a BARRIER_OR pass, each is tried. The read index is tried at *every* value: classes of values by barrier bits
//!   were tried, and a library that trusts the read index was not caught by them.
//! - **Stores to device memory** land at a flush in lazy mode. A packet that looks at a store on its way broke S10 when
//!   it was published, and the oracle says so there, whether or not the store lands in time.
//! - **A private step first** ([`HostSteps::Reduced`]): a `submit` with a signal at hand, no event, on a queue that no other task's steps are about, commutes with all that
//!   other tasks, devices and the callback thread can do before it is taken, and cannot be disabled by them: a persistent set of one. Nor may any of their steps
//!   create a signal, which a library that leaves an index reserved would break S11 by. It looks
//!   at nothing and arms nothing, so that no proof, right or wrong, plays a part in it. It is not used while a fault may still be brought in.
//! - **A `reclaim` that nobody can come between is one step** ([`HostSteps::Reduced`]): the only stream of its section on its queue, with no handler set,
//!   where no other task asks about or records an event. What a `reclaim` shares with other tasks is its queue's watermark and who holds a signal; those raise no
//!   watermark of another queue, and a hold that one of their waits takes on what is in flight counts at the one point at which that is retired.
//! - The schedule that is printed comes from a search with every order of the host's steps, in the order of the number of moves: there is no
//!   shorter one.
//!
//! # What is not covered
//!
//! - A step of one task is whole for the other tasks, but for `reclaim`, which stops before each shared access (`drive::Reclaim`). To keep that whole
//!   where streams share a queue hides what they do to each other.
//! - Memory ordering on the host: loom's business.
//! - Time: durations, limits of long waits, `elapsed`. A wait ends when what it waits for can come; where it cannot,
//!   it runs into its limit.
//!
//! Scenarios of streams have a search of their own: [`explore_streams`].
//!
//! ```
//! use ringfence_mock::{explore::{explore, Options, Verdict}, scenario::parse};
//! let text = r#"
//! name = "one kernel and its signal"
//! setup.ring = 2
//! setup.spares = 0
//! steps = [
//!   { submit = "k1", on = "s0" },
//!   { submit = "k2", on = "s0", barrier = false },
//!   { reclaim = "s0" },
//! ]
//! "#;
//! let scenario = parse("one.toml", text).expect("it parses").scenario;
//! let explored = explore(&scenario, &Options::default()).expect("it can be searched");
//! assert!(matches!(explored.verdict, Verdict::Exhausted));
//! assert!(explored.figures.states > 3);
//! ```

mod commuting;
mod frontier;
mod injected;
mod options;
mod outcome;
mod program;
mod schedule;
mod search;
mod streams;
mod unroll;
mod witness;

pub use options::{Blame, Bounds, DeviceTiming, Digested, HostSteps, Options, Until};
pub use outcome::{Explored, Figures, Limit, Shortest, Verdict, Witness};
pub use program::Unfit;
pub use streams::{StreamExplored, explore_streams};

use crate::scenario::{Failure, Scenario, World};
use outcome::Broken;
use program::Program;
use schedule::Signals;
use search::{Found, search};

/// Tries every timing of the device, and every order of the tasks' steps, of a scenario.
///
/// # Errors
/// Why the scenario cannot be searched.
pub fn explore(scenario: &Scenario, options: &Options) -> Result<Explored, Unfit> {
    let program = Program::new(scenario)?;
    if let Err(failure) = World::new(&program.setup, 1) {
        return Err(Unfit::Setup { why: failure.to_string() });
    }
    let mut found = search(&Signals { program: &program, options }, options);
    let verdict = verdict(scenario, &program, options, &mut found);
    let rules = found.broken.iter().map(name_of).collect();
    Ok(Explored { verdict, figures: found.figures, ends: found.ends, rules })
}

fn verdict(
    scenario: &Scenario,
    program: &Program,
    options: &Options,
    found: &mut Found<Failure>,
) -> Verdict {
    if found.figures.differing > 0 {
        return Verdict::Unsound;
    }
    match (found.broken.first(), found.limit) {
        (None, None) => Verdict::Exhausted,
        (None, Some(limit)) => Verdict::Bounded(limit),
        (Some(broken), _) => {
            let witness = shortest(scenario, program, options, broken, found.limit);
            Verdict::Broken(Box::new(witness))
        }
    }
}

/// The schedule to print: from a search that puts the host's steps in every order, with a lazy device.
fn shortest(
    scenario: &Scenario,
    program: &Program,
    options: &Options,
    broken: &Broken<Failure>,
    limit: Option<Limit>,
) -> Witness {
    let whole = Options {
        host: HostSteps::Every,
        timing: DeviceTiming::Lazy,
        until: Until::Broken,
        ..*options
    };
    let tasks = program.sections.iter().any(|section| section.tasks.len() > 1);
    let again = (tasks || options.timing == DeviceTiming::Eager)
        .then(|| search(&Signals { program, options: &whole }, &whole));
    let again = again.and_then(|found| Some((found.broken.into_iter().next()?, found.limit)));
    let (broken, limit) = again.unwrap_or_else(|| (broken.clone(), limit));
    let shortest = if limit.is_none() { Shortest::Yes } else { Shortest::Unknown };
    let scenario = witness::scenario(scenario, program, &whole, &broken);
    Witness { failure: broken.failure, scenario, moves: broken.moves, shortest }
}

/// The rule's name, or what went wrong where none is named.
fn name_of(broken: &Broken<Failure>) -> String {
    broken.failure.rule.map_or_else(|| broken.failure.wrong.to_string(), |rule| rule.to_string())
}

#[cfg(test)]
mod tests;
