//! Watermarks and rings: made, looked at, ended.

use std::sync::Arc;

use ringfence::{
    backend::SignalMemory,
    error::Failure as Why,
    id::SignalHandle,
    ring::{Finished, Holder, Probe, Reaper, Ring, RingLimits},
    watermark::Watermark,
};

use crate::{
    border::border,
    handle::{Exclusive, Kind, Shared, Table},
    place::Out,
    ring::{
        tracker::MOST_SIGNALS,
        types::{
            RINGFENCE_MEMORY_DEVICE, lane, memory, ringfence_hold_t, ringfence_ring_t,
            ringfence_signal_memory_t, ringfence_watermark_t,
        },
    },
    sized::{Room, grows},
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

static WATERMARKS: Table<Arc<Watermark>> = Table::new(Kind::Watermark);
static RINGS: Table<RingObject> = Table::new(Kind::Ring);
pub(super) static HOLDS: Table<Holder> = Table::new(Kind::Hold);

/// A ring, and what it answered last: values that may be used once stay on this side of the border.
pub(super) struct RingObject {
    pub(super) ring: Ring,
    /// The signal that the caller was told to load.
    pub(super) probe: Option<Probe>,
    /// The use that the caller was told is over.
    pub(super) finished: Option<Finished>,
    /// Signals secured and not bound, by memory.
    pub(super) secured: [usize; 4],
}
impl RingObject {
    pub(super) fn secured_of(&mut self, memory: SignalMemory) -> &mut usize {
        let at = SignalMemory::ALL.iter().position(|other| *other == memory);
        &mut self.secured[at.unwrap_or(0)]
    }
}
pub(super) fn ring_of(ring: ringfence_ring_t) -> Result<Exclusive<RingObject>, Failure> {
    RINGS.alone(ring.handle)
}
pub(super) fn mark_of(mark: ringfence_watermark_t) -> Result<Shared<Arc<Watermark>>, Failure> {
    WATERMARKS.shared(mark.handle)
}

/// Makes the watermark of one generation of one hardware queue, of which nothing is proven. Make one for each queue and
/// generation, and give it to every ring on the queue. No other queue or copy engine of the process has the same number:
/// below 65,536, since the library numbers queues of HSA and HIP from there on.
///
/// Gives: `*watermark`, which `ringfence_watermark_destroy` ends. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_watermark_create(
    queue: u32,
    generation: u32,
    watermark: Out<ringfence_watermark_t>,
) -> ringfence_status_t {
    border(|| {
        let watermark = watermark.there("watermark")?;
        let made = Arc::new(Watermark::new(lane(queue, generation)));
        watermark.write(ringfence_watermark_t { handle: WATERMARKS.insert(made)? });
        Ok(())
    })
}
/// Ends the caller's interest in a watermark. Its rings keep it.
///
/// Takes: `watermark`. Errors: of handles. Threads: any, when no other one is in a call on it. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_watermark_destroy(
    watermark: ringfence_watermark_t,
) -> ringfence_status_t {
    border(|| WATERMARKS.take(watermark.handle).map(drop))
}
/// What is proven now: every packet before `*below` is complete.
///
/// Errors: of handles. Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_watermark_observe(
    watermark: ringfence_watermark_t,
    below: Out<u64>,
) -> ringfence_status_t {
    border(|| {
        let proven = mark_of(watermark)?.observe();
        below.there("below")?.write(proven.below().as_u64());
        Ok(())
    })
}

/// Makes a ring without signals, for a stream on the queue of `watermark`. `size` signals are usual, and it may grow to
/// 16 times that; 0 stands for 64, and 65536 is the most.
///
/// Gives: `*ring`, which `ringfence_ring_destroy` ends. Errors: of handles. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_create(
    watermark: ringfence_watermark_t,
    size: u32,
    ring: Out<ringfence_ring_t>,
) -> ringfence_status_t {
    border(|| {
        let (mark, ring) = (mark_of(watermark)?.clone(), ring.there("ring")?);
        Failure::at_most("size", size, MOST_SIGNALS)?;
        let limits = if size == 0 { RingLimits::default() } else { RingLimits::with_size(size) };
        let object = RingObject {
            ring: Ring::new(mark, limits, Arc::new(Reaper::new())),
            probe: None,
            finished: None,
            secured: [0; 4],
        };
        ring.write(ringfence_ring_t { handle: RINGS.insert(object)? });
        Ok(())
    })
}
/// Ends a ring, and writes its signals into `signals`, which has `capacity` places: those that the device no longer uses and
/// nobody holds are the caller's to destroy. What is in flight is given up: those signals are neither used nor destroyed.
/// `count` is how many were written, `given_up` how many were not; both may be NULL.
///
/// Takes: `ring`, unless it fails. Errors: `RINGFENCE_FULL` when `capacity` is less than the ring's size: nothing was done.
/// `RINGFENCE_OUT_OF_ORDER` while a use is finished and not retired. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_ring_destroy(
    ring: ringfence_ring_t,
    signals: *mut u64,
    capacity: usize,
    count: Out<usize>,
    given_up: Out<usize>,
) -> ringfence_status_t {
    border(|| {
        let given_up = given_up.if_any("given_up")?;
        let count = count.if_any("count")?;
        let object = RINGS.last(ring.handle)?;
        let size = object.ring.size();
        if size > 0 && (signals.is_null() || capacity < size) {
            return Err(Failure::new(
                Status::RINGFENCE_FULL,
                format_args!(
                    "the ring {:#x} has {size} signals, and there are {capacity} places; pass as many",
                    ring.handle
                ),
            ));
        }
        if object.finished.is_some() && !object.is_poisoned() {
            return Err(not_retired());
        }
        let reaper = object.ring.reaper().clone();
        let mut own = RINGS.remove(object);
        let _lost = own.ring.lose(Why::Abandoned);
        drop(own);
        let mut told = 0;
        reaper.reap(|signal| {
            // SAFETY: the caller's array has a place for every signal of the ring, and each comes once.
            let place = unsafe { signals.add(told) };
            // SAFETY: as above.
            unsafe { place.write(signal.as_u64()) };
            told += 1;
        });
        count.write(told);
        given_up.write(size - told);
        Ok(())
    })
}
pub(super) fn not_retired() -> Failure {
    Failure::new(
        Status::RINGFENCE_OUT_OF_ORDER,
        format_args!(
            "a use is finished and not retired; call `ringfence_ring_retire` first, or its signal is lost"
        ),
    )
}
/// Takes a signal in that was created armed with 1 and is visible to the device: asked for in `wanted`, and living in `lives`.
///
/// Errors: `RINGFENCE_INVALID_ARGUMENT` for signal 0. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_add(
    ring: ringfence_ring_t,
    signal: u64,
    wanted: ringfence_signal_memory_t,
    lives: ringfence_signal_memory_t,
) -> ringfence_status_t {
    border(|| {
        let mut object = ring_of(ring)?;
        if signal == 0 {
            return Err(Failure::unknown("signal", signal));
        }
        object.ring.add(SignalHandle::new(signal), memory(wanted)?, memory(lives)?);
        Ok(())
    })
}

