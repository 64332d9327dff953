//! What was measured, as tables, as JSON and as a page: each from the same value.

mod figure;
mod page;
mod plot;
mod signals;
mod streams;

use std::{
    fs::{self, OpenOptions},
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use serde::Serialize;

use super::{problem::Problem, setting::Setting, signals as signals_half, streams as streams_half};
use crate::{
    output::{Output, complain},
    progress::Bars,
};

/// What is made of the figures.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Forms {
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub(super) json: bool,
    /// Write them to this file as well, as a page of HTML that needs nothing else
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

impl Forms {
    /// Whether progress is shown: whoever reads JSON is a program.
    pub(super) fn bars(&self) -> Bars {
        if self.json { Bars::Hidden } else { Bars::OnTerminals }
    }
}

/// All that one command measured, and how.
#[derive(Serialize, Debug)]
pub(super) struct Report<'a> {
    setting: &'a Setting,
    #[serde(flatten)]
    measured: Measured,
}

/// What was measured.
#[derive(Serialize, Debug)]
#[serde(untagged)]
pub(super) enum Measured {
    /// `bench signals`.
    Signals(signals_half::Results),
    /// `bench streams`.
    Streams(streams_half::Results),
    /// `bench`.
    Both {
        /// Of events and waits.
        signals: signals_half::Results,
        /// Of tasks and their streams.
        streams: streams_half::Results,
    },
}

impl Report<'_> {
    /// One line with one object.
    fn json(&self) -> String {
        serde_json::to_string(self).expect("numbers, strings and lists are JSON") + "\n"
    }
    /// Tables.
    fn text(&self) -> String {
        match &self.measured {
            Measured::Signals(results) => signals_half::text::text(self.setting, results),
            Measured::Streams(results) => streams_half::text::text(self.setting, results),
            Measured::Both { signals, streams } => {
                let signals = signals_half::text::text(self.setting, signals);
                signals + "\n" + &streams_half::text::text(self.setting, streams)
            }
        }
    }
}

/// Measures, and makes of it what is asked for. The exit code is 1 if a result is wrong or something failed, 3 if there is nothing
/// to measure on.
pub(super) fn publish(
    forms: &Forms,
    setting: &Setting,
    out: &mut Output,
    measure: impl FnOnce() -> Result<Measured, Problem>,
) -> ExitCode {
    let told = forms.report.as_deref().map_or(Ok(()), is_writable);
    let report = told.and_then(|()| Ok(Report { setting, measured: measure()? }));
    let written = report.and_then(|report| {
        if let Some(path) = &forms.report {
            fs::write(path, page::page(&report)).map_err(|error| unwritable(path, error))?;
        }
        Ok(report)
    });
    match written {
        Ok(report) => {
            out.print(if forms.json { report.json() } else { report.text() });
            ExitCode::SUCCESS
        }
        Err(problem) => {
            complain(format!("ringfence: {problem}\n"));
            problem.exit_code()
        }
    }
}

/// Tells before all is measured. An older report stays as it is until then.
fn is_writable(path: &Path) -> Result<(), Problem> {
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map(drop).map_err(|error| unwritable(path, error))
}
fn unwritable(path: &Path, error: io::Error) -> Problem {
    Problem::Unwritable { path: path.to_owned(), error }
}

/// As figures are written: to four decimals.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
