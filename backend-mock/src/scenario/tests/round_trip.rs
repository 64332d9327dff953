//! What is printed is read back as the same value.

use proptest::prelude::*;

use super::generate;
use crate::scenario::{Action, Name, Scenario, Setup, Submit, parse};

/// Fixed, so that a failure is the same on every machine.
const CASES: u32 = 400;

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(0x5CE0_A710),
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
}

#[test]
fn a_default_set_up_prints_nothing() {
    assert_eq!(Setup::default().to_string(), "");
}
#[test]
fn a_scenario_prints_one_step_a_line() {
    let step = Action::Submit(Submit::new("k1", "s0"));
    let scenario = Scenario {
        name: "one kernel".to_owned(),
        source: None,
        rules: Vec::new(),
        catches: Vec::new(),
        setup: Setup::default(),
        steps: vec![step.into()],
    };
    let text = "name = \"one kernel\"\nsteps = [\n  { submit = \"k1\", on = \"s0\" },\n]\n";
    assert_eq!(scenario.to_string(), text);
}
#[test]
fn places_point_at_steps() {
    let text = "name = \"x\"\nsteps = [\n  { reclaim = \"s0\" }, { repeat = 2, steps = [\n    { probe = \"s0\" },\n  ] },\n]\n";
    let parsed = parse("x.toml", text).expect("a scenario");
    let places: Vec<String> =
        parsed.places.iter().map(|place| parsed.place(place).to_string()).collect();
    assert_eq!(places, ["3:3", "3:23"]);
    assert_eq!(parsed.place(&parsed.places[1].inner[0]).to_string(), "4:5");
    assert_eq!(
        parsed.scenario.setup.stream_queues().keys().collect::<Vec<_>>(),
        [&Name::new("s0")]
    );
}