/// How it stands with a ring. Set `size` before the call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_ring_state_t {
    /// `sizeof(ringfence_ring_state_t)`.
    pub size: usize,
    /// Signals that a submission can take now, by memory: `RINGFENCE_MEMORY_DEVICE` and so on.
    pub usable: [u32; 4],
    /// Signals of all memories.
    pub signals: u32,
    /// Uses that are not proven yet.
    pub in_flight: u32,
    /// Signals that are proven, and held by somebody else.
    pub parked: u32,
    /// Signals that may not be used again before their own value proves them.
    pub quarantined: u32,
    /// Signals pinned by GPU waiters that are not proven yet.
    pub pinned: u32,
    /// Signals that are armed and wait for `ringfence_ring_flushed`.
    pub unflushed: u32,
    /// 1 when something is pinned and nothing in flight would ever prove it: submit a fence.
    pub wants_fence: u32,
    /// 0.
    pub reserved: u32,
}
grows! {
    ringfence_ring_state_t, first to reserved;
}

/// How it stands with the ring.
///
/// Errors: of handles, `RINGFENCE_ABI_MISMATCH`. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_ring_state(
    ring: ringfence_ring_t,
    state: *mut ringfence_ring_state_t,
) -> ringfence_status_t {
    border(|| {
        // SAFETY: the caller's structure, by the rules at the top of the header.
        let state = unsafe { Room::there(state, "state") }?;
        let object = ring_of(ring)?;
        let own = &object.ring;
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let mut usable = [0; 4];
        for (place, memory) in usable.iter_mut().zip(SignalMemory::ALL) {
            *place = number(own.usable(memory));
        }
        debug_assert_eq!(RINGFENCE_MEMORY_DEVICE, 0, "the order of SignalMemory::ALL");
        let told = ringfence_ring_state_t {
            size: 0,
            usable,
            signals: number(own.size()),
            in_flight: number(own.in_flight()),
            parked: number(own.parked()),
            quarantined: number(own.quarantined()),
            pinned: number(own.pinned()),
            unflushed: number(own.unflushed()),
            wants_fence: u32::from(own.wants() == ringfence::ring::Wants::Fence),
            reserved: 0,
        };
        state.fill(&told);
        Ok(())
    })
}
/// The stream goes on with the queue of `watermark`: another one, or the same after its index space restarted. What is in
/// flight stays where it was, and is proven by its own values and by fences of that queue alone.
///
/// Errors: `RINGFENCE_OUT_OF_ORDER` while a signal is secured. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_switch(
    ring: ringfence_ring_t,
    watermark: ringfence_watermark_t,
) -> ringfence_status_t {
    border(|| {
        let (mut object, mark) = (ring_of(ring)?, mark_of(watermark)?.clone());
        if object.secured != [0; 4] {
            return Err(Failure::new(
                Status::RINGFENCE_OUT_OF_ORDER,
                format_args!(
                    "signals are secured for the present queue; bind them, or give them back"
                ),
            ));
        }
        object.ring.switch(mark);
        Ok(())
    })
}
/// The device is gone: nothing is proven, and every signal that it may still write to is given up. `given_up` may be NULL.
///
/// Errors: of handles. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_lose(
    ring: ringfence_ring_t,
    given_up: Out<u32>,
) -> ringfence_status_t {
    border(|| {
        let given_up = given_up.if_any("given_up")?;
        let lost = ring_of(ring)?.ring.lose(Why::DeviceLost);
        given_up.write(lost);
        Ok(())
    })
}
/// Lets go of a signal: the ring arms it again when its last use is proven, and a `ringfence_ring_unpark` finds it free. On a
/// callback thread as well: nothing is destroyed there.
///
/// Takes: `hold`. Errors: of handles. Threads: any. Finalizers: no: the last hold of a ring that is gone takes a lock.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_hold_release(hold: ringfence_hold_t) -> ringfence_status_t {
    border(|| HOLDS.take(hold.handle).map(drop))
}
