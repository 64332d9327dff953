//! Secure, reserve, bind: a reserved index never waits for a signal.

use ringfence::{
    backend::Engine,
    id::{Barrier, PacketId, Parts},
    ring::{Awaits, PacketOrder, Shortage, Timing, Use},
};

use super::life::{HOLDS, ring_of};
use crate::{
    border::border,
    place::{In, Out},
    ring::types::{
        memory, memory_number, ringfence_hold_t, ringfence_ring_t, ringfence_signal_memory_t,
        ringfence_use_id_t,
    },
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

/// What has to be done before signals can be secured: one of `RINGFENCE_SHORT_*`.
pub type ringfence_shortage_kind_t = u32;
/// Nothing: the signals are secured.
pub const RINGFENCE_SHORT_OF_NOTHING: u32 = 0;
/// Flush, then call `ringfence_ring_flushed`.
pub const RINGFENCE_SHORT_FLUSH: u32 = 1;
/// Create `count` signals, up to `room`, and `ringfence_ring_add` them.
pub const RINGFENCE_SHORT_GROW: u32 = 2;
/// The ring is at its cap: wait for `signal` to fall below 1, then `ringfence_ring_confirm` its value.
pub const RINGFENCE_SHORT_WAIT: u32 = 3;
/// Nothing is in flight, and the cap is reached: only others can help, by letting go of what they hold.
pub const RINGFENCE_SHORT_EXHAUSTED: u32 = 4;

/// What `ringfence_ring_secure` asks for.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_shortage_t {
    /// What to do first.
    pub kind: ringfence_shortage_kind_t,
    /// With `RINGFENCE_SHORT_GROW`: how many signals to create.
    pub count: u32,
    /// With `RINGFENCE_SHORT_GROW`: how many at most.
    pub room: u32,
    /// 0.
    pub reserved: u32,
    /// With `RINGFENCE_SHORT_WAIT`: the signal to wait for.
    pub signal: u64,
    /// With `RINGFENCE_SHORT_WAIT`: the use whose signal it is.
    pub of: ringfence_use_id_t,
}

/// How a use completes. All 0: a packet with the barrier bit.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_use_t {
    /// 1: without the barrier bit; its completion proves itself alone.
    pub no_barrier: u32,
    /// 1: a BARRIER_AND or OR, which holds later packets of the queue back whatever its barrier bit says.
    pub holds_back_later: u32,
    /// 1: its timing is wanted: it has to be taken before the use is retired.
    pub timed: u32,
    /// 1: somebody else holds the signal from here on: a handler, an event, a GPU waiter.
    pub lend: u32,
}
/// A signal that is bound to its packet.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ringfence_bound_t {
    /// The signal: the packet's completion signal.
    pub signal: u64,
    /// Where it lives.
    pub lives: ringfence_signal_memory_t,
    /// 0.
    pub reserved: u32,
    /// Which use it is.
    pub of: ringfence_use_id_t,
    /// With `lend`: the hold, which `ringfence_hold_release` ends. Else 0.
    pub hold: ringfence_hold_t,
}

