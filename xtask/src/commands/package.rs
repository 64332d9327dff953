//! What is to be published: each crate packed and built from its package, and with the oldest dependencies that it says it takes.

use std::{fs, path::Path};

use crate::{
    process::Program,
    step::{Failure, Outcome, Step},
    tree::Tree,
};

/// Crates that others depend on. The others are programs, or of this repository alone.
const PUBLISHED: [&str; 10] = [
    "ringfence",
    "ringfence-mock",
    "ringfence-hsa",
    "ringfence-backend-shared",
    "ringfence-hip",
    "ringfence-cuda",
    "ringfence-tokio",
    "ringfence-threads",
    "ringfence-capi",
    "ringfence-cli",
];

/// Both checks.
pub(crate) fn steps() -> Vec<Step> {
    vec![Step::new("packages", packages), Step::new("oldest dependencies", oldest)]
}

/// All at once: they depend on each other, and none is in a registry.
fn packages(tree: &Tree) -> Result<Outcome, Failure> {
    let chosen = PUBLISHED.iter().flat_map(|package| ["--package", package]);
    Program::cargo(tree, "package --allow-dirty").arguments(chosen).run()
}

/// The committed versions are put back, whatever comes of it.
fn oldest(tree: &Tree) -> Result<Outcome, Failure> {
    let lock = tree.path("Cargo.lock");
    let committed = tree.read("Cargo.lock")?;
    let checked = check(tree);
    put(&lock, &committed)?;
    checked
}
fn check(tree: &Tree) -> Result<Outcome, Failure> {
    // The option is one of nightly cargo's; a stable one takes it with this variable.
    let cargo = |line: &str| Program::cargo(tree, line).env("RUSTC_BOOTSTRAP", "1");
    let _ = cargo("update -Z direct-minimal-versions").run()?;
    let chosen = PUBLISHED.iter().flat_map(|package| ["--package", package]);
    // Without RUSTC_BOOTSTRAP, with which some crates turn on features of nightly compilers.
    Program::cargo(tree, "check --target-dir")
        .arguments([tree.target("oldest")])
        .arguments(chosen)
        .run()
}
fn put(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|source| Failure::File { path: path.to_owned(), source })
}
