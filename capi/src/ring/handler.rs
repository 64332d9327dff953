//! Handlers, and signals that are let go of late.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ringfence::{
    backend::{HandlerToken, Signals},
    drive::Watched,
    ring::{Outcome, Reaper},
};

use super::{
    event::{
        RINGFENCE_EVENT_FAILED, RINGFENCE_EVENT_FINISHED, RINGFENCE_EVENT_UNFINISHED,
        ringfence_event_status_t,
    },
    object::{DeviceObject, device_of, event_of},
    types::{ringfence_device_t, ringfence_event_t},
};
use crate::{
    border::border,
    place::Out,
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

/// What became of a use whose handler's turn has come.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_handled_t {
    /// The number that `ringfence_event_watch` was given.
    pub then: u64,
    /// `RINGFENCE_EVENT_FINISHED`, `RINGFENCE_EVENT_FAILED`, or, if the token came early, `RINGFENCE_EVENT_UNFINISHED`.
    pub status: ringfence_event_status_t,
    /// 1 if the use was timed and the device wrote usable stamps.
    pub is_timed: u32,
    /// The tick at which it started.
    pub start: u64,
    /// The tick at which it ended.
    pub end: u64,
    /// Ticks a second.
    pub tick_rate: u64,
}

/// Signals of trackers that are closed, and that somebody still held then.
static LEFT: Mutex<Vec<(Arc<DeviceObject>, Arc<Reaper>)>> = Mutex::new(Vec::new());

fn left() -> MutexGuard<'static, Vec<(Arc<DeviceObject>, Arc<Reaper>)>> {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}
/// A tracker is closed: its reaper may get signals later. Who still holds a signal holds its reaper.
pub(crate) fn leave(device: &Arc<DeviceObject>, reaper: Arc<Reaper>) {
    // Also one that nobody holds any more: it may have got the last signal after the tracker looked.
    left().push((device.clone(), reaper));
    sweep();
}
/// Destroys the signals of closed trackers that nobody holds any more, and lets go of their devices. Not on a callback
/// thread.
pub(crate) fn sweep() {
    // Nobody but the list has it: it gets no signal any more.
    let over: Vec<_> =
        left().extract_if(.., |(_, reaper)| Arc::strong_count(reaper) == 1).collect();
    for (on, reaper) in over {
        reaper.reap(|signal| on.device.destroy(signal)); // with no lock held: a caller's function
    }
}
/// Destroys the signals of closed trackers of this device that nobody holds any more. The last event that is destroyed, and
/// `ringfence_device_close`, do the same; call it where holds and waiters outlive trackers. `destroyed` may be NULL: how many were.
///
/// Errors: of handles. Threads: any, but for callback threads. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_device_reap(
    device: ringfence_device_t,
    destroyed: Out<usize>,
) -> ringfence_status_t {
    border(|| {
        let destroyed = destroyed.if_any("destroyed")?;
        let object = device_of(device)?;
        let of_it = |(of, reaper): &(Arc<DeviceObject>, Arc<Reaper>)| {
            Arc::ptr_eq(of, &object).then(|| reaper.clone())
        };
        let mine: Vec<Arc<Reaper>> = left().iter().filter_map(of_it).collect();
        let reap = |reaper: Arc<Reaper>| reaper.reap(|signal| object.device.destroy(signal));
        let count: usize = mine.into_iter().map(reap).sum();
        sweep();
        destroyed.write(count);
        Ok(())
    })
}
/// A handler for what the event stands for now: once that is over, the device reports a token, on whose arrival the caller's
/// callback thread calls `ringfence_device_handle`; `then` comes back there. The signal is held until then. `*later` is 1 if
/// that will happen, exactly once, and 0 if the use is over already.
///
/// Errors: `RINGFENCE_NO_HANDLER` when the signal wakes nobody: make the event `RINGFENCE_EVENT_KIND_BLOCKING`;
/// `RINGFENCE_OUT_OF_ORDER` for an event that was never recorded, or whose device is closed. Threads: any, at once.
/// Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_event_watch(
    event: ringfence_event_t,
    then: u64,
    later: Out<u32>,
) -> ringfence_status_t {
    border(|| {
        let later = later.there("later")?;
        let (snapshot, on) = {
            let object = event_of(event)?;
            object.event.snapshot().zip(object.device.clone()).ok_or_else(|| {
                Failure::new(
                    Status::RINGFENCE_OUT_OF_ORDER,
                    format_args!("the event was never recorded; record it, then watch"),
                )
            })?
        };
        let Some(_open) = on.listener.open() else {
            return Err(Failure::new(
                Status::RINGFENCE_OUT_OF_ORDER,
                format_args!(
                    "the event's device is closed, so that nobody would be told; watch before"
                ),
            ));
        };
        let watched = on.handlers.watch(&on.device, snapshot.record(), then)?;
        later.write(u32::from(matches!(watched, Watched::Later)));
        Ok(())
    })
}
/// On the callback thread: the device reported `token`. Takes the timing, if it is wanted and still to be had, and lets go of
/// the signal. Nothing is destroyed on this thread, and nobody is called back.
///
/// Errors: `RINGFENCE_STALE_HANDLE` for a token of another device, or one that was handled. Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_device_handle(
    device: ringfence_device_t,
    token: u64,
    handled: Out<ringfence_handled_t>,
) -> ringfence_status_t {
    border(|| {
        let (object, told) = (device_of(device)?, handled.there("handled")?);
        let done = object.handlers.handle(&object.device, HandlerToken::new(token));
        let done = done.ok_or_else(|| {
            Failure::new(
                Status::RINGFENCE_STALE_HANDLE,
                format_args!("no handler of this device waits for token {token}: it was handled, or is another device's"),
            )
        })?;
        let mut what = ringfence_handled_t { then: done.then, ..Default::default() };
        what.status = match done.outcome {
            Outcome::Finished => RINGFENCE_EVENT_FINISHED,
            Outcome::Pending => RINGFENCE_EVENT_UNFINISHED,
            Outcome::Failed(_) => RINGFENCE_EVENT_FAILED,
        };
        if let Some(ran) = done.interval {
            what.is_timed = 1;
            (what.start, what.end, what.tick_rate) = (ran.start(), ran.end(), ran.rate().hertz());
        }
        told.write(what);
        Ok(())
    })
}
