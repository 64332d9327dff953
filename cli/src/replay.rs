//! `ringfence replay FILE...`: scenario files on the modelled device.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use ringfence_mock::scenario::{AnyReport, parse_any, run_any};

use crate::output::{Colours, Output, complain};

/// Columns of a report of a failure.
const WIDTH: usize = 100;

/// What `replay` is told.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Scenario files, or folders of them (folders inside those are left out)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// How one file ended.
enum Ended {
    Passed(Box<AnyReport>),
    Failed(String),
}

/// Replays each file, with a line for each and a sum at the end. Fails if one of them does, or if
/// there is none.
pub(crate) fn replay(options: &Options, out: &mut Output) -> ExitCode {
    let files = match find(&options.files) {
        Ok(files) => files,
        Err((path, error)) => {
            complain(format!("ringfence: cannot read {}: {error}\n", path.display()));
            return ExitCode::FAILURE;
        }
    };
    if files.is_empty() {
        complain("ringfence: there is no scenario file (*.toml) there\n");
        return ExitCode::FAILURE;
    }
    let handler = handler(out.colours());
    let (mut passed, mut failed) = (0_u32, 0_u32);
    for file in &files {
        match quietly(|| replay_one(file, &handler)) {
            Ended::Passed(report) => {
                passed += 1;
                out.print(format!("pass  {}  ({} steps)\n", file.display(), report.steps()));
            }
            Ended::Failed(why) => {
                failed += 1;
                out.print(format!("FAIL  {}\n{why}\n", file.display()));
            }
        }
    }
    out.print(format!("{passed} passed, {failed} failed\n"));
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn replay_one(file: &Path, handler: &GraphicalReportHandler) -> Ended {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => return Ended::Failed(format!("  cannot be read: {error}\n")),
    };
    match parse_any(&file.display().to_string(), &text) {
        Ok(parsed) => match run_any(&parsed) {
            Ok(report) => Ended::Passed(Box::new(report)),
            Err(failed) => Ended::Failed(drawn(failed.as_ref(), handler)),
        },
        Err(rejected) => Ended::Failed(match rejected.problems() {
            [one] => drawn(one, handler),
            _ => drawn(&rejected, handler),
        }),
    }
}

fn handler(colours: Colours) -> GraphicalReportHandler {
    let theme = match colours {
        Colours::On => GraphicalTheme::unicode(),
        Colours::Off => GraphicalTheme::unicode_nocolor(),
    };
    GraphicalReportHandler::new_themed(theme).with_width(WIDTH)
}

fn drawn(why: &dyn Diagnostic, handler: &GraphicalReportHandler) -> String {
    let mut text = String::new();
    match handler.render_report(&mut text, why) {
        Ok(()) => text,
        Err(_) => format!("  {why}\n"),
    }
}

/// A panic of the library becomes a report; the usual message beside it would only repeat it.
fn quietly<T>(act: impl FnOnce() -> T) -> T {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let done = act();
    std::panic::set_hook(usual);
    done
}

/// The files themselves, and those that lie directly in a folder, by name.
fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let mut files = Vec::new();
    for path in paths {
        let found = if path.is_dir() { in_folder(path) } else { Ok(vec![path.clone()]) };
        files.extend(found.map_err(|error| (path.clone(), error))?);
    }
    Ok(files)
}

fn in_folder(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() && path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stands_for_the_files_that_lie_directly_in_it() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios");
        let files = find(std::slice::from_ref(&corpus)).expect("the corpus is there");
        assert!(files.len() >= 50);
        assert!(files.iter().all(|file| file.parent() == Some(corpus.as_path())));
        assert!(files.is_sorted());
    }
    #[test]
    fn a_missing_folder_is_named() {
        let missing = PathBuf::from("no such folder");
        let file = find(std::slice::from_ref(&missing))
            .expect("taken for a file, which reading will deny");
        assert_eq!(file, [missing]);
    }
}
