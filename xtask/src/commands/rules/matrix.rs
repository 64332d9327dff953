//! The table of what catches which rule's planted faults: written from the sources that say so, each of which is a test that fails
//! where it says too much.

use std::collections::BTreeSet;

use super::{Fault, all};

/// The table begins behind this line, and ends before [`END`].
const BEGIN: &str = "<!-- what follows is written by `cargo xtask rules --write` -->";
const END: &str = "<!-- so far -->";

/// One way to catch faults.
pub(super) struct Method {
    /// The heading of its column.
    pub(super) heading: &'static str,
    /// The faults that it catches, by name.
    pub(super) faults: BTreeSet<String>,
}

/// The names behind `marker` in `text`: `Fault::` and a name, for one.
pub(super) fn names_after<'a>(text: &'a str, marker: &str) -> impl Iterator<Item = &'a str> {
    text.split(marker).skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        (end > 0).then(|| &rest[..end])
    })
}

/// The faults that a scenario says it catches: `catches = ["A", "B"]`.
pub(super) fn caught_by_scenario(text: &str) -> impl Iterator<Item = &str> {
    let lists = text.split("\ncatches = [").skip(1);
    lists.flat_map(|rest| rest.split(']').next().unwrap_or_default().split('"').skip(1).step_by(2))
}

/// What a table of tabs lists first in its lines.
pub(super) fn first_column(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.filter_map(|line| line.split('\t').next())
}

/// The table: a row for each rule, and of each method how many of the rule's faults it catches.
pub(super) fn table(faults: &[Fault], methods: &[Method]) -> String {
    let mut text = String::from("| rule | planted faults |");
    for method in methods {
        text += &format!(" {} |", method.heading);
    }
    text += "\n|---|---|";
    text += &"---|".repeat(methods.len());
    for rule in all() {
        let own: Vec<_> = faults.iter().filter(|fault| fault.rule == rule).collect();
        text += &format!("\n| {rule} | {} |", own.len());
        for method in methods {
            let caught = own.iter().filter(|fault| method.faults.contains(&fault.name)).count();
            text += &if caught == 0 { " – |".to_owned() } else { format!(" {caught} |") };
        }
    }
    text
}

/// The names that methods give and no fault has, a line each.
pub(super) fn strangers(faults: &[Fault], methods: &[Method]) -> Vec<String> {
    let mut wrong = Vec::new();
    for method in methods {
        let known = |name: &&String| faults.iter().any(|fault| fault.name == **name);
        let strangers = method.faults.iter().filter(|name| !known(name));
        wrong.extend(
            strangers.map(|name| format!("{}: no fault is called `{name}`", method.heading)),
        );
    }
    wrong
}

/// The document without the table, which has rows of its own.
pub(super) fn without_table(document: &str) -> String {
    parts(document)
        .map_or_else(|| document.to_owned(), |(before, _, after)| format!("{before}{after}"))
}

/// Whether the document has this table.
pub(super) fn has_table(document: &str, table: &str) -> bool {
    parts(document).is_some_and(|(_, found, _)| found.trim() == table)
}

/// The document with this table in the place of the one that it has.
pub(super) fn with_table(document: &str, table: &str) -> Option<String> {
    let (before, _, after) = parts(document)?;
    Some(format!("{before}{BEGIN}\n\n{table}\n\n{END}{after}"))
}

fn parts(document: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = document.split_once(BEGIN)?;
    let (inside, after) = rest.split_once(END)?;
    Some((before, inside, after))
}
