//! The same with planted faults: which rules break does not depend on the reductions.

use std::collections::BTreeMap;

use ringfence::plant::{self, Fault};
use ringfence_mock::explore::{DeviceTiming, HostSteps, Verdict};

use crate::{
    scripts::script,
    twins::{MOST, searched},
};

/// Faults that small scripts can show.
const FAULTS: [Fault; 8] = [
    Fault::TrustReadIndex,
    Fault::NoPin,
    Fault::PinByReadIndex,
    Fault::NoFlush,
    Fault::FenceWithoutBarrierBit,
    Fault::FenceProvesCopy,
    Fault::ArmWhileHeld,
    Fault::WaitWhileReserved,
];
const SCRIPTS: u64 = 500;
#[test]
fn a_lazy_device_breaks_the_rules_that_an_eager_one_does() {
    let mut differ = Vec::<u64>::new();
    let (mut compared, mut broken) = (0, BTreeMap::<&str, u32>::new());
    for seed in 1..2 * SCRIPTS {
        if compared == SCRIPTS {
            break;
        }
        let fault = FAULTS[seed as usize % FAULTS.len()];
        let scenario = script(1_000 + seed);
        let lazy =
            plant::with(fault, || searched(&scenario, DeviceTiming::Lazy, HostSteps::Reduced));
        let eager =
            plant::with(fault, || searched(&scenario, DeviceTiming::Eager, HostSteps::Every));
        if eager.figures.states >= MOST || matches!(eager.verdict, Verdict::Bounded(_)) {
            continue; // what it has not come to, it may yet break
        }
        if lazy.rules != eager.rules {
            println!("seed {seed} with {fault:?}: {:?}, and eagerly {:?}", lazy.rules, eager.rules);
            differ.push(seed);
        }
        compared += 1;
        *broken.entry(fault.name()).or_default() += u32::from(!lazy.rules.is_empty());
    }
    println!("{compared} scripts; with a broken rule, by fault: {broken:?}");
    assert!(differ.is_empty(), "scripts {differ:?} break other rules");
    assert_eq!(compared, SCRIPTS, "so many scripts were small enough");
    assert!(broken.values().filter(|&&scripts| scripts > 0).count() >= 5, "{broken:?}");
}
