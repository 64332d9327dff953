//! A search for finished uses, step by step, does what the plain call does.

use ringfence::{
    drive::{HardwareQueue, Policy, Reclaim, Submission, Tracker},
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
