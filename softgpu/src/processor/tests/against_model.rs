//! Random packets on some queues: whatever the processor does is a move that the model allows, and it
//! leaves nothing undone that the model would do.

use std::collections::VecDeque;

use proptest::prelude::*;
use ringfence::{
    backend::{
        self, Capabilities, Deps, Features, HostDataPath, RingMemory, SignalMemory, ValueWait,
    },
    id::{Barrier, UseId},
};
use ringfence_mock::model::{Commit, Model, ModelPacket, Move, PacketState, Reader};

use super::*;
use crate::settings::ReadIndex;

/// Signals that the host alone stores to; the others complete packets, one each.
const HOST_SIGNALS: u64 = 8;

/// What a packet waits for.
#[derive(Clone, Copy, Debug)]
enum On {
    Host(u64),
    /// The packet written so long before this one, over all queues; if there is none, a later one.
    Packet(u64),
}
#[derive(Clone, Debug)]
enum Kind {
    Kernel,
    All(Vec<On>),
    Any(Vec<On>),
    /// Below this, but for the sign.
    Value(On, i64),
}
#[derive(Clone, Debug)]
enum Act {
    Write {
        queue: u64,
        kind: Kind,
        barrier: Barrier,
        late: bool,
    },
    /// Writes the oldest packet of a queue that is late.
    Fill(u64),
    Ring(u64),
    Step(u64),
    Pass(u64),
    Store(u64, i64),
}

fn any_kind() -> impl Strategy<Value = Kind> {
    let on = || prop_oneof![(0..HOST_SIGNALS).prop_map(On::Host), (1..=8_u64).prop_map(On::Packet)];
    let several = || prop::collection::vec(on(), 0..=5);
    prop_oneof![
        5 => Just(Kind::Kernel),
        2 => several().prop_map(Kind::All),
        2 => several().prop_map(Kind::Any),
        2 => (on(), prop_oneof![1 => Just(0_i64), 9 => 1..=2_i64]).prop_map(|(on, below)| Kind::Value(on, below)),
    ]
}
fn any_act() -> impl Strategy<Value = Act> {
    let queue = || 0..3_u64;
    let barrier = prop_oneof![3 => Just(Barrier::Clear), 1 => Just(Barrier::Set)];
    prop_oneof![
        8 => (queue(), any_kind(), barrier, prop::bool::weighted(0.2))
            .prop_map(|(queue, kind, barrier, late)| Act::Write { queue, kind, barrier, late }),
        2 => queue().prop_map(Act::Fill),
        4 => queue().prop_map(Act::Ring),
        8 => queue().prop_map(Act::Step),
        4 => (0..3000_u64).prop_map(Act::Pass),
        2 => (0..HOST_SIGNALS, -1..=2_i64).prop_map(|(n, value)| Act::Store(n, value)),
    ]
}

