//! Scenarios of either half: which one a file is about is told by its set-up.

use std::fmt;

use miette::{Diagnostic, LabeledSpan, SourceCode};
use toml::de::{DeTable, DeValue};

use super::{Failed, Parsed, Rejected, Report, parse, run};
use crate::streams::scenario::{self as streams, StreamFailed, StreamParsed, StreamReport};

/// A scenario of either half.
#[derive(Clone, Debug)]
pub enum AnyParsed {
    /// Of the signals half.
    Signals(Parsed),
    /// Of the streams half.
    Streams(StreamParsed),
}
impl AnyParsed {
    /// The planted faults that it catches.
    pub fn catches(&self) -> &[String] {
        match self {
            Self::Signals(parsed) => &parsed.scenario.catches,
            Self::Streams(parsed) => &parsed.scenario.catches,
        }
    }
    /// How many rules it names.
    pub fn rules(&self) -> Vec<&'static str> {
        match self {
            Self::Signals(parsed) => parsed.scenario.rules.iter().map(|rule| rule.name()).collect(),
            Self::Streams(parsed) => parsed.scenario.rules.iter().map(|rule| rule.name()).collect(),
        }
    }
    /// The scenario as text, which reads back as the same value.
    pub fn printed(&self) -> String {
        match self {
            Self::Signals(parsed) => parsed.scenario.to_string(),
            Self::Streams(parsed) => parsed.scenario.to_string(),
        }
    }
}

/// What a scenario of either half came to.
#[derive(Clone, Debug)]
pub enum AnyReport {
    /// Of the signals half.
    Signals(Report),
    /// Of the streams half: of the last driver.
    Streams(StreamReport),
}
impl AnyReport {
    /// Steps that were carried out, repeated ones each time.
    pub const fn steps(&self) -> u64 {
        match self {
            Self::Signals(report) => report.steps,
            Self::Streams(report) => report.steps,
        }
    }
}

/// A scenario of either half that failed, shown in its file.
#[derive(Clone, Debug)]
pub enum AnyFailed {
    /// Of the signals half.
    Signals(Failed),
    /// Of the streams half.
    Streams(StreamFailed),
}
impl AnyFailed {
    /// The rule that is broken, if that is known.
    pub fn rule(&self) -> Option<&'static str> {
        match self {
            Self::Signals(failed) => failed.failure().rule.map(|rule| rule.name()),
            Self::Streams(failed) => failed.failure().rule.map(|rule| rule.name()),
        }
    }
    fn inner(&self) -> &dyn Diagnostic {
        match self {
            Self::Signals(failed) => failed,
            Self::Streams(failed) => failed,
        }
    }
}
impl fmt::Display for AnyFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signals(failed) => failed.fmt(f),
            Self::Streams(failed) => failed.fmt(f),
        }
    }
}
impl std::error::Error for AnyFailed {}
impl Diagnostic for AnyFailed {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.inner().help()
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.inner().source_code()
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.inner().labels()
    }
}

/// Reads a scenario file of either half: with `setup.driver` it is about streams.
///
/// # Errors
/// Everything that is wrong with the text, each with its place.
///
/// ```
/// use ringfence_mock::scenario::{AnyParsed, parse_any};
/// let text = "name = 'x'\nsetup.driver = 'cuda'\nsteps = [{ acquire = 'a' }]\n";
/// assert!(matches!(parse_any("x.toml", text), Ok(AnyParsed::Streams(_))));
/// let text = "name = 'x'\nsteps = [{ reclaim = 's0' }]\n";
/// assert!(matches!(parse_any("x.toml", text), Ok(AnyParsed::Signals(_))));
/// ```
pub fn parse_any(file: &str, text: &str) -> Result<AnyParsed, Rejected> {
    if names_a_driver(text) {
        streams::parse(file, text).map(AnyParsed::Streams)
    } else {
        parse(file, text).map(AnyParsed::Signals)
    }
}

/// Runs a scenario of either half: once for each of its seeds, or of its drivers.
///
/// # Errors
/// The first run that failed.
pub fn run_any(parsed: &AnyParsed) -> Result<AnyReport, Box<AnyFailed>> {
    match parsed {
        AnyParsed::Signals(parsed) => {
            run(parsed).map(AnyReport::Signals).map_err(|why| Box::new(AnyFailed::Signals(*why)))
        }
        AnyParsed::Streams(parsed) => streams::run(parsed)
            .map(AnyReport::Streams)
            .map_err(|why| Box::new(AnyFailed::Streams(*why))),
    }
}

fn names_a_driver(text: &str) -> bool {
    let (table, _) = DeTable::parse_recoverable(text);
    let setup = table.get_ref().iter().find(|(key, _)| key.get_ref() == "setup");
    match setup.map(|(_, value)| value.get_ref()) {
        Some(DeValue::Table(setup)) => setup.iter().any(|(key, _)| key.get_ref() == "driver"),
        _ => false,
    }
}
