//! Small random scenarios: few enough steps that even an eager device can be searched to the end.

use ringfence::id::Barrier;
use ringfence_mock::scenario::{
    Action, By, CopyParts, Name, Scenario, Setup, Step, Submit, Timing,
};

/// Steele, Lea and Flood's SplitMix64.
pub(crate) struct Dice(pub(crate) u64);
impl Dice {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// The script of a seed: one or two tasks, two streams on one queue or on two, a copy engine, rings of two.
pub(crate) fn script(seed: u64) -> Scenario {
    let mut dice = Dice(seed);
    let shared = dice.one_in(3);
    let queues = if shared { 1 } else { 2 };
    let second = if shared { "q0" } else { "q1" };
    let streams = [("a", "q0"), ("b", second)].map(|(name, on)| (name.into(), on.into()));
    let setup = Setup {
        queues,
        engines: 1,
        streams: streams.into_iter().collect(),
        spares: 0,
        ..Setup::with_ring(2)
    };
    let tasks = !dice.one_in(3);
    let mut steps = Vec::new();
    let (mut packets, mut recorded) = (0, Vec::<Name>::new());
    // So many packets and copies that an eager device still ends.
    let most = if tasks { 2 } else { 3 };
    for _ in 0..3 + dice.below(3) {
        let stream = ["a", "b"][dice.below(2) as usize];
        let on = Name::from(stream);
        let action = match dice.below(8) {
            0..=2 if packets < most => {
                packets += 1;
                let name = Name::new(format!("k{packets}"));
                let event = dice.one_in(2).then(|| Name::new(format!("e{packets}")));
                recorded.extend(event.clone());
                let barrier = if dice.one_in(2) { Barrier::Clear } else { Barrier::Set };
                Action::Submit(Submit { barrier, event, ..Submit::new(name, on.clone()) })
            }
            3 if packets < most && !recorded.is_empty() => {
                packets += 1;
                let event = recorded[dice.below(recorded.len() as u64) as usize].clone();
                Action::Wait { on: on.clone(), events: vec![event], by: By::And, packet: None }
            }
            4 if packets < most => {
                packets += 1;
                let event = Name::new(format!("e{packets}"));
                recorded.push(event.clone());
                Action::Copy(CopyParts {
                    name: Name::new(format!("c{packets}")),
                    on: on.clone(),
                    engine: Name::from("sdma0"),
                    parts: 1,
                    waits: Vec::new(),
                    timing: Timing::NotWanted,
                    event: Some(event),
                })
            }
            5 if !recorded.is_empty() => {
                let of = recorded[dice.below(recorded.len() as u64) as usize].clone();
                Action::Query { of }
            }
            6 => Action::Probe { on: on.clone() },
            _ => Action::Reclaim { on: on.clone() },
        };
        let task = tasks.then(|| Name::new(format!("of {stream}")));
        steps.push(Step { task, ..Step::from(action) });
    }
    Scenario {
        name: format!("script {seed}"),
        source: None,
        rules: Vec::new(),
        catches: Vec::new(),
        setup,
        steps,
    }
}
