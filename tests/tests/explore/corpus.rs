//! Every scenario of signals is searched, but for those that are listed.

use std::time::Instant;

use ringfence_mock::explore::{Bounds, Options, Verdict, explore};

use crate::scenarios;

/// So many states of a file are looked at.
const MOST: u64 = 6_000;
/// Files that cannot be searched whole, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("busy_device_and_polling.toml", MANY),
    ("device_ring_needs_no_flush.toml", MANY),
    ("events_made_and_destroyed.toml", LONG),
    ("exhausted_by_holders.toml", MANY),
    ("graph_launched_twice.toml", MANY),
    ("hostile_device_and_graphs.toml", MANY),
    ("hostile_device_and_handlers.toml", LONG),
    ("hostile_device_and_shared_queues.toml", LONG),
    ("hostile_device_and_switching_streams.toml", MANY),
    ("hostile_device_and_twin_events.toml", LONG),
    ("ping_pong_without_synchronize.toml", LONG),
    ("pool_of_launches_returns.toml", LONG),
    ("steady_record_loop.toml", LONG),
    ("streams_share_a_queue.toml", MANY),
    ("swapped_signal_keeps_its_class.toml", MANY),
    ("timed_kernels_retire_in_batches.toml", LONG),
    ("two_pending_fences_hide_nothing.toml", MANY),
];
/// A search looks at the first of its states, and no rule breaks there.
const MANY: &str = "more than 6,000 states";
const LONG: &str = "more than 200 steps";
/// So many states of a file that has too many.
const FIRST: u64 = 400;

#[test]
fn no_rule_breaks_at_any_timing_of_any_scenario() {
    let begun = Instant::now();
    let mut wrong = Vec::new();
    let (mut files, mut states) = (0, 0);
    for (file, scenario) in scenarios("") {
        let begun = Instant::now();
        let listed = LEFT_OUT.iter().any(|(name, _)| *name == file);
        let bounds = Bounds { states: if listed { FIRST } else { MOST }, ..Bounds::default() };
        let options = Options { bounds, ..Options::default() };
        let explored = explore(&scenario, &options);
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
