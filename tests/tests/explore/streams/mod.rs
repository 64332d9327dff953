//! The same of streams: on each driver, every timing and every order of the threads.

mod bounds;
mod corpus;
mod scripts;
mod twins;

use std::{collections::BTreeMap, fs, path::Path};

use ringfence_mock::{
    scenario::{AnyParsed, parse_any},
    streams::scenario::StreamScenario,
};

/// The scenarios of streams that lie in a folder of the corpus, by file name.
pub(crate) fn scenarios(folder: &str) -> BTreeMap<String, StreamScenario> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(folder);
    let files = fs::read_dir(corpus).expect("the corpus is part of the repository");
    let files = files.map(|entry| entry.expect("a readable folder").path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    files
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.to_owned();
            let text = fs::read_to_string(&path).expect("a readable file");
            match parse_any(&name, &text).expect("the corpus parses") {
                AnyParsed::Signals(_) => None,
                AnyParsed::Streams(parsed) => Some((name, parsed.scenario)),
            }
        })
        .collect()
}
