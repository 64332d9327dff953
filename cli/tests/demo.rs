//! The demonstration, as a user runs it.

use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Enough for every ratio to show, and quick in a debug build.
const USES: &str = "6000";
/// The same for streams.
const TASKS: &str = "800";

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
        ["--json", "--uses", USES, "--tasks", TASKS, "--seed", "3"].as_slice(),
        &["demo", "--json", "--uses", USES, "--tasks", TASKS, "--profile", "tame"],
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
        assert_streams(&object);
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

fn assert_streams(object: &Value) {
    let policies = ["fresh_drop", "fresh_deferred", "round_robin", "lease"];
    let workloads =
        ["sequential", "leftover", "pipelines", "stencil_1x1", "stencil_2x2", "stencil_4x4"];
    let mut rows = object["streams"].as_array().expect("a list").iter();
    for workload in workloads {
        for policy in policies {
            let row = rows.next().expect("a row for each workload with each policy");
            assert_eq!((&row["policy"], &row["workload"]), (&policy.into(), &workload.into()));
            assert_eq!(row.as_object().map(serde_json::Map::len), Some(11), "{row}");
            assert_eq!(number(row, "violations"), 0.0, "{row}");
            for key in ["tasks", "peak_tasks", "created", "modelled_ms", "host_mib"] {
                assert!(number(row, key) > 0.0, "{key}: {row}");
            }
            match policy {
                "lease" => {
                    assert!(number(row, "created") <= number(row, "peak_leased_and_draining"));
                    let (shared, nodes) = (number(row, "shared"), number(row, "foreign_nodes"));
                    assert_eq!((shared, nodes), (0.0, 0.0), "{row}");
                }
                "round_robin" => assert!(number(row, "created") <= 32.0, "{row}"),
                _ => assert_eq!(number(row, "created"), number(row, "tasks"), "{row}"),
            }
        }
    }
    assert!(rows.next().is_none());
    let memory = object["stream_memory"].as_array().expect("a list");
    assert_eq!(memory.len(), 3 * policies.len());
    for row in memory.iter().filter(|row| row["policy"] == "lease") {
        assert_eq!(row["iterations"], serde_json::json!([10, 80]));
        assert_eq!(row["host_mib"][0], row["host_mib"][1], "{row}");
    }
}

#[test]
fn everything_but_the_clock_repeats_itself() {
    let run = || {
        let mut object = object(&["--json", "--uses", USES, "--tasks", TASKS, "--seed", "9"]);
        for row in object["signals"].as_array_mut().expect("a list") {
            row["ns_per_use"] = Value::Null;
        }
        object
    };
    assert_eq!(run(), run());
}

#[test]
fn without_a_command_the_mix_the_table_and_the_checks_are_printed() {
    let output = output(&["--uses", USES, "--tasks", TASKS]);
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
        "800 tasks one after another",
        "pipelines",
        "fresh_deferred",
        "✓ leases: streams created <= peak of leased and draining ones",
        "✓ leases: no task shares a stream",
        "✓ leases: no foreign node in a graph",
        "✓ all policies: 0 stream rule violations",
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
        (["--tasks", "0"], "a workload needs at least 1 task"),
        (["--tasks", "1000001"], "not a whole number from 1 to 1000000"),
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
    let short = ["--uses", "500", "--tasks", "100"];
    for arguments in [short.to_vec(), [&short[..], &["--json"]].concat()] {
        let mut command = ringfence(&arguments);
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

#[test]
fn a_trace_has_each_run_with_as_many_leases_as_the_table_says() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("demo_trace.json");
    let path = file.to_str().expect("UTF-8");
    let all = ["--events-of-a-run", "1000000"];
    let arguments =
        [["--json", "--uses", "300", "--tasks", "20", "--trace", path].as_slice(), &all].concat();
    let output = output(&arguments);
    // So short a run need not show every ratio.
    assert!(output.status.code().is_some_and(|code| code <= 1), "{}", stderr(&output));
    let demo: Value = serde_json::from_slice(&output.stdout).expect("exactly one JSON object");
    let text = std::fs::read_to_string(&file).expect("the trace was written");
    let trace: Value = serde_json::from_str(&text).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let processes = events.iter().filter(|event| event["name"] == "process_name");
    let runs: Vec<_> = processes.map(|event| (&event["pid"], &event["args"]["name"])).collect();
    let rows = demo["streams"].as_array().expect("rows");
    assert_eq!(runs.len(), 5 + rows.len(), "{runs:?}");
    // They come in the order of the table.
    for (row, (pid, name)) in rows.iter().zip(&runs[5..]) {
        let leases = events.iter().filter(|event| {
            event["pid"] == **pid
                && event["ph"] == "X"
                && event["name"].as_str().is_some_and(|name| name.starts_with("lease "))
        });
        // Who shares a stream has no lease of his own on its track.
        if number(row, "shared") == 0.0 {
            assert_eq!(leases.count() as f64, number(row, "tasks"), "{name}");
        }
    }
}

#[test]
fn a_trace_that_cannot_be_written_is_said() {
    let nowhere = "no/such/folder/trace.json";
    let output = output(&["--uses", "300", "--tasks", "20", "--trace", nowhere]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains(&format!("cannot write the trace {nowhere}")));
}
