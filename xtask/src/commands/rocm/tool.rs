//! Running apt and its like: silent while all goes well.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::Path,
    process::{Command, Stdio},
};

use super::Trouble;
use crate::step::Failure;

/// A program whose output is read, and shown only when it fails.
pub(super) struct Tool {
    command: Command,
    name: &'static str,
}

/// The arguments of a [`Tool`].
pub(super) struct Words(Vec<OsString>);
impl Words {
    /// `line`, split at its blanks.
    pub(super) fn of(line: &str) -> Self {
        Self(line.split_whitespace().map(OsString::from).collect())
    }
    /// With one more.
    pub(super) fn and(mut self, word: impl AsRef<OsStr>) -> Self {
        self.0.push(word.as_ref().to_owned());
        self
    }
    /// With more.
    pub(super) fn and_all<W: AsRef<OsStr>>(self, words: impl IntoIterator<Item = W>) -> Self {
        words.into_iter().fold(self, Self::and)
    }
}

impl Tool {
    /// `name`, looked up in the path.
    pub(super) fn new(name: &'static str) -> Self {
        let mut command = Command::new(name);
        // What it prints is parsed, and it must never ask.
        command.env("LC_ALL", "C").env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
        Self { command, name }
    }
    /// With apt's configuration file.
    pub(super) fn configured(mut self, file: &Path) -> Self {
        self.command.env("APT_CONFIG", file);
        self
    }
    /// In `directory`.
    pub(super) fn inside(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }
    /// Runs it to its end and returns what it wrote to its standard output.
    pub(super) fn run(mut self, arguments: Words) -> Result<String, Trouble> {
        let typed = match arguments.0.first() {
            Some(verb) => format!("{} {}", self.name, verb.to_string_lossy()),
            None => self.name.to_owned(),
        };
        let output = match self.command.args(arguments.0).output() {
            Ok(output) => output,
            Err(source) if source.kind() == io::ErrorKind::NotFound => {
                return Err(Trouble::Unavailable(format!(
                    "`{}` is not on this machine, and AMD's runtime is fetched as Debian's packages",
                    self.name
                )));
            }
            Err(source) => return Err(Failure::Start { command: typed, source }.into()),
        };
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said =
            [output.stdout, output.stderr].map(|own| String::from_utf8_lossy(&own).into_owned());
        for line in said.iter().flat_map(|own| own.lines()) {
            eprintln!("  {}: {line}", self.name);
        }
        let reason = first_error(&said[1]).unwrap_or("its messages stand above");
        Err(Trouble::Unavailable(format!("`{typed}` failed: {reason}")))
    }
}

/// The first line that apt marks as an error.
pub(super) fn first_error(messages: &str) -> Option<&str> {
    messages.lines().find_map(|line| line.strip_prefix("E: ")).map(str::trim)
}
