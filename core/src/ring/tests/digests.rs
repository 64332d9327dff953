//! Digests tell states apart that decide differently.

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash, Hasher},
};

use super::*;
use crate::timing::{Interval, TickRate};

fn digested(feed: impl FnOnce(&mut DefaultHasher)) -> u64 {
    let mut state = DefaultHasher::new();
    feed(&mut state);
    state.finish()
}
fn are_distinct(digests: &[u64]) {
    let distinct: BTreeSet<_> = digests.iter().collect();
    assert_eq!(distinct.len(), digests.len(), "{digests:?}");
}
fn of(packet: u64) -> UseId {
    UseId::new(lane(0), PacketId::new(packet))
}

#[test]
fn of_a_record() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 1);
    let mut record = Record::vacant();
    let digest = |record: &Record| digested(|state| record.digest(state));
    let mut seen = vec![digest(&record)];
    record.renew(about(of(3), &mark), ring.secure(HOST).expect("one is ready").lend());
    seen.push(digest(&record));
    assert_eq!(seen[1], digest(&record), "it reads only");
    let rate = TickRate::new(1_000.try_into().expect("not 0"));
    record.harvest(rate, |_, _| Interval::from_parts(5, 9, 1_000)).expect("usable stamps");
    seen.push(digest(&record));
    let _finished = record.retire();
    seen.push(digest(&record));
    record.renew(about(of(3), &mark), ring.secure(HOST).expect("one is ready").lend());
    record.fail(Failure::Forced);
    seen.push(digest(&record));
    record.renew(about(of(4), &mark), ring.secure(HOST).expect("one is ready").lend());
    seen.push(digest(&record));
    are_distinct(&seen);
}

#[test]
fn of_what_is_ready() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, DEVICE, 2);
    let digest = |ring: &Ring| digested(|state| ring.ready[DEVICE.index()].hash(state));
    let mut seen = vec![digest(&ring)];
    drop(ring.secure(DEVICE).expect("2 signals"));
    seen.push(digest(&ring)); // laid out: the next submission looks at no more
    let secured = ring.secure(DEVICE).expect("2 signals");
    let used = secured.bind(PacketId::new(0), on(lane(0), Barrier::Set), None);
    seen.push(digest(&ring));
    tell(&mut ring, used, 0).expect("a value of 0");
    seen.push(digest(&ring)); // armed
    ring.flushed();
    seen.push(digest(&ring));
    are_distinct(&seen);
}

#[test]
fn of_a_ring() {
    let marks = [0, 1].map(|queue| Arc::new(Watermark::new(lane(queue))));
    let mut ring = ring_on(&marks[0], HOST, 4);
    let mut seen = Vec::new();
    let mut note = |ring: &Ring| {
        let digest = digested(|state| ring.digest(state));
        assert_eq!(digest, digested(|state| ring.digest(state)), "it reads only");
        seen.push(digest);
    };
    note(&ring);
    let mut secured = ring.secure(HOST).expect("4 signals");
    let held = secured.lend();
    note(&ring); // held, and laid out
    let mut secured = ring.secure(HOST).expect("4 signals");
    let pinned = secured.lend();
    let produced = secured.bind(PacketId::new(0), on(lane(0), Barrier::Clear), None);
    note(&ring);
    ring.pin(of(1), Awaits::EachInOrder, Some(produced), pinned);
    note(&ring);
    let forced = submit(&mut ring, 2, Barrier::Set);
    note(&ring);
    assert!(ring.force(forced).is_some());
    note(&ring);
    let fence = submit(&mut ring, 3, Barrier::Set);
    note(&ring);
    let _looked = ring.look_further();
    note(&ring);
    // Another stream proves it all: known to the queue, and then to the ring.
    let mut other = ring_on(&marks[0], HOST, 1);
    let last = submit(&mut other, 4, Barrier::Set);
    tell(&mut other, last, 0).expect("a value of 0");
    note(&ring);
    assert_eq!(ring.covered(), 2);
    note(&ring);
    for of in [produced, fence] {
        let over = ring.next_finished().expect("it is covered");
        assert_eq!(over.of(), of);
        let _armed = ring.retire(over, Harvest::NOT_WANTED); // the first one is held: parked
        note(&ring);
    }
    drop(held);
    note(&ring);
    assert!(ring.unpark().is_some());
    note(&ring);
    ring.switch(marks[1].clone());
    note(&ring);
    are_distinct(&seen);
}
