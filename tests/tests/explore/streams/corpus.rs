//! Every scenario of streams is searched on each of its drivers, but for those that are listed; and again with one fault
//! of the driver in each schedule.

use std::time::Instant;

use ringfence_mock::{
    explore::{Bounds, Options, Verdict, explore_streams},
    streams::profile::DriverProfile,
};

use super::scenarios;

/// So many states of a file are looked at on one driver.
const MOST: u64 = 2_000;
/// So many with a fault, on the first driver and the last.
const MOST_FAULTY: u64 = 500;
/// Files that cannot be searched whole, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("fresh_streams_cost.toml", MANY),
    ("long_workers_do_not_fill_the_cap.toml", MANY),
    ("priority_switches_hold_nothing.toml", MANY),
    ("short_threads_with_memory.toml", LONG),
    ("stream_in_error_is_retired.toml", LONG),
    ("tasks_one_after_another.toml", LONG),
];
/// A search looks at the first of its states, and no rule breaks there.
const MANY: &str = "more than 2,000 states";
const LONG: &str = "more than 200 steps";

/// Which of these searches end, and what is wrong.
fn search(faults: u32, most: u64, drivers: impl Fn(&[DriverProfile]) -> Vec<DriverProfile>) {
    let begun = Instant::now();
    let (mut wrong, mut runs, mut schedules) = (Vec::new(), 0, 0.0);
    for (file, scenario) in scenarios("streams") {
        let listed = LEFT_OUT.iter().any(|(name, _)| *name == file);
        for driver in drivers(&scenario.setup.drivers) {
            let bounds = Bounds { states: most, ..Bounds::default() };
            let options = Options { faults, bounds, ..Options::default() };
            let explored = match explore_streams(&scenario, driver, &options) {
                Ok(explored) => explored,
                Err(_) if listed => continue,
                Err(why) => {
                    wrong.push(format!("{file} on {driver}: {why}"));
                    continue;
                }
            };
            schedules += explored.figures.schedules;
            match explored.verdict {
                Verdict::Exhausted if listed => {
                    wrong.push(format!("{file} on {driver}: is listed, and can be searched"));
                }
                Verdict::Exhausted => runs += 1,
                Verdict::Bounded(_) if listed || faults > 0 => {}
                Verdict::Broken(witness) => wrong
                    .push(format!("{file} on {driver}: {}\n{}", witness.failure, witness.scenario)),
                other => wrong.push(format!("{file} on {driver}: {other:?}")),
            }
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("{faults} faults: {runs} runs to the end, {schedules} schedules, {seconds:.1} s");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_rule_breaks_at_any_timing_of_any_scenario() {
    search(0, MOST, <[_]>::to_vec);
}

#[test]
fn no_rule_breaks_with_one_fault_of_the_driver() {
    search(1, MOST_FAULTY, |drivers| {
        let mut ends: Vec<_> = drivers.first().into_iter().chain(drivers.last()).copied().collect();
        ends.dedup();
        ends
    });
}
