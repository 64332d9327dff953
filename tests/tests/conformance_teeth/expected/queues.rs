//! Queues with one thing wrong, and the tests that fail by it.

use super::Expected;
use crate::flaw::Flaw;

pub(crate) const QUEUES: &[Expected] = &[
    (
        Flaw::OneLane,
        &[
            "queue_1_identities_differ",
            "tracker_events_order_streams",
            "tracker_events_order_devices",
        ],
    ),
    (
        Flaw::IndicesSkip,
        &[
            "queue_2_consecutive_indices",
            "queue_2_consecutive_under_four_threads",
            "queue_2_takes_its_capacity_at_once",
            "queue_2_full_ring_pushes_back",
            "queue_5_read_index_never_goes_back",
            "queue_6_settled_says_what_is_published",
        ],
    ),
    (
        Flaw::IndicesRepeat,
        &[
            "queue_2_consecutive_indices",
            "queue_2_consecutive_under_four_threads",
            "queue_2_takes_its_capacity_at_once",
            "queue_3_packets_in_index_order",
            "queue_3_written_in_any_order",
            "queue_4_one_bell_for_all",
            "queue_4_bells_in_any_order",
            "tracker_bursts_on_a_small_ring",
        ],
    ),
    (Flaw::RingIsOverrun, &["queue_2_takes_its_capacity_at_once", "queue_2_full_ring_pushes_back"]),
    (
        Flaw::CapacityUnsaid,
        &["queue_2_takes_its_capacity_at_once", "tracker_bursts_on_a_small_ring"],
    ),
    (Flaw::WaitsForTheLostRing, &["queue_2_returns_at_once_on_a_lost_device"]),
    (Flaw::SeenOutOfOrder, &["queue_3_packets_in_index_order", "queue_3_written_in_any_order"]),
    (
        Flaw::BellForOne,
        &[
            "queue_2_consecutive_indices",
            "queue_2_consecutive_under_four_threads",
            "queue_2_takes_its_capacity_at_once",
            "queue_3_packets_in_index_order",
            "queue_3_written_in_any_order",
            "queue_3_nothing_is_a_packet",
            "queue_4_one_bell_for_all",
            "queue_4_bells_in_any_order",
            "queue_6_settled_says_what_is_published",
            "tracker_bursts_on_a_small_ring",
        ],
    ),
    (
        Flaw::ReadIndexGoesBack,
        &["queue_2_full_ring_pushes_back", "queue_5_read_index_never_goes_back"],
    ),
    (Flaw::ReadIndexPasses, &["queue_5_read_index_never_goes_back"]),
    (Flaw::SettledTooEarly, &["queue_6_settled_says_what_is_published"]),
    (
        Flaw::SettledNever,
        &[
            "queue_6_settled_says_what_is_published",
            "tracker_device_signal_loop",
            "tracker_four_producers_on_four_queues",
            "tracker_four_producers_on_one_queue",
        ],
    ),
];
