//! `ringfence replay --json`: a line for each file, for programs.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

fn replay(arguments: &[&str]) -> Output {
    let program =
        Command::new(env!("CARGO_BIN_EXE_ringfence")).arg("replay").args(arguments).output();
    program.expect("the program starts")
}
fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).expect("a line is one object")).collect()
}

#[test]
fn each_file_has_a_line_and_nothing_else_is_printed() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios");
    let corpus = corpus.display().to_string();
    let told = replay(&[&corpus]);
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    let output = replay(&["--json", &corpus]);
    assert!(output.status.success() && output.stderr.is_empty());
    let lines = lines(&output);
    assert!(text.contains(&format!("{} passed, 0 failed", lines.len())), "{text}");
    for line in lines {
        assert_eq!((&line["verdict"], &line["on"]), (&"passed".into(), &"mock".into()), "{line}");
        let (file, steps) = (line["file"].as_str().expect("a name"), &line["steps"]);
        assert!(text.contains(&format!("pass  {file}  ({steps} steps)")), "{line} in\n{text}");
    }
}

#[test]
fn what_fails_says_why_in_its_line() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replay_hopeful.toml");
    let scenario =
        "name = \"nothing was submitted\"\nsteps = [\n  { expect = \"idle\", of = [\"k1\"] },\n]\n";
    fs::write(&path, scenario).expect("the folder of the tests can be written to");
    let output = replay(&["--json", &path.display().to_string()]);
    assert_eq!(output.status.code(), Some(1));
    let lines = lines(&output);
    let [line] = lines.as_slice() else { panic!("one file, one line: {lines:?}") };
    assert_eq!(line["verdict"], "failed", "{line}");
    let why = line["why"].as_str().expect("text");
    assert!(why.contains("k1") && !why.contains('\u{1b}'), "{why}");
}
