//! Nominate and confirm: at most one load proves a whole batch.

use ringfence::{
    id::{PacketId, SignalValue},
    ring::{Confirmed, Probe},
};

use super::life::{RingObject, not_retired, ring_of};
use crate::{
    border::border,
    handle::Exclusive,
    place::{Out, Place},
    ring::types::{memory_number, ringfence_ring_t, ringfence_signal_memory_t, ringfence_use_id_t},
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

/// One load is wanted. The value goes to `ringfence_ring_confirm`, before another probe is asked for.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_probe_t {
    /// The signal to load, with acquire order; 0: nothing is to be loaded.
    pub signal: u64,
    /// Where it lives.
    pub lives: ringfence_signal_memory_t,
    /// 0.
    pub reserved: u32,
    /// The use whose signal it is.
    pub of: ringfence_use_id_t,
}
fn give(object: &mut RingObject, found: Option<Probe>, probe: Place<ringfence_probe_t>) {
    let told = found.as_ref().map(|found| ringfence_probe_t {
        signal: found.signal().as_u64(),
        lives: memory_number(found.memory()),
        reserved: 0,
        of: found.of().into(),
    });
    probe.write(told.unwrap_or_default());
    object.probe = found;
}

/// Which signal to load: the newest fence that the read index passed and that is not proven. The read index nominates, and
/// proves nothing. Where it nominates nothing new, what to look at further back, so that every use is looked at after a bounded
/// number of calls; each eighth time, what is on copy engines and on queues that the stream left. Nothing, where half a batch
/// is covered by the watermark already: others on the queue paid for the proof.
///
/// Errors: of handles. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_nominate(
    ring: ringfence_ring_t,
    read_index: u64,
    probe: Out<ringfence_probe_t>,
) -> ringfence_status_t {
    border(|| {
        let (mut object, probe) = (ring_of(ring)?, probe.there("probe")?);
        let enough = (object.ring.limits().batch as usize).div_ceil(2);
        let elsewhere = object.ring.look_elsewhere();
        let found = if elsewhere.is_some() {
            elsewhere
        } else if object.ring.covered() >= enough {
            None
        } else {
            let nominated = object.ring.nominate(PacketId::new(read_index));
            nominated.or_else(|| object.ring.look_further())
        };
        give(&mut object, found, probe);
        Ok(())
    })
}
/// The newest fence in flight, whatever the read index says: one load may retire everything.
///
/// Errors: of handles. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_newest_fence(
    ring: ringfence_ring_t,
    probe: Out<ringfence_probe_t>,
) -> ringfence_status_t {
    border(|| {
        let (mut object, probe) = (ring_of(ring)?, probe.there("probe")?);
        let found = object.ring.newest_fence();
        give(&mut object, found, probe);
        Ok(())
    })
}
/// The signal of one use in flight, to wait for: none, once it is proven.
///
/// Errors: of handles. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_probe_use(
    ring: ringfence_ring_t,
    of: ringfence_use_id_t,
    probe: Out<ringfence_probe_t>,
) -> ringfence_status_t {
    border(|| {
        let (mut object, probe) = (ring_of(ring)?, probe.there("probe")?);
        let found = object.ring.probe_use(of.read());
        give(&mut object, found, probe);
        Ok(())
    })
}

/// What a loaded value proved: one of `RINGFENCE_CONFIRMED_*`.
pub type ringfence_confirmed_t = u32;
/// Nothing yet.
pub const RINGFENCE_CONFIRMED_PENDING: u32 = 0;
/// A fence is complete: the watermark has risen, and `ringfence_ring_next_finished` has what it covers.
pub const RINGFENCE_CONFIRMED_FENCE: u32 = 1;
/// This use alone is complete: retire it next.
pub const RINGFENCE_CONFIRMED_OWN: u32 = 2;
/// The use retired on other grounds since the probe was made.
pub const RINGFENCE_CONFIRMED_SETTLED: u32 = 3;

/// Tells the ring the value that was loaded from the probe's signal, with acquire order. A probe serves once.
///
/// `*confirmed` says what it proves; with `RINGFENCE_CONFIRMED_OWN` the use is the one that `ringfence_ring_retire` takes.
/// Errors: `RINGFENCE_OVER_DECREMENT` for a value below 0: the signal is quarantined; `RINGFENCE_OUT_OF_ORDER` without a probe, or
/// while a use is finished and not retired. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_confirm(
    ring: ringfence_ring_t,
    value: i64,
    confirmed: Out<ringfence_confirmed_t>,
) -> ringfence_status_t {
    border(|| {
        let (mut object, confirmed): (Exclusive<RingObject>, _) =
            (ring_of(ring)?, confirmed.there("confirmed")?);
        if object.finished.is_some() {
            return Err(not_retired());
        }
        let probe = object.probe.take().ok_or_else(|| {
            Failure::new(
                Status::RINGFENCE_OUT_OF_ORDER,
                format_args!("no load was asked for; a probe serves once: ask for another"),
            )
        })?;
        let lane = probe.of().lane();
        let proved = match object.ring.confirm(probe, SignalValue::new(value))? {
            Confirmed::Pending => RINGFENCE_CONFIRMED_PENDING,
            Confirmed::Settled => RINGFENCE_CONFIRMED_SETTLED,
            Confirmed::Fence(proof) => {
                if let Some(mark) = object.ring.mark_of(lane) {
                    let _proven = mark.raise(proof);
                }
                RINGFENCE_CONFIRMED_FENCE
            }
            Confirmed::Own(finished) => {
                object.finished = Some(finished);
                RINGFENCE_CONFIRMED_OWN
            }
        };
        confirmed.write(proved);
        Ok(())
    })
}
