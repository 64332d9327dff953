//! Whether `docs/rules.md` keeps its promise: every rule has a row, every planted fault is named,
//! and what a row names exists.
//!
//! A row starts with the rule's identifier; what it names stands between back-ticks. A name with a
//! slash is a file, in a column headed "planted" it is a fault, and in one headed "scenario" it is a
//! file of `tests/scenarios`, with or without its folder and its extension.

mod matrix;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use clap::Args;
use matrix::Method;

use crate::{
    step::{Failure, Outcome, report},
    tree::Tree,
};

/// The document.
const DOCUMENT: &str = "docs/rules.md";
/// Where the planted faults are listed, each with its rule.
const FAULTS: &str = "core/src/plant.rs";
/// Where the scenarios are: here, and in folders.
pub(super) const SCENARIOS: &str = "tests/scenarios";
/// The scenarios that have to fail, for tests of what is said then; they show no rule.
const BROKEN: &str = "tests/scenarios/broken";
/// The rules of each half: its letter, and the highest number.
const RULES: [(char, u32); 2] = [('S', 21), ('T', 13)];

/// Where the loom models are: each plants the faults that it has to notice.
const MODELS: &str = "core/src/models";

/// Which faults an exhaustive search finds, and where.
const EXPLORED: &str = "tests/explored.tsv";

/// Which faults a fuzz target finds, and which target.
pub(super) const FUZZED: &str = "tests/fuzzed.tsv";

/// What to do with the table of what catches what.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    /// Writes the table into docs/rules.md, in the place of the one that is there.
    #[arg(long)]
    write: bool,
}

/// Every rule of both halves.
fn all() -> impl Iterator<Item = String> {
    RULES.iter().flat_map(|&(letter, last)| (1..=last).map(move |n| format!("{letter}{n}")))
}

/// Checks the document against the tree.
pub(crate) fn run(tree: &Tree, options: Options) -> Result<Outcome, Failure> {
    let facts = Facts {
        faults: faults(&tree.read(FAULTS)?),
        scenarios: scenarios(&tree.files(SCENARIOS, "toml")?),
        exists: &|path| tree.path(path).exists(),
    };
    let document = tree.read(DOCUMENT)?;
    let methods = methods(tree, &facts.faults)?;
    let table = matrix::table(&facts.faults, &methods);
    let mut wrong = check(&matrix::without_table(&document), &facts);
    wrong.extend(matrix::strangers(&facts.faults, &methods));
    if options.write
        && let Some(text) = matrix::with_table(&document, &table)
    {
        let path = tree.path(DOCUMENT);
        std::fs::write(&path, text).map_err(|source| Failure::File { path, source })?;
    } else if !matrix::has_table(&document, &table) {
        wrong.push("its table of what catches what is not that of the sources".to_owned());
    }
    report(&wrong, "docs/rules.md does not keep its promise")
}

/// What catches faults, each as its source says. Each source is a test that fails where it says too much.
fn methods(tree: &Tree, faults: &[Fault]) -> Result<Vec<Method>, Failure> {
    let texts = |folder: &str, ending: &str| -> Result<Vec<String>, Failure> {
        tree.files(folder, ending)?.iter().map(|path| tree.read(path)).collect()
    };
    let scenarios = texts(SCENARIOS, "toml")?;
    let models = texts(MODELS, "rs")?;
    let planted = |marker: &str| -> BTreeSet<String> {
        models.iter().flat_map(|text| matrix::names_after(text, marker)).map(Into::into).collect()
    };
    Ok(vec![
        Method {
            heading: "scenario",
            faults: scenarios
                .iter()
                .flat_map(|text| matrix::caught_by_scenario(text))
                .map(Into::into)
                .collect(),
        },
        // `tests/tests/planted.rs` tries them all.
        Method {
            heading: "random",
            faults: faults.iter().map(|fault| fault.name.clone()).collect(),
        },
        Method { heading: "loom", faults: planted("Plant::Rule(Fault::") },
        Method {
            heading: "explore",
            faults: matrix::first_column(&tree.read(EXPLORED)?).map(Into::into).collect(),
        },
        Method {
            heading: "fuzz",
            faults: matrix::first_column(&tree.read(FUZZED)?).map(Into::into).collect(),
        },
    ])
}

/// The folders of the scenarios among `files` that have to pass.
pub(super) fn scenario_folders(files: &[PathBuf]) -> BTreeSet<PathBuf> {
    let folders = files.iter().filter_map(|file| file.parent());
    folders.filter(|folder| *folder != Path::new(BROKEN)).map(Path::to_owned).collect()
}

/// The names of the scenarios among `files`, each alone and behind its folder.
fn scenarios(files: &[PathBuf]) -> BTreeSet<String> {
    let files = files.iter().filter(|file| !file.starts_with(BROKEN));
    let names = files.flat_map(|file| {
        let inside = file.strip_prefix(SCENARIOS).unwrap_or(file).with_extension("");
        [inside.file_name().map(Into::into), Some(inside.clone())].into_iter().flatten()
    });
    names.map(|name: PathBuf| name.to_string_lossy().into_owned()).collect()
}

