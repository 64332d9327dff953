//! Host waits and timestamps with one thing wrong, and the tests that fail by it.

use super::Expected;
use crate::flaw::Flaw;

pub(crate) const HOST: &[Expected] = &[
    (
        Flaw::WaitsForNothing,
        &[
            "wait_1_reached",
            "wait_1_reached_with_its_value",
            "wait_1_times_out",
            "wait_1_ends_when_the_device_is_lost",
            "wait_2_loads_before_it_sleeps",
            "tracker_bursts_on_a_small_ring",
            "tracker_events_order_streams",
            "tracker_events_order_devices",
            "tracker_copies_follow_kernels",
            "tracker_timed_work_has_its_interval",
            "tracker_blocking_events_are_honest",
            "tracker_four_producers_on_four_queues",
            "tracker_four_producers_on_one_queue",
        ],
    ),
    (
        Flaw::GivesUpAtOnce,
        &[
            "wait_1_reached",
            "wait_1_reached_with_its_value",
            "wait_1_times_out",
            "wait_1_ends_when_the_device_is_lost",
            "wait_3_blocked_wakes",
            "wait_3_interrupts_run_out",
            "devices_are_waited_for_on_the_host",
            "tracker_bursts_on_a_small_ring",
            "tracker_events_order_streams",
            "tracker_events_order_devices",
            "tracker_copies_follow_kernels",
            "tracker_timed_work_has_its_interval",
            "tracker_blocking_events_are_honest",
            "tracker_four_producers_on_four_queues",
            "tracker_four_producers_on_one_queue",
        ],
    ),
    (
        Flaw::TimesOutAsReached,
        &[
            "wait_1_times_out",
            "wait_2_loads_before_it_sleeps",
            "tracker_events_order_streams",
            "tracker_events_order_devices",
            "tracker_copies_follow_kernels",
            "tracker_timed_work_has_its_interval",
            "tracker_blocking_events_are_honest",
            "tracker_four_producers_on_four_queues",
            "tracker_four_producers_on_one_queue",
        ],
    ),
    (Flaw::SleepsFirst, &["wait_2_loads_before_it_sleeps", "wait_4_force_stores_zero"]),
    (Flaw::WakesLate, &["wait_1_ends_when_the_device_is_lost", "wait_3_blocked_wakes"]),
    (Flaw::WaitsForTheLost, &["wait_1_ends_when_the_device_is_lost"]),
    (Flaw::ReachesZero, &["wait_1_reached_with_its_value"]),
    (Flaw::ForcesNothing, &["wait_4_force_stores_zero"]),
    (Flaw::ForcesForGood, &["wait_4_force_stores_zero"]),
    (Flaw::StampsWithoutAClock, &["timestamps_2_none_without_a_clock"]),
    (
        Flaw::StampsReversed,
        &[
            "timestamps_1_make_an_interval",
            "timestamps_1_are_in_order",
            "timestamps_1_are_of_the_last_use",
            "timestamps_1_of_barrier_packets",
            "timestamps_1_of_copies",
            "tracker_timed_work_has_its_interval",
        ],
    ),
    (
        Flaw::StampsStay,
        &["timestamps_1_are_of_the_last_use", "tracker_timed_work_has_its_interval"],
    ),
    (Flaw::StampsOfTheOtherEngine, &["timestamps_1_of_copies"]),
    (Flaw::RateChanges, &["timestamps_1_make_an_interval", "timestamps_2_rate_never_changes"]),
    (Flaw::RateIsWrong, &["timestamps_1_make_an_interval", "timestamps_1_of_copies"]),
];
