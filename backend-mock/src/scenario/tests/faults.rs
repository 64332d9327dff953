//! Every fault of a file is shown at its place, with the near match.

use crate::scenario::{Rejected, parse};

fn faults(text: &str) -> Rejected {
    parse("wrong.toml", text).expect_err("this text has a fault")
}
fn steps(steps: &str) -> String {
    format!("name = \"x\"\nsteps = [\n{steps}\n]\n")
}
/// The one fault of these steps: its message with its place, and the advice.
fn only(text: &str) -> (String, Option<String>) {
    let rejected = faults(text);
    let shown: Vec<String> = rejected.problems().iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), 1, "{shown:#?}");
    (shown[0].clone(), rejected.problems()[0].advice().map(str::to_owned))
}
fn expect(text: &str, message: &str, advice: Option<&str>) {
    let (seen, help) = only(text);
    assert_eq!(seen, format!("wrong.toml:{message}"));
    assert_eq!(help.as_deref(), advice);
}

#[test]
fn a_verb_that_is_misspelt_has_a_near_match() {
    let text = steps("  { sumbit = \"k1\", on = \"s0\" },");
    expect(&text, "3:5: `sumbit` is not a verb", Some("did you mean `submit`?"));
}
#[test]
fn a_verb_that_does_not_come_first_is_told_to() {
    let text = steps("  { on = \"s0\", submit = \"k1\" },");
    expect(
        &text,
        "3:5: `on` is not a verb",
        Some("the verb comes first: move `submit` to the front"),
    );
}
#[test]
fn a_name_that_was_never_defined_has_a_near_match() {
    let text = steps("  { submit = \"first\", on = \"s0\" },\n  { finish = \"frist\" },");
    expect(
        &text,
        "4:14: no use or event called `frist` was defined before this",
        Some("did you mean `first`?"),
    );
}
#[test]
fn a_name_of_another_kind_says_so() {
    let text = steps("  { reclaim = \"q0\" },");
    expect(&text, "3:15: `q0` is a queue, and a stream is wanted here", Some("did you mean `s0`?"));
}
#[test]
fn a_name_is_not_known_before_its_step() {
    let text = steps("  { query = \"e\" },\n  { record = \"e\", on = \"s0\" },");
    expect(&text, "3:13: no use or event called `e` was defined before this", None);
}
#[test]
fn a_use_of_a_name_that_is_taken_is_a_fault_and_a_new_recording_is_none() {
    let text = steps("  { submit = \"k\", on = \"s0\" },\n  { submit = \"k\", on = \"s0\" },");
    expect(
        &text,
        "4:14: the name `k` is taken: it is a use already",
        Some("give it a name of its own"),
    );
    let again = steps("  { record = \"e\", on = \"s0\" },\n  { record = \"e\", on = \"s0\" },");
    assert!(parse("again.toml", &again).is_ok());
}
#[test]
fn a_wrong_type_says_what_was_found() {
    let text = steps("  { submit = \"k1\", on = \"s0\", barrier = \"no\" },");
    expect(&text, "3:41: `barrier` must be `true` or `false`", None);
    expect(&steps("  { submit = 1, on = \"s0\" },"), "3:14: `submit` must be a string", None);
    expect(
        &steps("  { run = \"forever\" },"),
        "3:11: `run` must be `idle` or a number of moves",
        None,
    );
}
#[test]
fn a_key_that_a_step_does_not_have_has_a_near_match() {
    let text = steps("  { submit = \"k1\", on = \"s0\", barier = false },");
    expect(&text, "3:31: this step has no key `barier`", Some("did you mean `barrier`?"));
}
#[test]
fn a_key_that_is_missing_is_named() {
    expect(&steps("  { submit = \"k1\" },"), "3:3: this step needs the key `on`", None);
    expect("steps = []\n", "1:1: a scenario needs the key `name`", None);
    expect("name = \"x\"\n", "1:1: a scenario needs the key `steps`", None);
}
#[test]
fn a_number_out_of_range_says_the_range() {
    expect(
        "name = \"x\"\nsetup.queues = 0\nsteps = []\n",
        "2:16: `queues` must be from 1 to 64",
        None,
    );
    expect(
        "name = \"x\"\nsetup.queues = -3\nsteps = []\n",
        "2:16: `queues` must be from 1 to 64",
        None,
    );
    let huge = "name = \"x\"\nsetup.queues = 99999999999999999999999\nsteps = []\n";
    expect(huge, "2:16: `queues` must be from 1 to 64", None);
    let cap = "name = \"x\"\nsetup.ring = 8\nsetup.cap = 4\nsteps = []\n";
    expect(cap, "3:13: `cap` must be from 8 to 65536", None);
}
#[test]
fn an_expectation_that_is_misspelt_has_a_near_match() {
    let text = steps("  { expect = \"device_read_max\", is = 1 },");
    expect(
        &text,
        "3:14: `device_read_max` is not an expectation",
        Some("did you mean `device_reads_max`?"),
    );
}
#[test]
fn a_word_that_is_misspelt_has_a_near_match() {
    let text = steps("  { reclaim = \"s0\", error = \"exausted\" },");
    expect(&text, "3:29: `exausted` is not an error", Some("did you mean `exhausted`?"));
    let setup = "name = \"x\"\nsetup.tracker = \"poling\"\nsteps = []\n";
    expect(setup, "2:17: `poling` is not a tracker", Some("did you mean `polling`?"));
}
#[test]
fn steps_that_a_set_up_swallowed_are_found() {
    let text = "name = \"x\"\n[setup]\nqueues = 1\nsteps = []\n";
    let (message, advice) = only(text);
    assert_eq!(message, "wrong.toml:4:1: the steps stand inside the set-up");
    assert!(advice.is_some_and(|advice| advice.contains("setup.queues = 2")));
}
#[test]
fn a_rule_that_does_not_exist_is_a_fault() {
    let text = "name = \"x\"\nrules = [\"S2\", \"S22\"]\nsteps = []\n";
    let (message, _) = only(text);
    assert_eq!(message, "wrong.toml:2:16: there is no rule `S22`");
}
#[test]
fn a_stream_on_a_queue_that_does_not_exist_is_a_fault() {
    let text = "name = \"x\"\nsetup.streams = { a = \"q7\" }\nsteps = []\n";
    let (message, _) = only(text);
    assert_eq!(message, "wrong.toml:2:23: no queue called `q7` was defined before this");
}
#[test]
fn a_packet_without_a_signal_cannot_be_recorded() {
    let text = steps("  { submit = \"k\", on = \"s0\", signal = false, event = \"e\" },");
    let (message, advice) = only(&text);
    assert_eq!(message, "wrong.toml:3:46: a packet without a signal can have no `event`");
    assert!(advice.is_some());
}
#[test]
fn a_copy_without_an_engine_is_a_fault() {
    let text = steps("  { copy = \"c\", on = \"s0\" },");
    assert_eq!(
        only(&text).0,
        "wrong.toml:3:3: no copy engine called `sdma0` was defined before this"
    );
}
#[test]
fn steps_inside_a_repetition_are_read_like_others() {
    let text = steps("  { repeat = 3, steps = [\n    { recliam = \"s0\" },\n  ] },");
    expect(&text, "4:7: `recliam` is not a verb", Some("did you mean `reclaim`?"));
}
#[test]
fn text_that_is_not_toml_says_where() {
    let (message, _) = only("name = \"x\nsteps = []\n");
    assert!(message.starts_with("wrong.toml:1:"), "{message}");
    assert!(message.contains("this is not TOML"), "{message}");
}
#[test]
fn all_faults_of_a_file_are_shown_in_its_order() {
    let text = "title = \"x\"\nrules = [\"S0\"]\nsteps = [\n  { reclam = \"s0\" },\n  { reclaim = \"s9\" },\n]\n";
    let places: Vec<String> =
        faults(text).problems().iter().map(|problem| problem.place().to_string()).collect();
    assert_eq!(places, ["1:1", "1:1", "2:10", "4:5", "5:15"]);
}
#[test]
fn a_fault_is_drawn_into_the_text() {
    let rejected = faults(&steps("  { sumbit = \"k1\", on = \"s0\" },"));
    let mut drawn = String::new();
    miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor())
        .render_report(&mut drawn, &rejected)
        .expect("drawing into a string");
    for part in ["wrong.toml:3:5", "sumbit = \"k1\"", "unknown verb", "did you mean `submit`?"] {
        assert!(drawn.contains(part), "{part} is missing in:\n{drawn}");
    }
}