/// A processor and the model, given the same packets.
struct Pair {
    rig: Rig,
    model: Model,
    lanes: Vec<LaneId>,
    signals: Vec<SignalHandle>,
    uses: Vec<UseId>,
    late: Vec<VecDeque<(u64, Wire, ModelPacket)>>,
    packets: u64,
    /// How many completions were checked.
    seen: usize,
}
impl Pair {
    fn new(queues: u64, packets: u64, change: impl FnOnce(&mut Settings)) -> Self {
        let rig = Rig::with(queues, change);
        let mut model = Model::new();
        let gpu = model.add_agent(Capabilities::new(
            Features::BARRIER_VALUE,
            RingMemory::System,
            HostDataPath::Coherent,
        ));
        let lanes = (0..queues).map(|_| model.add_queue(gpu)).collect();
        let signals =
            (0..HOST_SIGNALS + packets).map(|_| model.add_cell(gpu, SignalMemory::Host)).collect();
        let late = (0..queues).map(|_| VecDeque::new()).collect();
        Self { rig, model, lanes, signals, uses: Vec::new(), late, packets, seen: 0 }
    }
    fn number(&self, on: On) -> u64 {
        let next = self.uses.len() as u64;
        match on {
            On::Host(n) => n,
            On::Packet(before) => {
                HOST_SIGNALS + next.checked_sub(before).unwrap_or(self.packets - 1)
            }
        }
    }
    fn packet(&self, kind: &Kind, barrier: Barrier, completes: u64) -> (Wire, ModelPacket) {
        let handle = |n: u64| self.signals[n as usize];
        let both = |on: &[On]| {
            let numbers: Vec<u64> = on.iter().map(|&on| self.number(on)).collect();
            let handles: Vec<_> = numbers.iter().map(|&n| handle(n)).collect();
            (numbers.into_iter().map(signal).collect::<Vec<_>>(), Deps::take(&handles).0)
        };
        let (wire, body) = match kind {
            Kind::Kernel => (Wire::kernel(), backend::Body::Kernel(())),
            Kind::All(on) => {
                let (signals, deps) = both(on);
                (Wire::all(&signals), backend::Body::And(deps))
            }
            Kind::Any(on) => {
                let (signals, deps) = both(on);
                (Wire::any(&signals), backend::Body::Or(deps))
            }
            &Kind::Value(on, below) => {
                let n = self.number(on);
                let wait = ValueWait { signal: handle(n), below: SignalValue::new(below) };
                (Wire::value(signal(n), i64::MAX, 2, below), backend::Body::Value(wait))
            }
        };
        let wire = if barrier == Barrier::Set { wire.barrier() } else { wire };
        let completes_as = handle(completes);
        let packet =
            ModelPacket { body, barrier, completes: completes_as, ..ModelPacket::nothing() };
        (wire.completes(signal(completes)), packet)
    }
    fn write(&mut self, queue: u64, kind: &Kind, barrier: Barrier, late: bool) {
        let completes = HOST_SIGNALS + self.uses.len() as u64;
        let write_index = self.rig.load(Rig::place(queue).write_index);
        if completes >= HOST_SIGNALS + self.packets
            || write_index - self.rig.read_index(queue) >= PACKETS
        {
            return;
        }
        let lane = self.lanes[queue as usize];
        let at = self.model.reserve(lane, 1);
        assert_eq!(self.rig.reserve(queue), at.as_u64());
        let (wire, packet) = self.packet(kind, barrier, completes);
        self.uses.push(UseId::new(lane, at));
        self.late[queue as usize].push_back((at.as_u64(), wire, packet));
        if !late {
            let newest = self.late[queue as usize].len() - 1;
            self.fill(queue, newest);
        }
    }
    fn fill(&mut self, queue: u64, nth: usize) {
        if let Some((at, wire, packet)) = self.late[queue as usize].remove(nth) {
            self.rig.fill(queue, at, wire);
            let written = self.model.commit(self.lanes[queue as usize], PacketId::new(at), &packet);
            assert_eq!(written, Commit::Written);
        }
    }
    fn ring(&mut self, queue: u64) {
        self.rig.ring(queue);
        let lane = self.lanes[queue as usize];
        let next = self.model.queue(lane).expect("a queue").next().as_u64();
        if let Some(last) = next.checked_sub(1) {
            self.model.ring_doorbell(lane, PacketId::new(last));
        }
    }
    fn make(&mut self, one: Move) {
        if let Err(why) = self.model.check(one) {
            panic!("the model does not allow {one:?}: {why}");
        }
        let _ = self.model.apply(one);
    }
    /// Makes the model do what the processor did. It starts packets as late as it can, which is when most
    /// of what might forbid it is over.
    fn step(&mut self, queue: u64) -> Progress {
        let progress = self.rig.step(queue);
        let completed = self.rig.completed();
        for n in &completed[self.seen..] {
            let of = self.uses[(n - HOST_SIGNALS) as usize];
            while self.model.state(of) < PacketState::Active {
                let next = self.model.queue(of.lane()).expect("a queue").started_below();
                self.make(Move::Start(UseId::new(of.lane(), next)));
            }
            self.make(Move::Finish(of));
        }
        self.seen = completed.len();
        let lane = self.lanes[queue as usize];
        let read = PacketId::new(self.rig.read_index(queue));
        if self.model.queue(lane).expect("a queue").read_index() != read {
            self.make(Move::Read(lane, read));
        }
        for (n, &signal) in self.signals.iter().enumerate() {
            let expected = self.model.view(signal, Reader::Host).expect("a signal").as_i64();
            assert_eq!(self.rig.value(n as u64), expected, "signal {n}");
        }
        progress
    }
    /// All packets are written and all doorbells rung: everything that can end does. Then the host ends
    /// what waits for it, and once more.
    fn end(&mut self) {
        for queue in 0..self.lanes.len() as u64 {
            while !self.late[queue as usize].is_empty() {
                self.fill(queue, 0);
            }
            self.ring(queue);
        }
        self.settle();
        (0..HOST_SIGNALS).for_each(|n| self.store(n, 0));
        self.settle();
    }
    /// Steps until nothing happens any more: what is left is what the model cannot end either.
    fn settle(&mut self) {
        let mut quiet = 0;
        while quiet < 3 {
            let queues = 0..self.lanes.len() as u64;
            let made = queues.filter(|&queue| self.step(queue) == Progress::Made).count();
            quiet = if made > 0 { 0 } else { quiet + 1 };
            self.rig.now += ns(10_000);
        }
        let mut model = self.model.clone();
        loop {
            let mut moves = Vec::new();
            model.enabled(&mut moves);
            assert!(
                !moves.iter().any(|one| matches!(one, Move::Finish(_))),
                "left undone: {moves:?}"
            );
            let start = moves.into_iter().find(|one| matches!(one, Move::Start(_)));
            let Some(start) = start else { return };
            let _ = model.apply(start);
        }
    }
    fn store(&mut self, n: u64, value: i64) {
        self.rig.set(n, value);
        self.model.store(self.signals[n as usize], SignalValue::new(value));
    }
}

