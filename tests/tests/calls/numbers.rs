//! Queues that were given one number by mistake: no wait is dropped for it, and no proof is taken from the other (S4).

use ringfence::{
    backend::{CopyRefused, PacketQueue},
    drive::{CopySubmission, HardwareQueue, Policy, Submission, TrackerKind},
    error::Error,
    event::{Event, EventOptions},
    id::{DeviceId, PacketId, QueueId},
    placement::Role,
};

use crate::mocks::*;

/// Packets that the second of two queues gets for one wait for an event of the first.
fn packets_of_a_wait(kind: TrackerKind, [first, second]: [u32; 2]) -> u64 {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_load().return_const(PENDING);
    let mut other = MockGpu::new();
    other.expect_id().return_const(DeviceId::new(1));
    other.expect_capabilities().return_const(DISCRETE);
    other.expect_profiler().return_const(ringfence::backend::Profiler::Absent);
    other.expect_load().return_const(PENDING);
    creates(&mut other);
    let (here, there) = (queue(first, 0), queue(second, 0));
    let policy = Policy { tracker: kind, ..Policy::default() };
    let (mut producer, mut consumer) = (open(&gpu, &here, policy), open(&other, &there, policy));
    let mut event = Event::new(EventOptions::default());
    event.record(&mut producer).expect("the mock refuses nothing");
    event.wait_on(&mut consumer).expect("the mock refuses nothing");
    let next = consumer.submit(Submission::kernel(())).expect("the mock refuses nothing");
    next.packet().as_u64()
}

#[test]
fn a_wait_is_published_also_where_two_queues_have_one_number() {
    for kind in [TrackerKind::Retiring, TrackerKind::Polling] {
        assert_eq!(packets_of_a_wait(kind, [3, 4]), 1, "{kind:?}: the wait, before the kernel");
        assert_eq!(packets_of_a_wait(kind, [3, 3]), 1, "{kind:?}: the wait, before the kernel");
    }
}

#[test]
fn streams_of_one_queue_need_no_packet_to_wait_for_each_other() {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_load().return_const(PENDING);
    let queue = queue(3, 0);
    let shared = HardwareQueue::new(&queue);
    let stream = || {
        ringfence::drive::Tracker::open(&gpu, shared.clone(), Policy::default())
            .expect("the mock creates signals")
    };
    let (mut producer, mut consumer) = (stream(), stream());
    let mut event = Event::new(EventOptions::default());
    let of = event.record(&mut producer).expect("the mock refuses nothing");
    event.wait_on(&mut consumer).expect("the mock refuses nothing");
    let next = consumer.submit(Submission::kernel(())).expect("the mock refuses nothing");
    assert_eq!(next.packet(), of.packet().next(), "nothing between them");
}

#[test]
fn a_stream_does_not_go_on_with_another_queue_of_the_same_number() {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    gpu.expect_load().return_const(PENDING);
    let (here, there) = (queue(3, 0), queue(3, 0));
    let mut stream = open(&gpu, &here, Policy::default());
    let of = stream.submit(Submission::kernel(())).expect("the mock refuses nothing");
    let refused = stream.switch_queue(HardwareQueue::new(&there)).map(drop);
    let error = Error::SameQueueId { queue: QueueId::new(3) };
    assert_eq!(refused, Err(error));
    assert!(error.to_string().contains("`QueueId::unique`"), "{error}");
    assert!(stream.switch_queue(stream.queue().clone()).is_ok(), "its own queue is no other");
    let next = stream.submit(Submission::marker(Role::Dispatch)).expect("the mock refuses nothing");
    assert!(next.packet() > of.packet(), "it is where it was");
}

#[test]
fn a_copy_engine_with_the_number_of_the_queue_is_refused() {
    let mut gpu = gpu(DISCRETE);
    creates(&mut gpu);
    let queue = queue(3, 0);
    let mut engine = MockSdma::new();
    engine.expect_lane().return_const(lane(3));
    engine.expect_reserve().return_const(PacketId::FIRST);
    engine.expect_submit().times(0).return_const(Err(CopyRefused::Failed));
    let mut stream = open(&gpu, &queue, Policy::default());
    let refused = stream.copy(&engine, CopySubmission::new(&[0]), None).map(drop);
    assert_eq!(refused, Err(Error::SameQueueId { queue: queue.lane().queue() }));
}

#[test]
fn numbers_that_nobody_else_has() {
    let mut all: Vec<_> = std::thread::scope(|scope| {
        let give = || (0..1_000).map(|_| QueueId::unique()).collect::<Vec<_>>();
        let threads = [(); 4].map(|()| scope.spawn(give));
        threads.into_iter().flat_map(|thread| thread.join().expect("it panics nowhere")).collect()
    });
    all.sort_unstable();
    assert!(all[0] > QueueId::new(65_535), "{:?} is for who numbers queues himself", all[0]);
    let count = all.len();
    all.dedup();
    assert_eq!(all.len(), count);
}
