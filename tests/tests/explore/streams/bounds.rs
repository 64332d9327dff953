//! The bounds of streams that `docs/testing.md` names.

use std::time::Duration;

use ringfence_mock::explore::{Options, Verdict, explore_streams};

use super::scenarios;

/// The longest that one bound may take on one driver.
const LIMIT: Duration = Duration::from_secs(60);

/// The schedules on each driver of a file.
fn exhausts(file: &str, faults: u32) -> Vec<f64> {
    let scenario = scenarios("explore/streams").remove(file).expect("the file is there");
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(2);
    let threads = threads.try_into().expect("at least one");
    let options = Options { faults, threads, ..Options::default() };
    let on = |&driver: &_| {
        let explored = explore_streams(&scenario, driver, &options).expect("it can be searched");
        let figures = &explored.figures;
        println!(
            "{file} on {driver}, {faults} faults: {} schedules, {:.2} s, {:.0} schedules/s",
            figures.schedules,
            figures.time.as_secs_f64(),
            figures.schedules / figures.time.as_secs_f64().max(1e-6),
        );
        match &explored.verdict {
            Verdict::Exhausted => {}
            Verdict::Broken(witness) => {
                panic!("{file} on {driver}: {}\n{}", witness.failure, witness.scenario)
            }
            other => panic!("{file} on {driver}: {other:?}"),
        }
        assert!(figures.time < LIMIT, "{file} took {:?}", figures.time);
        figures.schedules
    };
    scenario.setup.drivers.iter().map(on).collect()
}

#[test]
fn two_threads_and_two_streams() {
    assert!(exhausts("two_tasks_and_a_cap.toml", 0).iter().all(|&schedules| schedules > 500.0));
}

#[test]
fn a_driver_without_progress_words() {
    let _ = exhausts("queries_alone.toml", 0);
}

#[test]
fn an_array_between_threads() {
    let _ = exhausts("array_between_threads.toml", 0);
}

#[test]
fn a_capture_beside_work() {
    let _ = exhausts("capture_beside_work.toml", 0);
}

#[test]
fn copies_and_futures() {
    let _ = exhausts("copies_and_futures.toml", 0);
}

#[test]
fn one_injected_fault() {
    let healthy = exhausts("one_injected_fault.toml", 0);
    let broken = exhausts("one_injected_fault.toml", 1);
    assert!(healthy.iter().zip(&broken).all(|(healthy, broken)| broken > healthy), "{broken:?}");
}
