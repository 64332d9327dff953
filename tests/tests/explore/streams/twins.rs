//! The lazy device leaves nothing out: an eager one, which may finish work at every call, shows the host the same ends in the
//! healthy library and breaks the same rules of a broken one.

use std::time::Duration;

use ringfence_mock::{
    explore::{Bounds, DeviceTiming, Options, StreamExplored, Until, Verdict, explore_streams},
    streams::scenario::StreamScenario,
};

use super::scripts::script;

/// Scripts, with the seeds from 1, that are compared.
const SCRIPTS: u64 = 200;
/// An eager device may have so many states; a script with more is left out.
const MOST: u64 = 3_000;

fn searched(scenario: &StreamScenario, timing: DeviceTiming) -> StreamExplored {
    let bounds = Bounds { states: MOST, time: Duration::from_secs(60), ..Bounds::default() };
    let options = Options { timing, bounds, until: Until::Exhausted, ..Options::default() };
    let driver = scenario.setup.drivers[0];
    explore_streams(scenario, driver, &options).expect("a script can be searched")
}

#[test]
fn a_lazy_device_shows_what_an_eager_one_does() {
    let (mut compared, mut ends, mut lazy_states, mut eager_states) = (0, 0, 0, 0);
    for seed in 1..2 * SCRIPTS {
        if compared == SCRIPTS {
            break;
        }
        let scenario = script(seed);
        let eager = searched(&scenario, DeviceTiming::Eager);
        if matches!(eager.verdict, Verdict::Bounded(_)) {
            continue;
        }
        let lazy = searched(&scenario, DeviceTiming::Lazy);
        assert!(matches!(lazy.verdict, Verdict::Exhausted), "seed {seed}: {:?}", lazy.verdict);
        assert!(matches!(eager.verdict, Verdict::Exhausted), "seed {seed}: {:?}", eager.verdict);
        assert_eq!(lazy.ends, eager.ends, "seed {seed} ends elsewhere\n{scenario}");
        compared += 1;
        ends += lazy.ends.len();
        lazy_states += lazy.figures.states;
        eager_states += eager.figures.states;
    }
    println!(
        "{compared} scripts, {ends} ends, {lazy_states} states lazily, {eager_states} eagerly"
    );
    assert_eq!(compared, SCRIPTS, "so many scripts were small enough");
}

#[cfg(feature = "planted")]
mod planted {
    use std::collections::BTreeMap;

    use ringfence::plant::{self, Fault};

    use super::*;

    /// Faults that small scripts can show.
    const FAULTS: [Fault; 6] = [
        Fault::LeaseBeforeDone,
        Fault::KeepGeneration,
        Fault::FreeOnRecycled,
        Fault::WaitForOldTenancy,
        Fault::ReleaseOnCancel,
        Fault::QueryBeforeStatus,
    ];

    #[test]
    fn a_lazy_device_breaks_the_rules_that_an_eager_one_does() {
        let (mut compared, mut broken) = (0, BTreeMap::<&str, u32>::new());
        for seed in 1..2 * SCRIPTS {
            if compared == SCRIPTS {
                break;
            }
            let fault = FAULTS[seed as usize % FAULTS.len()];
            let scenario = script(1_000 + seed);
            let [lazy, eager] = [DeviceTiming::Lazy, DeviceTiming::Eager]
                .map(|timing| plant::with(fault, || searched(&scenario, timing)));
            if eager.figures.states >= MOST || matches!(eager.verdict, Verdict::Bounded(_)) {
                continue; // what it has not come to, it may yet break
            }
            assert_eq!(lazy.rules, eager.rules, "seed {seed} with {fault:?}\n{scenario}");
            compared += 1;
            *broken.entry(fault.name()).or_default() += u32::from(!lazy.rules.is_empty());
        }
        println!("{compared} scripts; with a broken rule, by fault: {broken:?}");
        assert_eq!(compared, SCRIPTS, "so many scripts were small enough");
        assert!(broken.values().filter(|&&scripts| scripts > 0).count() >= 4, "{broken:?}");
    }
}
