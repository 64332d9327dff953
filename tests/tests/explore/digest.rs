//! A field that digests leave out is noticed: 1 visit in 64 of a state that was met before expands it again.

use ringfence_mock::explore::{Bounds, Digested, Options, Until, Verdict, explore};

use crate::scenarios;

#[test]
fn a_field_that_digests_leave_out_is_noticed() {
    let scenarios = scenarios("explore");
    for (without, file) in [
        (Digested::Machine, "two_queues.toml"),
        (Digested::Trackers, "two_streams_on_one_queue.toml"),
    ] {
        let bounds = Bounds { states: 4_000, ..Bounds::default() };
        let options = Options {
            without: Some(without),
            until: Until::Exhausted,
            bounds,
            ..Options::default()
        };
        let explored = explore(&scenarios[file], &options).expect("it can be searched");
        let figures = explored.figures;
        println!("without {without:?}, {file}: {} of {}", figures.differing, figures.rechecked);
        assert!(matches!(explored.verdict, Verdict::Unsound), "without {without:?}: {figures:?}");
    }
}
