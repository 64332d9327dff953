//! `ringfence explore`: its exit codes, and the schedule that it prints.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn ringfence(arguments: &[&str]) -> Output {
    let program = Command::new(env!("CARGO_BIN_EXE_ringfence")).args(arguments).output();
    program.expect("the program starts")
}
fn corpus(file: &str) -> String {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios");
    corpus.join(file).display().to_string()
}
fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
/// A file of this test alone.
fn written(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the folder of the tests can be written to");
    path
}

#[test]
fn what_is_exhausted_ends_with_0() {
    let output = ringfence(&["explore", &corpus("read_index_leads_completion.toml")]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let told = text(&output);
    assert!(told.contains("no rule can break within this bound"), "{told}");
    assert!(told.contains("states/s"), "{told}");
}

#[test]
fn a_bound_that_is_reached_ends_with_3() {
    let file = corpus("read_index_leads_completion.toml");
    let output = ringfence(&["explore", "--states", "2", &file]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(text(&output).contains("bound reached (states): not exhausted"), "{}", text(&output));
}

#[test]
fn what_cannot_be_read_ends_with_2() {
    let nowhere = ringfence(&["explore", "no/such/file.toml"]);
    let broken = ringfence(&["explore", &corpus("broken/unknown_name.toml")]);
    for output in [nowhere, broken] {
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(!output.stderr.is_empty(), "it says why");
    }
}

#[test]
fn what_cannot_be_searched_is_left_out_by_a_clear_message() {
    let output = ringfence(&["explore", &corpus("streams/tasks_one_after_another.toml")]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output));
    assert!(text(&output).contains("it has 201 steps, and a search runs"), "{}", text(&output));
}

#[test]
fn streams_are_searched_on_each_of_their_drivers() {
    let file = corpus("explore/streams/two_tasks_and_a_cap.toml");
    let output = ringfence(&["explore", "--json", &file]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let lines = String::from_utf8(output.stdout).expect("it is text");
    let lines = lines.lines().map(serde_json::from_str::<serde_json::Value>);
    let lines: Vec<_> = lines.map(|line| line.expect("one line of JSON a driver")).collect();
    let drivers: Vec<_> = lines.iter().filter_map(|line| line["driver"].as_str()).collect();
    assert_eq!(drivers, ["hip-6.4", "cuda"]);
    assert!(lines.iter().all(|line| line["verdict"] == "exhausted" && line["file"] == *file));
}

#[test]
fn a_schedule_of_streams_that_fails_is_printed_and_fails_again() {
    // Its path is wider than a terminal: what is said of it must not be broken where another program reads it.
    let file = written(
        &format!("careless_{}.toml", "long_".repeat(30)),
        "name = \"the user destroys a pooled stream\"\nsetup.driver = \"clr-new\"\nsteps = [\n  { acquire = \"a\" },\n  \
         { expose = \"a\" },\n  { run = 10, on = \"a\" },\n  { query = \"a\" },\n  { destroy = \"a\" },\n  { release = \"a\" },\n  \
         { acquire = \"b\" },\n]\n",
    );
    let trace = file.with_file_name("schedule_of_streams.toml");
    let (file, trace) = (file.display().to_string(), trace.display().to_string());
    let output = ringfence(&["explore", "--print-trace", &trace, &file]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let why = "on clr-new: a real process would not have survived: Capture with stream 0x";
    assert!(text(&output).contains("would not have survived"), "{}", text(&output));
    let again = ringfence(&["replay", &trace]);
    assert_eq!(again.status.code(), Some(1), "{}", text(&again));
    assert!(text(&again).contains(why), "{}", text(&again));
}

#[test]
fn a_schedule_that_fails_is_printed_and_fails_again() {
    let file = written(
        "hopeful.toml",
        "name = \"the host looks once\"\nsetup.profile = \"busy\"\nsetup.ring = 2\nsetup.spares = 0\n\
         steps = [\n  { submit = \"k1\", on = \"s0\" },\n  { submit = \"k2\", on = \"s0\" },\n  { probe = \"s0\" },\n  \
         { expect = \"busy\", of = [\"k2\"] },\n]\n",
    );
    let trace = file.with_file_name("schedule.toml");
    let (file, trace) = (file.display().to_string(), trace.display().to_string());
    let output = ringfence(&["explore", "--json", "--print-trace", &trace, &file]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    assert_eq!(line["verdict"], "broken", "{line}");
    assert_eq!(line["shortest"], true, "{line}");
    let again = ringfence(&["replay", &trace]);
    assert_eq!(again.status.code(), Some(1), "{}", text(&again));
    assert!(text(&again).contains("expected `k2` to be in flight"), "{}", text(&again));
}

#[test]
fn a_file_that_is_no_scenario_has_a_line_of_json_as_well() {
    let file = written("no_scenario.toml", "name = 3\n").display().to_string();
    let output = ringfence(&["explore", "--json", &file]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let line: serde_json::Value = serde_json::from_str(text(&output).trim()).expect("one line");
    assert_eq!(line["verdict"], "unreadable", "{line}");
    assert!(line["why"].as_str().is_some_and(|why| why.contains("name")), "{line}");
}
