//! The suite on a real driver, in parts: each is run by a process of its own, since some tests leave a driver unusable, and since
//! drivers get slower with what they have seen.

use std::fmt;

use ringfence_mock::streams::system::Words;

use super::{super::Leaves, Scale, StreamCase, StreamSubject, run, stream_cases};

/// The variable that tells a process its part.
pub const PART: &str = "RINGFENCE_CONFORMANCE_PART";
/// The variable that holds a part of the names of the tests that are wanted.
const WANTED: &str = "RINGFENCE_CONFORMANCE";
/// The variable with the number of random task histories to try, beyond those of every run.
const HISTORIES: &str = "RINGFENCE_HISTORIES";
/// Random task histories of one process.
const A_PROCESS: u32 = 500;
/// The test that tries them.
const OF_HISTORIES: &str = "pool_random_histories";

/// Whether a test's name is one of those that are wanted: all of them, unless `RINGFENCE_CONFORMANCE` says otherwise.
#[must_use]
pub fn is_wanted(name: &str) -> bool {
    std::env::var(WANTED).map_or(true, |part| name.contains(&part))
}

/// What one process runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StreamPart {
    /// Every test that leaves a driver usable, with progress words or without.
    Whole(Words),
    /// One test alone, with progress words.
    Alone(String),
    /// Random task histories: the process with this number, from 1. They take turns, with words and without.
    Histories(u32),
}

impl StreamPart {
    /// All parts for this subject's tests.
    #[must_use]
    pub fn all<S: StreamSubject>() -> Vec<Self> {
        let mut parts = vec![Self::Whole(Words::On), Self::Whole(Words::Off)];
        let cases = stream_cases::<S>();
        let alone = cases.iter().filter(|case| case.leaves == Leaves::ItUnusable);
        let alone = alone.filter(|case| is_wanted(case.name));
        parts.extend(alone.map(|case| Self::Alone(case.name.to_owned())));
        let histories = std::env::var(HISTORIES).ok().and_then(|number| number.parse().ok());
        let processes = histories.map_or(0, |number: u32| number.div_ceil(A_PROCESS));
        parts.extend((1..=processes).map(Self::Histories));
        parts
    }
    /// The part of the name that [`Display`](fmt::Display) gives; `None` for a name of something else.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.split_once(':') {
            None if name == "words" => Self::Whole(Words::On),
            None if name == "queries" => Self::Whole(Words::Off),
            Some(("alone", name)) => Self::Alone(name.to_owned()),
            Some(("histories", number)) => Self::Histories(number.parse().ok()?),
            _ => return None,
        })
    }
    /// Whether its streams have progress words.
    #[must_use]
    pub fn words(&self) -> Words {
        match self {
            Self::Whole(words) => *words,
            Self::Histories(number) if number % 2 == 0 => Words::Off,
            Self::Histories(_) | Self::Alone(_) => Words::On,
        }
    }
    /// How much it does, of a subject that usually does so much.
    #[must_use]
    pub fn scale(&self, usual: Scale) -> Scale {
        match self {
            Self::Whole(_) | Self::Alone(_) => usual,
            // The others follow the first.
            Self::Histories(number) => Scale {
                histories: A_PROCESS,
                seed: u64::from(*number) * u64::from(A_PROCESS),
                ..usual
            },
        }
    }
    fn has<S>(&self, case: &StreamCase<S>) -> bool {
        match self {
            Self::Whole(_) => case.leaves == Leaves::ItWorking && is_wanted(case.name),
            Self::Alone(name) => case.name == name,
            Self::Histories(_) => case.name == OF_HISTORIES,
        }
    }
    /// Runs its tests. The name of each is printed before: the last one is where it hangs, or crashes.
    ///
    /// # Panics
    /// If one fails.
    pub fn run<S: StreamSubject>(&self, start: impl Fn() -> S) {
        println!("{:?}", start().facts());
        let wanted = |case: &StreamCase<S>| {
            let has = self.has(case);
            if has {
                println!("{}", case.name);
            }
            has
        };
        let report = run(wanted, start);
        println!("{report}");
        let failures = report.failures();
        assert!(failures.is_empty(), "{failures:?}");
    }
}

impl fmt::Display for StreamPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(Words::On) => f.write_str("words"),
            Self::Whole(Words::Off) => f.write_str("queries"),
            Self::Alone(name) => write!(f, "alone:{name}"),
            Self::Histories(number) => write!(f, "histories:{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_by_its_name() {
        for part in [
            StreamPart::Whole(Words::On),
            StreamPart::Whole(Words::Off),
            StreamPart::Alone("driver_1".to_owned()),
            StreamPart::Histories(7),
        ] {
            assert_eq!(StreamPart::named(&part.to_string()), Some(part));
        }
        for name in ["", "signals", "histories:x", "words:driver_1"] {
            assert_eq!(StreamPart::named(name), None, "{name}");
        }
    }

    #[test]
    fn histories_have_seeds_of_their_own() {
        let usual = Scale::default();
        let scales = [1, 2, 3].map(|number| StreamPart::Histories(number).scale(usual));
        for pair in scales.windows(2) {
            assert!(pair[0].seed + u64::from(pair[0].histories) <= pair[1].seed, "{pair:?}");
        }
        assert!(usual.seed + u64::from(usual.histories) <= scales[0].seed);
        assert_eq!(StreamPart::Whole(Words::On).scale(usual), usual);
    }
}
