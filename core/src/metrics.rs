//! What the ledgers count, as numbers for whoever collects them (feature `metrics`).
//!
//! The ledgers are always on, so that nothing is added to a use: their owner publishes them, as often as it likes, usually just before its
//! exporter is asked. Counters never fall; gauges are of the moment.
//!
//! ```
//! # use ringfence::{backend::*, drive::*, metrics::*};
//! # fn publish<D: Device, Q: PacketQueue, B: streams::StreamBackend>(tracker: &Tracker<D, Q>, pool: &StreamPool<B>) {
//! let (signals, streams) = (SignalMetrics::new(&[("ring", "0".into())]), StreamMetrics::new(&[]));
//! // Now and then:
//! signals.publish(tracker);
//! streams.publish(pool);
//! # }
//! ```

use metrics::{Counter, Gauge, Label, Unit};

use crate::{
    backend::{Device, PacketQueue, streams::StreamBackend},
    drive::{StreamPool, Tracker},
    ledger::{Counts, LoadCause},
    ring::Ring,
    stream::{MemoryCounts, PoolCounts, StreamTally},
};

/// One number: its name, what it is, and where it is found.
type Row<T> = (&'static str, &'static str, fn(&T) -> u64);

/// What a tracker counts.
const SIGNALS: [Row<Counts>; 17] = [
    ("ringfence_uses_total", "publications of a signal", |of| of.uses),
    ("ringfence_fence_uses_total", "uses whose packet has the barrier bit", |of| of.fence_uses),
    ("ringfence_packets_total", "packets published", |of| of.packets),
    ("ringfence_host_loads_total", "loads of signals and times in host memory", |of| {
        of.loads.all_host()
    }),
    ("ringfence_device_reads_total", "reads of device memory", |of| of.loads.all_device()),
    ("ringfence_query_loads_total", "loads that answered a query", |of| {
        of.loads.of(LoadCause::Query)
    }),
    ("ringfence_read_index_loads_total", "loads of a read index", |of| of.read_index_loads),
    ("ringfence_arms_total", "signals armed for another use", |of| of.arms),
    ("ringfence_flushes_total", "flushes of the host data path", |of| of.flushes),
    ("ringfence_store_fences_total", "store fences without a flush", |of| of.store_fences),
    ("ringfence_signals_created_total", "signals created", |of| of.created),
    ("ringfence_signals_destroyed_total", "signals destroyed", |of| of.destroyed),
    ("ringfence_grows_total", "times that a ring grew", |of| of.grows),
    ("ringfence_waits_for_room_total", "submissions that waited for a signal", |of| {
        of.waits_for_room
    }),
    ("ringfence_parks_total", "proven signals that were still held", |of| of.parks),
    ("ringfence_fences_asked_total", "fences submitted to prove what was pinned", |of| {
        of.fences_asked
    }),
    ("ringfence_signals_leaked_total", "signals given up with a lost device", |of| of.leaked),
];
/// How a ring stands.
const RING: [Row<Ring>; 3] = [
    ("ringfence_signals_parked", "signals of finished uses that somebody holds", |of| {
        of.parked() as u64
    }),
    ("ringfence_signals_quarantined", "signals that wait for their own value", |of| {
        of.quarantined() as u64
    }),
    ("ringfence_pins", "packets that hold signals which they wait for", |of| of.pinned() as u64),
];
/// What a pool counts.
const STREAMS: [Row<PoolCounts>; 11] = [
    ("ringfence_leases_total", "leases given out", |of| of.leases),
    ("ringfence_leases_reused_total", "leases of a stream that was somebody's before", |of| {
        of.reused
    }),
    ("ringfence_leases_shared_total", "leases of a stream that somebody has", |of| of.shared),
    ("ringfence_streams_created_total", "streams created", |of| of.created),
    ("ringfence_stream_creations_failed_total", "creations that failed", |of| of.creations_failed),
    ("ringfence_streams_destroyed_total", "streams destroyed", |of| of.destroyed),
    ("ringfence_streams_leaked_total", "streams that cannot be destroyed", |of| of.leaked),
    ("ringfence_streams_trimmed_total", "idle streams let go of", |of| of.trimmed),
    ("ringfence_streams_condemned_total", "streams closed as unusable", |of| {
        of.condemned_bad + of.condemned_captures
    }),
    ("ringfence_stream_looks_by_query_total", "looks that asked the driver", |of| {
        of.looks_by_query
    }),
    ("ringfence_capture_conflicts_avoided_total", "streams left alone for a capture", |of| {
        of.conflicts_avoided
    }),
];
/// How a pool stands.
const TALLY: [Row<StreamTally>; 6] = [
    ("ringfence_streams_leased", "streams of some task", |of| of.leased.into()),
    ("ringfence_streams_draining", "streams returned and not proven finished", |of| {
        of.draining.into()
    }),
    ("ringfence_streams_idle", "streams proven finished", |of| of.idle.into()),
    ("ringfence_streams_condemned", "streams closed and not destroyed", |of| of.condemned.into()),
    ("ringfence_streams_creating", "streams being created", |of| of.creating.into()),
    ("ringfence_stream_host_bytes", "pinned host memory of streams", |of| of.host_bytes.as_u64()),
];
/// What became of memory.
const MEMORY: [Row<MemoryCounts>; 7] = [
    ("ringfence_frees_on_stream_total", "frees in the order of their only stream", |of| {
        of.freed_on_stream
    }),
    ("ringfence_frees_on_disposal_total", "frees on the disposal stream", |of| {
        of.freed_on_disposal
    }),
    ("ringfence_frees_at_once_total", "frees of memory that nobody used any more", |of| {
        of.freed_at_once
    }),
    ("ringfence_frees_deferred_total", "times that a free was put off", |of| of.deferred),
    ("ringfence_frees_refused_total", "times that a driver refused a free", |of| of.refused),
    ("ringfence_allocations_gone_total", "memory that went with its device's reset", |of| of.gone),
    ("ringfence_allocations_leaked_total", "memory that is never freed", |of| of.leaked),
];
const MEMORY_NOW: [Row<MemoryCounts>; 1] =
    [("ringfence_allocations_live", "memory that nobody gave up", |of| of.live)];

