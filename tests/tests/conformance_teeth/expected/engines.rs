//! Copy engines and handlers with one thing wrong, and the tests that fail by it.

use super::Expected;
use crate::flaw::Flaw;

pub(crate) const ENGINES: &[Expected] = &[
    (Flaw::EngineIsAQueue, &["queue_1_identities_differ", "tracker_copies_follow_kernels"]),
    (Flaw::TicketsRepeat, &["copies_2_tickets_increase", "tracker_copies_follow_kernels"]),
    (
        Flaw::CompletesBeforeItMoved,
        &[
            "signals_3_load_acquires_what_was_written",
            "timestamps_1_of_copies",
            "copies_3_move_the_data_first",
            "copies_3_wait_for_every_signal",
            "copies_3_wait_for_kernels",
            "copies_3_decrement_in_device_memory",
            "devices_copies_wait_for_each_other",
            "tracker_copies_follow_kernels",
        ],
    ),
    (
        Flaw::PartsDecrementTwice,
        &[
            "signals_3_load_acquires_what_was_written",
            "signals_6_flushed_to_a_copy_engine",
            "signals_6_flushed_from_device_memory_to_a_copy_engine",
            "timestamps_1_of_copies",
            "copies_3_move_the_data_first",
            "copies_3_wait_for_every_signal",
            "copies_3_wait_for_kernels",
            "copies_3_parts_decrement_once",
            "copies_3_refuse_what_they_cannot_decrement",
            "devices_copies_wait_for_each_other",
            "tracker_copies_follow_kernels",
        ],
    ),
    (
        Flaw::CopiesAtOnce,
        &[
            "signals_6_flushed_to_a_copy_engine",
            "signals_6_flushed_from_device_memory_to_a_copy_engine",
            "copies_1_hold_no_queue_back",
            "copies_3_wait_for_every_signal",
            "copies_3_wait_for_kernels",
            "devices_copies_wait_for_each_other",
        ],
    ),
    (Flaw::CopiesAfterTheFirst, &["copies_3_wait_for_every_signal"]),
    (Flaw::CopiesWhenLost, &["copies_3_nothing_on_a_lost_device"]),
    (Flaw::RefusesSilently, &["copies_3_refuse_what_they_cannot_decrement"]),
    (
        Flaw::TellsTwice,
        &[
            "handlers_1_report_once",
            "handlers_1_report_what_is_over",
            "handlers_1_report_many",
            "handlers_1_report_to_several",
            "handlers_1_report_in_any_order",
            "handlers_1_report_a_loss",
            "handlers_1_refuse_what_wakes_nobody",
        ],
    ),
    (
        Flaw::TellsAtOnce,
        &[
            "handlers_1_report_once",
            "handlers_1_report_to_several",
            "handlers_1_report_in_any_order",
            "handlers_1_report_a_loss",
        ],
    ),
    (
        Flaw::TellsNever,
        &[
            "handlers_1_report_once",
            "handlers_1_report_what_is_over",
            "handlers_1_report_many",
            "handlers_1_report_to_several",
            "handlers_1_report_in_any_order",
            "handlers_1_report_a_loss",
            "handlers_1_refuse_what_wakes_nobody",
        ],
    ),
    (Flaw::TellsNoLoss, &["handlers_1_report_a_loss"]),
    (Flaw::TellsInOrder, &["handlers_1_report_in_any_order"]),
];
