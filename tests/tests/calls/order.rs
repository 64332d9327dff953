//! Nothing waits, is created or is destroyed between the reservation of an index and its publication
//! (S11).

use std::sync::{
    Arc,
    atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
};

use ringfence::{
    backend::{Created, DeviceStatus, Features, Profiler, WaitOutcome},
    drive::{CopySubmission, Policy, Submission, TrackerKind},
    event::{Event, EventOptions},
    id::{DeviceId, PacketId, SignalHandle},
    ring::RingLimits,
    timing::RawInterval,
};

use crate::mocks::*;

/// Indices that are reserved and not published yet.
#[derive(Clone, Default)]
struct Open(Arc<AtomicU32>);
impl Open {
    fn assert_none(&self, what: &str) {
        assert_eq!(self.0.load(Relaxed), 0, "{what} while an index is reserved");
    }
}

/// A device on which nothing is seen finished but by a wait, so that rings grow and then wait.
fn slow_gpu(open: &Open) -> MockGpu {
    let mut gpu = MockGpu::new();
    gpu.expect_id().return_const(DeviceId::new(0));
    let features =
        DISCRETE.features.union(Features::DEVICE_SIGNALS_ON_COPIES).union(Features::INTERRUPTS);
    gpu.expect_capabilities().return_const(DISCRETE.with_features(features));
    gpu.expect_status().return_const(DeviceStatus::Alive);
    gpu.expect_profiler().return_const(Profiler::Absent);
    let (next, reserved) = (AtomicU64::new(1), open.clone());
    gpu.expect_create().returning(move |memory, batch| {
        reserved.assert_none("a creation");
        for signal in &mut *batch {
            *signal = SignalHandle::new(next.fetch_add(1, Relaxed));
        }
        Ok(Created { count: batch.len(), memory })
    });
    let reserved = open.clone();
    gpu.expect_wait().returning(move |_, _, _, _| {
        reserved.assert_none("a wait");
        WaitOutcome::Reached(DONE)
    });
    let reserved = open.clone();
    gpu.expect_load().returning(move |_| {
        reserved.assert_none("a load");
        PENDING
    });
    let reserved = open.clone();
    gpu.expect_destroy().returning(move |_| reserved.assert_none("a destruction"));
    gpu.expect_timestamps().returning(|_, _| RawInterval::new(1, 2));
    gpu.expect_arm().return_const(());
    gpu.expect_flush().return_const(());
    gpu
}
fn watched_queue(open: &Open) -> MockQueue {
    let mut queue = MockQueue::new();
    queue.expect_lane().return_const(lane(0));
    let (write, reserved) = (AtomicU64::new(0), open.clone());
    queue.expect_reserve().returning(move |count| {
        reserved.0.fetch_add(count.count(), Relaxed);
        PacketId::new(write.fetch_add(u64::from(count.count()), Relaxed))
    });
    let reserved = open.clone();
    queue.expect_commit().returning(move |_, _| {
        reserved.0.fetch_sub(1, Relaxed);
    });
    let reserved = open.clone();
    queue.expect_ring_doorbell().returning(move |_| reserved.assert_none("a doorbell"));
    queue.expect_read_index().return_const(PacketId::FIRST);
    queue
}
fn watched_engine(open: &Open) -> MockSdma {
    let mut engine = MockSdma::new();
    engine.expect_lane().return_const(lane(9));
    let (ticket, reserved) = (AtomicU64::new(0), open.clone());
    engine.expect_reserve().returning(move || {
        reserved.0.fetch_add(1, Relaxed);
        PacketId::new(ticket.fetch_add(1, Relaxed))
    });
    let reserved = open.clone();
    engine.expect_submit().returning(move |_, part, _, _, _| {
        if part.as_u32() == 0 {
            reserved.0.fetch_sub(1, Relaxed);
        }
        Ok(())
    });
    engine
}

#[test]
pub(crate) fn nothing_waits_or_is_created_while_an_index_is_reserved() {
    for tracker in [TrackerKind::Retiring, TrackerKind::Polling] {
        let open_indices = Open::default();
        let gpu = slow_gpu(&open_indices);
        let queue = watched_queue(&open_indices);
        let engine = watched_engine(&open_indices);
        let policy = Policy { tracker, ring: RingLimits::with_size(4), ..on_device_signals() };
        let mut stream = open(&gpu, &queue, policy);
        let mut event = Event::new(EventOptions::default());
        let mut all = Vec::new();
        for round in 0..200 {
            submit_kernels(&mut stream, 3);
            event.record(&mut stream).unwrap();
            stream.submit(Submission::marker(ringfence::placement::Role::Blocking)).unwrap();
            if round % 3 == 0 {
                let parts = [1, 2];
                stream.copy(&engine, CopySubmission::new(&parts), None).unwrap();
            }
            let graph = [Submission::kernel(()), Submission::kernel(()).unsignaled()];
            stream.submit_all(&graph, |of, _record| all.push(of)).unwrap();
            open_indices.assert_none("the next round");
        }
        let counts = stream.counts();
        println!("{tracker:?}: {} created, {} waits", counts.created, counts.waits_for_room);
        assert!(counts.created > 16 && counts.waits_for_room > 100, "{tracker:?}: {counts:?}");
        assert_eq!(all.len(), 400);
    }
}
