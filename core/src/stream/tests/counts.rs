//! What is counted.

use super::*;

#[test]
fn every_stream_of_a_tally_is_alive() {
    let tally = StreamTally {
        leased: 1,
        draining: 10,
        idle: 100,
        condemned: 1_000,
        creating: 10_000,
        host_bytes: Bytes::new(3),
    };
    assert_eq!(tally.live(), 11_111);
}

#[test]
fn streams_that_are_closed_are_counted_by_their_cause() {
    let counted = |cause| {
        let mut counts = PoolCounts::default();
        counts.closed(cause);
        counts.closed(cause);
        (counts.trimmed, counts.condemned_bad, counts.condemned_captures)
    };
    for cause in [Closed::Trimmed, Closed::Reserved, Closed::Reset, Closed::Disowned] {
        assert_eq!(counted(cause), (2, 0, 0), "{cause:?}");
    }
    for cause in [Closed::Bad, Closed::Lost] {
        assert_eq!(counted(cause), (0, 2, 0), "{cause:?}");
    }
    assert_eq!(counted(Closed::Capture), (0, 0, 2));
}
