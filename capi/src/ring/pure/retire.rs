//! Finished, retired, armed, flushed.

use ringfence::{
    backend::Settled,
    id::PacketId,
    proof::{Grounds, Harvest},
    ring::{Arm, Drained, Timing},
};

use super::life::{RingObject, mark_of, not_retired, ring_of};
use crate::{
    border::border,
    place::Out,
    ring::types::{
        memory_number, ringfence_ring_t, ringfence_signal_memory_t, ringfence_use_id_t,
        ringfence_watermark_t,
    },
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

/// Why a use is known to be finished: one of `RINGFENCE_GROUNDS_*`.
pub type ringfence_grounds_t = u32;
/// Its own signal was seen at 0.
pub const RINGFENCE_GROUNDS_OWN_VALUE: u32 = 0;
/// A later fence of the same queue and generation is finished.
pub const RINGFENCE_GROUNDS_FENCE: u32 = 1;
/// It is a barrier packet, and a later packet of its queue completed.
pub const RINGFENCE_GROUNDS_BARRIER_ORDER: u32 = 2;
/// Its queue and generation were drained up to a point after it.
pub const RINGFENCE_GROUNDS_DRAINED: u32 = 3;
/// A packet that waited for exactly its signal to be 0 is itself proven.
pub const RINGFENCE_GROUNDS_AWAITED: u32 = 4;

/// A use that is over, and has to be retired.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_finished_t {
    /// Its signal; 0: no use is known to be finished.
    pub signal: u64,
    /// Where that lives.
    pub lives: ringfence_signal_memory_t,
    /// Why it is known to be finished.
    pub grounds: ringfence_grounds_t,
    /// 1: its timing has to be taken from the signal before `ringfence_ring_retire`.
    pub timed: u32,
    /// 0.
    pub reserved: u32,
    /// The use.
    pub of: ringfence_use_id_t,
}

/// The next use that is known to be finished without a load. Retire it, then call again, until `finished->signal` is 0.
///
/// Errors: `RINGFENCE_OUT_OF_ORDER` while an earlier one is not retired. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_next_finished(
    ring: ringfence_ring_t,
    finished: Out<ringfence_finished_t>,
) -> ringfence_status_t {
    border(|| {
        let (mut object, told) = (ring_of(ring)?, finished.there("finished")?);
        if object.finished.is_some() {
            return Err(not_retired());
        }
        object.finished = object.ring.next_finished();
        told.write(describe(&object));
        Ok(())
    })
}
/// The use that `RINGFENCE_CONFIRMED_OWN` spoke of, or that was the next finished, as long as it is not retired.
///
/// Errors: of handles. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_finished(
    ring: ringfence_ring_t,
    finished: Out<ringfence_finished_t>,
) -> ringfence_status_t {
    border(|| {
        let object = ring_of(ring)?;
        finished.there("finished")?.write(describe(&object));
        Ok(())
    })
}
fn describe(object: &RingObject) -> ringfence_finished_t {
    let told = object.finished.as_ref().map(|finished| ringfence_finished_t {
        signal: finished.signal().as_u64(),
        lives: memory_number(finished.memory()),
        grounds: match finished.grounds() {
            Grounds::OwnValue => RINGFENCE_GROUNDS_OWN_VALUE,
            Grounds::Fence => RINGFENCE_GROUNDS_FENCE,
            Grounds::BarrierOrder => RINGFENCE_GROUNDS_BARRIER_ORDER,
            Grounds::Drained => RINGFENCE_GROUNDS_DRAINED,
            Grounds::Awaited => RINGFENCE_GROUNDS_AWAITED,
        },
        timed: u32::from(finished.timing() == Timing::Wanted),
        reserved: 0,
        of: finished.of().into(),
    });
    told.unwrap_or_default()
}
/// An order, if there is one: the signal has to be armed. 0: it is parked, because somebody holds it.
fn order(arm: Option<Arm>) -> u64 {
    arm.map_or(0, |arm| arm.signal().as_u64())
}

