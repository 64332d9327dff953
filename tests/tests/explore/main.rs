//! Exhaustive search: what it proves of the healthy library, what it finds in a broken one, and that its
//! reductions leave nothing out.
//!
//! The bounds and the corpus run in every build; what needs a planted fault with
//! `cargo test -p ringfence-tests --features planted`.

mod bounds;
mod corpus;
#[cfg(feature = "planted")]
mod digest;
#[cfg(feature = "planted")]
mod planted;
mod scripts;
mod streams;
#[cfg(feature = "planted")]
mod table;
mod twins;

use std::{collections::BTreeMap, fs, path::Path};

use ringfence_mock::scenario::{AnyParsed, Scenario, parse_any};

/// What lies in a folder of the corpus, by file name.
fn parsed(folder: &str) -> impl Iterator<Item = (String, AnyParsed)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(folder);
    let files = fs::read_dir(corpus).expect("the corpus is part of the repository");
    let files = files.map(|entry| entry.expect("a readable folder").path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    files.map(|path| {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a readable file");
        let parsed = parse_any(&name, &text).expect("the corpus parses");
        (name, parsed)
    })
}
/// The scenarios of signals that lie there.
fn scenarios(folder: &str) -> BTreeMap<String, Scenario> {
    let signals = parsed(folder).filter_map(|(name, parsed)| match parsed {
        AnyParsed::Signals(parsed) => Some((name, parsed.scenario)),
        AnyParsed::Streams(_) => None,
    });
    signals.collect()
}
