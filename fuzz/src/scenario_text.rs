//! The oracle of scenario files.

use ringfence_mock::scenario::{Rejected, parse};

/// Reads `input` as a scenario file.
///
/// # Panics
/// If a fault has no place inside the text, or if a scenario that was accepted does not read back
/// from its own print as the same value.
pub fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let parsed = match parse("input.toml", &text) {
        Ok(parsed) => parsed,
        Err(rejected) => return check_places(&text, &rejected),
    };
    let printed = parsed.scenario.to_string();
    match parse("printed.toml", &printed) {
        Ok(again) => {
            assert_eq!(
                again.scenario, parsed.scenario,
                "the print reads back as another scenario:\n{printed}"
            );
            assert_eq!(
                again.scenario.to_string(),
                printed,
                "a second print differs from the first"
            );
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
