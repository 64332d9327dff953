//! AMD's HIP passes both halves of the conformance suite, over the GPU in software: its streams, and a ring on them.
//!
//! `RINGFENCE_CONFORMANCE=driver_3` runs the tests alone whose names hold that. A release that is not there is left out,
//! with a line that says so; of the oldest, that is a failure with `RINGFENCE_REQUIRE_ROCM=1`. `RINGFENCE_HIP=native` runs the
//! suite on the machine's own GPU as well; `RINGFENCE_HISTORIES=10000` has so many random task histories tried beyond
//! those of every run, 500 in a process, each with a seed of its own.
//!
//! Each release is run in processes of its own: with progress words and without, and one for each test that leaves HIP unusable.
#![forbid(unsafe_code)]

use std::process::Command;

use ringfence_hip::Progress;
use ringfence_mock::streams::system::Words;
use ringfence_tests::{
    conformance::{
        Case, HipRing, Leaves, Report, cases,
        streams::{HipSubject, PART, StreamPart, is_wanted},
    },
    launch::{self, Places, Release, left_out},
};

/// What a part about a ring on streams begins with; behind it, the test if it runs one alone.
const SIGNALS: &str = "signals";

#[test]
fn hip_5_2_conforms() {
    conforms(Release { name: "5.2", gfx: "gfx90a" });
}
/// HIP 5.7.1, beside ROCr 6.1.
#[test]
fn hip_5_7_conforms() {
    conforms(Release { name: "6.1", gfx: "gfx942" });
}
#[test]
fn hip_6_4_conforms() {
    conforms(Release { name: "6.4", gfx: "gfx942" });
}
#[test]
fn the_machines_own_hip_conforms() {
    if std::env::var("RINGFENCE_HIP").as_deref() == Ok("native") {
        assert!(
            std::path::Path::new("/dev/kfd").exists(),
            "RINGFENCE_HIP=native, without /dev/kfd"
        );
        all_pass(None);
    }
}

fn conforms(release: Release) {
    match release.find() {
        Ok(places) => all_pass(Some(&places)),
        Err(missing) => left_out("conformance of streams", &release, &missing),
    }
}

fn all_pass(places: Option<&Places>) {
    let begun = std::time::Instant::now();
    let mut parts: Vec<_> =
        StreamPart::all::<HipSubject>().iter().map(ToString::to_string).collect();
    parts.push(SIGNALS.to_owned());
    let losing = cases::<HipRing>();
    let losing = losing.iter().filter(|case| case.leaves == Leaves::ItUnusable);
    let losing = losing.filter(|case| is_wanted(case.name));
    parts.extend(losing.map(|case| format!("{SIGNALS}:{}", case.name)));
    let ended: Vec<_> = parts.iter().filter_map(|part| process(places, part).err()).collect();
    println!("{} processes, {:?}", parts.len(), begun.elapsed());
    assert!(ended.is_empty(), "{}", ended.join("\n"));
}

fn process(places: Option<&Places>, part: &str) -> Result<(), String> {
    let own = || Command::new(std::env::current_exe().expect("this program's own place"));
    let mut command = places.map_or_else(own, Places::command);
    command.args(["--exact", "part_of_the_suite", "--ignored", "--nocapture"]).env(PART, part);
    if part.starts_with(SIGNALS) {
        // A stream that waits holds up every other of its hardware queue, of which there are 4: a test that opens a gate by
        // work of another stream would never end.
        command.env("GPU_MAX_HW_QUEUES", "24");
    }
    let runtime = places.map_or("the machine's own", Places::name);
    launch::run_to_end(&format!("HIP of ROCm {runtime}, {part}"), command)
}

/// What a process of its own runs: nothing, unless it is told to.
#[test]
#[ignore = "started by the other tests, over a runtime"]
fn part_of_the_suite() {
    let Ok(name) = std::env::var(PART) else { return };
    let Some(part) = StreamPart::named(&name) else {
        return signals(name.split_once(':').map(|(_, alone)| alone));
    };
    let progress = match part.words() {
        Words::On => Progress::Words,
        Words::Off => Progress::Queries,
    };
    part.run(|| {
        let subject = HipSubject::start(progress).unwrap_or_else(|error| panic!("{error}"));
        let scale = part.scale(subject.scale());
        subject.with_scale(scale)
    });
}

/// The signals half, on a retirement ring's queues on streams: one test alone, or all that leave HIP usable.
fn signals(alone: Option<&str>) {
    let start = || HipRing::start().unwrap_or_else(|error| panic!("{error}"));
    let wanted = |case: &Case<HipRing>| {
        let wanted = match alone {
            None => case.leaves == Leaves::ItWorking && is_wanted(case.name),
            Some(alone) => case.name == alone,
        };
        if wanted {
            println!("{}", case.name);
        }
        wanted
    };
    let report = Report::run(wanted, start);
    println!("{report}");
    let failures = report.failures();
    assert!(failures.is_empty(), "{failures:?}");
}
