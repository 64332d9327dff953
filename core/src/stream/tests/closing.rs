//! Streams that nobody gets again.

use super::*;

#[test]
fn a_bad_stream_is_closed_at_the_first_look() {
    let mut bench = Bench::new(PoolOptions::default());
    drop(bench.fresh(key()));
    let Claim::Reuse(offer) = bench.claim(key()) else { panic!("it came back") };
    let slot = offer.slot().clone();
    bench.pool.refused(offer, bad());
    assert_eq!(slot.closed(), Some(Closed::Bad));
    assert!(matches!(bench.claim(key()), Claim::Create(_)));
    assert_eq!(bench.pool.counts().condemned_bad, 1);
}

#[test]
fn a_capturing_stream_is_closed_and_a_refused_query_is_not_held_against_it() {
    let mut bench = Bench::new(PoolOptions::default());
    let leases = [bench.fresh(key()), bench.fresh(key())];
    drop(leases);
    let mut visit = bench.pool.visit();
    let Claim::Reuse(first) = bench.pool.claim(key(), &mut visit) else { panic!("two came back") };
    bench.pool.refused(first, Why::Capturing(CaptureStatus::Active));
    let Claim::Reuse(second) = bench.pool.claim(key(), &mut visit) else { panic!("two came back") };
    bench.pool.refused(second, Why::Unknown);
    let tally = bench.tally();
    assert_eq!((tally.condemned, tally.draining), (1, 1));
    assert_eq!(bench.pool.counts().conflicts_avoided, 2);
}

#[test]
fn a_closed_stream_is_found_until_it_is_destroyed() {
    let mut bench = Bench::new(PoolOptions { idle_cap: 0, ..PoolOptions::default() });
    let lease = bench.fresh(key());
    let (id, raw) = (lease.id(), lease.slot().raw());
    drop(lease);
    bench.all_idle();
    assert!(bench.pool.by_id(id).is_some());
    assert!(bench.pool.by_raw(raw).is_some());
    assert_eq!(bench.reap(), [id]);
    assert!(bench.pool.by_id(id).is_none());
    assert!(bench.pool.by_raw(raw).is_none());
    assert_eq!(bench.tally().live(), 0);
}

#[test]
fn a_handle_that_comes_back_is_the_new_streams() {
    let mut bench = Bench::new(PoolOptions { idle_cap: 0, ..PoolOptions::default() });
    drop(bench.fresh(key()));
    bench.all_idle();
    let visit = bench.pool.visit();
    let condemned = bench.pool.next_condemned(&visit).expect("beyond the cap");
    bench.pool.forget_handle(&condemned);
    // The driver gives the same address to somebody else before the pool hears that it is gone.
    bench.next_raw -= 0x10;
    let second = bench.fresh(key());
    drop(bench.pool.destroyed(condemned));
    let found = bench.pool.by_raw(second.slot().raw()).map(|slot| slot.id());
    assert_eq!(found, Some(second.id()));
}

#[test]
fn each_condemned_stream_is_tried_once_a_visit() {
    let mut bench = Bench::new(PoolOptions { idle_cap: 0, ..PoolOptions::default() });
    let leases = [bench.fresh(key()), bench.fresh(key())];
    drop(leases);
    bench.all_idle();
    let visit = bench.pool.visit();
    let mut tried = 0;
    while let Some(condemned) = bench.pool.next_condemned(&visit) {
        tried += 1;
        bench.pool.not_yet(condemned);
    }
    assert_eq!(tried, 2);
    assert_eq!(bench.tally().condemned, 2);
    assert_eq!(bench.reap().len(), 2, "the next visit tries them again");
}

#[test]
fn what_is_about_to_be_destroyed_has_no_handle_any_more() {
    let mut bench = Bench::new(PoolOptions { idle_cap: 0, ..PoolOptions::default() });
    let raw = bench.fresh(key()).slot().raw();
    bench.all_idle();
    let visit = bench.pool.visit();
    let condemned = bench.pool.next_condemned(&visit).expect("it came back, beyond the cap");
    assert!(bench.pool.by_raw(raw).is_some());
    bench.pool.forget_handle(&condemned);
    assert!(bench.pool.by_raw(raw).is_none(), "the driver may give it to another");
    bench.pool.not_yet(condemned);
}

#[test]
fn streams_that_left_with_work_pending_are_asked_about_until_they_are_forgotten() {
    let mut bench = Bench::new(PoolOptions::default());
    let other = StreamKey::new(DeviceContext::primary(DeviceId::new(1)));
    let [here, there] = [key(), other].map(|key| bench.fresh(key));
    for lease in [&here, &there] {
        bench.pool.remember_left(lease.slot().clone());
    }
    // Those of a device that is reset are finished.
    bench.pool.device_reset(DeviceId::new(0));
    let left = bench.pool.take_left();
    assert_eq!(left.iter().map(|slot| slot.id()).collect::<Vec<_>>(), [there.id()]);
    assert!(bench.pool.take_left().is_empty());
    drop(bench.pool.forget(there.slot()));
    assert!(bench.pool.by_id(there.id()).is_none());
    assert!(bench.pool.by_id(here.id()).is_some());
}

