//! `ringfence bench`, as a user runs it: on the model, on AMD's HIP and NVIDIA's CUDA where there is one, and where there is none.

use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Set where a test that finds no HIP, or no CUDA, is to fail.
const HIP: &str = "RINGFENCE_REQUIRE_HIP";
const CUDA: &str = "RINGFENCE_REQUIRE_CUDA";
const POLICIES: [&str; 4] = ["lease", "round_robin", "fresh_drop", "fresh_deferred"];
const EXPERIMENTS: [&str; 6] =
    ["pipelines", "sequential", "stencil_1x1", "stencil_2x2", "stencil_4x4", "touches"];
/// Small enough for a debug build.
const SMALL: [&str; 8] = ["--iterations", "40", "--tasks", "150", "--side", "64", "--steps", "6"];
/// The same for signals.
const FEW: [&str; 6] = ["--repeats", "40", "--warm-up", "5", "--rounds", "3"];

fn ringfence(arguments: &[&str]) -> Command {
    let mut words = loader();
    words.push(env!("CARGO_BIN_EXE_ringfence").to_owned());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg("bench").args(arguments).stdin(Stdio::null());
    command
}
/// What this test was started by, if that is a dynamic loader with options of its own: runtimes that need another
/// C library than the system's are run so, and so is the program then.
fn loader() -> Vec<String> {
    let program = std::fs::read_link("/proc/self/exe").unwrap_or_default();
    let is_loader =
        program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ld-linux"));
    if !is_loader {
        return Vec::new();
    }
    let line = std::fs::read("/proc/self/cmdline").expect("Linux");
    let words: Vec<String> = line
        .split(|byte| *byte == 0)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect();
    let options = words[1..].chunks(2).take_while(|pair| pair[0].starts_with("--")).count();
    words[..1 + 2 * options].to_vec()
}
fn output(arguments: &[&str]) -> Output {
    ringfence(arguments).output().expect("the binary was built for this test")
}
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}
fn object(output: &Output) -> Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("exactly one JSON object")
}
fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("{key} is a number in {row}"))
}
/// A line that says why the test is left out, unless its runtime is required.
fn is_left_out(test: &str, output: &Output, required: &str) -> bool {
    let nothing_here = output.status.code() == Some(3);
    if nothing_here {
        let why = text(&output.stderr);
        assert!(std::env::var_os(required).is_none(), "{test}: {why}");
        println!("{test}: left out: {why}");
    }
    nothing_here
}

fn assert_streams(object: &Value) {
    let runs = object["runs"].as_array().expect("a list");
    let names: Vec<_> = runs
        .iter()
        .map(|run| (run["policy"].as_str().unwrap_or(""), run["experiment"].as_str().unwrap_or("")))
        .collect();
    let expected: Vec<_> = POLICIES
        .iter()
        .flat_map(|policy| EXPERIMENTS.map(|experiment| (*policy, experiment)))
        .collect();
    assert_eq!(names, expected);
    for run in runs {
        let (created, leases) = (number(run, "streams_created"), number(run, "leases"));
        assert_eq!(number(run, "tasks"), number(run, "tasks_asked"), "{run}");
        for key in ["seconds", "us_per_task", "rss_before_mib", "rss_after_mib", "peak_live"] {
            assert!(number(run, key) > 0.0, "{key}: {run}");
        }
        for key in ["streams_leaked", "memory_leaked"] {
            assert_eq!(number(run, key), 0.0, "{key}: {run}");
        }
        match run["policy"].as_str() {
            Some("lease") => {
                // Of the touches, those beyond 32 are let go of while they are idle, and made again.
                if run["experiment"] != "touches" {
                    assert!(created <= number(run, "peak_leased_and_draining"), "{run}");
                }
                assert_eq!(number(run, "leases_shared"), 0.0, "{run}");
            }
            // Who is told to share while none of the 32 is ready makes one more.
            Some("round_robin") => {
                let most = if run["experiment"] == "touches" { 64.0 } else { 32.0 };
                assert!(created <= most, "{run}");
            }
            _ => assert_eq!(created, leases, "{run}"),
        }
    }
}

