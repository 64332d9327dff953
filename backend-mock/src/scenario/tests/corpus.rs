//! The scenario files that come with the library.

use std::{fs, path::PathBuf};

use miette::{GraphicalReportHandler, GraphicalTheme};

use crate::scenario::{AnyParsed, parse_any, run_any};

/// The files of a folder, by name.
fn files(folder: &str) -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios").join(folder);
    let entries = fs::read_dir(&folder).expect("the corpus is beside the crate");
    let mut files: Vec<(String, String)> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a readable file");
            (path.file_name().expect("a file").to_string_lossy().into_owned(), text)
        })
        .collect();
    files.sort();
    files
}
/// The folders whose scenarios pass.
const FOLDERS: [&str; 4] = ["", "streams", "explore", "explore/streams"];

fn read(file: &str, text: &str) -> AnyParsed {
    match parse_any(file, text) {
        Ok(parsed) => parsed,
        Err(rejected) => {
            let shown: Vec<String> =
                rejected.problems().iter().map(|p| format!("{p} ({:?})", p.advice())).collect();
            panic!("{}", shown.join("\n"));
        }
    }
}

#[test]
fn every_file_of_the_corpus_is_a_scenario_and_says_which_rules_it_exercises() {
    for (folder, least) in FOLDERS.into_iter().zip([50, 32, 10, 6]) {
        let files = files(folder);
        assert!(files.len() >= least, "{} files in {folder:?}", files.len());
        for (file, text) in &files {
            let parsed = read(file, text);
            assert!(!parsed.rules().is_empty(), "{file} names no rule");
            let of_streams = matches!(parsed, AnyParsed::Streams(_));
            assert_eq!(of_streams, folder.ends_with("streams"), "{file} is in the wrong folder");
            let empty = match &parsed {
                AnyParsed::Signals(parsed) => parsed.scenario.steps.is_empty(),
                AnyParsed::Streams(parsed) => parsed.scenario.steps.is_empty(),
            };
            assert!(!empty, "{file} has no step");
        }
    }
}
#[test]
fn every_file_of_the_corpus_reads_back_from_its_printed_form() {
    for (file, text) in FOLDERS.into_iter().flat_map(files) {
        let parsed = read(&file, &text);
        let printed = parsed.printed();
        let same = match (read("printed.toml", &printed), &parsed) {
            (AnyParsed::Signals(back), AnyParsed::Signals(parsed)) => {
                back.scenario == parsed.scenario
            }
            (AnyParsed::Streams(back), AnyParsed::Streams(parsed)) => {
                back.scenario == parsed.scenario
            }
            _ => false,
        };
        assert!(same, "{file}:\n{printed}");
    }
}
#[test]
fn every_rule_of_streams_has_a_scenario() {
    let named: Vec<&str> =
        files("streams").iter().flat_map(|(file, text)| read(file, text).rules()).collect();
    for rule in crate::streams::oracle::StreamRule::ALL {
        assert!(named.contains(&rule.name()), "no scenario exercises {rule}");
    }
}

#[test]
fn every_file_of_the_corpus_passes() {
    let mut failed = Vec::new();
    for (file, text) in FOLDERS.into_iter().flat_map(files) {
        let Ok(parsed) = parse_any(&file, &text) else { continue };
        if let Err(why) = run_any(&parsed) {
            let mut drawn = String::new();
            GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
                .render_report(&mut drawn, why.as_ref())
                .expect("drawing into a string");
            failed.push(drawn);
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn every_broken_file_fails_and_says_what_it_is_about() {
    let said = |text: &str, file: &str| match parse_any(file, text) {
        Err(rejected) => {
            rejected.problems().iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        }
        Ok(parsed) => {
            run_any(&parsed).map_or_else(|failed| failed.to_string(), |_| "it passed".to_owned())
        }
    };
    let expected = [
        (
            "error_that_does_not_come.toml",
            "10:3: expected this step to fail with `exhausted`, but it succeeded",
        ),
        (
            "error_that_nobody_expects.toml",
            "7:3: this step failed: use q0g0#0 was in flight when the device was lost",
        ),
        ("impossible_move.toml", "7:3: the device cannot do that: it cannot complete `k2`"),
        (
            "over_decrement_not_expected.toml",
            "9:3: this step failed: use q0g0#0: signal s0x1 fell to -1",
        ),
        ("several_faults_at_once.toml", "2:16: there is no rule `S33`"),
        ("steps_inside_the_setup.toml", "7:1: the steps stand inside the set-up"),
        (
            "streams_unannounced_leak.toml",
            "10:3: on hip-5.7: something is left over at the end: 1 streams, 0 pieces of memory",
        ),
        ("streams_unknown_verb.toml", "7:5: `relaese` is not a verb of streams"),
        (
            "streams_wrong_expectation.toml",
            "11:3: on hip-5.2: expected `a` and `b` to be of one stream, but they are of s1 and s2",
        ),
        ("unknown_name.toml", "6:14: no use or event called `frist` was defined before this"),
        ("unknown_verb.toml", "6:5: `finsh` is not a verb"),
        ("wrong_expectation.toml", "9:3: expected `k1` to be retired"),
        ("wrong_type.toml", "5:41: `barrier` must be `true` or `false`"),
    ];
    let files = files("broken");
    let names: Vec<&str> = files.iter().map(|(file, _)| file.as_str()).collect();
    assert_eq!(names, expected.map(|(file, _)| file));
    for ((file, text), (_, part)) in files.iter().zip(expected) {
        let said = said(text, file);
        assert!(said.contains(part), "{file}: {said}");
    }
}
