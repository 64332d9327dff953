//! What a run finds, and how it says so.

use crate::streams::{
    oracle::StreamRule,
    scenario::{StreamFailed, StreamReport, StreamWrong, parse, run},
};

fn file(setup: &str, steps: &str) -> String {
    format!("name = \"x\"\nsetup.driver = \"hip-5.7\"\n{setup}\nsteps = [\n{steps}\n]\n")
}
fn passes(setup: &str, steps: &str) -> StreamReport {
    let parsed = parse("x.toml", &file(setup, steps)).expect("a scenario");
    run(&parsed).unwrap_or_else(|failed| panic!("{failed}\n{}", failed.failure().trace.join("\n")))
}
fn fails(setup: &str, steps: &str) -> StreamFailed {
    let parsed = parse("x.toml", &file(setup, steps)).expect("a scenario");
    *run(&parsed).expect_err("it fails")
}
/// What the failure says, with its place.
fn says(setup: &str, steps: &str) -> String {
    fails(setup, steps).to_string()
}

#[test]
fn a_report_counts_what_happened() {
    let steps = "{ repeat = 3, steps = [{ acquire = \"a\" }, { run = 2, on = \"a\" }, { release = \"a\" }, { tick = 2 }] }";
    let report = passes("", steps);
    assert_eq!(report.steps, 12);
    assert_eq!((report.pool.created, report.pool.reused), (1, 2));
    assert_eq!(report.driver.live, 0, "everything is destroyed in the end");
}
#[test]
fn an_expectation_that_does_not_hold_names_the_place_and_the_rule() {
    let steps =
        "{ acquire = [\"a\", \"b\"] },\n{ expect = \"same\", of = [\"a\", \"b\"], rule = \"T1\" },";
    let failed = fails("", steps);
    assert!(failed.to_string().starts_with(
        "x.toml:6:1: on hip-5.7: expected `a` and `b` to be of one stream, but they are of"
    ));
    assert_eq!(failed.failure().rule, Some(StreamRule::T1));
    assert!(!failed.failure().trace.is_empty());
}
#[test]
fn an_error_must_be_announced_and_must_come() {
    let steps = "{ acquire = \"a\" },\n{ acquire = \"b\" },";
    assert!(
        says("setup.live_cap = 1", steps)
            .contains("6:1: on hip-5.7: this step failed: 1 streams are alive")
    );
    let steps = "{ acquire = \"a\", error = \"full\" },";
    let seen = says("", steps);
    assert!(seen.contains("expected this step to fail with `full`, but it succeeded"), "{seen}");
    let steps = "{ acquire = \"a\" },\n{ acquire = \"b\", error = \"forked\" },";
    let seen = says("setup.live_cap = 1", steps);
    assert!(seen.contains("fail with `forked`, but it failed otherwise"), "{seen}");
}
#[test]
fn a_users_own_fault_is_a_crash_of_the_process() {
    // Work by a handle whose stream its user destroyed.
    let steps = "{ create = \"h\" },\n{ acquire = \"a\" },\n{ expose = \"a\" },\n{ destroy = \"a\" },\n{ run = 1, on = \"a\", raw = true, error = \"bad\" },";
    let failed = fails("", steps);
    assert!(matches!(failed.failure().wrong, StreamWrong::Crashed { .. }), "{failed}");
}
#[test]
fn a_race_of_the_users_own_work_is_found_by_the_oracle() {
    let steps = "{ acquire = [\"a\", \"b\"] },\n{ alloc = \"m\", on = \"a\" },\n{ use = \"m\", on = \"a\", ticks = 9 },\n{ expose = \"b\" },\n{ run = 1, on = \"b\", writes = [\"m\"], raw = true },";
    let failed = fails("", steps);
    assert_eq!(failed.failure().rule, Some(StreamRule::T6), "{failed}");
    assert_eq!(failed.place().line, 9);
}
#[test]
fn a_handle_that_was_not_given_out_cannot_be_used() {
    let seen = says("", "{ acquire = \"a\" },\n{ query = \"a\" },");
    assert!(
        seen.contains("this step makes no sense here: the raw handle of `a` was not given out")
    );
}
#[test]
fn a_failure_inside_a_capture_and_inside_a_creation_names_its_own_step() {
    let steps = "{ acquire = \"a\" },\n{ capture = \"g\", on = \"a\", steps = [\n  { run = 1, on = \"a\" },\n  { expect = \"created\", is = 7 },\n] },";
    assert_eq!(fails("", steps).place().to_string(), "8:3");
    let steps = "{ acquire = \"first\" },\n{ acquire = \"a\", while_creating = [\n  { expect = \"created\", is = 7 },\n] },";
    assert_eq!(fails("", steps).place().to_string(), "7:3");
}
#[test]
fn a_leak_must_be_announced() {
    let leak = "{ acquire = \"a\" },\n{ run = \"endless\", on = \"a\" },\n{ release = \"a\" },\n";
    let seen = says("", &format!("{leak}{{ shutdown = \"now\" }},"));
    assert!(seen.contains("something is left over at the end: 1 streams"), "{seen}");
    let _ = passes("", &format!("{leak}{{ shutdown = \"now\", streams = 1 }},"));
}
#[test]
fn what_nobody_ends_is_ended() {
    let steps = "{ acquire = \"a\" },\n{ alloc = \"m\", on = \"a\" },\n{ run = \"endless\", on = \"a\", writes = [\"m\"] },\n{ copy = \"f\", on = \"a\" },\n{ capture = \"g\", on = \"a\", steps = [{ pin = \"m\" }] },";
    let report = passes("", steps);
    assert_eq!(report.driver.live, 0);
    assert_eq!(report.memory.leaked, 0);
}
#[test]
fn somebody_pumps_when_the_set_up_says_so() {
    let steps = "{ acquire = \"a\" },\n{ run = 3, on = \"a\" },\n{ release = \"a\" },\n{ tick = 3 },\n{ expect = \"idle\", is = 1 },";
    let _ = passes("setup.pump = \"auto\"", steps);
    assert!(says("", steps).contains("expected `idle` to be 1, but it is 0"));
}
#[test]
fn counters_start_where_they_are_told_to() {
    let steps = "{ acquire = \"a\" },\n{ count_from = \"here\" },\n{ acquire = \"b\" },\n{ expect = \"created\", is = 1 },\n{ expect = \"live\", is = 2 },";
    let _ = passes("", steps);
}
#[test]
fn a_scenario_runs_on_each_of_its_drivers() {
    let text = "name = \"x\"\nsetup.driver = [\"hip-5.2\", \"clr-2024\"]\nsteps = [\n{ acquire = \"a\" },\n{ expose = \"a\" },\n{ begin_capture = \"a\" },\n{ query = \"a\" },\n{ expect = \"answer\", is = \"idle\" },\n{ end_capture = \"g\", on = \"a\" },\n]\n";
    let failed = run(&parse("x.toml", text).expect("a scenario")).expect_err("clr-2024 refuses");
    let seen = failed.to_string();
    assert!(seen.starts_with("x.toml:8:1: on clr-2024: expected the user's last query"), "{seen}");
}
