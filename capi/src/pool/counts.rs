//! What a pool counted.

use super::{
    object::{PoolObject, pool_of},
    told::{ringfence_pool_counts_t, ringfence_tally_t},
    types::{ringfence_pool_t, ringfence_stream_key_t},
};
use crate::{
    border::border,
    place::In,
    sized::Room,
    status::{Failure, ringfence_status_t},
};

/// What the pool counted since it was made.
///
/// Errors: of handles, `RINGFENCE_ABI_MISMATCH`. Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_pool_counts(
    pool: ringfence_pool_t,
    counts: *mut ringfence_pool_counts_t,
) -> ringfence_status_t {
    border(|| {
        // SAFETY: the caller's structure, by the rules at the top of the header.
        let counts = unsafe { Room::there(counts, "counts") }?;
        let object = pool_of(pool)?;
        let (streams, memory) = (object.pool.counts(), object.pool.memory_counts());
        let told = ringfence_pool_counts_t {
            size: 0,
            leases: streams.leases,
            reused: streams.reused,
            created: streams.created,
            creations_failed: streams.creations_failed,
            trimmed: streams.trimmed,
            condemned_bad: streams.condemned_bad,
            condemned_captures: streams.condemned_captures,
            destroyed: streams.destroyed,
            leaked: streams.leaked,
            looks_by_query: streams.looks_by_query,
            conflicts_avoided: streams.conflicts_avoided,
            freed_on_stream: memory.freed_on_stream,
            freed_on_disposal: memory.freed_on_disposal,
            freed_at_once: memory.freed_at_once,
            deferred: memory.deferred,
            refused: memory.refused,
            memory_gone: memory.gone,
            memory_leaked: memory.leaked,
            peak_live: streams.peak_live,
            peak_leased_and_draining: streams.peak_leased_and_draining,
            memory_live: memory.live,
        };
        counts.fill(&told);
        Ok(())
    })
}
/// The streams of a pool at this moment: those of `key`, or all of them if `key` is NULL.
///
/// Errors: of handles, `RINGFENCE_INVALID_ARGUMENT`, `RINGFENCE_ABI_MISMATCH`. Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_pool_tally(
    pool: ringfence_pool_t,
    key: In<ringfence_stream_key_t>,
    tally: *mut ringfence_tally_t,
) -> ringfence_status_t {
    border(|| {
        // SAFETY: the caller's structure, by the rules at the top of the header.
        let tally = unsafe { Room::there(tally, "tally") }?;
        let object = pool_of(pool)?;
        let told = tally_of(&object, key)?;
        tally.fill(&told);
        Ok(())
    })
}
fn tally_of(
    object: &PoolObject,
    key: In<ringfence_stream_key_t>,
) -> Result<ringfence_tally_t, Failure> {
    let now = match key.if_any("key")? {
        Some(key) => object.pool.tally_of(key.read()?),
        None => object.pool.tally(),
    };
    Ok(ringfence_tally_t {
        size: 0,
        leased: now.leased,
        draining: now.draining,
        idle: now.idle,
        condemned: now.condemned,
        creating: now.creating,
        handed_in: u32::try_from(object.hand_in.len()).unwrap_or(u32::MAX),
        host_bytes: now.host_bytes.as_u64(),
    })
}
