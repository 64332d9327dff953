//! Every test of the conformance suite can fail: backends with one thing wrong each fail exactly the tests that
//! are named here, and every test is named at least once.
//!
//! A test that looks at what nearly everything depends on (kernels that complete, signals that fall) is named by
//! flaws that many tests notice.
#![forbid(unsafe_code)]

mod device;
mod engine;
mod expected;
mod flaw;
mod queue;
mod subject;

use std::collections::BTreeSet;

use expected::{DEVICE, ENGINES, Expected, HOST, PACKETS, QUEUES};
use ringfence_tests::conformance::{HsaSubject, Report, cases};
use subject::Broken;

/// What only threads and real time can show: the mock has neither. `conformance/spoilt.rs` has them fail on a real
/// runtime.
const OF_REAL_DEVICES: [&str; 3] =
    ["wait_3_blocked_sleeps", "wait_4_force_wakes_a_sleeper", "queue_2_full_ring_waits_for_a_slot"];

/// Each flaw is caught by these tests, and by no others.
fn are_caught(all: &[Expected]) {
    let mut wrong = Vec::new();
    for &(flaw, expected) in all {
        let report = Report::run(|_| true, || Broken::start(flaw));
        let failed = report.failures();
        if failed != expected {
            let lines = report.lines.iter().filter(|line| line.outcome.is_failure());
            let lines: String = lines.map(|line| format!("\n    {line}")).collect();
            wrong.push(format!("{flaw:?} should be caught by {expected:?}, and is by{lines}"));
        }
        println!("{flaw:?}: {} tests", failed.len());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn flaws_of_devices_and_signals_are_caught() {
    are_caught(DEVICE);
}
#[test]
fn flaws_of_waits_and_timestamps_are_caught() {
    are_caught(HOST);
}
#[test]
fn flaws_of_queues_are_caught() {
    are_caught(QUEUES);
}
#[test]
fn flaws_of_packets_are_caught() {
    are_caught(PACKETS);
}
#[test]
fn flaws_of_copies_and_handlers_are_caught() {
    are_caught(ENGINES);
}

#[test]
fn every_test_catches_something() {
    let tables = [DEVICE, HOST, QUEUES, PACKETS, ENGINES].concat();
    let named: BTreeSet<_> = tables.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let all = cases::<HsaSubject>();
    let never: Vec<_> =
        all.iter().map(|case| case.name).filter(|name| !named.contains(name)).collect();
    assert_eq!(never, OF_REAL_DEVICES);
}
