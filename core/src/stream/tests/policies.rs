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
    assert_eq!(bench.pool.counts().shared, 2);
}
