//! What has to follow from the figures of streams.

use ringfence::drive::ShutDown;

use super::{Figures, Policy, Workload};
use crate::demo::{
    checks::{Check, Held},
    table::grouped,
};

/// All of them. Those of leases are claims; baselines are only watched.
pub(crate) fn all(figures: &[Figures]) -> Vec<Check> {
    let leases: Vec<_> = figures.iter().filter(|f| f.policy == Policy::Lease).collect();
    vec![
        creations(&leases),
        nobody_waits(&leases),
        nobody_shares(&leases, figures),
        no_foreign_node(&leases, figures),
        flat_memory(&leases),
        nothing_leaked(&leases),
        no_crashes(figures),
        no_violations(figures),
    ]
}

fn creations(leases: &[&Figures]) -> Check {
    let peak = |figures: &Figures| u64::from(figures.pool.peak_leased_and_draining);
    let each = |figures: &&Figures| {
        format!("{} {} of {}", figures.workload, figures.pool.created, peak(figures))
    };
    Check {
        claim: "leases: streams created <= peak of leased and draining ones".to_owned(),
        found: leases.iter().map(each).collect::<Vec<_>>().join(", "),
        result: Held::when(leases.iter().all(|figures| figures.pool.created <= peak(figures))),
    }
}
fn nobody_waits(leases: &[&Figures]) -> Check {
    let waited: u64 = leases.iter().map(|figures| figures.tally.waited).sum();
    let held_up: u64 = leases.iter().map(|figures| figures.tally.held_up).sum();
    Check {
        claim: "leases: a new task never waits for left-over work, nor for somebody's capture"
            .to_owned(),
        found: format!("{waited} µs and {held_up} times in {} tasks", grouped(tasks(leases))),
        result: Held::when(waited == 0 && held_up == 0),
    }
}
fn nobody_shares(leases: &[&Figures], all: &[Figures]) -> Check {
    let shared: u64 = leases.iter().map(|figures| figures.shared).sum();
    let elsewhere = of_round_robin(all, |figures| figures.shared);
    Check {
        claim: "leases: no task shares a stream".to_owned(),
        found: format!(
            "{shared} of {}; with round robin {}",
            grouped(tasks(leases)),
            grouped(elsewhere)
        ),
        result: Held::when(shared == 0),
    }
}
fn no_foreign_node(leases: &[&Figures], all: &[Figures]) -> Check {
    let nodes: u64 = leases.iter().map(|figures| figures.foreign_nodes).sum();
    let elsewhere = of_round_robin(all, |figures| figures.foreign_nodes);
    Check {
        claim: "leases: no foreign node in a graph".to_owned(),
        found: format!("{nodes}; with round robin {}", grouped(elsewhere)),
        result: Held::when(nodes == 0),
    }
}
/// From the first look, after 250 of 2,000 iterations, to the end.
fn flat_memory(leases: &[&Figures]) -> Check {
    let stencils: Vec<_> = leases
        .iter()
        .filter(|figures| matches!(figures.workload, Workload::Stencil(_)))
        .filter_map(|figures| figures.memory)
        .collect();
    Check {
        claim: "leases: the stencils' modelled host memory is flat".to_owned(),
        found: format!(
            "{} of {} stencils took no more after an eighth of their iterations",
            stencils.iter().filter(|[first, last]| last <= first).count(),
            stencils.len()
        ),
        result: Held::when(stencils.iter().all(|[first, last]| last <= first)),
    }
}
fn nothing_leaked(leases: &[&Figures]) -> Check {
    let leaked = |figures: &&Figures| {
        let ShutDown { streams_leaked, memory_leaked, memory_live, buffers_leaked, .. } =
            figures.leaked;
        let left = [streams_leaked, memory_leaked, memory_live, buffers_leaked];
        left.map(u64::from).into_iter().sum::<u64>()
    };
    let leaked: u64 = leases.iter().map(leaked).sum();
    Check {
        claim: "leases: nothing is left over at the end".to_owned(),
        found: format!("{leaked} streams and pieces of memory"),
        result: Held::when(leaked == 0),
    }
}
fn no_crashes(all: &[Figures]) -> Check {
    let crashes: Vec<_> = all.iter().flat_map(|figures| &figures.crashes).collect();
    Check {
        claim: "all policies: no call that kills or hangs a process".to_owned(),
        found: match crashes.first() {
            Some(first) => format!("{}; the first: {first}", crashes.len()),
            None => "0".to_owned(),
        },
        result: Held::when(crashes.is_empty()),
    }
}
fn no_violations(all: &[Figures]) -> Check {
    let violations: u64 = all.iter().map(|figures| figures.violations).sum();
    let calls: u64 = all.iter().map(|figures| figures.driver.driver_calls()).sum();
    Check {
        claim: "all policies: 0 stream rule violations".to_owned(),
        found: format!("{violations} in {} driver calls", grouped(calls)),
        result: Held::when(violations == 0),
    }
}
fn tasks(leases: &[&Figures]) -> u64 {
    leases.iter().map(|figures| figures.tally.tasks).sum()
}
fn of_round_robin(all: &[Figures], of: fn(&Figures) -> u64) -> u64 {
    all.iter().filter(|figures| figures.policy == Policy::RoundRobin).map(of).sum()
}
