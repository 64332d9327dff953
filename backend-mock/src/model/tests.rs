mod copies;
mod least;
mod packets;
mod read_index;
mod visibility;

use std::num::NonZeroU32;

use ringfence::{backend::*, id::*};

use super::*;

/// One device with two queues and a copy engine.
struct Bench {
    model: Model,
    device: DeviceId,
    q0: LaneId,
    q1: LaneId,
    copies: LaneId,
}
fn capabilities(rings: RingMemory) -> Capabilities {
    let features = Features::LARGE_BAR | Features::DEVICE_SIGNALS | Features::BARRIER_VALUE;
    Capabilities::new(features, rings, HostDataPath::Hdp)
}
impl Bench {
    fn new() -> Self {
        Self::with(capabilities(RingMemory::System))
    }
    fn with(capabilities: Capabilities) -> Self {
        let mut model = Model::new();
        let device = model.add_agent(capabilities);
        let (q0, q1) = (model.add_queue(device), model.add_queue(device));
        let copies = model.add_engine(device);
        Self { model, device, q0, q1, copies }
    }
    fn cell(&mut self) -> SignalHandle {
        self.model.add_cell(self.device, SignalMemory::Host)
    }
    fn publish(&mut self, lane: LaneId, packet: ModelPacket) -> UseId {
        let at = self.model.reserve(lane, 1);
        assert_eq!(self.model.commit(lane, at, &packet), Commit::Written);
        self.model.ring_doorbell(lane, at);
        UseId::new(lane, at)
    }
    /// A copy of `parts` parts with a fresh signal, which is armed for them.
    fn copy(&mut self, parts: u32, waits: &[SignalHandle]) -> (UseId, SignalHandle) {
        let signal = self.cell();
        self.model
            .store(signal, SignalValue::for_parts(Parts::new(NonZeroU32::new(parts).unwrap())));
        let of = UseId::new(self.copies, self.model.reserve(self.copies, 1));
        for part in 0..parts {
            self.model.submit(of, PartIndex::new(part), signal, waits);
        }
        (of, signal)
    }
    fn start(&mut self, of: UseId) -> Result<(), Blocked> {
        self.model.check(Move::Start(of))?;
        let _ = self.model.apply(Move::Start(of));
        Ok(())
    }
    fn finish(&mut self, of: UseId) -> Result<(), Blocked> {
        self.model.check(Move::Finish(of))?;
        let _ = self.model.apply(Move::Finish(of));
        Ok(())
    }
    fn run(&mut self, of: UseId) {
        self.start(of).unwrap();
        self.finish(of).unwrap();
    }
    fn value(&self, signal: SignalHandle) -> i64 {
        self.model.view(signal, Reader::Host).unwrap().as_i64()
    }
    fn is_complete(&self, of: UseId) -> bool {
        self.model.state(of) == PacketState::Complete
    }
}
fn kernel(barrier: Barrier, completes: SignalHandle) -> ModelPacket {
    ModelPacket { body: Body::Kernel(()), barrier, completes, ..Packet::nothing() }
}
fn and(waits: &[SignalHandle], completes: SignalHandle) -> ModelPacket {
    ModelPacket { body: Body::And(Deps::take(waits).0), completes, ..Packet::nothing() }
}
fn or(waits: &[SignalHandle], completes: SignalHandle) -> ModelPacket {
    ModelPacket { body: Body::Or(Deps::take(waits).0), completes, ..Packet::nothing() }
}
fn value_wait(signal: SignalHandle, below: i64, completes: SignalHandle) -> ModelPacket {
    let below = SignalValue::new(below);
    ModelPacket { body: Body::Value(ValueWait { signal, below }), completes, ..Packet::nothing() }
}

#[test]
fn a_model_is_a_value_that_forks_and_compares() {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let digest = |model: &Model| {
        let mut hasher = DefaultHasher::new();
        model.hash(&mut hasher);
        hasher.finish()
    };
    let mut bench = Bench::new();
    let signal = bench.cell();
    let of = bench.publish(bench.q0, kernel(Barrier::Set, signal));
    let before = bench.model.clone();
    bench.run(of);
    assert_ne!(before, bench.model);
    assert_ne!(digest(&before), digest(&bench.model));
    let mut again = before.clone();
    let _ = again.apply(Move::Start(of));
    let _ = again.apply(Move::Finish(of));
    assert_eq!((&again, digest(&again)), (&bench.model, digest(&bench.model)));
}

#[test]
fn enabled_lists_exactly_the_legal_moves() {
    let mut bench = Bench::new();
    let (a, b) = (bench.cell(), bench.cell());
    let first = bench.publish(bench.q0, kernel(Barrier::Clear, a));
    let second = bench.publish(bench.q0, kernel(Barrier::Set, b));
    let mut moves = Vec::new();
    bench.model.enabled(&mut moves);
    assert_eq!(moves, [Move::Start(first), Move::Read(bench.q0, PacketId::new(1))]);
    bench.start(first).unwrap();
    moves.clear();
    bench.model.enabled(&mut moves);
    assert_eq!(moves, [Move::Finish(first), Move::Read(bench.q0, PacketId::new(1))]);
    bench.finish(first).unwrap();
    moves.clear();
    bench.model.enabled(&mut moves);
    assert!(moves.contains(&Move::Start(second)));
}

#[test]
fn a_lost_device_makes_no_move() {
    let mut bench = Bench::new();
    let signal = bench.cell();
    let of = bench.publish(bench.q0, kernel(Barrier::Set, signal));
    bench.copy(2, &[]);
    bench.model.lose(bench.device);
    let mut moves = Vec::new();
    bench.model.enabled(&mut moves);
    assert_eq!(moves, []);
    assert_eq!(bench.start(of), Err(Blocked::Lost));
    assert_eq!(bench.model.complete(of, &mut |_| 0), Completion::Impossible);
}
