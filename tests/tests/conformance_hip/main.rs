//! AMD's HIP passes both halves of the conformance suite, over the GPU in software: its streams, and a ring on them.
//!
//! `RINGFENCE_CONFORMANCE=driver_3` runs the tests alone whose names hold that. A release that is not there is left out,
//! with a line that says so; of the oldest, that is a failure with `RINGFENCE_REQUIRE_ROCM=1`. `RINGFENCE_HIP=native` runs the
//! suite on the machine's own GPU as well; `RINGFENCE_HISTORIES=10000` sets how many random task histories are tried beyond those of
//! every run, [`A_PROCESS`] of them in a process, each with a seed of its own.
//!
//! Each release is run in processes of its own: with progress words and without, and one for each test that leaves HIP unusable.
#![forbid(unsafe_code)]

use std::process::Command;

use ringfence_hip::Progress;
use ringfence_tests::{
    conformance::{
        Case, HipRing, Leaves, Report, cases,
        streams::{HipSubject, Scale, StreamCase, StreamSubject, run, stream_cases},
    },
    launch::{self, Places, Release, left_out},
};

/// What tells a process its part: `words`, `queries` or `signals`, and the test if it runs one alone.
const PART: &str = "RINGFENCE_CONFORMANCE_PART";
/// The part that is about a ring on streams.
const SIGNALS: &str = "signals";
/// How many random task histories, beyond those of every run.
const HISTORIES: &str = "RINGFENCE_HISTORIES";
/// Random task histories of one process: HIP gets slower with what it has seen.
const A_PROCESS: u32 = 500;
/// The test that tries them.
const OF_HISTORIES: &str = "pool_random_histories";
/// The part that is that test alone, with a seed.
const SEEDED: &str = "histories";

fn is_wanted<S>(case: &StreamCase<S>) -> bool {
    std::env::var("RINGFENCE_CONFORMANCE").map_or(true, |part| case.name.contains(&part))
}

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
    let alone = stream_cases::<HipSubject>();
    let alone = alone.iter().filter(|case| case.leaves == Leaves::ItUnusable && is_wanted(case));
    let mut parts = ["words", "queries", SIGNALS].map(str::to_owned).to_vec();
    let losing = cases::<HipRing>();
    let losing = losing.iter().filter(|case| case.leaves == Leaves::ItUnusable);
    parts.extend(losing.map(|case| format!("{SIGNALS}:{}", case.name)));
    parts.extend(alone.map(|case| format!("words:{}", case.name)));
    let histories = std::env::var(HISTORIES).ok().and_then(|number| number.parse().ok());
    let seeds = 1..=histories.map_or(0, |number: u32| number.div_ceil(A_PROCESS));
    parts.extend(seeds.map(|seed| format!("{SEEDED}:{seed}")));
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
    let Ok(part) = std::env::var(PART) else { return };
    let (progress, mut alone) = part.split_once(':').unwrap_or((&part, ""));
    if progress == SIGNALS {
        return signals(alone);
    }
    // Histories take turns: with words, and without.
    let seed = (progress == SEEDED).then(|| alone.parse::<u64>().expect("a seed"));
    let progress = match (progress, seed) {
        (_, Some(seed)) if seed % 2 == 0 => Progress::Queries,
        ("queries", _) => Progress::Queries,
        _ => Progress::Words,
    };
    alone = if seed.is_some() { OF_HISTORIES } else { alone };
    let start = || {
        let subject = HipSubject::start(progress).unwrap_or_else(|error| panic!("{error}"));
        let scale = subject.scale();
        subject.with_scale(seed.map_or(scale, |seed| Scale {
            histories: A_PROCESS,
            // The others follow the first.
            seed: seed * u64::from(A_PROCESS),
            ..scale
        }))
    };
    println!("{:?}", start().facts());
    let wanted = |case: &StreamCase<HipSubject>| {
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

/// The signals half, on a retirement ring's queues on streams.
fn signals(alone: &str) {
    let start = || HipRing::start().unwrap_or_else(|error| panic!("{error}"));
    let wanted = |case: &Case<HipRing>| {
        let part = std::env::var("RINGFENCE_CONFORMANCE").unwrap_or_default();
        let wanted = match alone {
            "" => case.leaves == Leaves::ItWorking && case.name.contains(&part),
            alone => case.name == alone,
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
