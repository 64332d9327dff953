//! Seats, shared streams, and those that are on no shelf.

use super::*;
use crate::stream::policy::ShelfView;

const THEIRS: RawStream = RawStream::new(0x7000);

fn external(bench: &mut Bench) -> Arc<Slot> {
    let made = Made { key: key(), raw: THEIRS, word: None, kind: Kind::External, attachment: () };
    bench.pool.adopt(made)
}
fn disposal(bench: &mut Bench) -> Arc<Slot> {
    let raw = RawStream::new(0x8000);
    let made = Made { key: key(), raw, word: None, kind: Kind::Disposal, attachment: () };
    bench.pool.adopt(made)
}

#[test]
fn more_streams_than_a_chunk_has_all_come_back_as_themselves() {
    let options = PoolOptions { idle_cap: 200, looks: 200, ..PoolOptions::default() };
    let mut bench = Bench::new(options);
    let leases: Vec<Lease> = (0..150).map(|_| bench.fresh(key())).collect();
    let mut ids: Vec<StreamId> = leases.iter().map(Lease::id).collect();
    assert_eq!(bench.tally().leased, 150);
    // Some of each chunk stay out.
    let (kept, back): (Vec<_>, Vec<_>) =
        leases.into_iter().partition(|lease| lease.id().as_u32() % 3 == 0);
    drop(back);
    bench.all_idle();
    let tally = bench.tally();
    assert_eq!((tally.leased, tally.idle, tally.draining), (50, 100, 0));
    assert_eq!(tally.host_bytes, Bytes::new(8 * 150));
    drop(kept);
    bench.all_idle();
    let mut again: Vec<StreamId> = (0..150)
        .map(|_| {
            let claim = bench.claim(key());
            let lease = bench.hand_on(claim);
            let id = lease.id();
            std::mem::forget(lease);
            id
        })
        .collect();
    again.sort();
    ids.sort();
    assert_eq!(again, ids, "each once");
    assert!(matches!(bench.claim(key()), Claim::Create(_)));
}

/// A policy sees the shelf as it is.
#[derive(Debug)]
struct Seen(Arc<crate::sync::Mutex<Vec<ShelfView>>>);
impl StreamPolicy for Seen {
    fn habit(&self) -> Habit {
        Habit::Asked
    }
    fn next(&self, shelf: ShelfView) -> Next {
        self.0.lock().push(shelf);
        Next::Create
    }
    fn returned(&self) -> Returned {
        Returned::Keep
    }
}
#[test]
fn a_policy_is_shown_how_many_are_idle_draining_leased_and_alive() {
    let seen = Arc::new(crate::sync::Mutex::new(Vec::new()));
    let mut bench = Bench::with_policy(PoolOptions::default(), Box::new(Seen(seen.clone())));
    let (one, two, three) = (bench.fresh(key()), bench.fresh(key()), bench.fresh(key()));
    drop((one, two));
    bench.all_idle();
    // One drains, one is leased, one is being created, and one is condemned.
    let (four, five) = (bench.fresh(key()), bench.fresh(key()));
    drop(five);
    let visit = bench.pool.visit();
    let offer = bench.pool.next_draining(&visit).expect("it came back");
    bench.pool.refused(offer, bad());
    drop(four);
    let Claim::Create(creating) = bench.claim(key()) else { panic!("it always creates") };
    let _claim = bench.claim(key());
    let last = *seen.lock().last().expect("it was asked");
    // Five were asked for and made; the one that is being created is not yet.
    let wanted = ShelfView { idle: 2, draining: 1, leased: 1, live: 6, asked: 5 };
    assert_eq!(last, wanted);
    bench.pool.abandoned(creating);
    drop(three);
}

