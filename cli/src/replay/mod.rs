//! `ringfence replay FILE...`: scenario files on the modelled device, or on a real GPU.

mod hsa;
mod json;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::ValueEnum;
use miette::GraphicalReportHandler;
use ringfence_mock::scenario::{AnyParsed, AnyReport, parse_any, run_any};

use crate::{
    files,
    output::{Output, Reader, complain},
    progress::{Bar, Bars},
    shown::{drawn, drawn_rejected, handler, quietly},
};

/// What `replay` is told.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Scenario files, or folders of them (folders inside those are left out)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What they are played on
    #[arg(long, value_enum, default_value_t = On::Mock)]
    backend: On,
    /// Print one line of JSON for each file
    #[arg(long)]
    json: bool,
}
impl Options {
    fn bar(&self, files: usize) -> Bar {
        let bars = if self.json { Bars::Hidden } else { Bars::OnTerminals };
        Bar::new(files as u64, "files", bars)
    }
    /// Who reads why a file fails.
    fn reader(&self, out: &Output) -> Reader {
        if self.json { Reader::Program } else { out.reader() }
    }
}

/// What scenarios are played on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum On {
    /// The modelled device, under an oracle: every step
    Mock,
    /// The GPUs of AMD's HSA runtime, in real time: the steps that a real queue allows
    Hsa,
}

/// How one file ended.
enum Ended {
    Passed(Box<AnyReport>),
    Failed(String),
}

/// Replays each file, with a line for each and a sum at the end. Fails if one of them does, or if
/// there is none.
pub(crate) fn replay(options: &Options, out: &mut Output) -> ExitCode {
    let files = match files::find(&options.files) {
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
    if options.backend == On::Hsa {
        return hsa::replay(options, &files, out);
    }
    let handler = handler(options.reader(out));
    let bar = options.bar(files.len());
    let (mut passed, mut failed) = (0_u32, 0_u32);
    for file in &files {
        let name = file.display().to_string();
        bar.say(&name);
        let ended = quietly(|| replay_one(file, &handler));
        match &ended {
            Ended::Passed(_) => passed += 1,
            Ended::Failed(_) => failed += 1,
        }
        let shown = if options.json { ended.json(&name) } else { ended.text(&name) };
        bar.aside(|| out.print(shown));
        bar.add(1);
    }
    drop(bar);
    if !options.json {
        out.print(format!("{passed} passed, {failed} failed\n"));
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Ended {
    fn text(&self, name: &str) -> String {
        match self {
            Self::Passed(report) => format!("pass  {name}  ({} steps)\n", report.steps()),
            Self::Failed(why) => format!("FAIL  {name}\n{why}\n"),
        }
    }
    fn json(&self, name: &str) -> String {
        let verdict = match self {
            Self::Passed(report) => {
                json::Verdict::Passed { steps: report.steps(), checked: None, unchecked: None }
            }
            Self::Failed(why) => json::Verdict::Failed { why },
        };
        json::line(name, "mock", verdict)
    }
}

fn replay_one(file: &Path, handler: &GraphicalReportHandler) -> Ended {
    let parsed = match read(file, handler) {
        Ok(parsed) => parsed,
        Err(why) => return Ended::Failed(why),
    };
    match run_any(&parsed) {
        Ok(report) => Ended::Passed(Box::new(report)),
        Err(failed) => Ended::Failed(drawn(failed.as_ref(), handler)),
    }
}

/// The scenario in a file, or what is wrong with it.
fn read(file: &Path, handler: &GraphicalReportHandler) -> Result<AnyParsed, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("  cannot be read: {error}\n"))?;
    parse_any(&file.display().to_string(), &text)
        .map_err(|rejected| drawn_rejected(&rejected, handler))
}
