//! Expectations.

use super::reader::{LEASE, Reader, STREAM};
use crate::{
    scenario::{Blocked, Bound, Name, Word, fields::At, scope::NameKind, word::nearest},
    streams::scenario::{StreamCounter, StreamExpect},
};

const WORK: &[NameKind] = &[NameKind::Work];
const MEMORY: &[NameKind] = &[NameKind::Memory];
const FUTURE: &[NameKind] = &[NameKind::Future];
/// Every expectation but the counters.
const PLAIN: &[&str] = &[
    "same",
    "distinct",
    "finished",
    "unfinished",
    "complete",
    "running",
    "completed_before",
    "generation",
    "ordered",
    "freed",
    "kept",
    "gone",
    "status",
    "graph_nodes",
    "answer",
    "ready",
    "pending",
    "waited",
    "not_waited",
];

/// The expectation of this step.
pub(super) fn expect(r: &mut Reader<'_, '_>) -> Option<StreamExpect> {
    let what = r.fields.text("expect", r.faults)?;
    if let Some((counter, bound)) = counted(what.value) {
        let value = r.fields.number("is", 0..=u64::MAX, r.faults);
        let value = r.fields.required("is", value, r.faults)?.value;
        return Some(StreamExpect::Count { counter, bound, value });
    }
    Some(match what.value {
        "same" => StreamExpect::Same(of(r, LEASE, 1)?),
        "distinct" => StreamExpect::Distinct(of(r, LEASE, 1)?),
        "finished" => StreamExpect::Finished(of(r, WORK, 1)?),
        "unfinished" => StreamExpect::Unfinished(of(r, WORK, 1)?),
        "complete" => StreamExpect::Complete(of(r, WORK, 1)?),
        "running" => StreamExpect::Running(of(r, WORK, 1)?),
        "completed_before" => StreamExpect::CompletedBefore(of(r, WORK, 2)?),
        "generation" => StreamExpect::Generation { of: of(r, LEASE, 1)?, is: number(r)? },
        "ordered" => StreamExpect::Ordered(word(r)?),
        "freed" => StreamExpect::Freed { of: of(r, MEMORY, 1)?, is: word(r)? },
        "kept" => StreamExpect::Kept(of(r, MEMORY, 1)?),
        "gone" => StreamExpect::Gone(of(r, MEMORY, 1)?),
        "status" => StreamExpect::Status { of: of(r, STREAM, 1)?, is: word(r)? },
        "graph_nodes" => {
            StreamExpect::GraphNodes { of: of(r, &[NameKind::Graph], 1)?, is: number(r)? }
        }
        "answer" => StreamExpect::Answer(word(r)?),
        "ready" => StreamExpect::Ready(of(r, FUTURE, 1)?),
        "pending" => StreamExpect::Pending(of(r, FUTURE, 1)?),
        "waited" => StreamExpect::Blocked(Blocked::Waited),
        "not_waited" => StreamExpect::Blocked(Blocked::NotWaited),
        _ => {
            unknown(&what, r);
            return None;
        }
    })
}

fn of(r: &mut Reader<'_, '_>, kinds: &[NameKind], least: usize) -> Option<Vec<Name>> {
    r.known_list("of", kinds, least)
}
fn word<T: Word>(r: &mut Reader<'_, '_>) -> Option<T> {
    let value = r.fields.word("is", r.faults);
    r.fields.required("is", value, r.faults)
}
fn number(r: &mut Reader<'_, '_>) -> Option<u32> {
    let value = r.fields.count("is", 0..=u32::MAX, r.faults);
    r.fields.required("is", value, r.faults)
}

fn counted(what: &str) -> Option<(StreamCounter, Bound)> {
    Bound::ALL.into_iter().find_map(|bound| {
        let counter = StreamCounter::from_word(what.strip_suffix(bound.suffix())?)?;
        Some((counter, bound))
    })
}

fn unknown(what: &At<&str>, r: &mut Reader<'_, '_>) {
    let mut known: Vec<String> = PLAIN.iter().map(|word| (*word).to_owned()).collect();
    let counters = StreamCounter::words().into_iter();
    known.extend(
        counters.flat_map(|word| Bound::ALL.map(|bound| format!("{word}{}", bound.suffix()))),
    );
    let help = match nearest(what.value, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!(
            "known here: {}, and with or without `_max` or `_min`: {}",
            PLAIN.join(", "),
            StreamCounter::words().join(", ")
        ),
    };
    let message = format!("`{}` is not an expectation of streams", what.value);
    r.faults.add(what.span.clone(), message, "unknown expectation", Some(help));
    // What else the step holds cannot be judged without knowing what it expects.
    for key in ["of", "is"] {
        let _ = r.fields.raw(key);
    }
}
