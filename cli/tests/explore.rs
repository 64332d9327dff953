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
fn streams_are_left_out_by_a_clear_message() {
    let output = ringfence(&["explore", &corpus("streams/forked_child.toml")]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output));
    assert!(text(&output).contains("streams, which cannot be searched yet"), "{}", text(&output));
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
