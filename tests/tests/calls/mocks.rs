//! A mock of each backend trait, and what most tests expect of them.

use std::{
    num::NonZeroU64,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use mockall::mock;
use ringfence::{
    backend::{
        Capabilities, CopyEngine, CopyRefused, Created, Device, DeviceStatus, Engine, Features,
        HandlerToken, Handlers, HostDataPath, HostWait, Packet, PacketCount, PacketQueue,
        PartIndex, Profiler, RingMemory, Settled, SignalMemory, Signals, Timestamps, WaitHint,
        WaitOutcome,
    },
    drive::{HardwareQueue, Policy, Submission, Tracker},
    error::{CreateError, HandlerRefused},
    id::{DeviceId, Generation, LaneId, PacketId, QueueId, SignalHandle, SignalValue, UseId},
    placement::DeviceSignals,
    timing::{RawInterval, TickRate},
};

mock! {
    #[derive(Debug)]
    pub(crate) Gpu {}
    impl Signals for Gpu {
        fn create(&self, memory: SignalMemory, batch: &mut [SignalHandle])
            -> Result<Created, CreateError>;
        fn destroy(&self, signal: SignalHandle);
        fn load(&self, signal: SignalHandle) -> SignalValue;
        fn arm(&self, signal: SignalHandle, value: SignalValue);
        fn publish_stores(&self);
        fn flush(&self);
    }
    impl HostWait for Gpu {
        fn wait(&self, signal: SignalHandle, below: SignalValue, hint: WaitHint, limit: Duration)
            -> WaitOutcome;
        fn force(&self, signal: SignalHandle);
    }
    impl Timestamps for Gpu {
        fn timestamps(&self, signal: SignalHandle, engine: Engine) -> RawInterval;
        fn tick_rate(&self) -> TickRate;
    }
    impl Device for Gpu {
        fn id(&self) -> DeviceId;
        fn capabilities(&self) -> Capabilities;
        fn status(&self) -> DeviceStatus;
        fn profiler(&self) -> Profiler;
    }
    impl Handlers for Gpu {
        fn watch(&self, signal: SignalHandle, token: HandlerToken) -> Result<(), HandlerRefused>;
    }
}
mock! {
    #[derive(Debug)]
    pub(crate) Queue {}
    impl PacketQueue for Queue {
        type Work = ();
        fn lane(&self) -> LaneId;
        fn reserve(&self, count: PacketCount) -> PacketId;
        fn commit(&self, at: PacketId, packet: &Packet<()>);
        fn ring_doorbell(&self, last: PacketId);
        fn read_index(&self) -> PacketId;
        fn settled(&self) -> Settled;
    }
}
mock! {
    pub(crate) Sdma {}
    impl CopyEngine for Sdma {
        type Work = u32;
        fn lane(&self) -> LaneId;
        fn reserve(&self) -> PacketId;
        fn submit(&self, at: PacketId, part: PartIndex, work: u32, completes: SignalHandle,
            waits: &[SignalHandle]) -> Result<(), CopyRefused>;
    }
}

pub(crate) type Stream<'a> = Tracker<&'a MockGpu, &'a MockQueue>;

/// A device with a large BAR, packet rings in system memory, and no interrupts to create spares of.
pub(crate) const DISCRETE: Capabilities = Capabilities::new(
    Features::LARGE_BAR.union(Features::DEVICE_SIGNALS),
    RingMemory::System,
    HostDataPath::Hdp,
);
pub(crate) const PENDING: SignalValue = SignalValue::ARMED;
pub(crate) const DONE: SignalValue = SignalValue::DONE;

/// A device that says what it is. Every other call has to be expected by the test.
pub(crate) fn gpu(capabilities: Capabilities) -> MockGpu {
    let mut gpu = MockGpu::new();
    gpu.expect_id().return_const(DeviceId::new(0));
    gpu.expect_capabilities().return_const(capabilities);
    gpu.expect_status().return_const(DeviceStatus::Alive);
    gpu.expect_profiler().return_const(Profiler::Absent);
    const RATE: NonZeroU64 = NonZeroU64::new(100_000_000).expect("100 MHz is not 0");
    gpu.expect_tick_rate().return_const(TickRate::new(RATE));
    gpu
}
/// The device creates as many signals as it is asked for.
pub(crate) fn creates(gpu: &mut MockGpu) {
    let next = AtomicU64::new(1);
    gpu.expect_create().returning(move |memory, batch| {
        for signal in &mut *batch {
            *signal = SignalHandle::new(next.fetch_add(1, Ordering::Relaxed));
        }
        Ok(Created { count: batch.len(), memory })
    });
}
pub(crate) fn lane(number: u32) -> LaneId {
    LaneId::new(QueueId::new(number), Generation::FIRST)
}
/// A queue that takes packets, and whose read index is at `read_index`.
pub(crate) fn queue(number: u32, read_index: u64) -> MockQueue {
    let mut queue = MockQueue::new();
    let write = AtomicU64::new(0);
    queue.expect_lane().return_const(lane(number));
    queue.expect_reserve().returning(move |count| {
        PacketId::new(write.fetch_add(u64::from(count.count()), Ordering::Relaxed))
    });
    queue.expect_commit().return_const(());
    queue.expect_ring_doorbell().return_const(());
    queue.expect_read_index().return_const(PacketId::new(read_index));
    queue
}
/// Device signals wherever they are allowed.
pub(crate) fn on_device_signals() -> Policy {
    Policy { device_signals: DeviceSignals::On, ..Policy::default() }
}
pub(crate) fn open<'a>(gpu: &'a MockGpu, queue: &'a MockQueue, policy: Policy) -> Stream<'a> {
    Tracker::open(gpu, HardwareQueue::new(queue), policy).expect("the mock creates signals")
}
/// Submits kernels with the barrier bit.
pub(crate) fn submit_kernels(stream: &mut Stream<'_>, count: u32) -> Vec<UseId> {
    let submit = |_| stream.submit(Submission::kernel(())).expect("the mock refuses nothing");
    (0..count).map(submit).collect()
}
