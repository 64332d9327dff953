//! Backends that break their contract.

use std::{
    cell::Cell,
    num::NonZeroU64,
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use super::{
    super::{named::ForcedUse, submission::Submission},
    *,
};
use crate::{
    backend::{
        Engine, Features, HostDataPath, HostWait, Packet, PacketCount, RingMemory, Settled,
        Signals, Timestamps, WaitHint, WaitOutcome,
    },
    id::{DeviceId, Generation, PacketId, QueueId, SignalValue},
    timing::{RawInterval, TickRate},
};

/// By its status it always lives.
struct Odd {
    made: Cell<u64>,
    /// The value of each signal.
    value: SignalValue,
    /// Signals that it arms before it panics.
    arms: Cell<u32>,
}
impl Odd {
    fn with(value: SignalValue) -> Self {
        Self { made: Cell::new(0), value, arms: Cell::new(u32::MAX) }
    }
}
impl Signals for Odd {
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        for signal in &mut *batch {
            self.made.set(self.made.get() + 1);
            *signal = SignalHandle::new(self.made.get());
        }
        Ok(Created { count: batch.len(), memory })
    }
    fn destroy(&self, _: SignalHandle) {}
    fn load(&self, _: SignalHandle) -> SignalValue {
        self.value
    }
    fn arm(&self, _: SignalHandle, _: SignalValue) {
        self.arms.set(self.arms.get().checked_sub(1).expect("on purpose"));
    }
    fn publish_stores(&self) {}
    fn flush(&self) {}
}
impl HostWait for Odd {
    fn wait(&self, _: SignalHandle, _: SignalValue, _: WaitHint, _: Duration) -> WaitOutcome {
        WaitOutcome::Lost
    }
    fn force(&self, _: SignalHandle) {}
}
impl Timestamps for Odd {
    fn timestamps(&self, _: SignalHandle, _: Engine) -> RawInterval {
        RawInterval::default()
    }
    fn tick_rate(&self) -> TickRate {
        TickRate::new(NonZeroU64::MIN)
    }
}
impl Device for Odd {
    fn id(&self) -> DeviceId {
        DeviceId::new(0)
    }
    fn capabilities(&self) -> Capabilities {
        let (rings, path) = (RingMemory::System, HostDataPath::Coherent);
        Capabilities::new(Features::empty(), rings, path)
    }
    fn status(&self) -> DeviceStatus {
        DeviceStatus::Alive
    }
    fn profiler(&self) -> Profiler {
        Profiler::Absent
    }
}
#[derive(Default)]
struct Indices {
    reserved: Cell<u64>,
    queue: u32,
    restarts: Cell<u32>,
}
impl PacketQueue for Indices {
    type Work = ();
    fn lane(&self) -> LaneId {
        LaneId::new(QueueId::new(self.queue), Generation::new(self.restarts.get()))
    }
    fn reserve(&self, count: PacketCount) -> PacketId {
        PacketId::new(self.reserved.replace(self.reserved.get() + u64::from(count.count())))
    }
    fn commit(&self, _: PacketId, _: &Packet<()>) {}
    fn ring_doorbell(&self, _: PacketId) {}
    fn read_index(&self) -> PacketId {
        PacketId::new(self.reserved.get())
    }
    fn settled(&self) -> Settled {
        Settled::Reserving
    }
}

#[test]
fn a_device_that_was_lost_never_finishes_anything_again() {
    let (device, queue) = (Odd::with(SignalValue::ARMED), Indices::default());
    let mut tracker =
        Tracker::open(&device, HardwareQueue::new(&queue), Policy::default()).expect("it opens");
    let _of = tracker.submit(Submission::kernel(())).expect("it lives so far");
    let lost = |error| matches!(error, Error::DeviceLost { .. });
    assert!(tracker.synchronize().is_err_and(lost), "the wait says so");
    // From here on its status is all that is asked, and says that it lives.
    assert!(tracker.synchronize().is_err_and(lost), "the work never finished");
    assert!(tracker.drain().is_err_and(lost));
    assert!(tracker.reclaim().is_err_and(lost));
    assert!(tracker.probe().is_err_and(lost));
    assert!(tracker.close().is_err_and(lost));
}

/// In a build that checks for overflow, a count that went wrong in the panic would be a second one.
#[test]
fn a_tracker_is_dropped_after_a_backend_panicked_half_way_through_a_batch() {
    let (device, queue) = (Odd::with(SignalValue::DONE), Indices::default());
    let mut tracker =
        Tracker::open(&device, HardwareQueue::new(&queue), Policy::default()).expect("it opens");
    for _ in 0..20 {
        let _use = tracker.submit(Submission::marker(Role::HostQuery)).expect("it has signals");
    }
    device.arms.set(3);
    let reclaimed = catch_unwind(AssertUnwindSafe(|| tracker.reclaim()));
    assert!(reclaimed.is_err(), "it arms more than 3: {reclaimed:?}");
    drop(tracker);
}