/// What the document is compared with.
struct Facts<'a> {
    faults: Vec<Fault>,
    /// The scenarios, by their names.
    scenarios: BTreeSet<String>,
    exists: &'a dyn Fn(&Path) -> bool,
}

/// One planted fault.
#[derive(PartialEq, Eq, Debug)]
struct Fault {
    name: String,
    rule: String,
}

/// The faults that the source of `plant.rs` lists, as `Name => "S1",`.
fn faults(source: &str) -> Vec<Fault> {
    let lines = source.lines().filter_map(|line| line.trim().split_once(" => \""));
    lines
        .filter_map(|(name, rest)| {
            let rule = rest.strip_suffix("\",")?;
            Some(Fault { name: name.to_owned(), rule: rule.to_owned() })
        })
        .collect()
}

/// One row of a table, as it stands under its headings.
struct RuleRow<'a> {
    rule: &'a str,
    line: usize,
    /// The names between back-ticks, each with the heading of its column in lower case.
    names: Vec<(String, &'a str)>,
}

fn rows(document: &str) -> Vec<RuleRow<'_>> {
    let mut rows = Vec::new();
    let mut headings: Vec<String> = Vec::new();
    let lines: Vec<&str> = document.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let Some(cells) = cells(line) else { continue };
        // A table's first row is followed by its rule of dashes.
        if lines
            .get(index + 1)
            .is_some_and(|next| next.starts_with("|-") || next.starts_with("| -"))
        {
            headings = cells.iter().map(|cell| cell.to_lowercase()).collect();
            continue;
        }
        let rule = cells[0].trim_matches(['*', '`']);
        if !is_rule(rule) {
            continue;
        }
        let names = cells.iter().enumerate().flat_map(|(column, cell)| {
            let heading = headings.get(column).cloned().unwrap_or_default();
            cell.split('`').skip(1).step_by(2).map(move |name| (heading.clone(), name))
        });
        rows.push(RuleRow { rule, line: index + 1, names: names.collect() });
    }
    rows
}

/// The cells of a line, if it is part of a table.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(str::trim).collect())
}

fn is_rule(cell: &str) -> bool {
    let letters = RULES.map(|(letter, _)| letter);
    cell.strip_prefix(letters).is_some_and(|number| number.parse::<u32>().is_ok())
}

/// What is wrong with the document, a line each.
fn check(document: &str, facts: &Facts<'_>) -> Vec<String> {
    let rows = rows(document);
    let mut wrong = Vec::new();
    for rule in all() {
        match rows.iter().filter(|row| row.rule == rule).count() {
            1 => {}
            0 => wrong.push(format!("{rule} has no row")),
            count => wrong.push(format!("{rule} has {count} rows")),
        }
    }
    let mut named = BTreeSet::new();
    for row in &rows {
        wrong.extend(check_row(row, facts, &mut named));
    }
    let unnamed = facts.faults.iter().filter(|fault| !named.contains(fault.name.as_str()));
    wrong.extend(unnamed.map(|fault| {
        format!("planted fault `{}` stands in no row; its rule is {}", fault.name, fault.rule)
    }));
    wrong
}

/// What is wrong with one row. The faults that it names join `named`.
fn check_row<'a>(
    row: &RuleRow<'a>,
    facts: &Facts<'_>,
    named: &mut BTreeSet<&'a str>,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut files = 0;
    let mut faults = 0;
    for &(ref heading, name) in &row.names {
        if heading.contains("planted") {
            faults += 1;
            named.insert(name);
            match facts.faults.iter().find(|fault| fault.name == name) {
                Some(fault) if fault.rule == row.rule => {}
                Some(fault) => wrong.push(format!("`{name}` breaks {}, says {FAULTS}", fault.rule)),
                None => wrong.push(format!("{FAULTS} has no fault `{name}`")),
            }
        } else if heading.contains("scenario") {
            let inside =
                name.strip_prefix(SCENARIOS).map_or(name, |name| name.trim_start_matches('/'));
            if !facts.scenarios.contains(inside.strip_suffix(".toml").unwrap_or(inside)) {
                wrong.push(format!("{SCENARIOS} has no `{name}`"));
            }
        } else if name.contains('/') {
            files += 1;
            // `path:line` and `path::item` name a place in the file.
            let path = name.split(':').next().unwrap_or(name);
            if !(facts.exists)(Path::new(path)) {
                wrong.push(format!("there is no `{path}`"));
            }
        }
    }
    if files == 0 {
        wrong.push("no file is named".to_owned());
    }
    if faults == 0 {
        wrong.push("no planted fault is named".to_owned());
    }
    wrong.iter().map(|what| format!("line {}, {}: {what}", row.line, row.rule)).collect()
}
