//! Random operations on the ring, against a model that works everything out again from the start.
//!
//! The model keeps the whole history and the definitions: what was loaded, which packet is a fence,
//! which is a barrier packet. After each operation the ring must have retired exactly what follows from
//! that, never what the device has not finished, and every signal must be accounted for.
#![expect(clippy::disallowed_types, reason = "macros of proptest name `Arc`")]

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Kernel,
    BarrierPacket,
    Copy,
}
#[derive(Clone, Debug)]
enum Op {
    Submit {
        barrier: bool,
        kind: Kind,
        hold: bool,
    },
    /// The device finishes the so-manieth packet that may finish.
    Finish(prop::sample::Index),
    /// The read index moves anywhere, and what it nominates is loaded.
    Nominate(prop::sample::Index),
    LookFurther,
    NewestFence,
    /// One of the holders lets go.
    Drop(prop::sample::Index),
    /// The stream moves to the other queue.
    Switch,
}
fn op() -> impl Strategy<Value = Op> {
    let kind =
        prop_oneof![4 => Just(Kind::Kernel), 1 => Just(Kind::BarrierPacket), 1 => Just(Kind::Copy)];
    prop_oneof![
        6 => (any::<bool>(), kind, prop::bool::weighted(0.2))
            .prop_map(|(barrier, kind, hold)| Op::Submit { barrier, kind, hold }),
        6 => any::<prop::sample::Index>().prop_map(Op::Finish),
        3 => any::<prop::sample::Index>().prop_map(Op::Nominate),
        4 => Just(Op::LookFurther),
        1 => Just(Op::NewestFence),
        1 => any::<prop::sample::Index>().prop_map(Op::Drop),
        1 => Just(Op::Switch),
    ]
}

#[derive(Debug)]
struct Published {
    of: UseId,
    barrier: bool,
    kind: Kind,
    done: bool,
    /// The host loaded its signal after it was done.
    seen: bool,
}
#[derive(Debug, Default)]
struct Model {
    history: Vec<Published>,
    retired: BTreeSet<usize>,
}
impl Model {
    fn before(&self, at: usize) -> impl Iterator<Item = &Published> {
        let lane = self.history[at].of.lane();
        self.history[..at].iter().filter(move |earlier| earlier.of.lane() == lane)
    }
    /// Whether the device may finish this packet now.
    fn may_finish(&self, at: usize) -> bool {
        let this = &self.history[at];
        !this.done
            && self.before(at).all(|earlier| {
                let held_back = this.barrier || matches!(earlier.kind, Kind::BarrierPacket);
                earlier.done || matches!(this.kind, Kind::Copy) || !held_back
            })
    }
    /// Whether the host can know that it is finished.
    fn is_proven(&self, at: usize) -> bool {
        let this = &self.history[at];
        let later =
            || self.history[at + 1..].iter().filter(|later| later.of.lane() == this.of.lane());
        let by_fence = later().any(|later| later.seen && later.barrier);
        let by_order = matches!(this.kind, Kind::BarrierPacket) && later().any(|later| later.seen);
        this.seen || !matches!(this.kind, Kind::Copy) && (by_fence || by_order)
    }
    fn position(&self, of: UseId) -> usize {
        self.history.iter().position(|used| used.of == of).expect("published")
    }
}

