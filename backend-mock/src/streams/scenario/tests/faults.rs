//! Every fault of a file about streams is shown at its place, with the near match.

use crate::streams::scenario::parse;

fn steps(steps: &str) -> String {
    format!("name = \"x\"\nsetup.driver = \"cuda\"\nsteps = [\n{steps}\n]\n")
}
/// The one fault of this text: its message with its place, and the advice.
fn only(text: &str) -> (String, Option<String>) {
    let rejected = parse("wrong.toml", text).expect_err("this text has a fault");
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
    let text = steps("  { relaese = \"a\" },");
    expect(&text, "4:5: `relaese` is not a verb of streams", Some("did you mean `release`?"));
}
#[test]
fn a_verb_that_does_not_come_first_is_told_to() {
    expect(
        &steps("  { on = \"a\", run = 5 },"),
        "4:5: `on` is not a verb of streams",
        Some("the verb comes first: move `run` to the front"),
    );
}
#[test]
fn a_name_that_was_never_defined_has_a_near_match() {
    let text = steps("  { acquire = \"first\" },\n  { run = 1, on = \"frist\" },");
    expect(
        &text,
        "5:19: no lease or handle or participant called `frist` was defined before this",
        Some("did you mean `first`?"),
    );
}
#[test]
fn a_name_of_another_kind_says_so() {
    let text =
        steps("  { acquire = \"a\" },\n  { alloc = \"m\", on = \"a\" },\n  { release = \"m\" },");
    expect(
        &text,
        "6:15: `m` is a piece of memory, and a lease is wanted here",
        Some("did you mean `a`?"),
    );
}
#[test]
fn a_lease_is_acquired_once_under_its_name() {
    let text = steps("  { acquire = \"a\" },\n  { acquire = [\"b\", \"a\"] },");
    expect(
        &text,
        "5:21: the name `a` is taken: it is a lease already",
        Some("give it a name of its own"),
    );
}
#[test]
fn a_file_about_streams_names_its_drivers() {
    let text = "name = \"x\"\nsetup.driver = \"hip-5.3\"\nsteps = []\n";
    expect(text, "2:16: `hip-5.3` is not a driver profile", Some("did you mean `hip-5.2`?"));
    let none = "name = \"x\"\nsetup.driver = []\nsteps = []\n";
    expect(none, "2:7: `driver` names no driver", None);
    let nothing = "name = \"x\"\nsetup.words = false\nsteps = []\n";
    let (message, _) = only(nothing);
    assert!(message.contains("the set-up needs the key `driver`"), "{message}");
}
#[test]
fn a_rule_of_the_other_half_is_a_fault() {
    let text = "name = \"x\"\nrules = [\"S2\"]\nsetup.driver = \"cuda\"\nsteps = []\n";
    expect(text, "2:10: there is no rule `S2` of streams", Some("did you mean `T2`?"));
}
#[test]
fn a_step_of_captures_needs_a_capture_around_it() {
    let text = steps("  { acquire = \"a\" },\n  { fork = \"a\" },");
    expect(
        &text,
        "5:5: `fork` stands outside a capture",
        Some("put it into the `steps` of a `capture`"),
    );
    let inside = steps(
        "  { acquire = [\"a\", \"b\"] },\n  { capture = \"g\", on = \"a\", steps = [{ fork = \"b\" }] },",
    );
    assert!(parse("inside.toml", &inside).is_ok());
}
#[test]
fn steps_inside_others_are_read_like_others() {
    let text = steps(
        "  { acquire = \"a\" },\n  { capture = \"g\", on = \"a\", steps = [\n    { rnu = 1, on = \"a\" },\n  ] },",
    );
    expect(&text, "6:7: `rnu` is not a verb of streams", Some("did you mean `run`?"));
    let text = steps("  { acquire = \"a\", while_creating = [\n    { pmup = \"now\" },\n  ] },");
    expect(&text, "5:7: `pmup` is not a verb of streams", Some("did you mean `pump`?"));
}
#[test]
fn a_number_of_the_wrong_kind_says_what_was_found() {
    expect(
        &steps("  { tick = \"soon\" },"),
        "4:12: `tick` must be `idle` or a number of ticks",
        None,
    );
    let text = steps("  { acquire = \"a\", device = 1 },");
    expect(&text, "4:29: `device` must be from 0 to 0", None);
}
#[test]
fn an_expectation_that_is_misspelt_has_a_near_match() {
    expect(
        &steps("  { expect = \"craeted_max\", is = 1 },"),
        "4:14: `craeted_max` is not an expectation of streams",
        Some("did you mean `created_max`?"),
    );
}
#[test]
fn an_error_and_a_fault_that_do_not_exist_have_near_matches() {
    let text = steps("  { acquire = \"a\", error = \"fulll\" },");
    expect(&text, "4:28: `fulll` is not an error", Some("did you mean `full`?"));
    let text = steps("  { fail = \"craete\" },");
    expect(&text, "4:12: `craete` is not a fault", Some("did you mean `create`?"));
}
#[test]
fn a_key_that_a_step_does_not_have_has_a_near_match() {
    let text = steps("  { acquire = \"a\" },\n  { run = 1, on = \"a\", write = \"m\" },");
    expect(&text, "5:24: this step has no key `write`", Some("did you mean `writes`?"));
}
#[test]
fn all_faults_of_a_file_are_shown_in_its_order() {
    let text = "title = \"x\"\nrules = [\"T0\"]\nsetup.driver = \"cuda\"\nsteps = [\n  { pupm = \"now\" },\n  { release = \"a\" },\n]\n";
    let rejected = parse("wrong.toml", text).expect_err("five faults");
    let places: Vec<String> =
        rejected.problems().iter().map(|problem| problem.place().to_string()).collect();
    assert_eq!(places, ["1:1", "1:1", "2:10", "5:5", "6:15"]);
}
#[test]
fn answers_are_a_list_of_small_numbers() {
    let text = |answers: &str| {
        format!("name = \"x\"\nsetup.driver = \"cuda\"\nsetup.answers = {answers}\nsteps = []\n")
    };
    expect(&text("1"), "3:17: `answers` must be a list of whole numbers", None);
    expect(&text("[0, 70000]"), "3:21: `answers` must be from 0 to 65535", None);
    let read = parse("right.toml", &text("[0, 2]")).expect("nothing is wrong with it").scenario;
    assert_eq!(read.setup.answers, Some(vec![0, 2]));
}
