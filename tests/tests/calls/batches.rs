//! One load retires a batch, and one flush makes it ready (S3, S10).

use ringfence::{
    backend::{HostDataPath, RingMemory},
    drive::Policy,
    id::PacketId,
    ledger::LoadCause,
};

use crate::mocks::*;

#[test]
pub(crate) fn one_load_retires_a_batch_and_one_flush_readies_it() {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_load().times(1).return_const(DONE);
    gpu.expect_arm().times(32).return_const(());
    gpu.expect_flush().times(1).return_const(());
    let queue = queue(0, 32);
    let mut stream = open(&gpu, &queue, on_device_signals());
    submit_kernels(&mut stream, 32);
    // The ring is half empty now: the next use looks first.
    submit_kernels(&mut stream, 1);
    assert_eq!((stream.in_flight(), stream.counts().loads.device(LoadCause::Retire)), (1, 1));
}

#[test]
fn a_ring_that_is_half_full_looks_for_nothing() {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_load().never();
    let queue = queue(0, 31);
    let mut stream = open(&gpu, &queue, on_device_signals());
    submit_kernels(&mut stream, 32);
    assert_eq!(stream.in_flight(), 32);
}

#[test]
fn a_long_run_flushes_once_for_32_arms_and_loads_once_for_32_uses() {
    const USES: usize = 3_200;
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_load().times(USES / 32).return_const(DONE);
    gpu.expect_arm().times(USES).return_const(());
    gpu.expect_flush().times(USES / 32).return_const(());
    // It passes whatever was submitted.
    let queue = queue(0, u64::MAX);
    let mut stream = open(&gpu, &queue, on_device_signals());
    submit_kernels(&mut stream, USES as u32 + 1);
    let counts = stream.counts();
    assert_eq!((counts.arms, counts.flushes), (USES as u64, USES as u64 / 32));
    assert_eq!(counts.read_index_loads, USES as u64 / 32);
    assert_eq!(counts.created, 64, "a ring that is retired in time does not grow");
}

#[test]
fn a_pending_fence_is_loaded_once_and_the_ring_grows() {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_load().times(2).return_const(PENDING);
    gpu.expect_arm().never();
    gpu.expect_wait().never();
    let queue = queue(0, 32);
    let mut stream = open(&gpu, &queue, on_device_signals());
    submit_kernels(&mut stream, 96);
    assert_eq!(stream.in_flight(), 96);
    assert_eq!(stream.counts().created, 96);
}

#[test]
fn a_ring_in_device_memory_needs_a_store_fence_and_no_flush() {
    let mut gpu = gpu(DISCRETE.with_rings(RingMemory::Device));
    creates(&mut gpu);
    gpu.expect_load().times(1).return_const(DONE);
    gpu.expect_arm().times(32).return_const(());
    gpu.expect_publish_stores().times(1).return_const(());
    gpu.expect_flush().never();
    let queue = queue(0, 32);
    let mut stream = open(&gpu, &queue, on_device_signals());
    submit_kernels(&mut stream, 33);
    assert_eq!(stream.counts().store_fences, 1);
}

#[test]
fn a_coherent_path_needs_a_store_fence_and_no_flush() {
    let mut gpu = gpu(DISCRETE.with_path(HostDataPath::Coherent));
    creates(&mut gpu);
    gpu.expect_load().times(1).return_const(DONE);
    gpu.expect_arm().times(32).return_const(());
    gpu.expect_publish_stores().times(1).return_const(());
    gpu.expect_flush().never();
    let queue = queue(0, 32);
    submit_kernels(&mut open(&gpu, &queue, on_device_signals()), 33);
}

#[test]
fn host_signals_are_neither_flushed_nor_fenced() {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_load().times(1).return_const(DONE);
    gpu.expect_arm().times(32).return_const(());
    gpu.expect_publish_stores().never();
    gpu.expect_flush().never();
    let queue = queue(0, 32);
    submit_kernels(&mut open(&gpu, &queue, Policy::default()), 33);
}

#[test]
fn what_one_stream_proves_the_others_on_its_queue_do_not_load() {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_load().times(1).return_const(DONE);
    gpu.expect_arm().times(2 * 32).return_const(());
    gpu.expect_flush().times(2).return_const(());
    let mut queue = MockQueue::new();
    queue.expect_lane().return_const(lane(0));
    let next = std::sync::atomic::AtomicU64::new(0);
    queue
        .expect_reserve()
        .returning(move |_| PacketId::new(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)));
    queue.expect_commit().return_const(());
    queue.expect_ring_doorbell().return_const(());
    queue.expect_read_index().return_const(PacketId::new(64));
    let shared = ringfence::drive::HardwareQueue::new(&queue);
    let open =
        |queue| ringfence::drive::Tracker::open(&gpu, queue, on_device_signals()).expect("created");
    let (mut first, mut second) = (open(shared.clone()), open(shared));
    submit_kernels(&mut first, 32);
    submit_kernels(&mut second, 32);
    submit_kernels(&mut second, 1); // one load, of the newest fence on the queue
    submit_kernels(&mut first, 1); // everything of its own is covered
    assert_eq!((first.in_flight(), second.in_flight()), (1, 1));
}
