//! The same of streams: on each driver, every timing and every order of the threads.

mod bounds;
mod corpus;
mod scripts;
mod twins;

use std::collections::BTreeMap;

use ringfence_mock::{scenario::AnyParsed, streams::scenario::StreamScenario};

use crate::parsed;

/// The scenarios of streams that lie in a folder of the corpus, by file name.
pub(crate) fn scenarios(folder: &str) -> BTreeMap<String, StreamScenario> {
    let streams = parsed(folder).filter_map(|(name, parsed)| match parsed {
        AnyParsed::Signals(_) => None,
        AnyParsed::Streams(parsed) => Some((name, parsed.scenario)),
    });
    streams.collect()
}
