//! Which wrong inference explains a belief that had no ground.

use std::collections::BTreeMap;

use ringfence::id::{LaneId, PacketId, UseId};

use super::{Rule, lane::Lane};
use crate::model::Model;

/// The rule that a belief in the end of `of` breaks, and why. Each hypothesis needs an observation
/// that would have led there; the youngest one wins. Without any, the belief came from nowhere: S1.
pub(super) fn unfounded(
    lanes: &BTreeMap<LaneId, Lane>,
    of: UseId,
    model: &Model,
    lost: bool,
) -> (Rule, String) {
    if lost {
        return (
            Rule::S17,
            format!(
                "{of} is taken for finished, and all that is known is that its device was lost"
            ),
        );
    }
    let copy = model.is_engine(of.lane());
    let mut best: Option<(u64, Rule, String)> = None;
    let mut offer = |seen_at: u64, rule: Rule, why: String| {
        if best.as_ref().is_none_or(|(at, ..)| seen_at > *at) {
            best = Some((seen_at, rule, why));
        }
    };
    if let Some(own) = lanes.get(&of.lane()) {
        let (seen, at) = (&own.seen, of.packet());
        if let Some((packet, seen_at)) = seen.read_index.at_or_after(at) {
            offer(
                seen_at,
                Rule::S3,
                format!("the read index was seen past {packet}, which proves nothing"),
            );
        }
        if let Some((packet, seen_at)) = seen.below_zero.at_or_after(at) {
            offer(
                seen_at,
                Rule::S7,
                format!("the signal of {packet} was seen below 0, which is an error"),
            );
        }
        if let Some((packet, seen_at)) = seen.forced.at_or_after(at) {
            offer(
                seen_at,
                Rule::S18,
                format!("the completion of {packet} was forced, and its work may still run"),
            );
        }
        if !copy && let Some((packet, seen_at)) = seen.plain_done.at_or_after(at) {
            let why = format!(
                "{packet} was seen done, but it has no barrier bit and proves itself alone"
            );
            offer(seen_at, Rule::S2, why);
        }
    }
    for (&lane, other) in lanes.iter().filter(|&(&lane, _)| lane != of.lane()) {
        if model.is_engine(lane) {
            continue;
        }
        let fence =
            if copy { other.any_fence() } else { other.seen.fence_done.at_or_after(of.packet()) };
        let Some((packet, seen_at)) = fence else { continue };
        if copy {
            offer(
                seen_at,
                Rule::S5,
                format!("fence {packet} of {lane} was seen done, but it proves no copy"),
            );
        } else if lane.queue() == of.lane().queue() {
            offer(
                seen_at,
                Rule::S4,
                format!("fence {packet} was seen done, but of generation {}", lane.generation()),
            );
        } else {
            offer(
                seen_at,
                Rule::S2,
                format!("fence {packet} was seen done, but of queue {}", lane.queue()),
            );
        }
    }
    match best {
        Some((_, rule, why)) => (rule, format!("{of} is taken for finished: {why}")),
        // The weakest hypothesis: correct hosts see earlier fences all the time.
        None if lanes.get(&of.lane()).is_some_and(|own| own.any_fence().is_some()) => {
            let why =
                "a fence before it was seen done, and a fence proves only packets before itself";
            (Rule::S2, format!("{of} is taken for finished: {why}"))
        }
        None => {
            (Rule::S1, format!("{of} is taken for finished, and nothing that was seen says so"))
        }
    }
}

impl Lane {
    fn any_fence(&self) -> Option<(PacketId, u64)> {
        self.seen.fence_done.at_or_after(PacketId::FIRST)
    }
}
