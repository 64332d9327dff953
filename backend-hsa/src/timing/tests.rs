use std::num::NonZeroU64;

use ringfence::timing::TickRate;

use super::{Clocks, sound};

fn rate(hertz: u64) -> TickRate {
    TickRate::new(NonZeroU64::new(hertz).expect("not 0"))
}

#[test]
fn stamps_that_are_zero_or_in_reverse_are_none() {
    assert_eq!(sound([0, 5]), None);
    assert_eq!(sound([6, 5]), None);
    assert_eq!(sound([0, 0]), None);
    assert_eq!(sound([5, 5]), Some([5, 5]));
}

/// Clocks with another origin and up to 200 parts in a million off: a tick comes back, or its neighbour.
#[test]
fn conversion_is_turned_round() {
    for agent in [25_000_000, 100_000_000, 1_000_000_000] {
        for parts in [0_i128, 50, -50, 200, -200] {
            for origin in [0_i128, 7_000_000_000_000, 123_456_789_000_000_000] {
                let to_system = |tick: u64| {
                    let ideal = i128::from(tick) * 1_000_000_000 / i128::from(agent);
                    u64::try_from(ideal + ideal * parts / 1_000_000 + origin).ok()
                };
                let clocks = Clocks { to_system, system: rate(1_000_000_000), agent: rate(agent) };
                for seconds in [1, 60, 1_000_000] {
                    let tick = seconds * agent + 12_345;
                    let system = to_system(tick).expect("in range");
                    let found = clocks.to_agent(system).expect("converges");
                    assert!(
                        found.abs_diff(tick) <= 1,
                        "{agent} {parts} {origin}: {found}, not {tick}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_clock_that_is_not_converted_has_no_times() {
    let clocks = Clocks { to_system: |_| None, system: rate(1), agent: rate(1) };
    assert_eq!(clocks.to_agent(5), None);
}
