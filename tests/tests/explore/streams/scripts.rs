//! Small random scenarios of streams: few enough steps that even an eager device can be searched to the end.

use ringfence::stream::Access;
use ringfence_mock::{
    clock::Ticks,
    scenario::Name,
    streams::{
        op::RunTime,
        profile::DriverProfile,
        scenario::{Acquire, Run, StreamAction, StreamScenario, StreamSetup, StreamStep, Through},
        system::Words,
    },
};

use crate::scripts::Dice;

impl Dice {
    fn of(&mut self, names: &[Name]) -> Option<Name> {
        let at = self.below(names.len().max(1) as u64) as usize;
        names.get(at).cloned()
    }
    fn take(&mut self, names: &mut Vec<Name>) -> Option<Name> {
        let name = self.of(names)?;
        names.retain(|other| *other != name);
        Some(name)
    }
}

/// So many pieces of work that an eager device still ends.
const MOST_WORK: u32 = 2;
/// The drivers of scripts: what they do with captures is left to the corpus.
pub(super) const DRIVERS: [DriverProfile; 3] =
    [DriverProfile::Hip57, DriverProfile::ClrNew, DriverProfile::Cuda];

/// The script of a seed: two leases at first, an array, copies, and what becomes of them.
pub(super) fn script(seed: u64) -> StreamScenario {
    let mut dice = Dice(seed);
    let driver = DRIVERS[dice.below(DRIVERS.len() as u64) as usize];
    let mut setup = StreamSetup::on([driver]);
    if dice.one_in(3) {
        setup.words = Words::Off;
    }
    setup.idle_cap = dice.below(3) as u32;
    let [a, b, array] = ["a", "b", "array"].map(Name::from);
    let mut steps = vec![
        StreamAction::Acquire(Acquire::of(a.clone())),
        StreamAction::Acquire(Acquire::of(b.clone())),
        StreamAction::Alloc { memory: array.clone(), on: a.clone() },
    ];
    // Something to look at, whatever comes.
    let access = if dice.one_in(2) { Access::Read } else { Access::Write };
    let (memory, on, ticks) = (array.clone(), a.clone(), Ticks::new(10));
    steps.push(StreamAction::Use { memory, access, on, ticks, name: None });
    let (mut leases, mut futures, mut arrays) = (vec![a, b], Vec::new(), vec![array]);
    let mut work = 1;
    for step in 0..5 + dice.below(3) {
        let lease = dice.of(&leases);
        let name = |kind: &str| Name::new(format!("{kind}{step}"));
        let action = match dice.below(11) {
            0 | 1 if work < MOST_WORK => lease.map(|on| {
                work += 1;
                let (reads, writes) = (Vec::new(), Vec::new());
                let time = RunTime::Ticks(Ticks::new(10));
                let through = Through::Pool;
                StreamAction::Run(Run { time, on: vec![on], reads, writes, name: None, through })
            }),
            2 if work < MOST_WORK => lease.zip(dice.of(&arrays)).map(|(on, memory)| {
                work += 1;
                let access = if dice.one_in(2) { Access::Read } else { Access::Write };
                StreamAction::Use { memory, access, on, ticks: Ticks::new(10), name: None }
            }),
            3 if work < MOST_WORK => lease.map(|on| {
                work += 1;
                futures.push(name("f"));
                StreamAction::Copy { future: name("f"), on, ticks: Ticks::new(10) }
            }),
            4 => dice.of(&futures).map(StreamAction::Poll),
            5..=7 => dice.take(&mut leases).map(|lease| StreamAction::Release(vec![lease])),
            8 => {
                leases.push(name("l"));
                Some(StreamAction::Acquire(Acquire::of(name("l"))))
            }
            9 => dice.take(&mut arrays).map(StreamAction::Free),
            _ => Some(StreamAction::Pump),
        };
        steps.extend(action);
    }
    StreamScenario {
        name: format!("script {seed}"),
        source: None,
        rules: Vec::new(),
        catches: Vec::new(),
        setup,
        steps: steps.into_iter().map(StreamStep::from).collect(),
    }
}