#[test]
fn streams_on_the_model() {
    let arguments = [["streams", "--backend", "mock", "--json"].as_slice(), &SMALL].concat();
    let object = object(&output(&arguments));
    assert_streams(&object);
    assert_eq!(object["about"]["backend"], "mock");
    let command = object["setting"]["command"].as_str().expect("the command");
    assert!(command.starts_with("ringfence bench streams --backend mock"), "{command}");
}

#[test]
fn signals_on_the_model() {
    let arguments = [["signals", "--backend", "mock", "--json"].as_slice(), &FEW].concat();
    let object = object(&output(&arguments));
    assert_eq!(object["about"][0]["ground"], "model");
    let columns = object["columns"].as_array().expect("a list");
    assert_eq!(columns.len(), 2 * 5, "five trackers, without times and with");
    for column in columns {
        let rows = column["rows"].as_array().expect("a list");
        let row = |name: &str| rows.iter().find(|row| row["row"] == name).expect("by name");
        // A proven event is answered without a load (S19), which is all that a query costs in the model.
        let finished = row("event_query_finished");
        assert_eq!(number(&finished["times"], "max"), 0.0, "{column}");
        // An event's first answer takes a load of where its signal lives: 0.08 µs of the host's memory, 1.1 of the device's.
        let name = column["name"].as_str().unwrap_or_default();
        let first = number(&row("event_query_first_finished")["times"], "p50");
        assert_eq!(first, if name.contains("device") { 1.1 } else { 0.08 }, "{column}");
        let steady = &row("record_kernel_record_synchronize")["per_repeat"];
        assert!(number(steady, "packets") >= 3.0, "{column}");
        assert_eq!(row("event_elapsed_time")["times"].is_null(), column["profiling"] == "off");
    }
    let queues = object["queues"].as_array().expect("a list");
    assert_eq!(queues.len(), 5 * 5, "five trackers on 1, 2, 4, 8 and 16 queues");
    for one in queues {
        for key in ["us_per_use", "bookkeeping_ns_per_use"] {
            assert!(number(one, key) > 0.0, "{key}: {one}");
        }
        assert!(number(one, "uses") >= 3.0 * 64.0 * number(one, "queues"), "{one}");
    }
}

#[test]
fn streams_on_hip() {
    let arguments = [["streams", "--backend", "hip", "--json"].as_slice(), &SMALL].concat();
    let output = output(&arguments);
    if is_left_out("streams_on_hip", &output, HIP) {
        return;
    }
    let object = object(&output);
    assert_streams(&object);
    assert!(object["about"]["version"].as_str().is_some_and(|version| version.starts_with("HIP ")));
}

#[test]
fn streams_on_cuda() {
    let arguments = [["streams", "--backend", "cuda", "--json"].as_slice(), &SMALL].concat();
    let output = output(&arguments);
    if is_left_out("streams_on_cuda", &output, CUDA) {
        return;
    }
    let object = object(&output);
    assert_streams(&object);
    assert!(
        object["about"]["version"].as_str().is_some_and(|version| version.starts_with("CUDA "))
    );
}

#[test]
fn signals_on_cuda() {
    let arguments = [["signals", "--backend", "cuda", "--json"].as_slice(), &FEW].concat();
    let output = output(&arguments);
    if is_left_out("signals_on_cuda", &output, CUDA) {
        return;
    }
    let object = object(&output);
    let columns = object["columns"].as_array().expect("a list");
    let stacks: Vec<_> = columns.iter().map(|column| column["stack"].as_str()).collect();
    assert_eq!(stacks, [Some("cuda"), Some("ringfence_over_cuda"), Some("cuda")]);
    for column in columns {
        let rows = column["rows"].as_array().expect("a list");
        let times =
            |name: &str| &rows.iter().find(|row| row["row"] == name).expect("by name")["times"];
        for name in ["event_query_finished", "stream_query_finished"] {
            assert_eq!(number(times(name), "samples"), 40.0, "{column}");
        }
        let has_times = column["profiling"] == "on";
        assert_eq!(times("event_elapsed_time").is_null(), !has_times, "{column}");
    }
}