/// Step 1: everything that can wait, fail or allocate happens before an index is reserved. Makes sure that `count` more signals
/// of `wanted` are there for `ringfence_ring_bind`; for a bulk reservation ask for all of them at once. Where they are not,
/// nothing is secured, and `shortage->kind` says what to do first; then call again.
///
/// Errors: `RINGFENCE_EXHAUSTED` beside `RINGFENCE_SHORT_EXHAUSTED`, and for more signals than the ring may ever have: send a
/// larger batch in parts. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_secure(
    ring: ringfence_ring_t,
    wanted: ringfence_signal_memory_t,
    count: usize,
    shortage: Out<ringfence_shortage_t>,
) -> ringfence_status_t {
    border(|| {
        let (mut object, shortage) = (ring_of(ring)?, shortage.there("shortage")?);
        let memory = memory(wanted)?;
        let cap = object.ring.limits().cap;
        let in_all = object.secured_of(memory).saturating_add(count);
        let mut asked = ringfence_shortage_t::default();
        if in_all > cap as usize {
            asked.kind = RINGFENCE_SHORT_EXHAUSTED;
            shortage.write(asked);
            return Err(exhausted(&format_args!("{in_all} signals are wanted at once"), cap));
        }
        if object.ring.usable(memory) >= in_all {
            *object.secured_of(memory) = in_all;
            shortage.write(asked);
            return Ok(());
        }
        match object.ring.shortage(memory) {
            Shortage::Flush => asked.kind = RINGFENCE_SHORT_FLUSH,
            Shortage::Grow { count, room, .. } => {
                asked.kind = RINGFENCE_SHORT_GROW;
                (asked.count, asked.room) = (count, room);
            }
            Shortage::WaitFor(probe) => {
                asked.kind = RINGFENCE_SHORT_WAIT;
                (asked.signal, asked.of) = (probe.signal().as_u64(), probe.of().into());
                object.probe = Some(probe);
            }
            Shortage::Exhausted => {
                asked.kind = RINGFENCE_SHORT_EXHAUSTED;
                shortage.write(asked);
                let parked = object.ring.parked();
                return Err(exhausted(&format_args!("{parked} signals are held by others"), cap));
            }
        }
        shortage.write(asked);
        Ok(())
    })
}
fn exhausted(what: &dyn std::fmt::Display, cap: u32) -> Failure {
    Failure::new(
        Status::RINGFENCE_EXHAUSTED,
        format_args!(
            "{what}, and the ring's cap is {cap}; let go of holds, make the ring larger, or send less at once"
        ),
    )
}
/// Gives `count` secured signals back that no packet will complete.
///
/// Errors: `RINGFENCE_OUT_OF_ORDER` for more than are secured. Threads: the stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_unsecure(
    ring: ringfence_ring_t,
    wanted: ringfence_signal_memory_t,
    count: usize,
) -> ringfence_status_t {
    border(|| {
        let mut object = ring_of(ring)?;
        let secured = object.secured_of(memory(wanted)?);
        *secured = secured.checked_sub(count).ok_or_else(not_secured)?;
        Ok(())
    })
}
fn not_secured() -> Failure {
    Failure::new(
        Status::RINGFENCE_OUT_OF_ORDER,
        format_args!(
            "no signal of this memory is secured; call `ringfence_ring_secure` before the index is reserved"
        ),
    )
}
/// Step 3, after the caller reserved the index `packet` on the stream's queue: a secured signal is bound to it, and in flight
/// from here on. It cannot fail once the signal is secured. The caller writes the packet with the signal, and publishes it.
///
/// Packets of one queue are bound in rising order. Errors: `RINGFENCE_OUT_OF_ORDER` when no signal is secured. Threads: the
/// stream's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_bind(
    ring: ringfence_ring_t,
    wanted: ringfence_signal_memory_t,
    packet: u64,
    with: In<ringfence_use_t>,
    bound: Out<ringfence_bound_t>,
) -> ringfence_status_t {
    border(|| {
        let (mut object, with) = (ring_of(ring)?, with.there("with")?);
        let (memory, bound) = (memory(wanted)?, bound.there("bound")?);
        let left = object.secured_of(memory).checked_sub(1).ok_or_else(not_secured)?;
        let newest = object.ring.newest();
        if newest.is_some_and(|newest| newest.packet().as_u64() >= packet) {
            return Err(Failure::new(
                Status::RINGFENCE_OUT_OF_ORDER,
                format_args!(
                    "packet {packet} is bound after a later one of its queue; bind in the order of indices"
                ),
            ));
        }
        let lane = object.ring.lane();
        let flag = |name, number| match number {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Failure::unknown(name, other)),
        };
        let (free, ordered) = (
            flag("no_barrier", with.no_barrier)?,
            flag("holds_back_later", with.holds_back_later)?,
        );
        let (timed, lend) = (flag("timed", with.timed)?, flag("lend", with.lend)?);
        let kind = Use {
            lane,
            engine: Engine::Compute,
            barrier: if free { Barrier::Clear } else { Barrier::Set },
            order: if ordered { PacketOrder::HoldsBackLater } else { PacketOrder::Free },
            timing: if timed { Timing::Wanted } else { Timing::Unwanted },
            parts: Parts::ONE,
        };
        let Ok(mut secured) = object.ring.secure(memory) else { return Err(not_secured()) };
        // The place for the hold is made first: after it nothing fails.
        let hold = if lend { HOLDS.insert(secured.lend())? } else { 0 };
        let (signal, lives) = (secured.signal(), secured.memory());
        let of = secured.bind(PacketId::new(packet), kind, None);
        *object.secured_of(memory) = left;
        bound.write(ringfence_bound_t {
            signal: signal.as_u64(),
            lives: memory_number(lives),
            reserved: 0,
            of: of.into(),
            hold: ringfence_hold_t { handle: hold },
        });
        Ok(())
    })
}

/// How a packet waits for a signal: one of `RINGFENCE_AWAITS_*`.
pub type ringfence_awaits_t = u32;
/// AND, or OR with one dependency: it completes only after the signal is exactly 0, and later packets only after it.
pub const RINGFENCE_AWAITS_EACH_IN_ORDER: u32 = 0;
/// OR with several dependencies: it does not say which was 0.
pub const RINGFENCE_AWAITS_ANY_IN_ORDER: u32 = 1;
/// A value packet: later packets of its queue may overtake it.
pub const RINGFENCE_AWAITS_EACH_UNORDERED: u32 = 2;

/// The packet of `consumer` waits on the device for the held signal: it is not armed again before that packet is proven
/// complete. `dependency` is the use that it waits for, if it is one of this ring's, else NULL.
///
/// Takes: `hold`. Errors: `RINGFENCE_INVALID_ARGUMENT`. Threads: the owner of the consumer's stream. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_ring_pin(
    ring: ringfence_ring_t,
    consumer: ringfence_use_id_t,
    awaits: ringfence_awaits_t,
    dependency: In<ringfence_use_id_t>,
    hold: ringfence_hold_t,
) -> ringfence_status_t {
    border(|| {
        let mut object = ring_of(ring)?;
        let awaits = match awaits {
            RINGFENCE_AWAITS_EACH_IN_ORDER => Awaits::EachInOrder,
            RINGFENCE_AWAITS_ANY_IN_ORDER => Awaits::AnyInOrder,
            RINGFENCE_AWAITS_EACH_UNORDERED => Awaits::EachUnordered,
            other => return Err(Failure::unknown("awaits", other)),
        };
        let dependency = dependency.if_any("dependency")?.map(|of| of.read());
        let held = HOLDS.take(hold.handle)?;
        object.ring.pin(consumer.read(), awaits, dependency, held);
        Ok(())
    })
}
