//! The bounds that `docs/testing.md` names.

use std::time::Duration;

use ringfence_mock::explore::{Explored, Options, Verdict, explore};

use crate::scenarios;

/// The longest that one bound may take.
const LIMIT: Duration = Duration::from_secs(60);

fn exhausts(file: &str, faults: u32) -> Explored {
    let scenario = scenarios("explore").remove(file).expect("the file is there");
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(2);
    let threads = threads.try_into().expect("at least one");
    let options = Options { faults, threads, ..Options::default() };
    let explored = explore(&scenario, &options).expect("it can be searched");
    let figures = &explored.figures;
    println!(
        "{file}: {} states, {} transitions, {:.3e} schedules, {:.2} s, {:.0} states/s, {} of {} checked again",
        figures.states,
        figures.transitions,
        figures.schedules,
        figures.time.as_secs_f64(),
        figures.states_a_second(),
        figures.rechecked,
        figures.hits,
    );
    match &explored.verdict {
        Verdict::Exhausted => {}
        Verdict::Broken(witness) => {
            panic!("{file}: {}\n{}", witness.failure, witness.scenario)
        }
        other => panic!("{file}: {other:?}"),
    }
    assert!(figures.time < LIMIT, "{file} took {:?}", figures.time);
    assert!(figures.rechecked > 0 && figures.differing == 0, "{file}: {figures:?}");
    explored
}

#[test]
fn two_queues_three_packets_two_signals_a_copy_and_a_rearm() {
    let _ = exhausts("two_queues.toml", 0);
}

#[test]
fn three_queues_in_a_chain() {
    let _ = exhausts("three_queues.toml", 0);
}

#[test]
fn two_streams_on_one_queue() {
    let _ = exhausts("two_streams_on_one_queue.toml", 0);
}

#[test]
fn one_injected_fault_a_schedule() {
    let healthy = exhausts("one_injected_fault.toml", 0);
    let broken = exhausts("one_injected_fault.toml", 1);
    assert!(broken.figures.states > healthy.figures.states, "faults were brought in");
}

#[test]
fn handlers_and_waits() {
    let _ = exhausts("handlers_and_waits.toml", 0);
}

#[test]
fn a_ring_that_may_not_grow() {
    let _ = exhausts("small_ring.toml", 0);
}

#[test]
fn timed_kernels() {
    let _ = exhausts("timed_kernels.toml", 0);
}

#[test]
fn queue_switch_and_restart() {
    let _ = exhausts("queue_switch.toml", 0);
}
