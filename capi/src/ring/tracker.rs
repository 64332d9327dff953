//! The tracker of one stream.

use std::{num::NonZeroU32, time::Duration};

use ringfence::{
    backend::Signals,
    drive::{Audit, Policy, Tracker, TrackerKind},
    placement::{DeviceSignals, EventPlacement},
    ring::RingLimits,
    wait::WaitPolicy,
};

use super::{
    object::{TRACKERS, TrackerObject, device_of, queue_of, tracker_of},
    submission::ringfence_submission_t,
    types::{ringfence_device_t, ringfence_queue_t, ringfence_tracker_t, ringfence_use_id_t},
};
use crate::{
    border::border,
    place::{self, In, Out, Place, aligned},
    sized::{self, grows},
    status::{Failure, ringfence_status_t},
};

/// What a tracker is opened with. Call `ringfence_policy_init(&policy, sizeof policy)`, then change what is to differ.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ringfence_policy_t {
    /// `sizeof(ringfence_policy_t)`.
    pub size: usize,
    /// 1: each signal is loaded before it is used again, as runtimes do without this library: a baseline. 0: retiring.
    pub polling: u32,
    /// 1: signals may live in device memory, wherever the device and the role allow it. 0, the default: never.
    pub device_signals: u32,
    /// Where signals of events live: 0 host memory, 1 device memory, 2 both.
    pub events: u32,
    /// 1: each signal is loaded before it is armed again, to catch somebody else's decrement. 0.
    pub audit: u32,
    /// Signals created at the start. 64; 65536 at most, as `ring_batch` and `interrupt_spares`.
    pub ring_size: u32,
    /// Signals of one memory that may be in flight or ready before a submission waits. 16 times the size; 1048576 at most.
    pub ring_cap: u32,
    /// Signals armed for one flush, and created for one growth. 32.
    pub ring_batch: u32,
    /// Interrupt signals created at the start. 5.
    pub interrupt_spares: u32,
    /// Commands between two points at which their signals can be let go of. 64.
    pub submission_batch: u32,
    /// 0.
    pub reserved: u32,
    /// Nanoseconds: a host wait spins at most this long before it sleeps. 100 us.
    pub active_window: u64,
    /// Nanoseconds: a host wait gives up after this long. 10 minutes.
    pub wait_limit: u64,
}
grows! {
    ringfence_policy_t, first to wait_limit;
}

/// The most signals that a ring begins with: a thousand times the default.
pub(super) const MOST_SIGNALS: u32 = 1 << 16;

