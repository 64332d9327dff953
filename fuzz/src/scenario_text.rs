//! The oracle of scenario files, those of signals and those of streams.

use std::fmt::{Debug, Display};

use ringfence_mock::{
    scenario::{Rejected, parse},
    streams::scenario::parse as parse_streams,
};

/// Reads `input` as a scenario file, once of signals and once of streams.
///
/// # Panics
/// If a fault has no place inside the text, or if a scenario that was accepted does not read back
/// from its own print as the same value.
pub fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    reads_back(&text, |file, text| parse(file, text).map(|parsed| parsed.scenario));
    reads_back(&text, |file, text| parse_streams(file, text).map(|parsed| parsed.scenario));
}

fn reads_back<T: PartialEq + Debug + Display>(
    text: &str,
    read: impl Fn(&str, &str) -> Result<T, Rejected>,
) {
    let scenario = match read("input.toml", text) {
        Ok(scenario) => scenario,
        Err(rejected) => return check_places(text, &rejected),
    };
    let printed = scenario.to_string();
    match read("printed.toml", &printed) {
        Ok(again) => {
            assert_eq!(again, scenario, "the print reads back as another scenario:\n{printed}");
            assert_eq!(again.to_string(), printed, "a second print differs from the first");
        }
        Err(rejected) => panic!("the print of a scenario is refused: {rejected}\n{printed}"),
    }
}

fn check_places(text: &str, rejected: &Rejected) {
    assert!(!rejected.problems().is_empty(), "refused without a fault");
    for problem in rejected.problems() {
        let place = problem.place();
        // A fault may stand just behind the last character, so one line or column more is a place too.
        let lines: Vec<&str> = text.split('\n').collect();
        let line = place.line.checked_sub(1).and_then(|index| lines.get(index));
        let columns = line.map_or(0, |line| line.chars().count() + 1);
        assert!(
            (1..=columns).contains(&place.column),
            "a fault at {place}, outside the text: {problem}"
        );
        assert!(!problem.message().is_empty(), "a fault at {place} says nothing");
    }
}
