//! Declared rules with one thing wrong, and the tests that fail by it.

use super::Expected;
use crate::flaw::{Column, Flaw};

pub(crate) const RULES: &[Expected] = &[
    (
        Flaw::Declares(Column::Query),
        &[
            "rules_query_of_another_stream",
            "rules_query_of_a_stream_that_captured_before",
            "rules_event_of_another_stream",
            "rules_destroy_by_another_thread_than_captures",
        ],
    ),
    (
        Flaw::Declares(Column::QueryConsequence),
        &["rules_query_of_another_stream", "rules_query_of_a_stream_that_captured_before"],
    ),
    (Flaw::Declares(Column::CapturingQuery), &["rules_query_of_the_capturing_stream"]),
    (Flaw::Declares(Column::CapturedFree), &["rules_free_in_a_capture"]),
    (Flaw::Declares(Column::CapturedAllocation), &["rules_allocation_in_a_capture"]),
    (Flaw::Declares(Column::BlockingCapture), &["rules_free_beside_a_blocking_capture"]),
    (Flaw::Declares(Column::Destroy), &["rules_destroy_with_work_pending"]),
    (Flaw::Declares(Column::OrphanedCapture), &["rules_destroy_by_another_thread_than_captures"]),
    (Flaw::Declares(Column::Stale), &["rules_stale_handle_is_reported"]),
    (
        Flaw::Declares(Column::Event),
        &[
            "rules_event_of_another_stream",
            "rules_event_of_a_capturing_stream",
            "rules_event_of_a_capture",
            "rules_event_of_a_handle_used_again",
        ],
    ),
    (Flaw::Declares(Column::EventAfterStream), &["rules_event_after_its_stream"]),
    (Flaw::Declares(Column::OldEventWait), &["rules_wait_for_an_old_event"]),
    (Flaw::Declares(Column::OutsideWait), &["rules_wait_for_an_outside_event"]),
    (Flaw::Declares(Column::SelfWait), &["rules_wait_for_itself"]),
    (Flaw::Declares(Column::Merge), &["rules_wait_between_two_captures"]),
    (Flaw::Declares(Column::CapturedMark), &["rules_mark_in_a_capture"]),
    (
        Flaw::Declares(Column::Unjoined),
        &["rules_end_with_loose_ends", "rules_end_without_the_only_work"],
    ),
    (Flaw::Declares(Column::SecondEnd), &["rules_second_end_of_an_unjoined_capture"]),
    (Flaw::Declares(Column::StrayEnd), &["capture_2_on_another_thread_is_refused"]),
    (Flaw::Declares(Column::BrokenEnd), &["rules_invalidated_capture"]),
    (Flaw::Declares(Column::JoinedFork), &["rules_stream_that_joined_a_capture"]),
    (Flaw::Declares(Column::EndOfNothing), &["rules_end_of_nothing"]),
    (Flaw::Declares(Column::CapturedLaunch), &["rules_launch_in_a_capture"]),
];
