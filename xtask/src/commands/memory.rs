//! Whether `docs/memory-model.md` keeps its promise: every named ordering of `core/src/sync.rs` has a row, and
//! each row a model and a twin that relaxes it.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::{
    step::{Failure, Outcome, report},
    tree::Tree,
};

/// The document.
const DOCUMENT: &str = "docs/memory-model.md";
/// Where the sites are listed.
const SITES: &str = "core/src/sync.rs";
/// Where the models are.
const MODELS: &str = "core/src/models";

/// Checks the document against the tree.
pub(crate) fn run(tree: &Tree) -> Result<Outcome, Failure> {
    let mut models = String::new();
    for file in tree.files(MODELS, "rs")? {
        models.push_str(&tree.read(&file)?);
    }
    let found = check(&tree.read(DOCUMENT)?, &tree.read(SITES)?, &models);
    report(&found, "docs/memory-model.md does not keep its promise")
}

/// The variants of `enum Site`.
fn sites(source: &str) -> BTreeSet<&str> {
    let body = source.split_once("enum Site {").map_or("", |(_, rest)| rest);
    let body = body.split_once('}').map_or(body, |(body, _)| body);
    let names = body.lines().filter_map(|line| line.trim().strip_suffix(','));
    names.filter(|name| !name.starts_with("//")).collect()
}

/// The cells of a row, the name in the first one bare.
fn row(line: &str) -> Option<(&str, &str)> {
    let (first, rest) = line.strip_prefix('|')?.split_once('|')?;
    Some((first.trim().strip_prefix('`')?.strip_suffix('`')?, rest))
}

/// What is wrong, a line each.
fn check(document: &str, sites_source: &str, models: &str) -> Vec<String> {
    let sites = sites(sites_source);
    let mut wrong = Vec::new();
    if sites.is_empty() {
        wrong.push(format!("{SITES} has no site: nothing is checked"));
    }
    let table = document.split_once("## Orderings with a site").map_or("", |(_, rest)| rest);
    let table = table.split_once("\n## ").map_or(table, |(table, _)| table);
    let rows: Vec<(&str, &str)> = table.lines().filter_map(row).collect();
    for site in &sites {
        match rows.iter().filter(|(name, _)| name == site).count() {
            1 => {}
            count => wrong.push(format!("{site} has {count} rows")),
        }
        if !models.contains(&format!("Plant::Ordering(Site::{site})")) {
            wrong.push(format!("no twin in {MODELS} relaxes {site}"));
        }
    }
    for (name, rest) in rows {
        if !sites.contains(name) {
            wrong.push(format!("{SITES} has no site {name}"));
        }
        let named: Vec<&str> = named(rest).filter(|name| name.starts_with("loom_")).collect();
        if named.is_empty() {
            wrong.push(format!("{name} names no model"));
        }
        let missing = named.iter().filter(|model| !models.contains(&format!("fn {model}()")));
        wrong.extend(missing.map(|model| format!("{name}: there is no model {model}")));
    }
    wrong
}

/// What stands between back-ticks.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}
