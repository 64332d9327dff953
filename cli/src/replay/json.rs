//! How a file ended, for programs: one line for each.

use serde::Serialize;

/// One file.
#[derive(Serialize, Debug)]
pub(super) struct Line<'a> {
    file: &'a str,
    /// What it was played on.
    on: &'a str,
    #[serde(flatten)]
    verdict: Verdict<'a>,
}

/// How it ended.
#[derive(Serialize, Debug)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub(super) enum Verdict<'a> {
    /// Every step did what the file expects.
    Passed {
        /// Steps that were played.
        steps: u64,
        /// Expectations that were checked, on a real device.
        #[serde(skip_serializing_if = "Option::is_none")]
        checked: Option<u64>,
        /// Those that depend on time, or on what a device alone can see.
        #[serde(skip_serializing_if = "Option::is_none")]
        unchecked: Option<u64>,
    },
    /// It was not played.
    LeftOut {
        /// What in it cannot be played there.
        what: &'a str,
        /// Why not.
        why: &'a str,
    },
    /// A step did not do what the file expects, a rule was broken, or the file is none.
    Failed {
        /// As it is shown to people.
        why: &'a str,
    },
}

/// With its end of line.
pub(super) fn line(file: &str, on: &str, verdict: Verdict<'_>) -> String {
    let text = serde_json::to_string(&Line { file, on, verdict });
    text.expect("strings and numbers can be written") + "\n"
}
