//! Events.

use std::{sync::Arc, time::Duration};

use ringfence::{
    event::{Event, EventKind, EventOptions, EventStatus, Snapshot},
    ring::Timing,
    wait::WaitPolicy,
};

use super::{
    object::{DeviceObject, EVENTS, EventObject, event_of, tracker_of},
    submission::ringfence_submission_t,
    types::{ringfence_event_t, ringfence_tracker_t, ringfence_use_id_t},
};
use crate::{
    border::border,
    place::{In, Out},
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

/// What an event is for: one of `RINGFENCE_EVENT_KIND_*`.
pub type ringfence_event_kind_t = u32;
/// Queried, waited for, and awaited by other streams. A host wait spins.
pub const RINGFENCE_EVENT_KIND_PLAIN: u32 = 0;
/// A host wait sleeps, and a handler can be set: it takes an interrupt signal.
pub const RINGFENCE_EVENT_KIND_BLOCKING: u32 = 1;
/// Another process waits for it, by one cell.
pub const RINGFENCE_EVENT_KIND_IPC: u32 = 2;

/// What is known of an event: one of `RINGFENCE_EVENT_*`.
pub type ringfence_event_status_t = u32;
/// It was never recorded: not the same as finished.
pub const RINGFENCE_EVENT_NOT_RECORDED: u32 = 0;
/// What was submitted before its recording is not known to be finished.
pub const RINGFENCE_EVENT_UNFINISHED: u32 = 1;
/// It is finished.
pub const RINGFENCE_EVENT_FINISHED: u32 = 2;
/// It will never be known to be finished; `ringfence_event_synchronize` says why.
pub const RINGFENCE_EVENT_FAILED: u32 = 3;

/// Makes an event that was never recorded. `timed` is 1 if its timing is wanted.
///
/// Gives: `*event`, which `ringfence_event_destroy` ends. Errors: `RINGFENCE_INVALID_ARGUMENT`. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_event_create(
    kind: ringfence_event_kind_t,
    timed: u32,
    event: Out<ringfence_event_t>,
) -> ringfence_status_t {
    border(|| {
        let event = event.there("event")?;
        let kind = match kind {
            RINGFENCE_EVENT_KIND_PLAIN => EventKind::Plain,
            RINGFENCE_EVENT_KIND_BLOCKING => EventKind::Blocking,
            RINGFENCE_EVENT_KIND_IPC => EventKind::Ipc,
            other => return Err(Failure::unknown("kind", other)),
        };
        let timing = match timed {
            0 => Timing::Unwanted,
            1 => Timing::Wanted,
            other => return Err(Failure::unknown("timed", other)),
        };
        let options = EventOptions { kind, timing, ..EventOptions::default() };
        let object = EventObject { event: Event::new(options), device: None };
        event.write(ringfence_event_t { handle: EVENTS.insert(object)? });
        Ok(())
    })
}
/// Ends an event. It waits for nothing: the ring takes its signal back when the use is over. What it alone held of a tracker that
/// is closed is destroyed.
///
/// Takes: `event`. Errors: of handles. Threads: any but callback threads, when no other one is in a call on it. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_event_destroy(event: ringfence_event_t) -> ringfence_status_t {
    border(|| {
        drop(EVENTS.take(event.handle)?);
        super::handler::sweep();
        Ok(())
    })
}
/// Records the event: it is finished when everything submitted to the stream before is. Earlier recordings and those who wait
/// for them are untouched. With `submission`, which may be NULL, the event is the completion of that packet itself. `of` may
/// be NULL: which use it is.
///
/// Errors: `RINGFENCE_EVENT_PENDING`; as `ringfence_tracker_submit`: the event stands for its earlier recording then.
/// Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_event_record(
    event: ringfence_event_t,
    tracker: ringfence_tracker_t,
    submission: In<ringfence_submission_t>,
    of: Out<ringfence_use_id_t>,
) -> ringfence_status_t {
    border(|| {
        let of = of.if_any("of")?;
        let (mut object, mut on) = (EVENTS.alone(event.handle)?, tracker_of(tracker)?);
        let is = match submission.if_any("submission")? {
            None => object.event.record(&mut on.tracker)?,
            Some(what) => {
                let what = what.read(on.tracker.queue())?;
                object.event.record_with(&mut on.tracker, what)?
            }
        };
        object.device = Some(on.device.clone());
        of.write(is.into());
        Ok(())
    })
}
/// What the event stands for now, and where: whoever waits for that keeps nobody from recording the event again.
fn recorded(event: ringfence_event_t) -> Result<Option<(Snapshot, Arc<DeviceObject>)>, Failure> {
    let object = event_of(event)?;
    Ok(object.event.snapshot().zip(object.device.clone()))
}
/// Whether the event is finished. Never blocks; an event that was proven once costs no load.
///
/// Errors: of handles. Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_event_query(
    event: ringfence_event_t,
    status: Out<ringfence_event_status_t>,
) -> ringfence_status_t {
    border(|| {
        let known = match recorded(event)? {
            None => EventStatus::NotRecorded,
            Some((snapshot, on)) => snapshot.query(&on.device),
        };
        status.there("status")?.write(match known {
            EventStatus::NotRecorded => RINGFENCE_EVENT_NOT_RECORDED,
            EventStatus::Pending => RINGFENCE_EVENT_UNFINISHED,
            EventStatus::Finished => RINGFENCE_EVENT_FINISHED,
            EventStatus::Failed(_) => RINGFENCE_EVENT_FAILED,
        });
        Ok(())
    })
}
/// Waits for the event on the host, `limit` nanoseconds at most; one that was never recorded is nothing to wait for. It waits
/// for what the event stands for at the time of the call, and no lock is held meanwhile.
///
/// Errors: `RINGFENCE_TIMED_OUT`, `RINGFENCE_USE_FAILED`, `RINGFENCE_DEVICE_LOST`. Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_event_synchronize(
    event: ringfence_event_t,
    limit: u64,
) -> ringfence_status_t {
    border(|| {
        if let Some((snapshot, on)) = recorded(event)? {
            let policy = WaitPolicy { limit: Duration::from_nanos(limit), ..WaitPolicy::default() };
            let _synced = snapshot.synchronize(&on.device, &policy)?;
        }
        Ok(())
    })
}
/// The stream's later packets wait for the event on the device; one that was never recorded is nothing to wait for. Its
/// signal is not armed again before the packet that waits for it is proven complete.
///
/// Errors: `RINGFENCE_PEER_CELL`, `RINGFENCE_USE_FAILED`; `RINGFENCE_INVALID_ARGUMENT` for an event of another backend; as
/// `ringfence_tracker_submit`. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_event_wait_on(
    event: ringfence_event_t,
    tracker: ringfence_tracker_t,
) -> ringfence_status_t {
    border(|| {
        let mut on = tracker_of(tracker)?;
        if let Some((snapshot, recorded_on)) = recorded(event)? {
            on.device.knows(&recorded_on)?;
            snapshot.wait_on(&mut on.tracker)?;
        }
        Ok(())
    })
}
/// Nanoseconds from the end of `earlier` to the end of `later`: both finished, timed, and recorded on one device.
///
/// Errors: `RINGFENCE_OUT_OF_ORDER` when there is no such time. Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_event_elapsed(
    earlier: ringfence_event_t,
    later: ringfence_event_t,
    nanoseconds: Out<u64>,
) -> ringfence_status_t {
    border(|| {
        let nanoseconds = nanoseconds.there("nanoseconds")?;
        let (first, second) = (event_of(earlier)?, event_of(later)?);
        // Of one device: its stamps mean nothing on another, whatever number that has.
        let on = first.device.as_ref().zip(second.device.as_ref());
        let on = on.filter(|(first, second)| Arc::ptr_eq(first, second)).map(|(on, _)| on);
        let time = on.and_then(|on| first.event.elapsed_to(&second.event, &on.device));
        let time = time.ok_or_else(|| {
            Failure::new(
                Status::RINGFENCE_OUT_OF_ORDER,
                format_args!(
                    "there is no time between these events: both have to be timed, recorded on one device and finished, in this order"
                ),
            )
        })?;
        nanoseconds.write(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        Ok(())
    })
}
