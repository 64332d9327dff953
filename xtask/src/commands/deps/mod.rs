//! Who may import whom, and who may name what.
//!
//! `table` says what is allowed; the other files read manifests and sources and compare.

mod manifest;
mod names;
mod table;

#[cfg(test)]
mod tests;

use std::{
    fmt,
    path::{Path, PathBuf},
};

use crate::{
    source::{module_of, tokens},
    step::{Failure, Outcome, report},
    tree::Tree,
};

/// One breach, and where.
#[derive(PartialEq, Eq, Debug)]
struct Finding {
    file: PathBuf,
    line: usize,
    what: String,
}
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.what)
    }
}

/// Checks every manifest and every source file.
pub(crate) fn run(tree: &Tree) -> Result<Outcome, Failure> {
    let mut findings = manifest::members(&tree.read("Cargo.toml")?);
    for own in table::CRATES {
        let file = Path::new(own.directory).join("Cargo.toml");
        findings.extend(manifest::check(own, &file, &tree.read(&file)?));
    }
    for file in tree.files("", "rs")? {
        findings.extend(check_source(&file, &tree.read(&file)?));
    }
    report(&findings, "breaches of who may know whom, by xtask/src/commands/deps/table.rs")
}

/// Every check of one source file, given its path from the root.
fn check_source(file: &Path, source: &str) -> Vec<Finding> {
    let tokens = tokens(source);
    let mut findings = names::unsafe_code(file, &tokens);
    if let Ok(below) = file.strip_prefix("core/src") {
        let module = module_of(below);
        findings.extend(names::layers(file, &module, &tokens));
        findings.extend(names::synchronisation(file, &module, &tokens));
    }
    if table::JUDGES.iter().any(|judge| is_part_of(file, judge)) {
        findings.extend(names::judged(file, &tokens));
    }
    findings
}

/// Whether `file` lies in the directory `module`, or is the file `module.rs`.
fn is_part_of(file: &Path, module: &str) -> bool {
    file.starts_with(module) || file.with_extension("") == Path::new(module)
}