#[test]
fn a_pool_knows_its_keys_and_the_streams_of_each() {
    let mut bench = Bench::new(PoolOptions::default());
    let high = key().with_priority(Priority::High);
    assert_eq!(bench.pool.keys().count(), 0);
    let _held = [bench.fresh(key()), bench.fresh(high), bench.fresh(high)];
    assert_eq!(bench.pool.keys().collect::<Vec<_>>(), [key(), high]);
    let of_high = bench.pool.tally(high, Bytes::new(8));
    assert_eq!((of_high.leased, of_high.host_bytes), (2, Bytes::new(16)));
    let nobodys = key().with_priority(Priority::Low);
    assert_eq!(bench.pool.tally(nobodys, Bytes::new(8)), StreamTally::default());
}

#[test]
fn a_warning_says_how_many_are_alive_once() {
    let mut bench = Bench::new(PoolOptions { warn_past: 2, ..PoolOptions::default() });
    let _held = [bench.fresh(key()), bench.fresh(key())];
    assert_eq!(bench.pool.take_warning(), None);
    let _more = [bench.fresh(key()), bench.fresh(key())];
    assert_eq!(bench.pool.take_warning(), Some(3));
    assert_eq!(bench.pool.take_warning(), None);
    assert_eq!(bench.pool.counts().warnings, 1);
}

#[test]
fn only_a_baseline_destroys_before_it_creates() {
    assert!(!Bench::new(PoolOptions::default()).pool.reaps_before_claims());
    let drops = Bench::with_policy(PoolOptions::default(), Box::new(FreshDrop));
    assert!(drops.pool.reaps_before_claims());
}

#[test]
fn a_place_has_one_disposal_stream_that_one_caller_creates() {
    let mut bench = Bench::new(PoolOptions::default());
    let place = key().place;
    let claimed = bench.pool.claim_disposal(place).expect("nobody has it");
    assert_eq!(bench.pool.claim_disposal(place), None, "somebody creates it");
    assert!(bench.pool.disposal(place).is_none());
    bench.pool.abandon_disposal(place, claimed);
    assert_eq!(bench.pool.claim_disposal(place), Some(claimed), "the creation failed");
    bench.pool.device_reset(place.device);
    assert_ne!(bench.pool.claim_disposal(place), Some(claimed), "it went with the device");
    bench.pool.abandon_disposal(place, claimed);
    assert_eq!(bench.pool.claim_disposal(place), None, "who makes it since is another");
    let made = disposal(&mut bench);
    assert!(bench.pool.disposal(place).is_some_and(|known| Arc::ptr_eq(known, &made)));
    let elsewhere = DeviceContext::primary(DeviceId::new(1));
    assert!(bench.pool.claim_disposal(elsewhere).is_some());
    let taken = bench.pool.take_own();
    assert!(
        taken.len() == 1 && Arc::ptr_eq(&taken[0], &made),
        "what is being created is not there"
    );
    assert!(bench.pool.take_own().is_empty());
}

#[test]
fn a_wrapping_ends_with_its_last_lease_and_its_handle_is_anybodys() {
    let mut bench = Bench::new(PoolOptions::default());
    let slot = external(&mut bench);
    let _position = slot.lock().count();
    let (one, two) = (Slot::lease(&slot), Slot::lease(&slot));
    drop(one);
    drop(bench.pool.close_dropped());
    assert_eq!(slot.closed(), None, "somebody still has it");
    assert!(bench.pool.by_raw(THEIRS).is_some());
    drop(two);
    drop(bench.pool.close_dropped());
    assert_eq!(slot.closed(), Some(Closed::Disowned));
    assert!(bench.pool.by_raw(THEIRS).is_none());
    assert!(bench.pool.by_id(slot.id()).is_some(), "whether its work is finished is asked for yet");
}

#[test]
fn a_wrapping_that_was_taken_up_again_goes_on() {
    let mut bench = Bench::new(PoolOptions::default());
    let slot = external(&mut bench);
    drop(Slot::lease(&slot)); // it came back
    let again = Slot::lease(&slot); // and somebody has it before anybody looked
    drop(bench.pool.close_dropped());
    assert_eq!(slot.closed(), None);
    drop(again);
    drop(bench.pool.close_dropped());
    assert_eq!(slot.closed(), Some(Closed::Disowned));
}

