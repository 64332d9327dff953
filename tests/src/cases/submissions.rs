//! Uses without and with a record.

use std::hint::black_box;

use ringfence::{
    drive::{HardwareQueue, Policy, Submission, Tracker, TrackerKind},
    id::QueueId,
    ledger::Counts,
    placement::DeviceSignals,
};

use super::Steady;
use crate::null::{NullDevice, NullQueue};

type NullTracker = Tracker<NullDevice, NullQueue>;

pub(super) fn device_signals() -> Policy {
    Policy { device_signals: DeviceSignals::On, ..Policy::default() }
}
pub(super) fn open(queue: HardwareQueue<NullQueue>, policy: Policy) -> NullTracker {
    Tracker::open(NullDevice::new(), queue, policy).expect("a null device creates any signal")
}
fn queue(number: u32) -> HardwareQueue<NullQueue> {
    HardwareQueue::new(NullQueue::new(QueueId::new(number)))
}
pub(super) fn add_up<'a>(trackers: impl Iterator<Item = &'a NullTracker>) -> Counts {
    trackers.fold(Counts::default(), |sum, tracker| sum.plus(&tracker.counts()))
}

#[inline(always)]
fn submit(tracker: &mut NullTracker) {
    let of = tracker.submit(Submission::kernel(()));
    black_box(of.expect("a null device refuses nothing"));
}

/// Streams that submit one use each, in turn.
pub(super) struct Plain(Vec<NullTracker>);
impl Plain {
    pub(super) fn on_queues(queues: u32) -> Self {
        let on = |number| open(queue(number), device_signals());
        Self((0..queues).map(on).collect())
    }
    pub(super) fn on_one_queue(streams: u32) -> Self {
        let shared = queue(0);
        let on = |_| open(shared.clone(), device_signals());
        Self((0..streams).map(on).collect())
    }
    pub(super) fn polling() -> Self {
        let policy = Policy { tracker: TrackerKind::Polling, ..Policy::default() };
        Self(vec![open(queue(0), policy)])
    }
}
impl Steady for Plain {
    fn run(&mut self, units: u64) {
        if let [only] = &mut self.0[..] {
            for _ in 0..units {
                submit(only);
            }
            return;
        }
        let streams = self.0.len() as u64;
        let in_turn = units / streams;
        for _ in 0..in_turn {
            for tracker in &mut self.0 {
                submit(tracker);
            }
        }
        for tracker in self.0.iter_mut().take((units - in_turn * streams) as usize) {
            submit(tracker);
        }
    }
    fn counts(&self) -> Counts {
        add_up(self.0.iter())
    }
}

/// A stream whose every use is recorded, by a record that is dropped at once.
pub(super) struct Recorded(NullTracker);
impl Recorded {
    pub(super) fn new() -> Self {
        Self(open(queue(0), device_signals()))
    }
}
impl Steady for Recorded {
    fn run(&mut self, units: u64) {
        for _ in 0..units {
            let record = self.0.submit_recorded(Submission::kernel(()), None);
            drop(black_box(record.expect("a null device refuses nothing")));
        }
    }
    fn counts(&self) -> Counts {
        self.0.counts()
    }
}
