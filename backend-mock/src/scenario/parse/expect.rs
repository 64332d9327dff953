//! Expectations.

use super::steps::{Reader, USE_OR_EVENT};
use crate::scenario::{
    Blocked, Bound, Counter, Expect, Name, Word, fields::At, scope::NameKind, word::nearest,
};

const EVENT: &[NameKind] = &[NameKind::Event];
/// Every expectation but the counters.
const PLAIN: &[&str] = &[
    "retired",
    "busy",
    "complete",
    "running",
    "same",
    "distinct",
    "completed_before",
    "waited",
    "not_waited",
    "state",
    "memory",
    "interval",
    "elapsed",
    "error",
];

/// The expectation of this step.
pub(super) fn expect(r: &mut Reader<'_, '_>) -> Option<Expect> {
    let what = r.fields.text("expect", r.faults)?;
    if let Some((counter, bound)) = counted(what.value) {
        let value = r.fields.number("is", 0..=u64::MAX, r.faults);
        let value = r.fields.required("is", value, r.faults)?.value;
        return Some(Expect::Count { counter, bound, value });
    }
    Some(match what.value {
        "retired" => Expect::Retired(uses(r, 1)?),
        "busy" => Expect::Busy(uses(r, 1)?),
        "complete" => Expect::Complete(uses(r, 1)?),
        "running" => Expect::Running(uses(r, 1)?),
        "same" => Expect::Same(uses(r, 2)?),
        "distinct" => Expect::Distinct(uses(r, 2)?),
        "completed_before" => Expect::CompletedBefore(uses(r, 2)?),
        "waited" => Expect::Blocked(Blocked::Waited),
        "not_waited" => Expect::Blocked(Blocked::NotWaited),
        "state" => Expect::State { of: uses(r, 1)?, is: word(r)? },
        "memory" => Expect::Memory { of: uses(r, 1)?, is: word(r)? },
        "interval" => Expect::Interval { of: r.known_list("of", EVENT, 1)?, is: word(r)? },
        "error" => Expect::Error { of: r.known_list("of", EVENT, 1)?, is: word(r)? },
        "elapsed" => Expect::ElapsedNs(elapsed(r)?),
        _ => {
            unknown(&what, r);
            return None;
        }
    })
}

fn uses(r: &mut Reader<'_, '_>, least: usize) -> Option<Vec<Name>> {
    r.known_list("of", USE_OR_EVENT, least)
}

fn word<T: Word>(r: &mut Reader<'_, '_>) -> Option<T> {
    let value = r.fields.word("is", r.faults);
    r.fields.required("is", value, r.faults)
}

/// Nanoseconds, or that there was no answer.
fn elapsed(r: &mut Reader<'_, '_>) -> Option<Option<u64>> {
    if r.fields.has("ns").is_some() {
        return r.fields.number("ns", 0..=u64::MAX, r.faults).map(|at| Some(at.value));
    }
    let at = r.fields.text("is", r.faults);
    let at = r.fields.required("is", at, r.faults)?;
    if at.value != "none" {
        r.faults.add(at.span, "an elapsed time is `ns = ...`, or `is = \"none\"`", "neither", None);
    }
    Some(None)
}

fn counted(what: &str) -> Option<(Counter, Bound)> {
    Bound::ALL.into_iter().find_map(|bound| {
        let counter = Counter::from_word(what.strip_suffix(bound.suffix())?)?;
        Some((counter, bound))
    })
}

fn unknown(what: &At<&str>, r: &mut Reader<'_, '_>) {
    let counters = Counter::words().into_iter();
    let mut known: Vec<String> = PLAIN.iter().map(|word| (*word).to_owned()).collect();
    known.extend(
        counters.flat_map(|word| Bound::ALL.map(|bound| format!("{word}{}", bound.suffix()))),
    );
    let help = match nearest(what.value, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!(
            "known here: {}, and with or without `_max` or `_min`: {}",
            PLAIN.join(", "),
            Counter::words().join(", ")
        ),
    };
    r.faults.add(
        what.span.clone(),
        format!("`{}` is not an expectation", what.value),
        "unknown expectation",
        Some(help),
    );
    // What else the step holds cannot be judged without knowing what it expects.
    for key in ["of", "is", "ns"] {
        let _ = r.fields.raw(key);
    }
}
