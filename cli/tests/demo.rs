//! The demonstration, as a user runs it.

use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Enough for every ratio to show, and quick in a debug build.
const USES: &str = "6000";

fn ringfence(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringfence"));
    command.args(arguments).stdin(Stdio::null()).env_remove("NO_COLOR");
    command
}
fn output(arguments: &[&str]) -> Output {
    ringfence(arguments).output().expect("the binary was built for this test")
}
fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}
fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}
fn object(arguments: &[&str]) -> Value {
    let output = output(arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).expect("exactly one JSON object")
}
fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("{key} is a number in {row}"))
}

#[test]
fn json_has_five_rows_and_the_ratios_hold() {
    for arguments in [
        ["--json", "--uses", USES, "--seed", "3"].as_slice(),
        &["demo", "--json", "--uses", USES, "--profile", "tame"],
    ] {
        println!("{arguments:?}");
        let object = object(arguments);
        let rows = object["signals"].as_array().expect("a list");
        let names: Vec<_> = rows.iter().map(|row| (&row["tracker"], &row["placement"])).collect();
        let expected = [
            ("polling", "host"),
            ("polling", "device"),
            ("retiring", "host"),
            ("retiring", "device"),
            ("retiring", "twin"),
        ];
        assert_eq!(names.len(), expected.len());
        for (name, expected) in names.into_iter().zip(expected) {
            assert_eq!((name.0.as_str(), name.1.as_str()), (Some(expected.0), Some(expected.1)));
        }
        assert_eq!(object["streams"], Value::Array(Vec::new()));
        for row in rows {
            assert_row(row);
        }
        assert!(number(&rows[1], "device_reads") >= number(&rows[1], "uses"), "{}", rows[1]);
    }
}
fn assert_row(row: &Value) {
    let retiring = row["tracker"] == "retiring";
    assert!(number(row, "uses") >= 6000.0, "{row}");
    assert_eq!(number(row, "violations"), 0.0, "{row}");
    assert_eq!(number(row, "proven_query_loads"), 0.0, "{row}");
    assert!(number(row, "proven_queries") > 0.0, "{row}");
    for key in ["arms", "created", "modelled_us_per_use", "ns_per_use"] {
        assert!(number(row, key) > 0.0, "{key}: {row}");
    }
    assert!(number(row, "parked_peak") >= 0.0, "{row}");
    if row["placement"] == "host" {
        assert_eq!((number(row, "device_reads"), number(row, "flushes")), (0.0, 0.0), "{row}");
        assert!(number(row, "host_loads") > 0.0, "{row}");
    } else if retiring {
        // 8 streams, each with a last batch that may not be full.
        let batches = number(row, "device_arms") / 32.0;
        assert!((number(row, "flushes") - batches).abs() <= 16.0, "{row}");
    }
    if retiring {
        assert!(number(row, "retire_reads") <= number(row, "fence_uses") / 32.0, "{row}");
    }
}

#[test]
fn everything_but_the_clock_repeats_itself() {
    let run = || {
        let mut object = object(&["--json", "--uses", USES, "--seed", "9"]);
        for row in object["signals"].as_array_mut().expect("a list") {
            row["ns_per_use"] = Value::Null;
        }
        object
    };
    assert_eq!(run(), run());
}

#[test]
fn without_a_command_the_mix_the_table_and_the_checks_are_printed() {
    let output = output(&["--uses", USES]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    for part in [
        "4 hardware queues shared by 8 streams",
        "hostile, seed 1",
        "dispatches without it",
        "cross-queue waits",
        "retiring",
        "peak parked",
        "model, not silicon",
        "real time of this machine",
        "✓ retiring on device signals: at most 1 read to retire 32 fence uses",
        "✓ 0 rule violations",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    assert!(!text.contains('✗') && !text.contains('\u{1b}'), "{text}");
    assert_eq!(stderr(&output), "", "no progress bar but on a terminal");
    let table = text.lines().filter(|line| line.starts_with(['┌', '│', '└']));
    assert!(table.map(|line| line.chars().count()).all(|width| width <= 80), "{text}");
}

#[test]
fn senseless_options_are_explained() {
    for (arguments, explained) in [
        (["--uses", "0"], "a run needs at least 1 use"),
        (["--uses", "-5"], "not a whole number from 1"),
        (["--uses", "many"], "not a whole number from 1 to 20000000"),
        (["--profile", "wild"], "[possible values: tame, busy, hostile]"),
    ] {
        let output = output(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(explained), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    for arguments in [["--uses", "500"].as_slice(), &["--uses", "500", "--json"]] {
        let mut command = ringfence(arguments);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("the binary was built for this test");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(stderr(&output), "");
    }
}

#[test]
fn replay_needs_files_that_exist() {
    let nothing = output(&["replay"]);
    assert_eq!(nothing.status.code(), Some(2), "{}", stderr(&nothing));
    let missing = output(&["replay", "no/such/scenario.toml"]);
    assert!(!missing.status.success());
    let text = format!("{}{}", stdout(&missing), stderr(&missing));
    assert!(text.contains("no/such/scenario.toml"), "{text}");
    assert!(!text.contains("panicked"), "{text}");
}
