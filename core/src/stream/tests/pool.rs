//! Leases, reservations, offers.

use super::*;

#[test]
fn a_stream_is_handed_on_under_the_next_generation() {
    let mut bench = Bench::new(PoolOptions::default());
    let first = bench.fresh(key());
    let (id, generation) = (first.id(), first.stream().generation());
    drop(first);
    let claim = bench.claim(key());
    let second = bench.hand_on(claim);
    assert_eq!(second.id(), id);
    assert_eq!(second.stream().generation(), generation.next());
    assert_eq!(bench.pool.counts().created, 1);
    assert_eq!(bench.pool.counts().reused, 1);
}

#[test]
fn a_live_lease_is_never_offered() {
    let mut bench = Bench::new(PoolOptions::default());
    let _held = bench.fresh(key());
    assert!(matches!(bench.claim(key()), Claim::Create(_)));
}

#[test]
fn other_keys_have_other_streams() {
    let mut bench = Bench::new(PoolOptions::default());
    drop(bench.fresh(key()));
    let high = key().with_priority(Priority::High);
    assert!(matches!(bench.claim(high), Claim::Create(_)));
    assert!(matches!(bench.claim(key()), Claim::Reuse(_)));
}

#[test]
fn a_stream_passed_over_is_not_offered_again_in_that_call() {
    let mut bench = Bench::new(PoolOptions::default());
    let leases = [bench.fresh(key()), bench.fresh(key()), bench.fresh(key())];
    drop(leases);
    let mut visit = bench.pool.visit();
    let mut offered = Vec::new();
    while let Claim::Reuse(offer) = bench.pool.claim(key(), &mut visit) {
        offered.push(offer.slot().id());
        bench.pool.refused(offer, Why::Pending);
    }
    offered.sort();
    assert_eq!(offered, [0, 1, 2].map(StreamId::new));
    // The next call may look at all of them again.
    assert!(matches!(bench.claim(key()), Claim::Reuse(_)));
}

#[test]
fn looks_are_bounded() {
    let mut bench = Bench::new(PoolOptions { looks: 2, ..PoolOptions::default() });
    let leases = [bench.fresh(key()), bench.fresh(key()), bench.fresh(key())];
    drop(leases);
    let mut visit = bench.pool.visit();
    for _ in 0..2 {
        let Claim::Reuse(offer) = bench.pool.claim(key(), &mut visit) else { panic!("two looks") };
        bench.pool.refused(offer, Why::Pending);
    }
    assert!(matches!(bench.pool.claim(key(), &mut visit), Claim::Create(_)));
}

#[test]
fn a_proof_of_an_older_position_hands_nothing_on() {
    let mut bench = Bench::new(PoolOptions::default());
    drop(bench.fresh(key()));
    let Claim::Reuse(offer) = bench.claim(key()) else { panic!("it came back") };
    {
        let mut tenancy = offer.slot().lock();
        let seen = tenancy.counted;
        let _free = tenancy.count(); // somebody freed memory on it in between
        assert_eq!(tenancy.hand_on(seen), Err(Why::Touched));
    }
    bench.pool.refused(offer, Why::Touched);
    assert_eq!(bench.tally().draining, 1);
}

#[test]
fn a_failed_creation_leaves_nothing() {
    let mut bench = Bench::new(PoolOptions::default());
    let before = bench.tally();
    let Claim::Create(reservation) = bench.claim(key()) else { panic!("an empty pool creates") };
    assert_eq!(bench.tally().creating, 1);
    bench.pool.abandoned(reservation);
    assert_eq!(bench.tally(), before);
    assert_eq!(bench.pool.counts().creations_failed, 1);
}

#[test]
fn live_leases_do_not_count_against_the_idle_cap() {
    let mut bench = Bench::new(PoolOptions { idle_cap: 2, ..PoolOptions::default() });
    let _workers: Vec<_> = (0..40).map(|_| bench.fresh(key())).collect();
    let short: Vec<_> = (0..3).map(|_| bench.fresh(key())).collect();
    drop(short);
    bench.all_idle();
    let tally = bench.tally();
    assert_eq!((tally.leased, tally.idle, tally.condemned), (40, 2, 1));
}

#[test]
fn the_hard_cap_makes_room_among_idle_streams_of_other_keys() {
    let cap = std::num::NonZeroU32::new(2);
    let mut bench = Bench::new(PoolOptions { live_cap: cap, ..PoolOptions::default() });
    let _one = bench.fresh(key());
    drop(bench.fresh(key().with_priority(Priority::High)));
    bench.all_idle();
    assert!(matches!(bench.claim(key()), Claim::Reap));
    assert_eq!(bench.reap(), [StreamId::new(1)]);
    let _two = bench.fresh(key());
    assert!(matches!(bench.claim(key()), Claim::Short(Shortage::Full { live: 2, cap: 2 })));
}

#[test]
fn reserved_streams_are_nobody_elses() {
    let mut bench = Bench::new(PoolOptions::default());
    let claim = bench.pool.claim_reserved(key());
    let own = bench.create(claim);
    let id = own.id();
    drop(own);
    assert!(matches!(bench.claim(key()), Claim::Create(_)));
    assert_eq!(bench.reap(), [id]);
}

#[test]
fn the_pool_warns_once_past_its_limit() {
    let mut bench = Bench::new(PoolOptions { warn_past: 2, ..PoolOptions::default() });
    let _leases: Vec<_> = (0..2).map(|_| bench.fresh(key())).collect();
    assert_eq!(bench.pool.counts().warnings, 0);
    let _more: Vec<_> = (0..3).map(|_| bench.fresh(key())).collect();
    assert_eq!(bench.pool.counts().warnings, 1);
}

#[test]
fn a_forgotten_lease_keeps_its_stream() {
    let mut bench = Bench::new(PoolOptions::default());
    std::mem::forget(bench.fresh(key()));
    assert!(matches!(bench.claim(key()), Claim::Create(_)));
    assert_eq!(bench.tally().leased, 1);
}

#[test]
fn a_lease_is_16_bytes_and_send() {
    fn send<T: Send>() {}
    send::<Lease>();
    assert_eq!(size_of::<Lease>(), 16);
}

#[test]
fn what_is_attached_follows_the_stream() {
    let mut pool: Pool<String> =
        Pool::new(PoolId::new(1), PoolOptions::default(), Box::new(LeasePolicy));
    let mut visit = pool.visit();
    let Claim::Create(reservation) = pool.claim(key(), &mut visit) else { panic!("it is empty") };
    let slot: Arc<Slot<String>> =
        pool.created(reservation, RawStream::new(7), None, "arena".into());
    let mut first = Slot::lease(&slot);
    first.attachment().push_str(" of the first");
    drop(first);
    let Claim::Reuse(offer) = pool.claim(key(), &mut visit) else { panic!("it came back") };
    let mut second = Slot::lease(&offer.into_slot());
    assert_eq!(*second.attachment(), "arena of the first");
}
