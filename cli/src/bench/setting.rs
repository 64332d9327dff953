//! What a figure is worth nothing without: the command, and the commit.

use std::process::{Command, Stdio};

use serde::Serialize;

/// How the figures came about.
#[derive(Serialize, Clone, Debug)]
pub(super) struct Setting {
    /// As it was typed, but for the program's folder.
    pub(super) command: String,
    /// The commit that was built, as whoever built it said in `RINGFENCE_COMMIT`; else that of the checkout by now.
    pub(super) commit: String,
    /// When, in UTC (RFC 3339).
    pub(super) date: String,
    /// How the program was built.
    pub(super) build: &'static str,
    /// Processors that the process may use.
    pub(super) processors: usize,
}

impl Setting {
    /// Asks git, so that it is to be called before a runtime has started threads.
    pub(super) fn look() -> Self {
        let words = std::env::args_os().skip(1);
        let words = words.map(|word| word.to_string_lossy().into_owned());
        let command = std::iter::once("ringfence".to_owned()).chain(words).collect::<Vec<_>>();
        let commit = option_env!("RINGFENCE_COMMIT").map(str::to_owned).or_else(ask_git);
        Self {
            command: command.join(" "),
            commit: commit.unwrap_or_else(|| "unknown".to_owned()),
            date: date(),
            build: if cfg!(debug_assertions) { "debug" } else { "optimised" },
            processors: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// To the second.
fn date() -> String {
    let now = jiff::Timestamp::now();
    jiff::Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}

fn ask_git() -> Option<String> {
    let output = Command::new("git")
        .args(["-C", env!("CARGO_MANIFEST_DIR"), "rev-parse", "HEAD"])
        // What is meant for the runtime that is measured.
        .env_remove("LD_PRELOAD")
        .env_remove("LD_LIBRARY_PATH")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let commit = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && commit.len() >= 40).then_some(commit)
}