#[test]
fn a_reset_takes_the_idle_streams_of_its_device_and_its_disposal_stream() {
    let mut bench = Bench::new(PoolOptions::default());
    let elsewhere = DeviceContext::primary(DeviceId::new(1));
    let other = StreamKey::new(elsewhere);
    let leases = [key(), other].map(|key| bench.fresh(key));
    let raws = leases.each_ref().map(|lease| lease.slot().raw());
    drop(leases);
    bench.all_idle();
    for (number, key) in [(1, key()), (2, other)] {
        let raw = RawStream::new(0x9000 + number);
        let made = Made { key, raw, word: None, kind: Kind::Disposal, attachment: () };
        let _slot = bench.pool.adopt(made);
    }
    assert_eq!(bench.tally().idle, 2);
    bench.pool.device_reset(DeviceId::new(0));
    let tally = bench.tally();
    assert_eq!((tally.idle, tally.condemned), (1, 1));
    assert!(bench.pool.disposal(key().place).is_none() && bench.pool.disposal(elsewhere).is_some());
    assert!(bench.pool.by_raw(raws[0]).is_none(), "its handle may be another's");
    assert!(bench.pool.by_raw(raws[1]).is_some());
    assert_eq!(bench.reap().len(), 1);
}

#[test]
fn trimming_takes_what_nobody_needed_since_the_last_time() {
    let mut bench = Bench::new(PoolOptions::default());
    let leases: Vec<_> = (0..5).map(|_| bench.fresh(key())).collect();
    drop(leases);
    bench.all_idle();
    bench.pool.trim(); // begins to count: five are idle
    let (a, b) = (bench.claim(key()), bench.claim(key()));
    let two = [bench.hand_on(a), bench.hand_on(b)];
    drop(two);
    bench.all_idle();
    bench.pool.trim(); // three were idle all the time
    assert_eq!(bench.reap().len(), 3);
    assert_eq!(bench.tally().idle, 2);
}

#[test]
fn a_reset_device_closes_all_of_its_streams_and_no_others() {
    let mut bench = Bench::new(PoolOptions::default());
    let other = StreamKey::new(DeviceContext::primary(DeviceId::new(1)));
    let (held, kept) = (bench.fresh(key()), bench.fresh(other));
    drop(bench.fresh(key()));
    bench.pool.device_reset(DeviceId::new(0));
    assert_eq!(held.slot().closed(), Some(Closed::Reset));
    assert_eq!(kept.slot().closed(), None);
    assert!(matches!(bench.claim(key()), Claim::Create(_)));
    // The lease that is still out comes back closed, and is offered to nobody.
    let id = held.id();
    drop(held);
    let Claim::Reuse(offer) = bench.claim(key()) else { panic!("a look finds it closed") };
    assert_eq!(offer.slot().id(), id);
    let position = offer.slot().lock().counted;
    let why = offer.slot().lock().hand_on(position).expect_err("closed");
    assert_eq!(why, Why::Closed(Closed::Reset));
}

#[test]
fn a_lost_device_hands_nothing_on() {
    let mut bench = Bench::new(PoolOptions::default());
    drop(bench.fresh(key()));
    bench.pool.lose_all(Closed::Lost);
    let Claim::Reuse(offer) = bench.claim(key()) else { panic!("it came back") };
    let mut tenancy = offer.slot().lock();
    let position = tenancy.counted;
    assert_eq!(tenancy.hand_on(position), Err(Why::Closed(Closed::Lost)));
}

#[test]
fn trimming_counts_what_was_let_go_of_in_between() {
    let cap = std::num::NonZeroU32::new(3);
    let mut bench = Bench::new(PoolOptions { live_cap: cap, ..PoolOptions::default() });
    let leases: Vec<_> = (0..3).map(|_| bench.fresh(key())).collect();
    drop(leases);
    bench.all_idle();
    bench.pool.trim(); // three are idle from here on
    let high = key().with_priority(Priority::High);
    assert!(matches!(bench.claim(high), Claim::Reap), "an idle one makes room");
    bench.pool.trim(); // two are left to let go of
    assert_eq!(bench.reap().len(), 3);
}

#[test]
fn a_stream_that_was_made_before_a_reset_takes_no_handle_from_one_made_after_it() {
    let mut bench = Bench::new(PoolOptions::default());
    let Claim::Create(slow) = bench.claim(key()) else { panic!("nothing is idle") };
    bench.pool.device_reset(DeviceId::new(0));
    let innocent = bench.fresh(key());
    let raw = innocent.slot().raw(); // the driver gives it again
    let gone = bench.pool.created(slow, raw, None, ());
    assert_eq!((gone.closed(), innocent.slot().closed()), (Some(Closed::Reset), None));
    assert!(bench.pool.by_raw(raw).is_some_and(|known| Arc::ptr_eq(known, innocent.slot())));
}

#[test]
fn a_reserved_stream_that_its_owner_took_along_is_not_leaked() {
    let mut bench = Bench::new(PoolOptions::default());
    let claim = bench.pool.claim_reserved(key());
    let lease = bench.create(claim);
    lease.slot().close(Closed::Disowned);
    drop(lease);
    bench.tally(); // takes in what came back
    let mut visit = bench.pool.visit();
    let condemned = bench.pool.next_condemned(&visit).expect("it came back");
    visit = bench.pool.visit();
    drop(bench.pool.leaked(condemned));
    assert!(bench.pool.next_condemned(&visit).is_none());
    assert_eq!((bench.pool.counts().leaked, bench.tally().live()), (0, 0));
}
#[test]
fn a_wrapping_that_was_never_used_is_forgotten_when_it_is_dropped() {
    for used in [false, true] {
        let mut bench = Bench::new(PoolOptions::default());
        let raw = RawStream::new(0x9000);
        let made = Made { key: key(), raw, word: None, kind: Kind::External, attachment: () };
        let slot = bench.pool.adopt(made);
        let lease = Slot::lease(&slot);
        if used {
            let _position = slot.lock().count();
        }
        drop(lease);
        drop(bench.pool.close_dropped());
        assert_eq!(bench.pool.by_id(slot.id()).is_some(), used, "its work is unknowable");
    }
}
