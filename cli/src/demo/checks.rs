//! What has to follow from the figures.

use ringfence::{
    backend::SignalMemory,
    drive::{Policy, TrackerKind},
    ledger::LoadCause,
};

use super::{
    run::{Configuration, Figures, Place},
    workload::STREAMS,
};

/// Whether a check holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Held {
    Yes,
    No,
}
impl Held {
    pub(crate) fn when(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}

/// One statement about the figures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Check {
    /// What has to hold.
    pub(crate) claim: String,
    /// What was found.
    pub(crate) found: String,
    /// Whether it does.
    pub(crate) result: Held,
}

/// All of them.
pub(crate) fn all(figures: &[Figures]) -> Vec<Check> {
    let mut checks = Vec::new();
    for figures in figures {
        match figures.configuration {
            Configuration { tracker: TrackerKind::Polling, place: Place::Device } => {
                checks.push(polling_reads(figures))
            }
            Configuration { tracker: TrackerKind::Polling, .. } => {}
            Configuration { place, .. } => {
                checks.push(retiring_reads(figures));
                if place != Place::Host {
                    checks.push(flushes(figures));
                }
            }
        }
    }
    checks.push(proven_queries(figures));
    checks.push(books_agree(figures));
    checks.push(no_violations(figures));
    checks
}

fn batch() -> u64 {
    u64::from(Policy::default().ring.batch)
}

/// The first use of a signal that was created armed needs no read; each later one does.
fn polling_reads(figures: &Figures) -> Check {
    let (reads, uses) = (figures.counts.loads.all_device(), figures.counts.uses);
    Check {
        claim: format!("{}: at least 1 device read a use", figures.configuration),
        found: format!("{reads} for {uses}: {:.2} a use", ratio(reads, uses)),
        result: Held::when(reads + figures.counts.created >= uses),
    }
}
/// At most one read for as many fence uses as a batch has. Those that end a stream's work, or follow a
/// stream's synchronize, may find a batch that is not full.
fn retiring_reads(figures: &Figures) -> Check {
    let counts = &figures.counts;
    let (reads, fences) = (counts.loads.of(LoadCause::Retire), counts.fence_uses);
    let drains = figures.tally.drains;
    Check {
        claim: format!(
            "{}: at most 1 read to retire {} fence uses, and 1 a drain",
            figures.configuration,
            batch()
        ),
        found: format!(
            "{reads} for {fences} and {drains} drains: 1 for {:.0}",
            ratio(fences, reads)
        ),
        result: Held::when(reads <= fences / batch() + drains),
    }
}
/// One flush for each full batch of arms; each stream's last one may not be full. A copy that waits for
/// something flushes when it begins.
fn flushes(figures: &Figures) -> Check {
    let flushes = figures.counts.flushes;
    let arms = figures.device.arms.of(SignalMemory::Device);
    let copies = figures.tally.copies_that_wait;
    let batches = arms / batch();
    let last = STREAMS as u64;
    Check {
        claim: format!(
            "{}: 1 flush for {} arms of device signals, and 1 at most for a copy that waits",
            figures.configuration,
            batch()
        ),
        found: format!(
            "{flushes} for {arms} arms and {copies} copies: {:.1} arms a flush",
            ratio(arms, flushes)
        ),
        result: Held::when(
            (batches.saturating_sub(last)..=batches + last + copies).contains(&flushes),
        ),
    }
}
fn proven_queries(all: &[Figures]) -> Check {
    let queries: u64 = all.iter().map(|figures| figures.tally.proven_queries).sum();
    let loads: u64 = all.iter().map(|figures| figures.tally.proven_loads).sum();
    Check {
        claim: "a query of a proven event: 0 loads".to_owned(),
        found: format!("{loads} in {queries} such queries of all runs"),
        result: Held::when(loads == 0),
    }
}
/// What the library counts is what the device was asked for.
fn books_agree(all: &[Figures]) -> Check {
    let disagree: Vec<_> = all.iter().filter_map(disagreement).collect();
    Check {
        claim: "the library's ledger and the device count the same calls".to_owned(),
        found: if disagree.is_empty() {
            "loads, timestamps, arms, flushes, creations and packets of all runs".to_owned()
        } else {
            disagree.join("; ")
        },
        result: Held::when(disagree.is_empty()),
    }
}
fn disagreement(figures: &Figures) -> Option<String> {
    let (counts, device) = (&figures.counts, &figures.device);
    let timings = counts.loads.of(LoadCause::Timing);
    let read_backs = counts.loads.of(LoadCause::Flush);
    let loads = counts.loads.all_host() + counts.loads.all_device() - timings - read_backs;
    let kinds = [
        ("loads", loads, device.loads.total()),
        ("timestamps", timings, device.timestamps.total()),
        ("arms", counts.arms + figures.tally.part_stores, device.arms.total()),
        ("flushes", counts.flushes, device.flushes),
        ("creations", counts.created, device.created.total()),
        ("packets", counts.packets, device.packets),
    ];
    let (kind, library, device) = kinds.into_iter().find(|(_, ours, theirs)| ours != theirs)?;
    Some(format!("{}: {library} {kind}, the device saw {device}", figures.configuration))
}
fn no_violations(all: &[Figures]) -> Check {
    let violations: u64 = all.iter().map(|figures| figures.violations).sum();
    let uses: u64 = all.iter().map(|figures| figures.counts.uses).sum();
    Check {
        claim: "0 rule violations".to_owned(),
        found: format!("{violations} in {uses} uses, checked at every step"),
        result: Held::when(violations == 0),
    }
}

/// 0 when there is nothing to divide by.
pub(crate) fn ratio(of: u64, by: u64) -> f64 {
    if by == 0 { 0.0 } else { of as f64 / by as f64 }
}
