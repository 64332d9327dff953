//! What a tracker tells.
#![cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "nobody is told"))]

use super::{Going, going, record, tell};
use crate::{
    backend::SignalMemory,
    id::{RingId, SignalHandle, SignalValue, UseId},
    ledger::LoadCause,
    proof::Grounds,
};

/// A packet is published.
#[inline(always)]
pub(crate) fn submitted(ring: RingId, of: UseId, completes: Completes) {
    tell!(
        "ringfence::signals",
        TRACE,
        "submitted",
        ring = ring.as_u32(),
        queue = of.lane().queue().as_u32(),
        generation = of.lane().generation().as_u32(),
        packet = of.packet().as_u64(),
        fence = completes == Completes::FenceSignal,
        signal = completes != Completes::Nothing
    );
}
/// Whether a packet completes a signal, and is a use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Completes {
    /// And has the barrier bit.
    FenceSignal,
    Signal,
    Nothing,
}
/// A copy is issued to an engine.
#[inline(always)]
pub(crate) fn copied(ring: RingId, of: UseId) {
    tell!(
        "ringfence::signals",
        TRACE,
        "copied",
        ring = ring.as_u32(),
        queue = of.lane().queue().as_u32(),
        generation = of.lane().generation().as_u32(),
        packet = of.packet().as_u64()
    );
}
/// A signal's value was loaded.
#[inline(always)]
pub(crate) fn probed(
    ring: RingId,
    signal: SignalHandle,
    memory: SignalMemory,
    cause: LoadCause,
    value: SignalValue,
) {
    tell!(
        "ringfence::signals",
        TRACE,
        "probed",
        ring = ring.as_u32(),
        signal = signal.as_u64(),
        memory = ?memory,
        cause = ?cause,
        value = value.as_i64()
    );
}
/// A fence is proven: every packet of its queue and generation at or below it is complete.
#[inline(always)]
pub(crate) fn proven(ring: RingId, of: UseId) {
    tell!(
        "ringfence::signals",
        DEBUG,
        "proven",
        ring = ring.as_u32(),
        queue = of.lane().queue().as_u32(),
        generation = of.lane().generation().as_u32(),
        packet = of.packet().as_u64()
    );
}
/// One use is retired by itself. Those that a fence covers are retired by `proven`.
#[inline(always)]
pub(crate) fn retired(ring: RingId, of: UseId, grounds: Grounds) {
    tell!(
        "ringfence::signals",
        TRACE,
        "retired",
        ring = ring.as_u32(),
        queue = of.lane().queue().as_u32(),
        generation = of.lane().generation().as_u32(),
        packet = of.packet().as_u64(),
        grounds = ?grounds
    );
}
/// A search for finished uses is over.
#[inline(always)]
pub(crate) fn looked(ring: RingId, retired: usize, in_flight: usize) {
    tell!(
        "ringfence::signals",
        DEBUG,
        "looked",
        ring = ring.as_u32(),
        retired = retired,
        in_flight = in_flight
    );
    record!("ringfence_uses_per_look", retired);
}
/// A signal is armed for its next use.
#[inline(always)]
pub(crate) fn armed(ring: RingId, signal: SignalHandle) {
    tell!("ringfence::signals", TRACE, "armed", ring = ring.as_u32(), signal = signal.as_u64());
}
/// So many armed signals were made visible at once.
#[inline(always)]
pub(crate) fn flushed(ring: RingId, signals: usize) {
    tell!("ringfence::signals", DEBUG, "flushed", ring = ring.as_u32(), signals = signals);
    record!("ringfence_signals_per_flush", signals);
}
/// The ring has so many signals more.
#[inline(always)]
pub(crate) fn grown(ring: RingId, pool: SignalMemory, created: usize, memory: SignalMemory) {
    tell!(
        "ringfence::signals",
        DEBUG,
        "grown",
        ring = ring.as_u32(),
        pool = ?pool,
        created = created,
        memory = ?memory
    );
}
/// Signals of finished uses are still held by somebody else.
#[inline(always)]
pub(crate) fn parked(ring: RingId, count: usize, parked: usize) {
    tell!(
        "ringfence::signals",
        DEBUG,
        "parked",
        ring = ring.as_u32(),
        count = count,
        parked = parked
    );
}
/// Nothing in flight would ever prove what is pinned: a fence is submitted for that alone (S20).
#[inline(always)]
pub(crate) fn fence_asked(ring: RingId) {
    tell!("ringfence::signals", DEBUG, "fence asked", ring = ring.as_u32());
}
/// A signal is not used again before its own value proves it.
#[inline(always)]
pub(crate) fn quarantined(ring: RingId, of: UseId) {
    tell!(
        "ringfence::signals",
        WARN,
        "quarantined",
        ring = ring.as_u32(),
        queue = of.lane().queue().as_u32(),
        generation = of.lane().generation().as_u32(),
        packet = of.packet().as_u64()
    );
}
/// The device is lost: so many signals are given up with it.
#[inline(always)]
pub(crate) fn device_lost(ring: RingId, leaked: u32) {
    tell!("ringfence::signals", WARN, "lost", ring = ring.as_u32(), leaked = leaked);
}
/// The host waits for a signal.
#[inline(always)]
pub(crate) fn host_wait(signal: SignalHandle) -> Going {
    going!("ringfence::signals", "host wait", signal = signal.as_u64())
}
