//! Waiting for a stream, and what its tracker counted.

use std::time::Duration;

use ringfence::{drive::ForcedUse, ledger::LoadCause, wait::WaitPolicy};

use super::{
    object::tracker_of,
    types::{ringfence_tracker_t, ringfence_use_id_t},
};
use crate::{
    border::border,
    sized::{Room, grows},
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

/// What tracking one stream has cost so far, events of the stream included. Set `size` before the call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_ledger_t {
    /// `sizeof(ringfence_ledger_t)`.
    pub size: usize,
    /// Publications of a signal.
    pub uses: u64,
    /// Those whose packet has the barrier bit.
    pub fence_uses: u64,
    /// Packets published, those without a signal too.
    pub packets: u64,
    /// Loads of signals and timestamps in host memory.
    pub host_loads: u64,
    /// The same in device memory: reads across PCIe.
    pub device_reads: u64,
    /// Of both, those that retired uses.
    pub loads_to_retire: u64,
    /// Of both, those that answered queries.
    pub loads_to_query: u64,
    /// Of both, those that took timestamps.
    pub loads_of_timing: u64,
    /// Loads of a read index.
    pub read_index_loads: u64,
    /// Signals armed for another use.
    pub arms: u64,
    /// Flushes of the host data path.
    pub flushes: u64,
    /// Store fences without a flush.
    pub store_fences: u64,
    /// Signals created.
    pub created: u64,
    /// Signals destroyed.
    pub destroyed: u64,
    /// Times the ring grew.
    pub grows: u64,
    /// Times a submission waited for room.
    pub waits_for_room: u64,
    /// Times a proven signal was still held by somebody else.
    pub parks: u64,
    /// Fences submitted because nothing else would have proven what was pinned.
    pub fences_asked: u64,
    /// Signals put into quarantine.
    pub quarantined: u64,
    /// Signals given up with a lost device.
    pub leaked: u64,
    /// Uses that are not proven yet, now.
    pub in_flight: u64,
}
grows! {
    ringfence_ledger_t, first to in_flight;
}

/// Waits on the host until everything that this stream submitted is finished and visible to the host.
///
/// Errors: `RINGFENCE_TIMED_OUT`, `RINGFENCE_DEVICE_LOST`, `RINGFENCE_USE_FAILED` when something was given up and may still
/// run, and everything else is finished, but for what is behind it on its queue; otherwise as `ringfence_tracker_submit`.
/// Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_tracker_synchronize(
    tracker: ringfence_tracker_t,
) -> ringfence_status_t {
    border(|| {
        let _synced = tracker_of(tracker)?.tracker.synchronize()?;
        Ok(())
    })
}
/// The same, with `limit` nanoseconds at most for each of its waits, and not the limit that the tracker was opened with.
///
/// Errors: as `ringfence_tracker_synchronize`. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_tracker_synchronize_within(
    tracker: ringfence_tracker_t,
    limit: u64,
) -> ringfence_status_t {
    border(|| {
        let tracker = &mut tracker_of(tracker)?.tracker;
        let limit = Duration::from_nanos(limit);
        let wait = WaitPolicy { limit, ..tracker.policy().wait };
        let _synced = tracker.synchronize_within(&wait)?;
        Ok(())
    })
}
/// Waits until the stream's queue is drained: also packets without a signal, and those of others that were published before.
///
/// Errors: as `ringfence_tracker_synchronize`. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_tracker_drain(tracker: ringfence_tracker_t) -> ringfence_status_t {
    border(|| Ok(tracker_of(tracker)?.tracker.drain()?))
}
/// A timeout gives a use up: 0 is stored into its signal, its waiters get an error, and the signal is quarantined until the
/// device's own decrement is seen. Nothing is retired by it. Waits for the stream, its close too, end at once, in
/// `RINGFENCE_USE_FAILED`, until it is seen to be over.
///
/// Errors: `RINGFENCE_OUT_OF_ORDER` when the use was over, or not this stream's; `RINGFENCE_DEVICE_LOST`. Threads: the stream's
/// owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_tracker_force(
    tracker: ringfence_tracker_t,
    of: ringfence_use_id_t,
) -> ringfence_status_t {
    border(|| {
        let of = of.read();
        match tracker_of(tracker)?.tracker.force(of)? {
            ForcedUse::GivenUp => Ok(()),
            ForcedUse::WasOver => Err(Failure::new(
                Status::RINGFENCE_OUT_OF_ORDER,
                format_args!(
                    "use {of} was over, or is not this stream's; there is nothing to give up"
                ),
            )),
        }
    })
}
/// What tracking the stream has cost so far.
///
/// Errors: of handles, `RINGFENCE_ABI_MISMATCH`. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_tracker_counts(
    tracker: ringfence_tracker_t,
    counts: *mut ringfence_ledger_t,
) -> ringfence_status_t {
    border(|| {
        // SAFETY: the caller's structure, by the rules at the top of the header.
        let counts = unsafe { Room::there(counts, "counts") }?;
        let object = tracker_of(tracker)?;
        let own = object.tracker.counts();
        let told = ringfence_ledger_t {
            size: 0,
            uses: own.uses,
            fence_uses: own.fence_uses,
            packets: own.packets,
            host_loads: own.loads.all_host(),
            device_reads: own.loads.all_device(),
            loads_to_retire: own.loads.of(LoadCause::Retire),
            loads_to_query: own.loads.of(LoadCause::Query),
            loads_of_timing: own.loads.of(LoadCause::Timing),
            read_index_loads: own.read_index_loads,
            arms: own.arms,
            flushes: own.flushes,
            store_fences: own.store_fences,
            created: own.created,
            destroyed: own.destroyed,
            grows: own.grows,
            waits_for_room: own.waits_for_room,
            parks: own.parks,
            fences_asked: own.fences_asked,
            quarantined: own.quarantined,
            leaked: own.leaked,
            in_flight: object.tracker.in_flight() as u64,
        };
        counts.fill(&told);
        Ok(())
    })
}
