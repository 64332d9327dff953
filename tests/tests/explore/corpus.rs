//! Every scenario of signals is searched, but for those that are listed.

use std::time::Instant;

use ringfence_mock::explore::{Bounds, Options, Verdict, explore};

use crate::scenarios;

/// So many states of a file are looked at.
const MOST: u64 = 6_000;
/// Files that cannot be searched whole, and why.
const LEFT_OUT: &[(&str, &str)] = &[];

#[test]
fn no_rule_breaks_at_any_timing_of_any_scenario() {
    let begun = Instant::now();
    let mut wrong = Vec::new();
    let (mut files, mut states) = (0, 0);
    for (file, scenario) in scenarios("") {
        let begun = Instant::now();
        let bounds = Bounds { states: MOST, ..Bounds::default() };
        let options = Options { bounds, ..Options::default() };
        let explored = explore(&scenario, &options);
        let listed = LEFT_OUT.iter().any(|(name, _)| *name == file);
        match explored {
            Ok(explored) => {
                states += explored.figures.states;
                match explored.verdict {
                    Verdict::Exhausted if listed => {
                        wrong.push(format!("{file}: is listed, and can be searched"))
                    }
                    Verdict::Exhausted => files += 1,
                    Verdict::Broken(witness) => {
                        wrong.push(format!("{file}: {}\n{}", witness.failure, witness.scenario))
                    }
                    Verdict::Bounded(limit) if !listed => {
                        wrong.push(format!("{file}: {limit:?}, {:?}", explored.figures))
                    }
                    Verdict::Bounded(_) => {}
                    Verdict::Unsound => {
                        wrong.push(format!("{file}: unsound, {:?}", explored.figures))
                    }
                }
            }
            Err(_) if listed => {}
            Err(why) => wrong.push(format!("{file}: {why}")),
        }
        println!("{file}: {:.2} s", begun.elapsed().as_secs_f64());
    }
    println!("{files} files, {states} states, {:.1} s", begun.elapsed().as_secs_f64());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
