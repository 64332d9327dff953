//! The baselines.

use std::num::NonZeroU32;

use super::*;

#[test]
fn fresh_drop_creates_for_each_and_lets_go_at_once() {
    let mut bench = Bench::with_policy(PoolOptions::default(), Box::new(FreshDrop));
    for round in 0..3 {
        let lease = bench.fresh(key());
        assert_eq!(lease.id(), StreamId::new(round));
        drop(lease);
        let _tally = bench.tally(); // takes in what came back
        assert_eq!(bench.reap().len(), 1);
    }
}

#[test]
fn fresh_deferred_keeps_them_up_to_its_limit() {
    let limit = NonZeroU32::new(3).expect("3");
    let mut bench = Bench::with_policy(PoolOptions::default(), Box::new(FreshDeferred { limit }));
    for _ in 0..3 {
        drop(bench.fresh(key()));
    }
    assert!(matches!(bench.claim(key()), Claim::Reap));
    assert_eq!(bench.reap().len(), 3);
    let _three: Vec<_> = (0..3).map(|_| bench.fresh(key())).collect();
    assert!(matches!(bench.claim(key()), Claim::Short(Shortage::Full { live: 3, cap: 3 })));
}

#[test]
fn round_robin_shares_and_never_raises_a_generation() {
    let streams = NonZeroU32::new(2).expect("2");
    let mut bench = Bench::with_policy(PoolOptions::default(), Box::new(RoundRobin { streams }));
    let (a, b) = (bench.fresh(key()), bench.fresh(key()));
    let Claim::Share(c) = bench.claim(key()) else { panic!("both exist") };
    let Claim::Share(d) = bench.claim(key()) else { panic!("both exist") };
    let mut ids = [a.id(), b.id(), c.id(), d.id()];
    ids.sort();
    assert_eq!(ids, [0, 0, 1, 1].map(StreamId::new));
    assert!([&a, &b, &c, &d].iter().all(|lease| lease.stream().generation() == Generation::FIRST));
    let counts = bench.pool.counts();
    assert_eq!((counts.shared, counts.leases, counts.created), (2, 4, 2));
    // Nobody's any more, they are let go of, and nobody has one.
    drop((a, b, c, d));
    bench.pool.empty();
    assert_eq!(
        bench.tally(),
        StreamTally { condemned: 2, host_bytes: Bytes::new(16), ..StreamTally::default() }
    );
}

#[test]
fn a_shared_stream_that_was_closed_is_shared_with_nobody() {
    let streams = NonZeroU32::MIN;
    let mut bench = Bench::with_policy(PoolOptions::default(), Box::new(RoundRobin { streams }));
    let first = bench.fresh(key());
    first.slot().close(Closed::Bad);
    assert!(matches!(bench.claim(key()), Claim::Create(_)), "another takes its place");
}

#[test]
fn fresh_deferred_lets_go_of_idle_ones_as_well() {
    let limit = NonZeroU32::new(2).expect("2");
    let mut bench = Bench::with_policy(PoolOptions::default(), Box::new(FreshDeferred { limit }));
    drop([bench.fresh(key()), bench.fresh(key())]);
    bench.all_idle();
    assert!(matches!(bench.claim(key()), Claim::Reap));
    assert_eq!(bench.tally().condemned, 2);
    assert_eq!(bench.reap().len(), 2);
    let _two = [bench.fresh(key()), bench.fresh(key())];
    let counts = bench.pool.counts();
    assert_eq!((counts.peak_live, counts.peak_leased_and_draining), (2, 2));
}

#[test]
fn at_the_cap_a_reserved_stream_is_made_room_for_by_an_idle_one_of_its_own_kind() {
    let options = PoolOptions { live_cap: Some(NonZeroU32::MIN), ..PoolOptions::default() };
    let mut bench = Bench::new(options);
    drop(bench.fresh(key()));
    bench.all_idle();
    assert!(matches!(bench.pool.claim_reserved(key()), Claim::Reap), "it cannot be handed on");
    assert_eq!(bench.reap().len(), 1);
    assert!(matches!(bench.pool.claim_reserved(key()), Claim::Create(_)));
}

#[test]
fn shared_streams_that_nobody_has_make_room_for_another_key() {
    let one = std::num::NonZeroU32::MIN;
    let options = PoolOptions { live_cap: Some(one), ..PoolOptions::default() };
    let mut bench = Bench::with_policy(options, Box::new(RoundRobin { streams: one }));
    let other = key().with_priority(Priority::High);
    let lease = bench.fresh(key());
    assert!(matches!(bench.claim(other), Claim::Short(_)), "somebody has it");
    drop(lease);
    assert!(matches!(bench.claim(other), Claim::Reap));
    assert_eq!(bench.reap().len(), 1);
    let _lease = bench.fresh(other);
}
