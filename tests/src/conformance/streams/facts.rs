//! What is true of a driver, and what tests need of it: without it, there is nothing to test.

use ringfence_mock::streams::{
    profile::{BlockingCapture, CapturedFree, CapturingQuery, DriverRules, SelfWait, StaleRule},
    system::Words,
};

use super::super::Drive;

/// Whether a subject can bring something about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Can {
    /// It can.
    Yes,
    /// It cannot: the tests that need it have nothing to test.
    No,
}

/// How much of a thing the suite does: real drivers are slower than the mock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scale {
    /// Streams that are alive at once in the test of many.
    pub streams: usize,
    /// Tasks, one after another, in the test of many.
    pub tasks: usize,
    /// Random task histories.
    pub histories: u32,
    /// The seed of the first; the others follow it.
    pub seed: u64,
}
impl Default for Scale {
    fn default() -> Self {
        Self { streams: 256, tasks: 1_000, histories: 200, seed: 1 }
    }
}

/// What is true of a driver.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StreamFacts {
    /// Its name and version, for the reader.
    pub driver: &'static str,
    /// What its calls do, as it declares: `rules_` tests compare with this row.
    pub rules: DriverRules,
    /// Whether it has progress words.
    pub words: Words,
    /// So many streams, alive at once and created one after another, surely run beside each other: hardware
    /// queues of one priority class. 3 suffice for every test.
    pub independent: usize,
    /// Who makes the device go on: where time is virtual, a call that must not block takes none of it.
    pub drive: Drive,
    /// Whether a stream can be put in error.
    pub spoil: Can,
    /// Whether the device can be lost.
    pub loss: Can,
    /// Whether there is memory that no stream's order knows of.
    pub plain_memory: Can,
    /// Whether a block that its stream got again can be freed at once, while its last free is still behind work that is
    /// not finished: else the free waits on the host.
    pub free_again: Can,
    /// How much is done.
    pub scale: Scale,
}

/// The tests that have nothing to test on a driver, each with the reason.
pub fn cannot_on_streams(facts: &StreamFacts) -> Vec<(&'static str, &'static str)> {
    let StreamFacts { rules, words, independent, spoil, loss, plain_memory, free_again, .. } =
        *facts;
    let invalidates = rules.capturing_query == CapturingQuery::Invalidates;
    let rows: [(bool, &'static str, &[&'static str]); 10] = [
        (
            free_again == Can::No,
            "a free waits for the block's last one",
            &["memory_2_used_again_in_order"],
        ),
        (words == Words::Off, "no progress words", WORDS),
        (words == Words::On, "there are progress words", &["progress_1_says_that_there_is_none"]),
        (independent < 2, "streams may run one after another", TWO_BESIDE),
        (independent < 3, "two streams beside each other at most", THREE_BESIDE),
        (spoil == Can::No, "no stream can be put in error", &["pool_stream_in_error_is_retired"]),
        (loss == Can::No, "the device cannot be lost", LOSS),
        (
            plain_memory == Can::No,
            "no memory outside a stream's order",
            &["memory_3_free_of_plain_memory"],
        ),
        (
            rules.blocking_capture == BlockingCapture::Allows,
            "a free beside a capture is never refused",
            &["memory_2_refused_free_frees_nothing", "pool_refused_free_is_made_again"],
        ),
        (
            !invalidates,
            "nothing that the traits have invalidates a capture",
            &["rules_invalidated_capture"],
        ),
    ];
    let stale = (
        rules.stale == StaleRule::Crashes,
        "a stale handle is a crash",
        &["rules_stale_handle_is_reported"][..],
    );
    let itself = (
        rules.self_wait == SelfWait::Crashes,
        "a wait for itself in a capture is a crash",
        &["rules_wait_for_itself"][..],
    );
    let mut all: Vec<(&str, &str)> = Vec::new();
    for (_, why, names) in rows.into_iter().chain([stale, itself]).filter(|&(lacks, ..)| lacks) {
        let new = names.iter().filter(|&&name| all.iter().all(|&(known, _)| known != name));
        let new: Vec<_> = new.map(|&name| (name, why)).collect();
        all.extend(new);
    }
    all
}

/// Whether launching a graph with a free of foreign memory in it would be a crash.
pub(super) fn launch_crashes(rule: CapturedFree) -> bool {
    rule == CapturedFree::Node
}

const WORDS: &[&str] = &[
    "progress_1_begins_at_the_start",
    "progress_1_words_differ",
    "progress_2_reached_behind_the_work",
    "progress_2_positions_rise",
    "progress_2_marks_of_an_idle_stream",
    "progress_2_positions_may_be_left_out",
    "progress_2_covers_waits",
    "progress_2_covers_graphs",
    "progress_2_on_several_threads",
    "progress_3_what_was_written_is_visible",
    "progress_3_never_blocks",
    "progress_3_disturbs_no_capture",
    "progress_4_waits_until_it_is_reached",
    "progress_4_stops_at_its_limit",
    "progress_4_of_what_is_reached",
    "progress_5_closed_and_opened_again",
    "work_2_failed_work_is_before_the_next_mark",
    "rules_mark_in_a_capture",
];
const TWO_BESIDE: &[&str] = &[
    "driver_2_leaves_the_others_alone",
    "driver_4_of_one_stream_alone",
    "events_3_recorded_again_forgets",
    "events_4_holds_back_later_work_alone",
    "events_4_is_a_snapshot",
    "events_4_is_not_loosened_by_a_later_record",
    "events_4_waits_add_up",
    "capture_3_waits_hold_a_launch_up",
];
const THREE_BESIDE: &[&str] =
    &["events_4_is_not_loosened_by_a_later_record", "events_4_waits_add_up"];
const LOSS: &[&str] = &["platform_1_lost_for_ever", "pool_of_a_lost_device_says_so"];