/// The finished use is over, and its timing taken: say so with `timing_taken` 1 where it was wanted. `*arm` is a signal to arm
/// now, with a plain store of 1, or 0: somebody holds it, and it is parked until a `ringfence_ring_unpark`. An armed signal in
/// device memory is usable after `ringfence_ring_flushed`.
///
/// Errors: `RINGFENCE_OUT_OF_ORDER` when no use is finished, or its timing was not taken: it would be lost. Threads: the stream's
/// owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_retire(
    ring: ringfence_ring_t,
    timing_taken: u32,
    arm: Out<u64>,
) -> ringfence_status_t {
    border(|| {
        let (mut object, arm) = (ring_of(ring)?, arm.there("arm")?);
        let out_of_order =
            |what: &str| Failure::new(Status::RINGFENCE_OUT_OF_ORDER, format_args!("{what}"));
        let finished = object.finished.take().ok_or_else(|| {
            out_of_order("no use is finished; ask `ringfence_ring_next_finished` first")
        })?;
        let harvest = match finished.timing() {
            Timing::Wanted if timing_taken == 0 => {
                object.finished = Some(finished);
                return Err(out_of_order(
                    "the use's timing is wanted, and arming would overwrite it; take it, then pass 1",
                ));
            }
            Timing::Wanted => Harvest::taken(None),
            Timing::Unwanted => Harvest::NOT_WANTED,
        };
        arm.write(order(object.ring.retire(finished, harvest)));
        Ok(())
    })
}
/// Retires all uses that the watermark covers and that nobody has to take a timing of, oldest first, up to `capacity`: the
/// signals to arm are written to `signals`. `armed` is how many; `parked`, which may be NULL, how many others are held by
/// somebody. What needs more than that is left for `ringfence_ring_next_finished`.
///
/// Errors: `RINGFENCE_OUT_OF_ORDER` while a use is finished and not retired. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_ring_retire_batch(
    ring: ringfence_ring_t,
    signals: *mut u64,
    capacity: usize,
    armed: Out<usize>,
    parked: Out<usize>,
) -> ringfence_status_t {
    border(|| {
        let parked = parked.if_any("parked")?;
        let (mut object, armed) = (ring_of(ring)?, armed.there("armed")?);
        if capacity > 0 && signals.is_null() {
            return Err(Failure::null("signals"));
        }
        if object.finished.is_some() {
            return Err(not_retired());
        }
        let (mut told, mut held) = (0_usize, 0_usize);
        while told < capacity
            && let Some(proven) = object.ring.observe()
        {
            let batch = object.ring.retire_together(proven, capacity - told, |arm| {
                // SAFETY: the caller's array has `capacity` places, and the ring gives no more orders than were left.
                let place = unsafe { signals.add(told) };
                // SAFETY: as above.
                unsafe { place.write(arm.signal().as_u64()) };
                told += 1;
            });
            held += batch.parked;
            if batch.armed + batch.parked == 0 {
                break;
            }
        }
        armed.write(told);
        parked.write(held);
        Ok(())
    })
}
/// Tries the parked signal that waited longest: `*arm` is a signal to arm, or 0. Call as often as there are parked ones.
///
/// Errors: of handles. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_unpark(
    ring: ringfence_ring_t,
    arm: Out<u64>,
) -> ringfence_status_t {
    border(|| {
        let (mut object, arm) = (ring_of(ring)?, arm.there("arm")?);
        arm.write(order(object.ring.unpark()));
        Ok(())
    })
}
/// The device has flushed: every signal that the ring ever told to arm may be used. So all of them were stored before the
/// flush: store a whole batch, flush, and only then say so.
///
/// Errors: of handles. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_flushed(ring: ringfence_ring_t) -> ringfence_status_t {
    border(|| {
        ring_of(ring)?.ring.flushed();
        Ok(())
    })
}
/// The next use that is over because the queue of `watermark` was drained: all indices below `published` were published and none
/// reserved, read before the watermark was observed, and the watermark covers them. Otherwise as `ringfence_ring_next_finished`;
/// pins of the drained packets go as well.
///
/// Errors: `RINGFENCE_OUT_OF_ORDER` when the watermark does not cover them, or a use is finished and not retired. Threads: the
/// stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_next_drained(
    ring: ringfence_ring_t,
    watermark: ringfence_watermark_t,
    published: u64,
    finished: Out<ringfence_finished_t>,
) -> ringfence_status_t {
    border(|| {
        let (mut object, told) = (ring_of(ring)?, finished.there("finished")?);
        if object.finished.is_some() {
            return Err(not_retired());
        }
        let proven = mark_of(watermark)?.observe();
        let settled = Settled::Below(PacketId::new(published));
        let drained = Drained::by_fence(settled, proven).ok_or_else(|| {
            Failure::new(
                Status::RINGFENCE_OUT_OF_ORDER,
                format_args!(
                    "packets below {published} are published, and only those below {} are proven; confirm a later fence first",
                    proven.below().as_u64()
                ),
            )
        })?;
        object.finished = object.ring.next_drained(drained);
        told.write(describe(&object));
        Ok(())
    })
}
