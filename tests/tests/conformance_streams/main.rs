//! Every backend of streams passes the streams half of the conformance suite.
//!
//! `RINGFENCE_CONFORMANCE=driver_3` runs the tests alone whose names hold that.
#![forbid(unsafe_code)]

use ringfence_tests::conformance::streams::{MockDriver, StreamCase, StreamMock, run};

fn is_wanted<S>(case: &StreamCase<S>) -> bool {
    std::env::var("RINGFENCE_CONFORMANCE").map_or(true, |part| case.name.contains(&part))
}

#[test]
fn the_mocks_conform() {
    let mut failed = Vec::new();
    for which in MockDriver::all() {
        println!("{which:?}");
        let report = run(is_wanted, || StreamMock::start(which));
        println!("{report}");
        failed.extend(report.failures().into_iter().map(|name| format!("{which:?}: {name}")));
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
