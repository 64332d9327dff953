//! NVIDIA's CUDA driver passes the streams half of the conformance suite, on the machine's first GPU.
//!
//! `RINGFENCE_CONFORMANCE=driver_3` runs the tests alone whose names hold that; `RINGFENCE_HISTORIES=10000` has so many random task
//! histories tried beyond those of every run, 500 in a process. Without a driver the suite is left out, with a line that says so; with `RINGFENCE_REQUIRE_CUDA=1` that is a
//! failure.
//!
//! It runs in processes of their own: with progress words and without, and one for each test that leaves CUDA unusable.
#![forbid(unsafe_code)]

use std::{io::Write, process::Command};

use ringfence_cuda::{Findings, Progress, Usable};
use ringfence_mock::streams::system::Words;
use ringfence_tests::{
    conformance::streams::{CudaSubject, PART, StreamPart},
    launch,
};

/// Set where CUDA has to be there.
const REQUIRED: &str = "RINGFENCE_REQUIRE_CUDA";

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
    let parts = StreamPart::all::<CudaSubject>();
    let ended: Vec<_> = parts.iter().filter_map(|part| process(part).err()).collect();
    println!("{} processes, {:?}", parts.len(), begun.elapsed());
    assert!(ended.is_empty(), "{}", ended.join("\n"));
}

fn process(part: &StreamPart) -> Result<(), String> {
    let own = std::env::current_exe().expect("this program's own place");
    let mut command = Command::new(own);
    command
        .args(["--exact", "part_of_the_suite", "--ignored", "--nocapture"])
        .env(PART, part.to_string());
    launch::run_to_end(&format!("CUDA, {part}"), command)
}

/// What a process of its own runs: nothing, unless it is told to.
#[test]
#[ignore = "started by the other test"]
fn part_of_the_suite() {
    let Ok(name) = std::env::var(PART) else { return };
    let part = StreamPart::named(&name).unwrap_or_else(|| panic!("{PART}={name} is no part"));
    let progress = match part.words() {
        Words::On => Progress::Words,
        Words::Off => Progress::Queries,
    };
    part.run(|| {
        let subject = CudaSubject::start(progress).unwrap_or_else(|error| panic!("{error}"));
        let scale = part.scale(subject.scale());
        subject.with_scale(scale)
    });
}
