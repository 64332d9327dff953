//! A run that fails says where, what was expected, what was seen, and which rule that breaks.

use crate::{
    oracle::Rule,
    scenario::{
        Action, ErrorKind, Expect, Failed, Name, Setup, Step, Submit, World, Wrong, parse, run,
    },
};

fn failed(text: &str) -> Failed {
    let parsed = parse("failing.toml", text).expect("a scenario");
    *run(&parsed).expect_err("this scenario fails")
}
fn drawn(failed: &Failed) -> String {
    let mut drawn = String::new();
    miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor())
        .render_report(&mut drawn, failed)
        .expect("drawing into a string");
    drawn
}

#[test]
fn an_expectation_that_does_not_hold_is_shown_with_its_rule_and_the_trace() {
    let failed = failed(
        "name = \"x\"\nsteps = [\n  { submit = \"k1\", on = \"s0\" },\n  { read_index = 1, of = \"q0\" },\n  { reclaim = \"s0\" },\n  { expect = \"retired\", of = [\"k1\"], rule = \"S3\" },\n]\n",
    );
    assert_eq!(failed.place().to_string(), "6:3");
    assert_eq!(failed.failure().rule, Some(Rule::S3));
    let drawn = drawn(&failed);
    for part in [
        "expected `k1` to be retired",
        "S3 says: the read index",
        "q0g0#0 (k1)",
        "failing.toml:6:3",
    ] {
        assert!(drawn.contains(part), "{part} is missing in:\n{drawn}");
    }
    assert!(!drawn.contains("Submitting"), "the runner's own statements are left out:\n{drawn}");
}
#[test]
fn a_failure_in_a_repetition_says_in_which_round() {
    let failed = failed(
        "name = \"x\"\nsetup.ring = 2\nsetup.cap = 2\nsteps = [\n  { repeat = 5, steps = [\n    { submit = \"k\", on = \"s0\" },\n    { expect = \"not_waited\" },\n  ] },\n]\n",
    );
    assert_eq!(failed.place().to_string(), "7:5");
    assert_eq!(failed.failure().rounds, [(3, 5)]);
    assert!(drawn(&failed).contains("in round 3 of 5"));
}
#[test]
fn an_error_that_was_announced_is_no_failure_and_another_one_is() {
    let lost = |error: &str| {
        format!(
            "name = \"x\"\nsteps = [\n  {{ fail = \"device\" }},\n  {{ submit = \"k\", on = \"s0\" }},\n  {{ reclaim = \"s0\", error = \"{error}\" }},\n]\n"
        )
    };
    let parsed = parse("lost.toml", &lost("device_lost")).expect("a scenario");
    assert!(run(&parsed).is_ok());
    let failed = failed(&lost("exhausted"));
    assert!(matches!(
        failed.failure().wrong,
        Wrong::OtherError { expected: ErrorKind::Exhausted, .. }
    ));
    assert_eq!(failed.place().to_string(), "5:3");
}
#[test]
fn a_step_that_should_fail_and_does_not_is_a_failure() {
    let failed =
        failed("name = \"x\"\nsteps = [\n  { reclaim = \"s0\", error = \"device_lost\" },\n]\n");
    assert!(matches!(failed.failure().wrong, Wrong::NoError { expected: ErrorKind::DeviceLost }));
}
#[test]
fn the_device_is_not_made_to_do_what_no_device_may() {
    let failed = failed(
        "name = \"x\"\nsteps = [\n  { submit = \"k1\", on = \"s0\" },\n  { submit = \"k2\", on = \"s0\" },\n  { finish = \"k2\" },\n]\n",
    );
    assert!(matches!(failed.failure().wrong, Wrong::Impossible { .. }));
    assert!(failed.to_string().contains("it has the barrier bit"), "{failed}");
}
#[test]
fn a_second_seed_runs_as_well() {
    let text = "name = \"x\"\nsetup.profile = \"hostile\"\nsetup.seeds = 7\nsteps = [\n  { submit = \"k1\", on = \"s0\", event = \"e\" },\n  { query = \"e\" },\n  { expect = \"state\", of = [\"e\"], is = \"finished\" },\n]\n";
    let failed = failed(text);
    assert!((1..=7).contains(&failed.seed()));
    assert!(matches!(failed.failure().wrong, Wrong::NotSo { .. }));
}
#[test]
fn steps_made_by_code_cannot_name_what_is_not_there() {
    let mut world = World::new(&Setup::default(), 1).expect("a default machine");
    for action in [
        Action::Submit(Submit::new("k", "nowhere")),
        Action::Reclaim { on: Name::new("nowhere") },
        Action::SyncEvent { event: Name::new("never") },
        Action::Finish { of: vec![Name::new("never")], parts: None },
        Action::Expect(Expect::Busy(vec![Name::new("never")])),
        Action::Restart { queue: Name::new("q9") },
    ] {
        let failure = world.apply(&Step::from(action)).expect_err("there is nothing of that name");
        assert!(matches!(failure.wrong, Wrong::Misuse { .. }), "{failure}");
    }
    assert!(world.finish().is_ok());
}
