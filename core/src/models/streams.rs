//! Streams: a claim against a late drop and a scan, a hand-over against a stamp's check and act, the last
//! lease against a trim. The pool and its drive as they are, on a driver whose work is always finished.

use std::time::Duration;

use super::*;
use crate::{
    backend::streams::{
        CaptureMode, CaptureStatus, Destruction, DriverState, StreamCapture, StreamDriver,
        StreamEvents, StreamFeatures, StreamMemory, StreamPlatform, StreamProgress, StreamState,
        StreamWait, StreamWork,
    },
    drive::StreamPool,
    error::DriverError,
    id::{
        Bytes, DeviceContext, Position, RawEvent, RawGraph, RawMemory, RawProgress, RawStream,
        StreamKey,
    },
    stream::{Access, PoolOptions, Stamp},
    sync::{
        AtomicU64, Ordering,
        model::{Tracked, thread},
    },
};

/// The one stream that the models are about: the second that is created, after the disposal stream.
const STREAM: RawStream = RawStream::new(2);

/// Knows whether the stream captures, and refuses what may not happen meanwhile by failing the model.
#[derive(Debug)]
pub(super) struct Driver {
    created: AtomicU64,
    capturing: AtomicU64,
    destroyed: AtomicU64,
}
impl Driver {
    fn new() -> Self {
        Self {
            created: AtomicU64::new(0),
            capturing: AtomicU64::new(0),
            destroyed: AtomicU64::new(0),
        }
    }
    fn free_of_captures(&self, what: &str, stream: RawStream) {
        if stream == STREAM {
            // A read-modify-write: loom does not put another thread's store before a plain load.
            let capturing = self.capturing.fetch_add(0, Ordering::SeqCst);
            assert_eq!(capturing, 0, "{what} during a capture");
        }
    }
}
impl StreamPlatform for Driver {
    fn state(&self) -> DriverState {
        DriverState::Ready
    }
    fn features(&self) -> StreamFeatures {
        StreamFeatures::new(Bytes::new(0), Destruction::Waits)
    }
}
impl StreamDriver for Driver {
    fn create(&self, _key: StreamKey) -> Result<RawStream, DriverError> {
        Ok(RawStream::new(self.created.fetch_add(1, Ordering::SeqCst) + 1))
    }
    fn destroy(&self, stream: RawStream) -> Result<(), DriverError> {
        if stream == STREAM {
            self.destroyed.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    }
    fn capture_status(&self, stream: RawStream) -> CaptureStatus {
        match self.capturing.load(Ordering::SeqCst) {
            1 if stream == STREAM => CaptureStatus::Active,
            _ => CaptureStatus::None,
        }
    }
    fn query(&self, _stream: RawStream) -> StreamState {
        StreamState::Idle
    }
    fn exchange_capture_mode(&self, mode: CaptureMode) -> CaptureMode {
        mode
    }
}
impl StreamEvents for Driver {
    fn create_event(&self, _place: DeviceContext) -> Result<RawEvent, DriverError> {
        Ok(RawEvent::new(1))
    }
    fn destroy_event(&self, _event: RawEvent) {}
    fn record_event(&self, _event: RawEvent, stream: RawStream) -> Result<(), DriverError> {
        self.free_of_captures("a record", stream);
        Ok(())
    }
    fn stream_wait(&self, _stream: RawStream, _event: RawEvent) -> Result<(), DriverError> {
        Ok(())
    }
    fn query_event(&self, _event: RawEvent) -> StreamState {
        StreamState::Idle
    }
    fn synchronize_event(&self, _event: RawEvent, _limit: Duration) -> StreamWait {
        StreamWait::Finished
    }
}
impl StreamCapture for Driver {
    fn begin_capture(&self, _stream: RawStream, _mode: CaptureMode) -> Result<(), DriverError> {
        self.capturing.store(1, Ordering::SeqCst);
        Ok(())
    }
    fn end_capture(&self, _stream: RawStream) -> Result<RawGraph, DriverError> {
        self.capturing.store(0, Ordering::SeqCst);
        Ok(RawGraph::new(1))
    }
    fn launch_graph(&self, _graph: RawGraph, _stream: RawStream) -> Result<(), DriverError> {
        Ok(())
    }
    fn destroy_graph(&self, _graph: RawGraph) -> Result<(), DriverError> {
        Ok(())
    }
}
impl StreamMemory for Driver {
    fn allocate(&self, _bytes: Bytes, _stream: RawStream) -> Result<RawMemory, DriverError> {
        Ok(RawMemory::new(1))
    }
    fn free(&self, _memory: RawMemory, stream: RawStream) -> Result<(), DriverError> {
        self.free_of_captures("a free", stream);
        Ok(())
    }
}
impl StreamProgress for Driver {
    fn open_progress(&self, _stream: RawStream) -> Result<Option<RawProgress>, DriverError> {
        Ok(None)
    }
    fn mark(
        &self,
        _stream: RawStream,
        _word: RawProgress,
        _position: Position,
    ) -> Result<(), DriverError> {
        Ok(())
    }
    fn observe(&self, _word: RawProgress) -> Position {
        Position::START
    }
    fn wait_progress(
        &self,
        _word: RawProgress,
        _position: Position,
        _limit: Duration,
    ) -> StreamWait {
        StreamWait::Finished
    }
    fn close_progress(&self, _word: RawProgress) {}
}
impl StreamWork for Driver {
    type Work = ();
    fn launch(&self, stream: RawStream, _work: ()) -> Result<(), DriverError> {
        self.free_of_captures("work", stream);
        Ok(())
    }
}

fn key() -> StreamKey {
    StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
}
pub(super) fn pool() -> Arc<StreamPool<Driver>> {
    Arc::new(StreamPool::new(Driver::new(), PoolOptions::default()))
}

static CLAIMED: Probe = Probe::new();
static TOO_EARLY: Probe = Probe::new();
static TIDIED_FIRST: Probe = Probe::new();

/// The owner's last act, its drop, a scan, and the next owner's first act.
fn claim_drop_scan() {
    let pool = pool();
    let lease = pool.acquire(key()).expect("the first");
    let tenant = Arc::new(Tracked::new(()));
    let (theirs, scanning) = (tenant.clone(), pool.clone());
    let owner = thread::spawn(move || {
        theirs.with_mut(|_| ());
        drop(lease);
    });
    let scan = thread::spawn(move || {
        if scanning.pump().idle == 1 {
            TIDIED_FIRST.hit();
        }
    });
    match pool.acquire_existing(key()).expect("the driver works") {
        Some(_lease) => {
            tenant.with_mut(|_| ());
            CLAIMED.hit();
        }
        None => TOO_EARLY.hit(),
    }
    owner.join().expect("the owner");
    scan.join().expect("the scan");
}

static FREED_THERE: Probe = Probe::new();
static FREED_ELSEWHERE: Probe = Probe::new();

/// Memory is given up by its old stamp, while the stream goes to an owner who captures.
fn free_against_hand_over() {
    let pool = pool();
    let mut lease = pool.acquire(key()).expect("the first");
    let memory = pool.allocate(&mut lease, Bytes::new(1)).expect("there is some");
    let mut stamp = memory.stamp();
    stamp.add(pool.submit(&mut lease, ()).expect("work"), Access::Write);
    drop(lease);
    let captures = pool.clone();
    let next_owner = thread::spawn(move || {
        // Busy while somebody acts on it: then there is nothing to hand over here.
        if let Some(mut lease) = captures.acquire_existing(key()).expect("works") {
            let captured = captures.capture(&mut lease, CaptureMode::ThreadLocal, |_| Ok(()));
            drop(captured.expect("nobody broke it"));
        }
    });
    match pool.retire(memory, stamp) {
        crate::drive::Freed::OnStream => FREED_THERE.hit(),
        _ => FREED_ELSEWHERE.hit(),
    }
    next_owner.join().expect("the next owner");
}

static WAITED: Probe = Probe::new();
static OVER: Probe = Probe::new();

/// Another task waits for what a stamp remembers, while the stream goes to an owner who captures.
fn wait_against_hand_over() {
    let pool = pool();
    let mut lease = pool.acquire(key()).expect("the first");
    let mut reader = pool.acquire(key()).expect("the second");
    let mut stamp = Stamp::default();
    stamp.add(pool.submit(&mut lease, ()).expect("work"), Access::Write);
    drop(lease);
    let captures = pool.clone();
    let next_owner = thread::spawn(move || {
        // Busy while somebody acts on it: then there is nothing to hand over here.
        if let Some(mut lease) = captures.acquire_existing(key()).expect("works") {
            let captured = captures.capture(&mut lease, CaptureMode::ThreadLocal, |_| Ok(()));
            drop(captured.expect("nobody broke it"));
        }
    });
    match pool.order_after(&mut reader, &stamp, Access::Read).expect("it can be waited for") {
        crate::drive::Ordered::Already => OVER.hit(),
        _ => WAITED.hit(),
    }
    next_owner.join().expect("the next owner");
}

static LEASED_AND_KEPT: Probe = Probe::new();
static TRIMMED: Probe = Probe::new();

/// The idle stream is let go of, while a task asks for it.
fn lease_against_trim() {
    let pool = pool();
    drop(pool.acquire(key()).expect("the first"));
    pool.pump();
    pool.trim(); // from here on one stream is known to be idle
    let trims = pool.clone();
    let trim = thread::spawn(move || {
        trims.trim();
    });
    let lease = pool.acquire_existing(key()).expect("the driver works");
    if lease.is_some() {
        let gone = pool.driver().destroyed.load(Ordering::SeqCst);
        assert_eq!(gone, 0, "destroyed under its owner");
        LEASED_AND_KEPT.hit();
    }
    trim.join().expect("the trim");
    let gone = pool.driver().destroyed.load(Ordering::SeqCst);
    match lease {
        Some(_) => assert_eq!(gone, 0, "destroyed under its owner"),
        None => {
            TRIMMED.hit();
            assert_eq!(gone, 1, "neither leased nor destroyed: lost");
        }
    }
}

#[test]
fn loom_claim_drop_scan() {
    let probes =
        [("claimed", &CLAIMED), ("too early", &TOO_EARLY), ("tidied first", &TIDIED_FIRST)];
    must_pass("claim, drop, scan", 708, &probes, claim_drop_scan);
    must_fail("claim, drop, scan", Plant::Ordering(Site::LeaseReturn), claim_drop_scan);
    must_fail("claim, drop, scan", Plant::Ordering(Site::LeaseCollect), claim_drop_scan);
}

#[test]
fn loom_free_against_hand_over() {
    let probes = [("on its stream", &FREED_THERE), ("elsewhere", &FREED_ELSEWHERE)];
    must_pass("free, hand-over", 515, &probes, free_against_hand_over);
    must_fail("free, hand-over", Plant::Rule(Fault::FreeOnRecycled), free_against_hand_over);
}

#[test]
fn loom_wait_against_hand_over() {
    let probes = [("waited", &WAITED), ("over", &OVER)];
    must_pass("wait, hand-over", 53, &probes, wait_against_hand_over);
    must_fail("wait, hand-over", Plant::Rule(Fault::ActAfterCheck), wait_against_hand_over);
}

#[test]
fn loom_lease_against_trim() {
    let probes = [("leased", &LEASED_AND_KEPT), ("trimmed", &TRIMMED)];
    must_pass("lease, trim", 9, &probes, lease_against_trim);
}
