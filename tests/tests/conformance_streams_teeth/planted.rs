//! Pools with one of their rules broken on purpose: `cargo test -p ringfence-tests --features planted`.
//!
//! The faults that are not here show in counts, locks or threads: scenarios and random programs catch those.

use ringfence::plant::{self, Fault};
use ringfence_mock::streams::{profile::DriverProfile, system::Words};
use ringfence_tests::conformance::streams::{MockDriver, StreamMock, run};

const fn on(profile: DriverProfile, words: Words) -> MockDriver {
    MockDriver { profile, words }
}

/// A broken rule of the pool, the driver that shows it, and the tests that fail by it.
const PLANTED: &[(Fault, MockDriver, &[&str])] = &[
    (
        Fault::LeaseBeforeDone,
        on(DriverProfile::Hip57, Words::On),
        &[
            "pool_pending_streams_are_not_recycled",
            "pool_tasks_that_do_not_wait",
            "pool_memory_is_used_again",
            "pool_random_histories",
        ],
    ),
    (
        Fault::KeepGeneration,
        on(DriverProfile::Hip57, Words::On),
        &["pool_finished_streams_are_recycled"],
    ),
    (
        Fault::WaitForOldTenancy,
        on(DriverProfile::Hip57, Words::On),
        &["pool_finished_work_is_not_waited_for", "pool_random_histories"],
    ),
    (
        Fault::FreeOnRecycled,
        on(DriverProfile::Clr2024, Words::Off),
        &["pool_foreign_free_while_the_new_owner_captures"],
    ),
    (
        Fault::DropRefusedFree,
        on(DriverProfile::ClrNew, Words::On),
        &["pool_refused_free_is_made_again"],
    ),
    (
        Fault::ForgetAllocation,
        on(DriverProfile::Hip57, Words::On),
        &["pool_memory_is_first_used_on_another_stream"],
    ),
    (
        Fault::QueryWithoutGuard,
        on(DriverProfile::Clr2024, Words::Off),
        &[
            "pool_graph_has_the_owners_work_alone",
            "pool_abandoned_capture_is_never_handed_out",
            "pool_random_histories",
        ],
    ),
    (
        Fault::QueryBeforeStatus,
        on(DriverProfile::Clr2024, Words::Off),
        &[
            "pool_abandoned_capture_is_never_handed_out",
            "pool_streams_left_capturing_do_not_pile_up",
        ],
    ),
    (
        Fault::HandOutCapturing,
        on(DriverProfile::Hip57, Words::On),
        &["pool_abandoned_capture_is_never_handed_out"],
    ),
    (
        Fault::DestroyBusy,
        on(DriverProfile::Hip57, Words::On),
        &["pool_abandoned_capture_is_never_handed_out"],
    ),
    (
        Fault::ReleaseOnCancel,
        on(DriverProfile::Hip57, Words::On),
        &["pool_buffers_stay_until_the_work_is_finished"],
    ),
    (
        Fault::WrapMakesAnother,
        on(DriverProfile::Hip57, Words::On),
        &["pool_equal_handle_is_the_same_stream"],
    ),
    (
        Fault::TrustVoidWord,
        on(DriverProfile::Hip57, Words::On),
        &[
            "pool_exposed_streams_are_recycled_when_finished",
            "pool_stream_in_error_is_retired",
            "pool_abandoned_capture_is_never_handed_out",
        ],
    ),
    (
        Fault::MarkWhileCapturing,
        on(DriverProfile::Hip57, Words::On),
        &[
            "pool_foreign_free_while_the_new_owner_captures",
            "pool_foreign_free_while_the_live_owner_captures",
            "pool_free_on_another_thread_beside_a_capture",
            "pool_graph_has_the_owners_work_alone",
            "pool_capture_behind_pending_work",
            "pool_others_follow_work_before_a_capture",
            "pool_capture_with_forks",
            "pool_failed_capture_retires_its_stream",
            "pool_streams_left_capturing_do_not_pile_up",
            "pool_graph_pins_its_memory",
            "pool_graph_dropped_while_it_runs",
            "pool_graphs_on_many_streams",
            "pool_random_histories",
        ],
    ),
];

/// What of pools fails, the tests aside whose threads run at once.
fn failures(driver: MockDriver) -> Vec<String> {
    let wanted = |name: &str| name.starts_with("pool_") && !crate::is_racy(name);
    let report = run(|case| wanted(case.name), || StreamMock::start(driver));
    report.failures().into_iter().map(ToOwned::to_owned).collect()
}

#[test]
fn broken_rules_of_a_pool_are_caught() {
    let mut wrong = Vec::new();
    for &(fault, driver, expected) in PLANTED {
        let failed = plant::with(fault, || failures(driver));
        if failed != expected {
            wrong.push(format!("{fault:?} should be caught by {expected:?}, and is by {failed:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
