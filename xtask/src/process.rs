//! Running other programs: what they print goes straight to the terminal.

use std::{
    ffi::OsStr,
    process::{Command, Stdio},
};

use crate::{
    step::{Failure, Outcome},
    tree::Tree,
};

/// A program that is about to run in the root of the repository.
pub(crate) struct Program {
    command: Command,
    /// What a reader would type, for messages.
    typed: String,
    messages: Messages,
}
/// What becomes of its standard error, where its output is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Messages {
    Shown,
    Dropped,
}
impl Program {
    /// `name`, looked up in the path.
    pub(crate) fn new(tree: &Tree, name: impl AsRef<OsStr>) -> Self {
        let name = name.as_ref();
        let mut command = Command::new(name);
        command.current_dir(tree.root());
        let typed = name.to_string_lossy().into_owned();
        Self { command, typed, messages: Messages::Shown }
    }
    /// The cargo that runs this program, with `line` split at its blanks.
    pub(crate) fn cargo(tree: &Tree, line: &str) -> Self {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut program = Self::new(tree, cargo);
        program.typed = "cargo".to_owned();
        program.arguments(line.split_whitespace())
    }
    /// With more arguments.
    pub(crate) fn arguments<A: AsRef<OsStr>>(mut self, more: impl IntoIterator<Item = A>) -> Self {
        for argument in more {
            let argument = argument.as_ref();
            self.typed.push(' ');
            self.typed.push_str(&argument.to_string_lossy());
            self.command.arg(argument);
        }
        self
    }
    /// With one variable of the environment set.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.typed = format!("{name}={value:?} {}", self.typed);
        self.command.env(name, value);
        self
    }
    /// With `flags` added to those that the user gave in `name` (RUSTFLAGS, RUSTDOCFLAGS).
    pub(crate) fn add_flags(self, name: &str, flags: &str) -> Self {
        let own = std::env::var(name).unwrap_or_default();
        let both = format!("{own} {flags}");
        self.env(name, both.trim())
    }
    /// Without its messages: those of a program that has many and means none.
    pub(crate) fn quiet(mut self) -> Self {
        self.messages = Messages::Dropped;
        self
    }
    /// Prints the command, runs it to its end, and fails if it does.
    pub(crate) fn run(mut self) -> Result<Outcome, Failure> {
        println!("$ {}", self.typed);
        let status = self
            .command
            .status()
            .map_err(|source| Failure::Start { command: self.typed.clone(), source })?;
        if status.success() {
            Ok(Outcome::Passed)
        } else {
            Err(Failure::Command { command: self.typed, status })
        }
    }
    /// Runs it to its end and returns what it wrote to its standard output.
    pub(crate) fn output(mut self) -> Result<String, Failure> {
        let output = self
            .command
            .stderr(match self.messages {
                Messages::Shown => Stdio::inherit(),
                Messages::Dropped => Stdio::null(),
            })
            .output()
            .map_err(|source| Failure::Start { command: self.typed.clone(), source })?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(Failure::Command { command: self.typed, status: output.status })
        }
    }
    /// Whether it can be started here and succeeds, without a word.
    pub(crate) fn presence(mut self) -> Presence {
        let silent = self.command.stdout(Stdio::null()).stderr(Stdio::null());
        match silent.status() {
            Ok(status) if status.success() => Presence::Here,
            _ => Presence::Missing,
        }
    }
}

/// Whether a tool is on this machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Presence {
    /// It is.
    Here,
    /// It is not.
    Missing,
}
