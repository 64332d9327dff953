//! The polling tracker on host signals: the backend sees exactly the calls of "load, arm, publish".

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    num::NonZeroU64,
    time::Duration,
};

use ringfence::{
    backend::{
        Capabilities, Created, Device, DeviceStatus, Engine, HostWait, Packet, PacketCount,
        PacketQueue, Profiler, Settled, SignalMemory, Signals, Timestamps, WaitHint, WaitOutcome,
    },
    drive::{HardwareQueue, Policy, Submission, Tracker, TrackerKind},
    error::CreateError,
    id::{DeviceId, LaneId, PacketId, SignalHandle, SignalValue},
    ring::RingLimits,
    timing::{RawInterval, TickRate},
};

use crate::mocks::{DISCRETE, lane};

/// One call of a backend that a device could notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Create(SignalMemory, usize),
    Destroy(SignalHandle),
    Load(SignalHandle),
    Arm(SignalHandle, SignalValue),
    PublishStores,
    Flush,
    Wait(SignalHandle),
    Force(SignalHandle),
    Timestamps(SignalHandle),
    Profiler,
    Reserve,
    Commit(PacketId, SignalHandle),
    Doorbell(PacketId),
    ReadIndex,
    Settled,
}

/// A device and its one queue, which writes down what is called. Each use is seen finished at its
/// second to fifth load, or by a wait, as a fixed sequence says.
struct Recorder {
    calls: RefCell<Vec<Call>>,
    random: Cell<u64>,
    created: Cell<u64>,
    written: Cell<u64>,
    /// By signal: loads that are still to see it pending.
    pending: RefCell<Vec<u64>>,
}
impl Recorder {
    fn new(seed: u64) -> Self {
        Self {
            calls: RefCell::default(),
            random: Cell::new(seed),
            created: Cell::new(0),
            written: Cell::new(0),
            pending: RefCell::default(),
        }
    }
    fn note(&self, call: Call) {
        self.calls.borrow_mut().push(call);
    }
    /// Knuth's MMIX generator: the same on every machine.
    fn next_random(&self, below: u64) -> u64 {
        let next = self
            .random
            .get()
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.random.set(next);
        (next >> 33) % below
    }
    fn pending_of(&self, signal: SignalHandle) -> std::cell::RefMut<'_, u64> {
        let index = usize::try_from(signal.as_u64() - 1).expect("few signals");
        std::cell::RefMut::map(self.pending.borrow_mut(), |all| &mut all[index])
    }
}
impl Signals for Recorder {
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        self.note(Call::Create(memory, batch.len()));
        for signal in &mut *batch {
            self.created.set(self.created.get() + 1);
            *signal = SignalHandle::new(self.created.get());
            self.pending.borrow_mut().push(0);
        }
        Ok(Created { count: batch.len(), memory })
    }
    fn destroy(&self, signal: SignalHandle) {
        self.note(Call::Destroy(signal));
    }
    fn load(&self, signal: SignalHandle) -> SignalValue {
        self.note(Call::Load(signal));
        let mut pending = self.pending_of(signal);
        if *pending == 0 {
            SignalValue::DONE
        } else {
            *pending -= 1;
            SignalValue::ARMED
        }
    }
    fn arm(&self, signal: SignalHandle, value: SignalValue) {
        self.note(Call::Arm(signal, value));
    }
    fn publish_stores(&self) {
        self.note(Call::PublishStores);
    }
    fn flush(&self) {
        self.note(Call::Flush);
    }
}
impl HostWait for Recorder {
    fn wait(
        &self,
        signal: SignalHandle,
        _below: SignalValue,
        _hint: WaitHint,
        _limit: Duration,
    ) -> WaitOutcome {
        self.note(Call::Wait(signal));
        *self.pending_of(signal) = 0;
        WaitOutcome::Reached(SignalValue::DONE)
    }
    fn force(&self, signal: SignalHandle) {
        self.note(Call::Force(signal));
    }
}
impl Timestamps for Recorder {
    fn timestamps(&self, signal: SignalHandle, _engine: Engine) -> RawInterval {
        self.note(Call::Timestamps(signal));
        RawInterval::new(1, 2)
    }
    fn tick_rate(&self) -> TickRate {
        TickRate::new(NonZeroU64::MIN)
    }
}
impl Device for Recorder {
    fn id(&self) -> DeviceId {
        DeviceId::new(0)
    }
    fn capabilities(&self) -> Capabilities {
        DISCRETE
    }
    fn status(&self) -> DeviceStatus {
        DeviceStatus::Alive
    }
    fn profiler(&self) -> Profiler {
        self.note(Call::Profiler);
        Profiler::Absent
    }
}
impl PacketQueue for Recorder {
    type Work = ();
    fn lane(&self) -> LaneId {
        lane(0)
    }
    fn reserve(&self, count: PacketCount) -> PacketId {
        self.note(Call::Reserve);
        let first = self.written.get();
        self.written.set(first + u64::from(count.count()));
        PacketId::new(first)
    }
    fn commit(&self, at: PacketId, packet: &Packet<()>) {
        self.note(Call::Commit(at, packet.completes));
        *self.pending_of(packet.completes) = self.next_random(5);
    }
    fn ring_doorbell(&self, last: PacketId) {
        self.note(Call::Doorbell(last));
    }
    fn read_index(&self) -> PacketId {
        self.note(Call::ReadIndex);
        PacketId::new(self.written.get())
    }
    fn settled(&self) -> Settled {
        self.note(Call::Settled);
        Settled::Below(PacketId::new(self.written.get()))
    }
}