#[test]
fn signals_on_hip_and_hsa() {
    let output = output(&[["signals", "--json"].as_slice(), &FEW].concat());
    if is_left_out("signals_on_hip_and_hsa", &output, HIP) {
        return;
    }
    let object = object(&output);
    let columns = object["columns"].as_array().expect("a list");
    for stack in ["hip", "ringfence_over_hip", "ringfence_over_hsa"] {
        assert!(columns.iter().any(|column| column["stack"] == stack), "{stack}: {columns:?}");
    }
    for column in columns {
        let rows = column["rows"].as_array().expect("a list");
        assert_eq!(rows.len(), 14, "{column}");
        let row = |name: &str| rows.iter().find(|row| row["row"] == name).expect("by name");
        for name in ["event_record", "event_query_finished", "device_synchronize"] {
            let times = &row(name)["times"];
            assert_eq!(number(times, "samples"), 40.0, "{column}");
            assert!(number(times, "p50") <= number(times, "p99"), "{times}");
            assert!(number(times, "p99") <= number(times, "max"), "{times}");
        }
        let elapsed = &row("event_elapsed_time")["times"];
        assert_eq!(elapsed.is_null(), column["profiling"] == "off", "{column}");
        let counts = &row("record_kernel_record_synchronize")["per_repeat"];
        if column["stack"] == "hip" {
            assert!(counts.is_null(), "HIP counts nothing: {counts}");
            continue;
        }
        assert_eq!(number(counts, "signals_created"), 0.0, "{column}");
        assert!(number(counts, "packets") >= 3.0, "{column}");
        if column["name"].as_str().is_some_and(|name| name.contains("retiring, host")) {
            let first = row("event_query_first_finished");
            // Where the host looked too early, there is a load before the wait as well.
            let early = 1.0 - number(&first["times"], "samples") / 40.0;
            let timings = if column["profiling"] == "on" { 1.0 } else { 0.0 };
            let loads = number(&first["per_repeat"], "host_loads");
            assert!(loads <= 1.1 + early + timings, "{loads} loads a query in {column}");
        }
    }
}

#[test]
fn a_missing_runtime_is_told_and_has_its_own_exit_code() {
    let runtimes = [
        ("hip", "RINGFENCE_HIP_LIBRARY", "/no/such/libamdhip64.so.5"),
        ("cuda", "RINGFENCE_CUDA_LIBRARY", "/no/such/libcuda.so.1"),
    ];
    for (backend, variable, library) in runtimes {
        for what in ["streams", "signals"] {
            let output = ringfence(&[what, "--backend", backend])
                .env(variable, library)
                .output()
                .expect("the binary was built for this test");
            let error = text(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{error}");
            assert_eq!(text(&output.stdout), "", "nothing was measured");
            for part in [library, "`ringfence doctor`"] {
                assert!(error.contains(part), "{error}");
            }
            assert!(!error.contains("panicked"), "{error}");
        }
    }
}

#[test]
fn tables_name_the_command_the_commit_and_each_policy() {
    let arguments = ["streams", "--backend", "mock", "--experiment", "sequential", "--tasks", "50"];
    let output = output(&arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let text = text(&output.stdout);
    for part in ["command  ringfence bench streams", "commit   ", "model, not silicon"] {
        assert!(text.contains(part), "{part:?} in\n{text}");
    }
    for policy in POLICIES {
        assert!(text.contains(policy), "{policy} in\n{text}");
    }
    assert!(!text.contains("(a)"), "pipelines were not asked for:\n{text}");
}

#[test]
fn sizes_that_make_no_sense_are_refused() {
    for arguments in [["--tasks", "0"], ["--side", "6"], ["--limit-s", "-1"]] {
        let output = output(&["streams", "--backend", "mock", arguments[0], arguments[1]]);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}
