//! The length of source files: one idea a file needs no 400 lines.

use std::path::Path;

use crate::{
    step::{Failure, Outcome, report},
    tree::Tree,
};

/// A longer file fails.
const AT_MOST: usize = 400;
/// A longer file is worth a look.
const WORTH_A_LOOK: usize = 300;
/// How many of the longest files are shown.
const SHOWN: usize = 5;

/// Checks every file that somebody wrote.
pub(crate) fn run(tree: &Tree) -> Result<Outcome, Failure> {
    let mut files = Vec::new();
    for path in tree.files("", "rs")? {
        if !is_generated(&path) {
            files.push((tree.read(&path)?.lines().count(), path));
        }
    }
    files.sort_by(|a, b| b.cmp(a));
    println!("{} files; the longest:", files.len());
    for (lines, path) in files.iter().take(SHOWN) {
        println!("  {lines:>4} {}", path.display());
    }
    for (lines, path) in
        files.iter().filter(|(lines, _)| (WORTH_A_LOOK + 1..=AT_MOST).contains(lines))
    {
        println!("warning: {} has {lines} lines, more than {WORTH_A_LOOK}", path.display());
    }
    let too_long: Vec<String> = files
        .iter()
        .filter(|(lines, _)| *lines > AT_MOST)
        .map(|(lines, path)| format!("{} has {lines} lines, more than {AT_MOST}", path.display()))
        .collect();
    report(&too_long, "too long: give each idea a file of its own")
}

/// Files that a generator wrote: bindings of C headers.
fn is_generated(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name == "bindings.rs" || name.contains("generated")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bindings_and_generated_files_may_be_long() {
        assert!(is_generated(Path::new("backend-hsa/src/bindings.rs")));
        assert!(is_generated(Path::new("capi/src/generated_table.rs")));
        assert!(!is_generated(Path::new("core/src/ring/mod.rs")));
    }
}
