//! Every backend passes the conformance suite.

use ringfence_mock::chooser::Profile;
use ringfence_tests::conformance::{Case, Machine, MockSubject, Report};

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