/// Handles of some numbers, registered once.
struct Counters<T: 'static>(&'static [Row<T>], Vec<Counter>);
impl<T> Counters<T> {
    fn new(rows: &'static [Row<T>], labels: &[Label]) -> Self {
        let register = |&(name, what, _): &Row<T>| {
            metrics::describe_counter!(name, Unit::Count, what);
            metrics::counter!(name, labels.iter())
        };
        Self(rows, rows.iter().map(register).collect())
    }
    fn publish(&self, of: &T) {
        for ((_, _, value), counter) in self.0.iter().zip(&self.1) {
            counter.absolute(value(of));
        }
    }
}
struct Gauges<T: 'static>(&'static [Row<T>], Vec<Gauge>);
impl<T> Gauges<T> {
    fn new(rows: &'static [Row<T>], labels: &[Label]) -> Self {
        let register = |&(name, what, _): &Row<T>| {
            metrics::describe_gauge!(name, Unit::Count, what);
            metrics::gauge!(name, labels.iter())
        };
        Self(rows, rows.iter().map(register).collect())
    }
    fn publish(&self, of: &T) {
        for ((_, _, value), gauge) in self.0.iter().zip(&self.1) {
            gauge.set(value(of) as f64);
        }
    }
}
fn labels(given: &[(&'static str, String)]) -> Vec<Label> {
    given.iter().map(|(key, value)| Label::new(*key, value.clone())).collect()
}

/// The numbers of one tracker, at the recorder that is installed when this is made.
///
/// ```
/// # use ringfence::{backend::*, drive::Tracker, error::Error, metrics::SignalMetrics};
/// # fn run<D: Device, Q: PacketQueue>(tracker: &mut Tracker<D, Q>) -> Result<(), Error> {
/// let numbers = SignalMetrics::new(&[("queue", tracker.queue().lane().to_string())]);
/// let _synced = tracker.synchronize()?;
/// numbers.publish(tracker); // as they are now
/// # Ok(())
/// # }
/// ```
pub struct SignalMetrics {
    counts: Counters<Counts>,
    ring: Gauges<Ring>,
    in_flight: Gauge,
}
impl SignalMetrics {
    /// Registers them with these labels: which device, queue or ring it is.
    pub fn new(given: &[(&'static str, String)]) -> Self {
        let labels = labels(given);
        let name = "ringfence_uses_in_flight";
        metrics::describe_gauge!(name, Unit::Count, "uses that are not proven");
        let in_flight = metrics::gauge!(name, labels.iter());
        let (counts, ring) = (Counters::new(&SIGNALS, &labels), Gauges::new(&RING, &labels));
        Self { counts, ring, in_flight }
    }
    /// Publishes how the tracker stands.
    pub fn publish<D: Device, Q: PacketQueue>(&self, tracker: &Tracker<D, Q>) {
        self.counts.publish(&tracker.counts());
        self.ring.publish(tracker.ring());
        self.in_flight.set(tracker.in_flight() as f64);
    }
}
impl std::fmt::Debug for SignalMetrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignalMetrics").finish_non_exhaustive()
    }
}

/// The numbers of one pool, at the recorder that is installed when this is made.
///
/// ```
/// # use ringfence::{backend::streams::StreamBackend, drive::StreamPool, metrics::StreamMetrics};
/// # fn run<B: StreamBackend>(pool: &StreamPool<B>) {
/// let numbers = StreamMetrics::new(&[("pool", "main".into())]);
/// let _pumped = pool.pump();
/// numbers.publish(pool); // as they are now
/// # }
/// ```
pub struct StreamMetrics {
    counts: Counters<PoolCounts>,
    memory: Counters<MemoryCounts>,
    memory_now: Gauges<MemoryCounts>,
    tally: Gauges<StreamTally>,
}
impl StreamMetrics {
    /// Registers them with these labels.
    pub fn new(given: &[(&'static str, String)]) -> Self {
        let labels = labels(given);
        Self {
            counts: Counters::new(&STREAMS, &labels),
            memory: Counters::new(&MEMORY, &labels),
            memory_now: Gauges::new(&MEMORY_NOW, &labels),
            tally: Gauges::new(&TALLY, &labels),
        }
    }
    /// Publishes how the pool stands.
    pub fn publish<B: StreamBackend, A>(&self, pool: &StreamPool<B, A>) {
        self.counts.publish(&pool.counts());
        let memory = pool.memory_counts();
        self.memory.publish(&memory);
        self.memory_now.publish(&memory);
        self.tally.publish(&pool.tally());
    }
}
impl std::fmt::Debug for StreamMetrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamMetrics").finish_non_exhaustive()
    }
}