#[test]
fn a_wrapping_that_was_closed_in_order_is_collected() {
    let mut bench = Bench::new(PoolOptions::default());
    let slot = external(&mut bench);
    let lease = Slot::lease(&slot);
    slot.close(Closed::Disowned);
    drop(bench.pool.collect_externals());
    assert!(bench.pool.by_raw(THEIRS).is_none());
    drop(lease);
}

#[test]
fn a_shared_stream_is_nobodys_when_its_last_sharer_is_gone() {
    let policy = RoundRobin { streams: std::num::NonZeroU32::MIN };
    let mut bench = Bench::with_policy(PoolOptions::default(), Box::new(policy));
    let first = bench.fresh(key());
    let Claim::Share(second) = bench.claim(key()) else { panic!("there is one to share") };
    let slot = first.slot().clone();
    assert!(!slot.is_unshared());
    drop(first);
    bench.pool.empty();
    assert!(!slot.is_unshared() && slot.closed().is_none(), "the second still has it");
    drop(second);
    assert!(slot.is_unshared());
    bench.pool.empty();
    assert_eq!(bench.reap(), [slot.id()]);
    let pooled = Bench::new(PoolOptions::default()).fresh(key());
    assert!(!pooled.slot().is_unshared(), "it is not shared at all");
}

#[test]
fn a_look_at_the_idle_streams_takes_none() {
    let mut bench = Bench::new(PoolOptions::default());
    assert!(bench.pool.peek(key()).is_none(), "nobody asked for one yet");
    let (one, two) = (bench.fresh(key()), bench.fresh(key()));
    assert!(bench.pool.peek(key()).is_none(), "both are leased");
    let last = two.id();
    drop((one, two));
    assert!(bench.pool.peek(key()).is_none(), "nobody knows that they are idle");
    bench.all_idle();
    assert_eq!(bench.pool.peek(key()).map(|slot| slot.id()), Some(last));
    let high = key().with_priority(Priority::High);
    assert!(bench.pool.peek(high).is_none(), "they are of another kind");
    let claim = bench.claim(key());
    assert_eq!(bench.hand_on(claim).id(), last, "what was seen is what is offered");
}

#[test]
fn a_lease_shows_its_tenancy() {
    let mut bench = Bench::new(PoolOptions::default());
    assert_eq!(format!("{:?}", bench.fresh(key())), "lease of s0#0");
}

#[test]
fn a_place_has_a_few_streams_that_wait_and_a_reset_takes_them() {
    let mut bench = Bench::new(PoolOptions::default());
    let place = key().place;
    let claims: Vec<_> = (0..5).map(|_| bench.pool.claim_waiting(place)).collect();
    let right = claims[0].expect("the first one");
    assert_eq!(claims[1..], [Some(right), Some(right), Some(right), None], "that is enough");
    bench.pool.abandon_waiting(place, right); // its creation failed
    let raw = RawStream::new(0x9000);
    let made = Made { key: key(), raw, word: None, kind: Kind::Waiting, attachment: () };
    let slot = bench.pool.adopt(made);
    assert!(Arc::ptr_eq(&bench.pool.waiting(place)[0], &slot));
    assert_eq!(bench.pool.claim_waiting(place), Some(right), "one was abandoned");
    assert_eq!(bench.pool.claim_waiting(place), None);
    bench.pool.device_reset(place.device);
    assert!(bench.pool.waiting(place).is_empty() && slot.closed() == Some(Closed::Reset));
    bench.pool.abandon_waiting(place, right); // of before the reset: it counts no more
    assert!(bench.pool.claim_waiting(place).is_some_and(|now| now != right));
}
