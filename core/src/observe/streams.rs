//! What a pool tells.
#![cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "nobody is told"))]

use super::{Going, going, record, tell};
use std::fmt::Debug;

use crate::id::{Bytes, PoolId, Position, RawStream, StreamId, StreamRef};

/// A stream is created.
#[inline(always)]
pub(crate) fn created(stream: StreamRef, raw: RawStream) {
    tell!(
        "ringfence::streams",
        DEBUG,
        "created",
        pool = stream.pool().as_u32(),
        stream = stream.id().as_u32(),
        raw = raw.as_u64()
    );
}
/// A stream is a task's: a new one, or handed over under the next generation.
#[inline(always)]
pub(crate) fn leased(stream: StreamRef) {
    tell!(
        "ringfence::streams",
        DEBUG,
        "leased",
        pool = stream.pool().as_u32(),
        stream = stream.id().as_u32(),
        generation = stream.generation().as_u32()
    );
}
/// A task dropped its lease: the stream drains.
#[inline(always)]
pub(crate) fn returned(stream: StreamRef) {
    tell!(
        "ringfence::streams",
        DEBUG,
        "returned",
        pool = stream.pool().as_u32(),
        stream = stream.id().as_u32(),
        generation = stream.generation().as_u32()
    );
}
/// A stream was looked at for a lease, and not handed on.
#[inline(always)]
pub(crate) fn passed_over(pool: PoolId, stream: StreamId, why: impl Debug) {
    tell!(
        "ringfence::streams",
        DEBUG,
        "passed over",
        pool = pool.as_u32(),
        stream = stream.as_u32(),
        why = ?why
    );
}
/// A stream's work is proven finished.
#[inline(always)]
pub(crate) fn drained(pool: PoolId, stream: StreamId) {
    tell!("ringfence::streams", DEBUG, "drained", pool = pool.as_u32(), stream = stream.as_u32());
}
/// A stream is destroyed.
#[inline(always)]
pub(crate) fn destroyed(pool: PoolId, stream: StreamId) {
    tell!("ringfence::streams", DEBUG, "destroyed", pool = pool.as_u32(), stream = stream.as_u32());
}
/// A stream can be neither used nor destroyed any more.
#[inline(always)]
pub(crate) fn leaked(pool: PoolId, stream: StreamId) {
    tell!("ringfence::streams", WARN, "leaked", pool = pool.as_u32(), stream = stream.as_u32());
}
/// Too many streams are alive.
#[inline(always)]
pub(crate) fn crowded(pool: PoolId, live: u32) {
    tell!("ringfence::streams", WARN, "crowded", pool = pool.as_u32(), live = live);
}
/// The device is lost, and with it the pool.
#[inline(always)]
pub(crate) fn pool_lost(pool: PoolId) {
    tell!("ringfence::streams", WARN, "lost", pool = pool.as_u32());
}
/// Work was submitted to a stream.
#[inline(always)]
pub(crate) fn work_submitted(stream: StreamRef, position: Position) {
    tell!(
        "ringfence::streams",
        TRACE,
        "submitted",
        pool = stream.pool().as_u32(),
        stream = stream.id().as_u32(),
        generation = stream.generation().as_u32(),
        position = position.as_u64()
    );
}
/// A graph was launched on a stream.
#[inline(always)]
pub(crate) fn launched(stream: StreamRef, position: Position) {
    tell!(
        "ringfence::streams",
        DEBUG,
        "launched",
        pool = stream.pool().as_u32(),
        stream = stream.id().as_u32(),
        generation = stream.generation().as_u32(),
        position = position.as_u64()
    );
}
/// A capture is over, and was made a graph.
#[inline(always)]
pub(crate) fn captured(stream: StreamRef) {
    tell!(
        "ringfence::streams",
        DEBUG,
        "captured",
        pool = stream.pool().as_u32(),
        stream = stream.id().as_u32(),
        generation = stream.generation().as_u32()
    );
}
/// Later work of a stream follows what another did up to a position.
#[inline(always)]
pub(crate) fn followed(waiter: StreamRef, of: StreamRef, position: Position, how: impl Debug) {
    tell!(
        "ringfence::streams",
        TRACE,
        "followed",
        pool = waiter.pool().as_u32(),
        stream = waiter.id().as_u32(),
        generation = waiter.generation().as_u32(),
        of_stream = of.id().as_u32(),
        of_generation = of.generation().as_u32(),
        position = position.as_u64(),
        how = ?how
    );
}
/// Memory was given up: freed, or put off.
#[inline(always)]
pub(crate) fn memory_retired(pool: PoolId, bytes: Bytes, how: impl Debug) {
    tell!(
        "ringfence::streams",
        DEBUG,
        "retired",
        pool = pool.as_u32(),
        bytes = bytes.as_u64(),
        how = ?how
    );
}
/// The driver has it back.
#[inline(always)]
#[cfg_attr(not(feature = "metrics"), expect(unused_variables, reason = "nobody counts"))]
pub(crate) fn memory_freed(bytes: Bytes) {
    record!("ringfence_bytes_per_free", bytes.as_u64());
}
/// The pool is pumped.
#[inline(always)]
pub(crate) fn pumping(pool: PoolId) -> Going {
    going!("ringfence::streams", "pump", pool = pool.as_u32())
}
/// What a pump did.
#[inline(always)]
pub(crate) fn pumped(pool: PoolId, done: impl Debug) {
    tell!("ringfence::streams", TRACE, "pumped", pool = pool.as_u32(), done = ?done);
}
