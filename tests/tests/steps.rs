//! A search for finished uses, step by step, does what the plain call does.

use ringfence::{
    backend::SignalMemory,
    drive::{HardwareQueue, Policy, Reclaim, Room, Submission, Tracker, TrackerKind},
    event::{Event, EventOptions},
    id::QueueId,
    ledger::Counts,
    placement::DeviceSignals,
};
use ringfence_tests::null::{NullDevice, NullQueue};

fn after(search: impl FnOnce(&mut Tracker<NullDevice, NullQueue>)) -> (usize, Counts) {
    let queue = HardwareQueue::new(NullQueue::new(QueueId::new(0)));
    let policy = Policy { device_signals: DeviceSignals::On, ..Policy::default() };
    let mut tracker = Tracker::open(NullDevice::default(), queue, policy).expect("it opens");
    for _ in 0..20 {
        let _use = tracker.submit(Submission::kernel(())).expect("it has signals");
    }
    assert_eq!(tracker.in_flight(), 20);
    search(&mut tracker);
    (tracker.in_flight(), tracker.counts())
}

#[test]
fn the_steps_of_a_search_do_what_the_plain_call_does() {
    let plain = after(|tracker| {
        let reclaimed = tracker.reclaim().expect("nothing fails");
        assert_eq!(reclaimed.retired, 20);
    });
    let stepped = after(|tracker| {
        let (mut search, mut loads) = (Reclaim::Look, 0);
        while !matches!(search, Reclaim::Done) {
            loads += u32::from(matches!(search, Reclaim::Load(_)));
            search = search.step(tracker).expect("nothing fails");
        }
        assert_eq!(loads, 1, "one load retires the batch");
    });
    assert_eq!(plain.0, 0);
    assert_eq!(plain, stepped);
}

/// A wait for another queue's event pins that event's signal, and has none itself: only a fence would prove it (S20).
fn after_a_wait(search: impl FnOnce(&mut Tracker<NullDevice, NullQueue>)) -> Counts {
    let open = |number| {
        let queue = HardwareQueue::new(NullQueue::new(QueueId::new(number)));
        Tracker::open(NullDevice::default(), queue, Policy::default()).expect("it opens")
    };
    let (mut producer, mut consumer) = (open(0), open(1));
    let mut event = Event::new(EventOptions::default());
    event.record(&mut producer).expect("it has signals");
    event.wait_on(&mut consumer).expect("it has signals");
    search(&mut consumer);
    consumer.counts()
}

#[test]
fn the_steps_of_a_search_ask_for_a_fence_as_the_plain_call_does() {
    let plain = after_a_wait(|tracker| {
        let _reclaimed = tracker.reclaim().expect("nothing fails");
    });
    let stepped = after_a_wait(|tracker| {
        let mut search = Reclaim::Look;
        while !matches!(search, Reclaim::Done) {
            search = search.step(tracker).expect("nothing fails");
        }
    });
    assert_eq!(plain.fences_asked, 1, "nothing in flight would prove what is pinned");
    assert_eq!(plain, stepped);
}

/// It grows what it polls, and not the ring beside: a step that asked the ring would create for ever.
#[test]
fn a_polling_tracker_has_no_room_to_make() {
    let queue = HardwareQueue::new(NullQueue::new(QueueId::new(0)));
    let policy = Policy { tracker: TrackerKind::Polling, ..Policy::default() };
    let mut tracker = Tracker::open(NullDevice::default(), queue, policy).expect("it opens");
    let before = tracker.counts().created;
    let mut room = Room::Look(Reclaim::Look);
    for _ in 0..100 {
        room = room.step(&mut tracker, SignalMemory::Host, 1_000).expect("nothing fails");
    }
    assert!(matches!(room, Room::Made), "{room:?}");
    assert_eq!(tracker.counts().created, before);
}