/// A marker is left behind to prove packets that have no signal, and falls below 0: it proves nothing, wherever
/// the stream is when it is asked.
#[test]
fn work_behind_a_fence_that_fell_below_0_is_not_called_finished() {
    for tracker in [TrackerKind::Retiring, TrackerKind::Polling] {
        for goes in [&[0][..], &[1], &[1, 0], &[1, 0, 1], &[1, 0, 1, 0]] {
            let device = Odd::with(SignalValue::new(-1));
            let queues = [0, 1].map(|queue| Indices { queue, ..Indices::default() });
            let queues = queues.each_ref().map(HardwareQueue::new);
            let policy = Policy { tracker, ..Policy::default() };
            let mut tracker = Tracker::open(&device, queues[0].clone(), policy).expect("it opens");
            let _of = tracker.submit(Submission::kernel(()).unsignaled()).expect("it has room");
            for &to in goes {
                let _before = tracker.switch_queue(queues[to].clone()).expect("a marker is left");
            }
            assert!(matches!(tracker.reclaim(), Err(Error::OverDecrement { .. })));
            let synced = tracker.synchronize();
            assert!(synced.is_err(), "{:?}, {goes:?}: {synced:?}", policy.tracker);
        }
    }
}

/// Nothing can be left behind in an index space that has restarted, and what it held may still run.
#[test]
fn work_of_an_index_space_that_restarted_unproven_is_not_called_finished() {
    for tracker in [TrackerKind::Retiring, TrackerKind::Polling] {
        let (device, queue) = (Odd::with(SignalValue::DONE), Indices::default());
        let policy = Policy { tracker, ..Policy::default() };
        let mut tracker =
            Tracker::open(&device, HardwareQueue::new(&queue), policy).expect("it opens");
        let of = tracker.submit(Submission::kernel(()).unsignaled()).expect("it has room");
        queue.restarts.set(1);
        let _before = tracker.switch_queue(HardwareQueue::new(&queue)).expect("no marker is left");
        assert!(matches!(tracker.synchronize(), Err(Error::Failed { of: left, .. }) if left == of));
        assert!(tracker.drain().is_err() && tracker.close().is_err());
    }
}

#[test]
fn what_was_given_up_is_said_to_be_however_often_it_is_asked() {
    for tracker in [TrackerKind::Retiring, TrackerKind::Polling] {
        let (device, queue) = (Odd::with(SignalValue::ARMED), Indices::default());
        let policy = Policy { tracker, ..Policy::default() };
        let mut tracker =
            Tracker::open(&device, HardwareQueue::new(&queue), policy).expect("it opens");
        let of = tracker.submit(Submission::kernel(())).expect("it has signals");
        for _ in 0..3 {
            let forced = tracker.force(of).expect("the device lives");
            assert_eq!(forced, ForcedUse::GivenUp, "it still runs");
        }
    }
}

#[test]
fn an_error_that_was_put_off_is_told_when_nothing_worse_is() {
    let (device, queue) = (Odd::with(SignalValue::DONE), Indices::default());
    let mut tracker =
        Tracker::open(&device, HardwareQueue::new(&queue), Policy::default()).expect("it opens");
    let of = UseId::new(LaneId::new(QueueId::new(0), Generation::FIRST), PacketId::new(3));
    tracker.deferred = Some(Error::IpcPending { of });
    tracker.unprovable = Some(of);
    assert!(matches!(tracker.synchronize(), Err(Error::Failed { .. })));
    tracker.unprovable = None;
    assert!(matches!(tracker.synchronize(), Err(Error::IpcPending { .. })), "it was not lost");
    assert!(tracker.synchronize().is_ok());
}

#[test]
fn a_batch_has_one_at_least() {
    let (device, queue) = (Odd::with(SignalValue::DONE), Indices::default());
    let ring = crate::ring::RingLimits { batch: 0, ..Default::default() };
    let policy = Policy { ring, ..Policy::default() };
    let mut tracker = Tracker::open(&device, HardwareQueue::new(&queue), policy).expect("it opens");
    let _of = tracker.submit(Submission::kernel(())).expect("it has signals");
    assert_eq!(tracker.reclaim().expect("it lives").in_flight, 0, "it is looked at");
}
