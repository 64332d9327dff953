//! Every backend passes the conformance suite.
//!
//! `RINGFENCE_CONFORMANCE=queue_3` runs the tests alone whose names hold that. A runtime that is not there is left
//! out, with a line that says so; of the oldest release, that is a failure with `RINGFENCE_REQUIRE_ROCM=1`.
//! `RINGFENCE_HSA=native` runs the suite on the machine's own GPUs as well.
//!
//! Over the GPU in software everything is started again in processes of its own: one for what leaves the device
//! working, with one GPU and with two, and one for each test that loses it: once because the program says so, and
//! once by a packet that the GPU finds invalid.
#![forbid(unsafe_code)]

mod launch;
mod spoilt;

use launch::{Left, Part, Release, Run};
use ringfence_mock::chooser::Profile;
use ringfence_tests::{
    conformance::{Case, HsaSubject, Leaves, Losing, Machine, MockSubject, Report, cases},
    launch::{Places, left_out},
};
use spoilt::{Flaw, Spoilt};

/// Seeds of each machine, but for one that chooses nothing.
const SEEDS: u64 = 2;

fn is_wanted<S>(case: &Case<S>) -> bool {
    std::env::var("RINGFENCE_CONFORMANCE").map_or(true, |part| case.name.contains(&part))
}

#[test]
fn the_mock_conforms() {
    let mut failed = Vec::new();
    for machine in Machine::all() {
        let seeds = if machine.profile == Profile::Tame { 1 } else { SEEDS };
        for seed in 1..=seeds {
            println!("{machine:?}, seed {seed}");
            let report = Report::run(is_wanted, || MockSubject::start(machine, seed));
            println!("{report}");
            failed.extend(report.failures().into_iter().map(|name| format!("{machine:?}: {name}")));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn rocr_5_2_conforms() {
    conforms(Release { name: "5.2", gfx: "gfx90a" });
}
#[test]
fn rocr_6_1_conforms() {
    conforms(Release { name: "6.1", gfx: "gfx942" });
}
#[test]
fn rocr_6_4_conforms() {
    conforms(Release { name: "6.4", gfx: "gfx942" });
}
#[test]
fn the_machines_own_gpus_conform() {
    if std::env::var("RINGFENCE_HSA").as_deref() != Ok("native") {
        return;
    }
    assert!(std::path::Path::new("/dev/kfd").exists(), "RINGFENCE_HSA=native, without /dev/kfd");
    all_pass(&runs(None, None));
}

/// The release over the GPU in software, with one GPU and with two.
fn conforms(release: Release) {
    let places = match release.find() {
        Ok(places) => places,
        Err(missing) => return left_out("conformance", &release, &missing),
    };
    for gpus in [1, 2] {
        all_pass(&runs(Some(&places), Some(gpus)));
    }
}
/// What is run in processes of its own: what leaves the device working, all together; and each other test.
fn runs(places: Option<&Places>, gpus: Option<u32>) -> Vec<Run<'_>> {
    let all = cases::<HsaSubject>();
    let losing = all.iter().filter(|case| case.leaves == Leaves::ItUnusable && is_wanted(case));
    let by_report = losing.clone().map(|case| Part::One(case.name, Losing::ByReport));
    // Only the GPU in software can be told to find a packet invalid.
    let by_packets = losing
        .filter(|case| places.is_some() && case.name != "device_3_profiler_attaches")
        .map(|case| Part::One(case.name, Losing::ByPackets));
    let working = [Part::Working, Part::Teeth].into_iter();
    let parts = working.chain(by_report).chain(by_packets);
    parts.map(|part| Run { places, gpus, part }).collect()
}
fn all_pass(runs: &[Run<'_>]) {
    let begun = std::time::Instant::now();
    let failed: Vec<_> = runs.iter().filter_map(|run| run.wait().err()).collect();
    println!("{} processes, {:?}", runs.len(), begun.elapsed());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// What a process of its own runs: nothing, unless it is told to.
#[test]
#[ignore = "started by the other tests, over a runtime"]
fn part_of_the_suite() {
    let Some(part) = Part::told() else { return };
    let losing = match &part {
        Left::Working => Losing::ByReport,
        Left::Teeth => return spoilt_backends_fail(),
        Left::One(_, losing) => *losing,
    };
    let start = || HsaSubject::start(losing).unwrap_or_else(|error| panic!("{error}"));
    println!("{}", start().describe());
    let wanted = |case: &Case<HsaSubject>| match &part {
        Left::Working => case.leaves == Leaves::ItWorking && is_wanted(case),
        Left::One(name, _) => case.name == name,
        Left::Teeth => false,
    };
    let report = Report::run(wanted, start);
    println!("{report}");
    let failures = report.failures();
    assert!(failures.is_empty(), "{failures:?}");
}

/// How many runs a flaw has to be noticed: one that spins is told by its time on a processor, of which a loaded machine gives it little.
const TRIES: usize = 50;

/// The tests that only a real device can fail: each fails on one with one thing wrong.
fn spoilt_backends_fail() {
    for (flaw, name) in [
        (Flaw::Spins, "wait_3_blocked_sleeps"),
        (Flaw::ForcesNothing, "wait_4_force_wakes_a_sleeper"),
        (Flaw::OverrunsTheRing, "queue_2_full_ring_waits_for_a_slot"),
    ] {
        let is_noticed = |_| {
            let start = || Spoilt::start(flaw).unwrap_or_else(|error| panic!("{error}"));
            let report = Report::run(|case| case.name == name, start);
            println!("{flaw:?}\n{report}");
            report.failures() == [name]
        };
        assert!((0..TRIES).any(is_noticed), "{flaw:?}");
    }
}
