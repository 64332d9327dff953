//! What is left out, and how the sum reads.

use std::{fs, path::Path};

use ringfence_mock::scenario::{Parsed, Place, parse};

use super::{
    allowed::{GpuCount, LeftOut, first_impossible},
    summary::Summary,
    things::Tally,
};

fn parsed(text: &str) -> Parsed {
    parse("test.toml", text).expect("the test's scenario is one")
}

fn reason(setup: &str, steps: &str) -> Option<LeftOut> {
    let text = format!("name = \"x\"\n{setup}\nsteps = [\n{steps}\n]\n");
    first_impossible(&parsed(&text), GpuCount(1))
}

fn what(setup: &str, steps: &str) -> Option<&'static str> {
    reason(setup, steps).map(|left_out| left_out.what)
}

const TWO: &str = "{ submit = 'k1', on = 's0', event = 'e' },\n{ submit = 'k2', on = 's0' },\n";

#[test]
fn host_steps_and_waiting_for_all_are_played() {
    let steps = "{ submit = 'k1', on = 's0', event = 'e' }, { run = 'idle' }, { sync = 'e' }, { foreign = 2, on = 'q0' },\n\
                 { reclaim = 's0' }, { handler = 'e' }, { deliver = 'due' }, { share = 'b', on = 'q0' }, { close = 'b' }";
    assert_eq!(what("", steps), None);
}

#[test]
fn each_step_of_the_device_alone_is_named_with_its_place() {
    let cases = [
        ("{ start = 'k1' }", "start"),
        ("{ finish = 'k1' }", "finish"),
        ("{ read_index = 1, of = 'q0' }", "read_index"),
        ("{ run = 2 }", "run"),
        ("{ restart = 'q0' }", "restart"),
        ("{ profiler = 'gpu0' }", "profiler"),
        ("{ force = 'e' }", "force"),
        ("{ fail = 'creation', at = 1 }", "fail = \"creation\""),
        ("{ fail = 'interrupt' }", "fail = \"interrupt\""),
        ("{ fail = 'device' }", "fail = \"device\""),
    ];
    for (step, name) in cases {
        let found = reason("", &format!("{TWO}  {step},\n{{ run = 7 }}")).expect(step);
        assert_eq!(found.what, name);
        assert_eq!(found.place, Some(Place { line: 6, column: 3 }), "{step}");
    }
}

#[test]
fn finishing_all_that_is_open_is_waiting_for_it() {
    let all = ["{ finish = ['k1', 'k2'] }", "{ finish = ['e', 'k2'] }"];
    for step in all {
        assert_eq!(what("", &format!("{TWO}{step}")), None, "{step}");
    }
    // What was waited for is open no more.
    assert_eq!(what("", &format!("{TWO}{{ sync = 'e' }},\n{{ finish = 'k2' }}")), None);
    assert_eq!(what("", &format!("{TWO}{{ sync = 's0' }},\n{{ finish = 'k2' }}")), None);
    // A packet that nobody can name would be held back.
    let held = format!("{TWO}{{ wait = ['e'], on = 's0' }},\n{{ finish = ['k1', 'k2'] }}");
    assert_eq!(what("", &held), Some("finish"));
}

#[test]
fn what_a_first_round_leaves_open_is_met_by_the_second() {
    let steps = "{ repeat = 3, steps = [{ finish = 'k1' }, { submit = 'k2', on = 's0' }] }";
    assert_eq!(what("", &format!("{{ submit = 'k1', on = 's0' }},\n{steps}")), Some("finish"));
    let once = steps.replace("repeat = 3", "repeat = 1");
    assert_eq!(what("", &format!("{{ submit = 'k1', on = 's0' }},\n{once}")), None);
}

#[test]
fn a_machine_that_is_not_to_be_had_is_named_with_its_line() {
    let cases = [
        ("setup.devices = 2", "setup.devices"),
        ("setup.features = ['interrupts']", "setup.features"),
        ("setup.rings = 'device'", "setup.rings"),
        ("setup.path = 'coherent'", "setup.path"),
        ("setup.interrupts = 0", "setup.interrupts"),
        ("setup.slots = 4", "setup.slots"),
    ];
    for (setup, name) in cases {
        let found = reason(setup, "{ submit = 'k1', on = 's0' }").expect(setup);
        assert_eq!((found.what, found.place), (name, Some(Place { line: 2, column: 1 })));
    }
    let two = parsed("name = 'x'\nsetup.devices = 2\nsteps = [{ reclaim = 's0' }]\n");
    assert_eq!(first_impossible(&two, GpuCount(2)), None);
}

#[test]
fn a_good_part_of_the_corpus_is_played() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios");
    let files = crate::files::find(&[corpus]).expect("the corpus is there");
    let played = files.iter().filter(|file| {
        let text = fs::read_to_string(file).expect("it is a file");
        first_impossible(&parsed(&text), GpuCount(1)).is_none()
    });
    assert!(played.count() >= LEAST_PLAYED, "of {}", files.len());
}
const LEAST_PLAYED: usize = 50;

#[test]
fn a_sum_of_nothing_is_no_success() {
    let mut summary = Summary::default();
    summary.add_left_out(&LeftOut { what: "start", why: "because", place: None });
    summary.add_streams();
    assert!(!summary.is_success());
    let text = summary.to_string();
    assert!(text.contains("0 ran: 0 passed, 0 failed; 2 left out"), "{text}");
    assert!(text.contains("nothing was played"), "{text}");
    assert!(text.contains("  1  start: because"), "{text}");
    summary.add_passed(&Tally { steps: 3, checked: 2, unchecked: 1 });
    assert!(summary.is_success());
    let text = summary.to_string();
    assert!(text.contains("2 expectations were checked; 1 were not"), "{text}");
    summary.failed += 1;
    assert!(!summary.is_success());
}
