//! Closed vocabularies of the format: each word once, with the near match for one that is misspelt.

use ringfence::{
    backend::{HostDataPath, RingMemory, SignalMemory},
    drive::Audit,
    event::EventKind,
    id::CacheScope,
    placement::{DeviceSignals, EventPlacement, Role},
};

pub use crate::word::Word;

/// Declares an enum whose values are words.
macro_rules! words {
    ($($(#[$doc:meta])* $vis:vis $name:ident, $what:literal { $($(#[$each:meta])* $value:ident = $word:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        $vis enum $name { $($(#[$each])* $value,)* }
        impl $crate::scenario::Word for $name {
            const WHAT: &'static str = $what;
            const ALL: &'static [Self] = &[$(Self::$value),*];
            fn word(self) -> &'static str { match self { $(Self::$value => $word,)* } }
        }
    )*};
}
pub(crate) use words;

/// Gives words to an enum of the library.
macro_rules! words_of {
    ($name:ident, $what:literal { $($value:ident = $word:literal,)* }) => {
        impl $crate::scenario::Word for $name {
            const WHAT: &'static str = $what;
            const ALL: &'static [Self] = &[$(Self::$value),*];
            fn word(self) -> &'static str { match self { $(Self::$value => $word,)* } }
        }
    };
}
pub(crate) use words_of;

words_of! { Role, "a role" {
    Dispatch = "dispatch", GpuWait = "gpu_wait", HostQuery = "host_query", TimingOnly = "timing_only",
    Blocking = "blocking", Copy = "copy", Peer = "peer", Ipc = "ipc",
} }
words_of! { CacheScope, "a scope" { None = "none", Agent = "agent", System = "system", } }
words_of! { DeviceSignals, "a place for signals" { On = "device", Off = "host", } }
words_of! { EventPlacement, "a place for events" { Host = "host", Device = "device", Twin = "twin", } }
words_of! { Audit, "an audit" { Off = "off", On = "on", } }
words_of! { EventKind, "a kind of event" { Plain = "plain", Blocking = "blocking", Ipc = "ipc", } }
words_of! { RingMemory, "a memory for packet rings" { System = "system", Device = "device", } }
words_of! { HostDataPath, "a data path" { Hdp = "hdp", Coherent = "coherent", } }
words_of! { SignalMemory, "a memory for signals" {
    Device = "device", Host = "host", Interrupt = "interrupt", Shared = "shared",
} }

/// The candidate nearest to `text`, if any is near enough to be a slip of the pen.
pub(crate) fn nearest<'a>(
    text: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let near =
        candidates.into_iter().map(|candidate| (distance(text, candidate), candidate)).min()?;
    let allowed = (text.chars().count().max(near.1.chars().count()) / 3).max(1);
    (near.0 <= allowed).then_some(near.1)
}

/// How many letters must be inserted, deleted, replaced or exchanged with their neighbour to turn
/// one word into the other.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_has_a_near_match_and_another_word_has_none() {
        let words = ["submit", "reclaim", "record", "read_index"];
        assert_eq!(nearest("sumbit", words), Some("submit"));
        assert_eq!(nearest("readindex", words), Some("read_index"));
        assert_eq!(nearest("recrod", words), Some("record"));
        assert_eq!(nearest("explode", words), None);
        assert_eq!(nearest("k3", ["k1", "stream"]), Some("k1"));
    }
    #[test]
    fn an_exchange_of_neighbours_counts_once() {
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
