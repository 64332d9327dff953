//! Whether `docs/memory-model.md` keeps its promise: every named ordering has a row and a twin that fails without it, no other
//! ordering does anything, and every file with a shared location is named.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::{
    step::{Failure, Outcome, report},
    tree::Tree,
};

/// The document.
const DOCUMENT: &str = "docs/memory-model.md";
/// Where orderings have their names, and the only file that may order without one.
const FACADE: &str = "core/src/sync.rs";
/// Where the core is.
const CORE: &str = "core/src";
/// Where the models are.
const MODELS: &str = "core/src/models";
/// The types of shared locations.
const SHARED: [&str; 4] = ["AtomicU8", "AtomicU64", "Mutex<", "StreamLock<"];
/// The orderings that do something.
const ORDERINGS: [&str; 4] =
    ["Ordering::Acquire", "Ordering::Release", "Ordering::AcqRel", "Ordering::SeqCst"];

/// Checks the document against the core.
pub(crate) fn run(tree: &Tree) -> Result<Outcome, Failure> {
    let read = |path: PathBuf| tree.read(&path).map(|text| (path, text));
    let files = tree.files(CORE, "rs")?.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let wrong = check(&tree.read(DOCUMENT)?, &tree.read(FACADE)?, &files);
    report(&wrong, "docs/memory-model.md does not keep its promise")
}

/// The names of the orderings: variants of the enum `Site`.
fn sites(facade: &str) -> Vec<&str> {
    let variants = facade.split_once("enum Site {").and_then(|(_, rest)| rest.split_once('}'));
    let lines = variants.map_or("", |(inside, _)| inside).lines().map(str::trim);
    lines.filter_map(|line| line.strip_suffix(',')).filter(|name| !name.starts_with("//")).collect()
}

/// A line without its comment: an example in the documentation orders nothing here.
fn code_of(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}
/// Whether a file is neither the facade, nor a model, nor a test.
fn is_production(path: &Path) -> bool {
    let is_test = |part: &std::ffi::OsStr| part == "tests" || part == "tests.rs";
    let only_tested = path.ends_with("test_driver.rs");
    path != Path::new(FACADE)
        && !path.starts_with(MODELS)
        && !path.iter().any(is_test)
        && !only_tested
}

/// What is wrong, a line each.
fn check(document: &str, facade: &str, files: &[(PathBuf, String)]) -> Vec<String> {
    let mut wrong = Vec::new();
    let sites = sites(facade);
    if sites.is_empty() {
        wrong.push(format!("{FACADE} has no `enum Site`"));
    }
    for site in sites {
        if !document.contains(&format!("`{site}`")) {
            wrong.push(format!("`{site}` has no row"));
        }
        let twin = format!("Plant::Ordering(Site::{site})");
        let models = files.iter().filter(|(path, _)| path.starts_with(MODELS));
        if !models.into_iter().any(|(_, text)| text.contains(&twin)) {
            wrong.push(format!("no model is run with `{site}` weakened: `{twin}`"));
        }
    }
    for (path, text) in files.iter().filter(|(path, _)| is_production(path)) {
        let shown = path.display();
        let shares = |line: &str| {
            let code = code_of(line);
            SHARED.iter().any(|one| code.contains(one)) && !code.trim_start().starts_with("sync::")
        };
        if text.lines().any(shares) && !document.contains(&format!("`{shown}`")) {
            wrong.push(format!("{shown} has a shared location, and is not named"));
        }
        for (number, line) in (1..).zip(text.lines()) {
            let orders = ORDERINGS.iter().any(|one| code_of(line).contains(one));
            if orders && !line.contains("order(Site::") {
                wrong.push(format!(
                    "{shown}:{number}: an ordering without a `Site`: {}",
                    line.trim()
                ));
            }
        }
    }
    wrong
}