fn run(
    queues: u64,
    acts: &[Act],
    dependencies: Dependencies,
    read_index: ReadIndex,
    seed: u64,
) -> (usize, usize) {
    let writes = acts.iter().filter(|act| matches!(act, Act::Write { .. })).count() as u64;
    let mut pair = Pair::new(queues, writes.max(1), |settings| {
        settings.kernel = span(0, 2000);
        // What a polled dependency was for a moment would be seen by the model at the end of the lag alone.
        settings.completion_lag = match dependencies {
            Dependencies::Latched => span(0, 500),
            Dependencies::Polled => span(0, 0),
        };
        settings.dependencies = dependencies;
        settings.read_index = read_index;
        settings.seed = seed;
    });
    for act in acts {
        match act {
            Act::Write { queue, kind, barrier, late } => {
                pair.write(queue % queues, kind, *barrier, *late);
            }
            Act::Fill(queue) => pair.fill(queue % queues, 0),
            Act::Ring(queue) => pair.ring(queue % queues),
            Act::Step(queue) => drop(pair.step(queue % queues)),
            Act::Pass(nanoseconds) => pair.rig.now += ns(*nanoseconds),
            Act::Store(n, value) => {
                // A latched processor remembers a 0: here it stays one, as it does for the model.
                let value = if dependencies == Dependencies::Latched { 0 } else { *value };
                pair.store(*n, value);
            }
        }
    }
    pair.end();
    (pair.seen, pair.uses.len())
}

const SEED: u64 = 0x41_51_4c;
fn config() -> ProptestConfig {
    println!("seed {SEED}");
    ProptestConfig {
        cases: 250,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(SEED),
        ..ProptestConfig::default()
    }
}
proptest! {
    #![proptest_config(config())]
    #[test]
    fn the_processor_does_what_the_model_allows_and_all_of_it(
        queues in 1..=3_u64,
        acts in prop::collection::vec(any_act(), 1..160),
        dependencies in prop_oneof![Just(Dependencies::Latched), Just(Dependencies::Polled)],
        read_index in prop_oneof![
            Just(ReadIndex::Early), Just(ReadIndex::Late), Just(ReadIndex::Eights),
            Just(ReadIndex::Still), Just(ReadIndex::Mixed),
        ],
        seed in any::<u64>(),
    ) {
        run(queues, &acts, dependencies, read_index, seed);
    }
}

/// The property above says nothing if hardly a packet completes.
#[test]
fn random_acts_complete_most_packets() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};

    let mut runner = TestRunner::new(config());
    let (mut completed, mut written) = (0, 0);
    for seed in 0..50 {
        let tree = prop::collection::vec(any_act(), 100).new_tree(&mut runner).expect("acts");
        let acts = tree.current();
        let (these, of) = run(2, &acts, Dependencies::Latched, ReadIndex::Mixed, seed);
        (completed, written) = (completed + these, written + of);
    }
    assert!(completed * 2 > written, "{completed} of {written}");
}
