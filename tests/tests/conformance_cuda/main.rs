//! NVIDIA's CUDA driver passes the streams half of the conformance suite, on the machine's first GPU.
//!
//! `RINGFENCE_CONFORMANCE=driver_3` runs the tests alone whose names hold that; `RINGFENCE_HISTORIES=10000` sets how many random task
//! histories are tried. Without a driver the suite is left out, with a line that says so; with `RINGFENCE_REQUIRE_CUDA=1` that is a
//! failure.
//!
//! It runs in processes of their own: with progress words and without, and one for each test that leaves CUDA unusable.
#![forbid(unsafe_code)]

use std::{io::Write, process::Command};

use ringfence_cuda::{Findings, Progress, Usable};
use ringfence_tests::{
    conformance::{
        Leaves,
        streams::{CudaSubject, Scale, StreamCase, StreamSubject, run, stream_cases},
    },
    launch,
};

/// What tells a process its part: `words` or `queries`, and the test if it runs one alone.
const PART: &str = "RINGFENCE_CONFORMANCE_PART";
/// How many random task histories.
const HISTORIES: &str = "RINGFENCE_HISTORIES";
/// Set where CUDA has to be there.
const REQUIRED: &str = "RINGFENCE_REQUIRE_CUDA";

fn is_wanted<S>(case: &StreamCase<S>) -> bool {
    std::env::var("RINGFENCE_CONFORMANCE").map_or(true, |part| case.name.contains(&part))
}

#[test]
fn the_machines_cuda_conforms() {
    // Asked here, and used in processes of their own.
    let findings = Findings::collect();
    if findings.usable() == Usable::No {
        let why = findings.error().map(ToString::to_string).unwrap_or_default();
        let line = format!("SKIPPED 1: conformance of streams on CUDA: {why}\n");
        std::io::stderr().write_all(line.as_bytes()).expect("standard error");
        let required = std::env::var(REQUIRED).is_ok_and(|value| value == "1");
        assert!(!required, "{REQUIRED}=1, and {why}");
        return;
    }
    println!("{findings}");
    let begun = std::time::Instant::now();
    let alone = stream_cases::<CudaSubject>();
    let alone = alone.iter().filter(|case| case.leaves == Leaves::ItUnusable && is_wanted(case));
    let mut parts = vec!["words".to_owned(), "queries".to_owned()];
    parts.extend(alone.map(|case| format!("words:{}", case.name)));
    let ended: Vec<_> = parts.iter().filter_map(|part| process(part).err()).collect();
    println!("{} processes, {:?}", parts.len(), begun.elapsed());
    assert!(ended.is_empty(), "{}", ended.join("\n"));
}

fn process(part: &str) -> Result<(), String> {
    let own = std::env::current_exe().expect("this program's own place");
    let mut command = Command::new(own);
    command.args(["--exact", "part_of_the_suite", "--ignored", "--nocapture"]).env(PART, part);
    launch::run_to_end(&format!("CUDA, {part}"), command)
}

/// What a process of its own runs: nothing, unless it is told to.
#[test]
#[ignore = "started by the other test"]
fn part_of_the_suite() {
    let Ok(part) = std::env::var(PART) else { return };
    let (progress, alone) = part.split_once(':').unwrap_or((&part, ""));
    let progress = if progress == "words" { Progress::Words } else { Progress::Queries };
    let start = || {
        let subject = CudaSubject::start(progress).unwrap_or_else(|error| panic!("{error}"));
        let histories = std::env::var(HISTORIES).ok().and_then(|number| number.parse().ok());
        let scale = subject.scale();
        subject.with_scale(Scale { histories: histories.unwrap_or(scale.histories), ..scale })
    };
    println!("{:?}", start().facts());
    let wanted = |case: &StreamCase<CudaSubject>| {
        let wanted = match alone {
            "" => case.leaves == Leaves::ItWorking && is_wanted(case),
            alone => case.name == alone,
        };
        if wanted {
            println!("{}", case.name); // the last one is where it hangs, or crashes
        }
        wanted
    };
    let report = run(wanted, start);
    println!("{report}");
    let failures = report.failures();
    assert!(failures.is_empty(), "{failures:?}");
}
