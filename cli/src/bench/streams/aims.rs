//! What the figures are held against.

use super::{Figures, Outcome, Part, Policy};
use crate::bench::memory::mib;

/// The most that resident memory may be at the last look, of that at the first.
const FLAT: f64 = 1.05;
/// How much quicker a task with a lease is at least than one with a stream of its own.
const QUICKER: f64 = 10.0;

/// One aim, in words, with what was found.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Aim {
    pub(super) claim: String,
    pub(super) found: String,
    pub(super) held: Held,
}
/// Whether an aim was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Held {
    Yes,
    No,
}
impl Held {
    fn when(it_is: bool) -> Self {
        if it_is { Self::Yes } else { Self::No }
    }
}

/// Those that these runs say something about.
pub(super) fn all(runs: &[Figures]) -> Vec<Aim> {
    let find = |policy, part| runs.iter().find(|one| one.policy == policy && one.part == part);
    let mut aims = Vec::new();
    if let Some(Figures { outcome: Outcome::Pipelines(looks), .. }) =
        find(Policy::Lease, Part::Pipelines)
        && let [first, .., last] = looks.as_slice()
    {
        let ratio = mib(last.resident) / mib(first.resident);
        aims.push(Aim {
            claim: format!(
                "(a) with leases, resident memory ends at {FLAT} times the first look at most"
            ),
            found: format!("{ratio:.3} times"),
            held: Held::when(ratio <= FLAT),
        });
    }
    if let (Some(lease), Some(fresh)) =
        (find(Policy::Lease, Part::Sequential), find(Policy::FreshDrop, Part::Sequential))
    {
        let modelled = lease.modelled_micros_per_task().zip(fresh.modelled_micros_per_task());
        let real = (lease.micros_per_task(), fresh.micros_per_task());
        let (lease, fresh) = modelled.unwrap_or(real);
        let ratio = fresh / lease;
        let by = if modelled.is_some() { ", modelled" } else { "" };
        aims.push(Aim {
            claim: format!(
                "(b) a task with a lease is {QUICKER} times quicker than with fresh_drop"
            ),
            found: format!("{ratio:.1} times{by}"),
            held: Held::when(ratio >= QUICKER),
        });
    }
    // The touches let their streams beyond 32 go between the two rounds.
    let leases: Vec<_> = runs
        .iter()
        .filter(|one| one.policy == Policy::Lease && one.part != Part::Touches)
        .map(|one| one.counted.pool)
        .collect();
    if !leases.is_empty() {
        let more = leases.iter().filter(|counts| {
            counts.created > u64::from(counts.peak_leased_and_draining) || counts.shared > 0
        });
        let more = more.count();
        aims.push(Aim {
            claim: "never more streams than were leased or draining at once, and none shared"
                .to_owned(),
            found: format!("otherwise in {more} of {} runs", leases.len()),
            held: Held::when(more == 0),
        });
    }
    aims
}