struct Run {
    ring: Ring,
    marks: [Arc<Watermark>; 2],
    next: [u64; 3],
    here: usize,
    model: Model,
    holders: Vec<Holder>,
}
const COPIES: usize = 2;
impl Run {
    fn new() -> Self {
        let marks = [0, 1].map(|queue| Arc::new(Watermark::new(lane(queue))));
        let ring = ring_on(&marks[0], HOST, 64);
        Self { ring, marks, next: [0; 3], here: 0, model: Model::default(), holders: Vec::new() }
    }
    fn submit(&mut self, barrier: bool, kind: Kind, hold: bool) {
        let queue = if matches!(kind, Kind::Copy) { COPIES } else { self.here };
        let Ok(mut secured) = self.ring.secure(HOST) else { return };
        let barrier = barrier && queue != COPIES;
        let with = Use {
            lane: lane(queue as u32),
            engine: if queue == COPIES { Engine::Copy } else { Engine::Compute },
            barrier: if barrier { Barrier::Set } else { Barrier::Clear },
            order: match kind {
                Kind::BarrierPacket => PacketOrder::HoldsBackLater,
                Kind::Kernel | Kind::Copy => PacketOrder::Free,
            },
            timing: Timing::Unwanted,
            parts: Parts::ONE,
        };
        if hold {
            self.holders.push(secured.lend());
        }
        let of = secured.bind(PacketId::new(self.next[queue]), with, None);
        self.next[queue] += 1;
        self.model.history.push(Published { of, barrier, kind, done: false, seen: false });
    }
    fn load(&mut self, probe: Option<Probe>) {
        let Some(probe) = probe else { return };
        let at = self.model.position(probe.of());
        let used = &mut self.model.history[at];
        used.seen |= used.done;
        let value = SignalValue::new(if used.done { 0 } else { 1 });
        match self.ring.confirm(probe, value).expect("no value is below 0") {
            Confirmed::Pending | Confirmed::Settled => {}
            Confirmed::Own(finished) => self.retire(finished),
            Confirmed::Fence(proof) => {
                let mark = self.ring.mark_of(proof.of().lane()).expect("a compute lane").clone();
                let _proven = mark.raise(proof);
            }
        }
        while let Some(finished) = self.ring.next_finished() {
            self.retire(finished);
        }
        for _ in 0..self.ring.parked() {
            let _arm = self.ring.unpark();
        }
    }
    fn retire(&mut self, finished: Finished) {
        let at = self.model.position(finished.of());
        assert!(self.model.history[at].done, "{}: retired too early", finished.of());
        assert!(self.model.retired.insert(at), "{}: retired twice", finished.of());
        let _arm = self.ring.retire(finished, Harvest::NOT_WANTED);
    }
    fn apply(&mut self, op: &Op) {
        match op {
            Op::Submit { barrier, kind, hold } => self.submit(*barrier, *kind, *hold),
            Op::Finish(which) => {
                let may: Vec<usize> =
                    (0..self.model.history.len()).filter(|&at| self.model.may_finish(at)).collect();
                if !may.is_empty() {
                    self.model.history[*which.get(&may)].done = true;
                }
            }
            Op::Nominate(to) => {
                let end = self.next[self.here] as usize + 1;
                let probe = self.ring.nominate(PacketId::new(to.index(end) as u64));
                self.load(probe);
            }
            Op::LookFurther => {
                let probe = self.ring.look_further();
                self.load(probe);
            }
            Op::NewestFence => {
                let probe = self.ring.newest_fence();
                self.load(probe);
            }
            Op::Drop(which) => {
                if !self.holders.is_empty() {
                    self.holders.swap_remove(which.index(self.holders.len()));
                }
            }
            Op::Switch => {
                self.here = 1 - self.here;
                self.ring.switch(self.marks[self.here].clone());
            }
        }
    }
    fn check(&self) {
        let proven = (0..self.model.history.len()).filter(|&at| self.model.is_proven(at)).count();
        assert_eq!(self.model.retired.len(), proven, "not exactly what is proven was retired");
        let in_flight = self.model.history.len() - proven;
        assert_eq!(self.ring.in_flight(), in_flight);
        let accounted = self.ring.usable(HOST) + in_flight + self.ring.parked();
        assert_eq!(accounted, self.ring.size(), "a signal is lost");
    }
    /// The device finishes everything; the ring finds that in a bounded number of looks (S6, S20).
    fn finish(mut self) {
        self.holders.clear();
        self.model.history.iter_mut().for_each(|used| used.done = true);
        let bound = 16 * (self.ring.in_flight() + 1) * self.next.len();
        for _ in 0..bound {
            let probe = self.ring.look_further();
            self.load(probe);
        }
        assert_eq!(self.ring.in_flight(), 0, "not found within {bound} looks");
        for _ in 0..self.ring.parked() {
            let _arm = self.ring.unpark();
        }
        assert_eq!(self.ring.usable(HOST), self.ring.size());
    }
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(0x52_49_4e_47),
        ..ProptestConfig::default()
    }
}
fn run(ops: &[Op]) {
    let mut run = Run::new();
    for op in ops {
        run.apply(op);
        run.check();
    }
    run.finish();
}

proptest! {
    #![proptest_config(config())]
    #[test]
    fn the_ring_retires_exactly_what_is_proven(ops in prop::collection::vec(op(), 1..80)) {
        run(&ops);
    }
}

/// The same test must fail when a rule is broken at the line that enforces it.
#[cfg(feature = "planted")]
#[test]
fn planted_faults_are_noticed() {
    use crate::plant::{self, Fault};
    use proptest::test_runner::{TestError, TestRunner};

    for fault in [
        Fault::FenceWithoutBarrierBit,
        Fault::AcrossQueues,
        Fault::FenceProvesCopy,
        Fault::HideBehindOldest,
    ] {
        let ops = prop::collection::vec(op(), 1..80);
        let outcome = TestRunner::new(config()).run(&ops, |ops| {
            plant::with(fault, || run(&ops));
            Ok(())
        });
        let Err(TestError::Fail(why, ops)) = outcome else {
            panic!("{} goes unnoticed", fault.name())
        };
        println!("{}: {why}, by {} operations", fault.name(), ops.len());
    }
}
