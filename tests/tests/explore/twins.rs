//! Reductions leave nothing out: a lazy device and an eager one, with every order of the tasks' steps and
//! without, find the same ends in the healthy library and break the same rules of the broken one.

use std::time::Duration;

use ringfence_mock::{
    explore::{Blame, Bounds, DeviceTiming, Explored, HostSteps, Options, Until, Verdict, explore},
    scenario::Scenario,
};

use crate::scripts::script;

/// Scripts, with the seeds from 1, that are compared.
const SCRIPTS: u64 = 500;
/// An eager device may have so many states; a script with more is left out.
pub(crate) const MOST: u64 = 1_500;
/// A lazy one ends sooner; but a `reclaim` in its parts has more states than a whole one.
const MOST_LAZILY: u64 = 10 * MOST;

pub(crate) fn searched(scenario: &Scenario, timing: DeviceTiming, host: HostSteps) -> Explored {
    let states = if timing == DeviceTiming::Lazy { MOST_LAZILY } else { MOST };
    let bounds = Bounds { states, time: Duration::from_secs(60), ..Bounds::default() };
    let blame = Blame::Exact;
    let options =
        Options { timing, host, blame, bounds, until: Until::Exhausted, ..Options::default() };
    explore(scenario, &options).expect("a script can be searched")
}

#[test]
fn a_lazy_device_ends_where_an_eager_one_does() {
    let mut differ = Vec::<u64>::new();
    let (mut compared, mut ends, mut lazy_states, mut eager_states) = (0, 0, 0, 0);
    for seed in 1..2 * SCRIPTS {
        if compared == SCRIPTS {
            break;
        }
        let scenario = script(seed);
        let lazy = searched(&scenario, DeviceTiming::Lazy, HostSteps::Reduced);
        assert!(matches!(lazy.verdict, Verdict::Exhausted), "seed {seed}: {:?}", lazy.verdict);
        let eager = searched(&scenario, DeviceTiming::Eager, HostSteps::Every);
        match eager.verdict {
            Verdict::Exhausted => {}
            Verdict::Bounded(_) => continue,
            other => panic!("seed {seed}: {other:?}"),
        }
        if lazy.ends != eager.ends {
            println!("seed {seed}: {:?}, and eagerly {:?}\n{scenario}", lazy.ends, eager.ends);
            differ.push(seed);
        }
        compared += 1;
        ends += lazy.ends.len();
        lazy_states += lazy.figures.states;
        eager_states += eager.figures.states;
    }
    println!(
        "{compared} scripts, {ends} ends, {lazy_states} states lazily, {eager_states} eagerly"
    );
    assert!(differ.is_empty(), "scripts {differ:?} end elsewhere");
    assert_eq!(compared, SCRIPTS, "so many scripts were small enough");
}