/// Load, arm, publish: what a runtime does that has no retirement ring, written down straight.
fn straight(gpu: &Recorder, limits: RingLimits, uses: u32) {
    let host = SignalMemory::Host;
    // The signal that was used longest ago is at the front; those never used carry no use.
    let mut ring: VecDeque<(SignalHandle, bool)> = VecDeque::new();
    let mut first = vec![SignalHandle::NULL; limits.size as usize];
    let _created = gpu.create(host, &mut first).expect("it creates any signal");
    first.into_iter().for_each(|signal| ring.push_front((signal, false)));
    for _ in 0..uses {
        let (mut signal, used) = ring[0];
        if used {
            if gpu.load(signal) >= SignalValue::ARMED {
                if ring.len() < limits.cap as usize {
                    let mut another = [SignalHandle::NULL];
                    let _created = gpu.create(host, &mut another).expect("it creates any signal");
                    signal = another[0];
                    ring.push_front((signal, false));
                } else {
                    let _reached = gpu.wait(
                        signal,
                        SignalValue::ARMED,
                        WaitHint::Active,
                        Duration::from_micros(100),
                    );
                }
            }
            if ring[0].1 {
                gpu.arm(signal, SignalValue::ARMED);
            }
        }
        let at = gpu.reserve(PacketCount::ONE);
        let packet = Packet { completes: signal, ..Packet::nothing() };
        gpu.commit(at, &packet);
        gpu.ring_doorbell(at);
        ring.pop_front();
        ring.push_back((signal, true));
    }
}

#[test]
fn the_polling_tracker_makes_the_calls_of_a_build_without_the_ring() {
    const SEED: u64 = 20_261_129;
    println!("seed {SEED}");
    for size in [1, 4, 64] {
        let limits = RingLimits::with_size(size);
        let uses = 40 * limits.cap;
        let tracked = Recorder::new(SEED);
        let policy = Policy { tracker: TrackerKind::Polling, ring: limits, ..Policy::default() };
        let mut stream =
            Tracker::open(&tracked, HardwareQueue::new(&tracked), policy).expect("created");
        for _ in 0..uses {
            stream.submit(Submission::kernel(())).expect("it refuses nothing");
        }
        let by_hand = Recorder::new(SEED);
        straight(&by_hand, limits, uses);
        let (tracked, by_hand) = (tracked.calls.borrow(), by_hand.calls.borrow());
        let count = |kind: fn(&Call) -> bool| by_hand.iter().filter(|call| kind(call)).count();
        let loads = count(|call| matches!(call, Call::Load(_)));
        let waits = count(|call| matches!(call, Call::Wait(_)));
        println!("ring of {size}: {} calls, {loads} loads, {waits} waits", by_hand.len());
        assert!(loads > 0 && (waits > 0 || size == 64), "the run was too tame to compare");
        let differs = tracked.iter().zip(by_hand.iter()).position(|(a, b)| a != b);
        if let Some(at) = differs {
            panic!(
                "call {at} of a ring of {size}: the tracker made {:?}, by hand it is {:?}",
                tracked[at], by_hand[at]
            );
        }
        assert_eq!(tracked.len(), by_hand.len());
    }
}