impl ringfence_policy_t {
    fn read(&self) -> Result<Policy, Failure> {
        let positive = |name, number: u32| {
            NonZeroU32::new(number).ok_or_else(|| Failure::unknown(name, number))
        };
        Failure::unless_0("policy->reserved", self.reserved)?;
        for (name, number, most) in [
            ("policy->ring_size", self.ring_size, MOST_SIGNALS),
            ("policy->ring_cap", self.ring_cap, 16 * MOST_SIGNALS),
            ("policy->ring_batch", self.ring_batch, MOST_SIGNALS),
            ("policy->interrupt_spares", self.interrupt_spares, MOST_SIGNALS),
        ] {
            Failure::at_most(name, number, most)?;
        }
        let size = positive("policy->ring_size", self.ring_size)?.get();
        let ring = RingLimits {
            size,
            cap: positive("policy->ring_cap", self.ring_cap)?.get().max(size),
            batch: positive("policy->ring_batch", self.ring_batch)?.get(),
            interrupt_spares: self.interrupt_spares,
        };
        Ok(Policy {
            tracker: match self.polling {
                0 => TrackerKind::Retiring,
                1 => TrackerKind::Polling,
                other => return Err(Failure::unknown("policy->polling", other)),
            },
            device_signals: match self.device_signals {
                0 => DeviceSignals::Off,
                1 => DeviceSignals::On,
                other => return Err(Failure::unknown("policy->device_signals", other)),
            },
            events: match self.events {
                0 => EventPlacement::Host,
                1 => EventPlacement::Device,
                2 => EventPlacement::Twin,
                other => return Err(Failure::unknown("policy->events", other)),
            },
            ring,
            submission_batch: positive("policy->submission_batch", self.submission_batch)?,
            wait: WaitPolicy {
                active_window: Duration::from_nanos(self.active_window),
                limit: Duration::from_nanos(self.wait_limit),
            },
            audit: match self.audit {
                0 => Audit::Off,
                1 => Audit::On,
                other => return Err(Failure::unknown("policy->audit", other)),
            },
        })
    }
}
/// Fills `policy` with the defaults, its `size` included. `size` is `sizeof(ringfence_policy_t)`: nothing is written past it.
///
/// Errors: `RINGFENCE_ABI_MISMATCH`. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_policy_init(
    policy: *mut ringfence_policy_t,
    size: usize,
) -> ringfence_status_t {
    border(|| {
        let defaults = Policy::default();
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let filled = ringfence_policy_t {
            size,
            polling: 0,
            device_signals: 0,
            events: 0,
            audit: 0,
            ring_size: defaults.ring.size,
            ring_cap: defaults.ring.cap,
            ring_batch: defaults.ring.batch,
            interrupt_spares: defaults.ring.interrupt_spares,
            submission_batch: defaults.submission_batch.get(),
            reserved: 0,
            active_window: nanoseconds(defaults.wait.active_window),
            wait_limit: nanoseconds(defaults.wait.limit),
        };
        // SAFETY: the caller's structure, by the rules at the top of the header; its size, by the caller.
        unsafe { sized::init(policy, size, &filled, "policy") }
    })
}
/// Opens a tracker for one stream on a queue, with its signals created and armed. `policy` may be NULL: the defaults.
///
/// Gives: `*tracker`, which `ringfence_tracker_close` ends. Errors: `RINGFENCE_NO_SIGNAL`, `RINGFENCE_DEVICE_LOST`;
/// `RINGFENCE_INVALID_ARGUMENT` for a queue of another device or backend. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_tracker_open(
    device: ringfence_device_t,
    queue: ringfence_queue_t,
    policy: *const ringfence_policy_t,
    tracker: Out<ringfence_tracker_t>,
) -> ringfence_status_t {
    border(|| {
        let (device, queue) = (device_of(device)?.clone(), queue_of(queue)?.clone());
        let tracker = tracker.there("tracker")?;
        let policy = if policy.is_null() {
            Policy::default()
        } else {
            // SAFETY: the caller's structure, by the rules at the top of the header.
            unsafe { sized::read(policy, "policy") }?.read()?
        };
        queue.belongs_to(&device)?;
        let opened = Tracker::open(device.device.clone(), queue, policy)?;
        let handle = TRACKERS.insert(TrackerObject { tracker: opened, device })?;
        tracker.write(ringfence_tracker_t { handle });
        Ok(())
    })
}
/// Waits for the stream's work and destroys its signals. Those that events, holds or waiters still have are destroyed by
/// `ringfence_device_reap` once they are let go of. A tracker that a panic met waits for nothing: what is in flight is given up.
///
/// It waits no longer than the tracker's limit for each piece of work, and not at all for what is behind a use that was given
/// up with `ringfence_tracker_force`.
///
/// Takes: `tracker`, also when it fails. Errors: as `ringfence_tracker_synchronize`: what is in flight then ends as failed, and
/// the signals that the device may still write to are neither used nor destroyed. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_tracker_close(tracker: ringfence_tracker_t) -> ringfence_status_t {
    border(|| {
        let object = TRACKERS.last(tracker.handle)?;
        let poisoned = object.is_poisoned();
        let TrackerObject { tracker, device } = TRACKERS.remove(object);
        let reaper = tracker.reaper().clone();
        if poisoned {
            // An index may be reserved and unpublished: nothing behind it would ever finish.
            abandon(TrackerObject { tracker, device });
            return Ok(());
        }
        let closed = tracker.close().map(drop);
        super::handler::leave(&device, reaper);
        Ok(closed?)
    })
}
/// What is in flight is given up.
fn abandon(TrackerObject { tracker, device }: TrackerObject) {
    let reaper = tracker.reaper().clone();
    drop(tracker);
    reaper.reap(|signal| device.device.destroy(signal));
    super::handler::leave(&device, reaper);
}
/// Ends a tracker without a wait, as a wrapper has to whose owner went: what is in flight ends as failed, and the signals that the
/// device may still write to are neither used nor destroyed. The others are destroyed, now or by `ringfence_device_reap`. Where there
/// is time, `ringfence_tracker_close` loses nothing.
///
/// Takes: `tracker`. Errors: of handles. Threads: the stream's owner, on any but a callback thread. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_tracker_abandon(tracker: ringfence_tracker_t) -> ringfence_status_t {
    border(|| {
        abandon(TRACKERS.take(tracker.handle)?);
        Ok(())
    })
}
/// Publishes one packet. `of` may be NULL: which use it is.
///
/// Errors: `RINGFENCE_EXHAUSTED`, `RINGFENCE_NO_SIGNAL`, `RINGFENCE_TIMED_OUT`, `RINGFENCE_OVER_DECREMENT`,
/// `RINGFENCE_DEVICE_LOST`: nothing was published then. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_tracker_submit(
    tracker: ringfence_tracker_t,
    submission: In<ringfence_submission_t>,
    of: Out<ringfence_use_id_t>,
) -> ringfence_status_t {
    border(|| {
        let of = of.if_any("of")?;
        let mut object = tracker_of(tracker)?;
        let what = submission.there("submission")?.read(object.tracker.queue())?;
        let is = object.tracker.submit(what)?;
        of.write(is.into());
        Ok(())
    })
}
/// How many packets of a call were published: told when the call ends, however it does.
struct Published {
    place: Option<Place<usize>>,
    count: usize,
}
impl Drop for Published {
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            place.write(self.count);
        }
    }
}
/// Publishes `count` packets in order, with one reservation and one doorbell for up to 256 of them: signals for all of them
/// are secured before an index is reserved. `uses` has `count` places, or is NULL; `published` may be NULL: how many were.
///
/// Errors: as `ringfence_tracker_submit`; `*published` is written all the same, and so many packets are published.
/// Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_tracker_submit_all(
    tracker: ringfence_tracker_t,
    submissions: *const ringfence_submission_t,
    count: usize,
    uses: *mut ringfence_use_id_t,
    published: Out<usize>,
) -> ringfence_status_t {
    border(|| {
        // Told also where the call is refused, or panics.
        let mut told = Published { place: Some(published.if_any("published")?), count: 0 };
        let mut object = tracker_of(tracker)?;
        // SAFETY: the caller's array, by the rules at the top of the header.
        let all = unsafe { place::list(submissions, count, "submissions") }?;
        aligned(uses, "uses")?;
        let queue = object.tracker.queue().clone();
        let all: Vec<_> = all.iter().map(|one| one.read(&queue)).collect::<Result<_, _>>()?;
        object.tracker.submit_all(&all, |of, _record| {
            if !uses.is_null() {
                // SAFETY: the caller's array has `count` places, and each packet is told of once.
                let place = unsafe { uses.add(told.count) };
                // SAFETY: as above.
                unsafe { place.write(of.into()) };
            }
            told.count += 1;
        })?;
        Ok(())
    })
}
/// Looks for finished uses with at most one load, and arms their signals. Whatever is submitted and finishes is retired
/// after a bounded number of calls. `retired` and `in_flight` may be NULL: how many uses were, and are.
///
/// Errors: `RINGFENCE_OVER_DECREMENT`: other uses are unharmed, call again; `RINGFENCE_DEVICE_LOST`. Threads: the stream's
/// owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_tracker_reclaim(
    tracker: ringfence_tracker_t,
    retired: Out<usize>,
    in_flight: Out<usize>,
) -> ringfence_status_t {
    border(|| {
        let (retired, in_flight) = (retired.if_any("retired")?, in_flight.if_any("in_flight")?);
        let did = tracker_of(tracker)?.tracker.reclaim()?;
        retired.write(did.retired);
        in_flight.write(did.in_flight);
        Ok(())
    })
}
/// Loads the newest fence, whatever the read index says: one load that may retire everything.
///
/// Errors: as `ringfence_tracker_reclaim`. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_tracker_probe(
    tracker: ringfence_tracker_t,
    retired: Out<usize>,
    in_flight: Out<usize>,
) -> ringfence_status_t {
    border(|| {
        let (retired, in_flight) = (retired.if_any("retired")?, in_flight.if_any("in_flight")?);
        let did = tracker_of(tracker)?.tracker.probe()?;
        retired.write(did.retired);
        in_flight.write(did.in_flight);
        Ok(())
    })
}
/// The stream goes on with another hardware queue. What it left on the old one is followed there. It does not order the new
/// queue's work after the old one's: record an event before, and wait for it after, as far as that is wanted.
///
/// Errors: as `ringfence_tracker_submit`; `RINGFENCE_INVALID_ARGUMENT` for a queue of another device or backend. The stream is
/// still on the old queue then. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_tracker_switch_queue(
    tracker: ringfence_tracker_t,
    queue: ringfence_queue_t,
) -> ringfence_status_t {
    border(|| {
        let (mut object, queue) = (tracker_of(tracker)?, queue_of(queue)?.clone());
        queue.belongs_to(&object.device)?;
        object.tracker.switch_queue(queue)?;
        Ok(())
    })
}
