//! What is printed is read back as the same value, and nothing that a file can say makes the runner panic.

use proptest::prelude::*;

use super::generate;
use crate::{
    scenario::{AnyParsed, parse_any},
    streams::{
        profile::DriverProfile,
        scenario::{StreamSetup, StreamWrong, parse, run_on},
    },
};

/// Fixed, so that a failure is the same on every machine.
const SEED: u64 = 0x5CE0_5712;
const CASES: u32 = 300;

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(SEED),
        ..ProptestConfig::with_cases(CASES)
    })]
    #[test]
    fn a_printed_scenario_reads_back_as_itself(scenario in generate::scenario()) {
        let text = scenario.to_string();
        let parsed = parse("printed.toml", &text);
        prop_assert!(parsed.is_ok(), "{}\n{:?}", text, parsed.map_err(|rejected| {
            rejected.problems().iter().map(ToString::to_string).collect::<Vec<_>>()
        }));
        let parsed = parsed.expect("looked at above");
        prop_assert_eq!(&parsed.scenario, &scenario, "{}", text);
        prop_assert_eq!(parsed.places.len(), scenario.steps.len());
    }
    #[test]
    fn no_scenario_makes_the_library_panic(scenario in generate::scenario()) {
        for &profile in &scenario.setup.drivers {
            if let Err(failure) = run_on(&scenario, profile) {
                let panicked = matches!(failure.wrong, StreamWrong::Panicked { .. });
                prop_assert!(!panicked, "on {}: {}\n{}", profile, failure, scenario);
            }
        }
    }
}

#[test]
fn a_default_set_up_prints_its_drivers_alone() {
    let one = StreamSetup::on([DriverProfile::Cuda]);
    assert_eq!(one.to_string(), "setup.driver = [\"cuda\"]\n");
    let all = StreamSetup::on(DriverProfile::ALL);
    assert_eq!(all.to_string(), "setup.driver = \"all\"\n");
}
#[test]
fn places_point_at_steps_and_at_those_inside() {
    let text = "name = \"x\"\nsetup.driver = \"cuda\"\nsteps = [\n  { acquire = \"a\" },\n  { capture = \"g\", on = \"a\", steps = [\n    { run = 1, on = \"a\" },\n  ] },\n]\n";
    let parsed = parse("x.toml", text).expect("a scenario");
    let places: Vec<String> =
        parsed.places.iter().map(|place| parsed.place(place).to_string()).collect();
    assert_eq!(places, ["4:3", "5:3"]);
    assert_eq!(parsed.place(&parsed.places[1].inner[0]).to_string(), "6:5");
}
#[test]
fn a_driver_in_the_set_up_makes_a_file_one_about_streams() {
    let streams = "name = \"x\"\n[setup]\ndriver = \"cuda\"\n";
    let rejected = parse_any("x.toml", streams).expect_err("it has no steps");
    assert!(rejected.problems()[0].message().contains("`steps`"));
    let signals = "name = \"driver\"\nsteps = [{ reclaim = \"s0\" }]\n";
    assert!(matches!(parse_any("x.toml", signals), Ok(AnyParsed::Signals(_))));
}
