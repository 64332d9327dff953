//! The scenario files that come with the library.

use std::{fs, path::PathBuf};

use miette::{GraphicalReportHandler, GraphicalTheme};

use crate::scenario::{Scenario, parse, run};

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
fn read(file: &str, text: &str) -> Scenario {
    match parse(file, text) {
        Ok(parsed) => parsed.scenario,
        Err(rejected) => {
            let shown: Vec<String> =
                rejected.problems().iter().map(|p| format!("{p} ({:?})", p.advice())).collect();
            panic!("{}", shown.join("\n"));
        }
    }
}

#[test]
fn every_file_of_the_corpus_is_a_scenario_and_says_which_rules_it_exercises() {
    let files = files("");
    assert!(files.len() >= 50, "{} files", files.len());
    for (file, text) in &files {
        let scenario = read(file, text);
        assert!(!scenario.rules.is_empty(), "{file} names no rule");
        assert!(!scenario.steps.is_empty(), "{file} has no step");
    }
}
#[test]
fn every_file_of_the_corpus_reads_back_from_its_printed_form() {
    for (file, text) in &files("") {
        let scenario = read(file, text);
        assert_eq!(read("printed.toml", &scenario.to_string()), scenario, "{file}");
    }
}

#[test]
fn every_file_of_the_corpus_passes() {
    let mut failed = Vec::new();
    for (file, text) in &files("") {
        let Ok(parsed) = parse(file, text) else { continue };
        if let Err(why) = run(&parsed) {
            let mut drawn = String::new();
            GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
                .render_report(&mut drawn, why.as_ref())
                .expect("drawing into a string");
            failed.push(drawn);
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}
