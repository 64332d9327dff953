use ringfence::{
    error::{DriverCode, DriverError, StreamError},
    id::StreamKey,
    plant::{self, Fault},
};
use ringfence_mock::streams::oracle::StreamRule;

use super::{
    Aborted, Figures, Grid, Policy, Size, Workload, checks, memory_table, report, run, table,
};
use crate::{
    demo::checks::{Check, Held},
    trace::Trace,
};

const SIZE: Size = Size::new(1_200);

fn figures(policy: Policy, workload: Workload) -> Figures {
    sized(policy, workload, SIZE)
}
fn sized(policy: Policy, workload: Workload, size: Size) -> Figures {
    println!("{workload} with {policy}, {size:?}");
    run(policy, workload, size, (&Trace::off(), 0), &mut |_| {})
        .unwrap_or_else(|aborted| panic!("{aborted:?}"))
}
fn all() -> Vec<Figures> {
    let each = |workload| Policy::ALL.map(|policy| figures(policy, workload));
    Workload::ALL.into_iter().flat_map(each).collect()
}
fn missed(all: &[Figures]) -> Vec<Check> {
    checks::all(all).into_iter().filter(|check| check.result == Held::No).collect()
}

#[test]
fn all_checks_hold_and_each_can_fail() {
    let all = all();
    assert_eq!(missed(&all), []);

    type Spoil = fn(&mut Figures);
    let spoiled: [(&str, Spoil); 8] = [
        ("streams created <=", |f| f.pool.created += 1),
        ("never waits", |f| f.tally.waited = 1),
        ("never waits", |f| f.tally.held_up = 1),
        ("no task shares", |f| f.shared = 1),
        ("no foreign node", |f| f.foreign_nodes = 1),
        ("left over at the end", |f| f.leaked.memory_leaked = 1),
        ("kills or hangs", |f| f.crashes = vec!["a launch of nothing".to_owned()]),
        ("0 stream rule violations", |f| f.violations = 1),
    ];
    for (claim, spoil) in spoiled {
        let mut all = all.clone();
        all.iter_mut().for_each(spoil);
        let missed = missed(&all);
        assert!(missed.iter().any(|check| check.claim.contains(claim)), "{claim}: {missed:?}");
    }
    let mut grown = all.clone();
    for memory in grown.iter_mut().filter_map(|figures| figures.memory.as_mut()) {
        memory[1] = memory[1].times(2);
    }
    assert!(missed(&grown).iter().any(|check| check.claim.contains("is flat")));
    tables_fit(&all);
}
fn tables_fit(all: &[Figures]) {
    for text in [table(all), memory_table(all, SIZE)] {
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(Policy::ALL.iter().all(|policy| text.contains(policy.name())), "{text}");
    }
}

#[test]
fn what_each_policy_is_known_for_shows() {
    let long = Size::new(6_000);
    let pipelines = Policy::ALL.map(|policy| sized(policy, Workload::Pipelines, long));
    let [_, _, round_robin, lease] = &pipelines;
    assert!(round_robin.shared > 0 && round_robin.foreign_nodes > 0, "{round_robin:?}");
    assert!(lease.pool.created < 32, "{lease:?}");
    assert!(pipelines.iter().all(|figures| figures.tally.tasks == pipelines[0].tally.tasks));

    let sequential = Policy::ALL.map(|policy| figures(policy, Workload::Sequential));
    let [drop, deferred, _, lease] = &sequential;
    assert_eq!((lease.pool.created, lease.tally.peak), (1, 1));
    assert_eq!(drop.pool.created, drop.tally.tasks);
    assert_eq!(deferred.driver.peak_live, 513, "its limit, and a stream that frees");
    assert!(drop.modelled() > lease.modelled() * 10);
    assert!(deferred.modelled() > drop.modelled(), "a creation takes longer beside many");

    let leftover = figures(Policy::Lease, Workload::Leftover);
    assert!(leftover.pool.created > 1, "the next task does not wait for the work that is left");
}

#[test]
fn the_window_bounds_what_a_stencil_has_in_flight() {
    for grid in [Grid::One, Grid::Two, Grid::Four] {
        let figures = figures(Policy::Lease, Workload::Stencil(grid));
        let iterations = SIZE.iterations_of_stencils();
        assert_eq!(figures.tally.tasks, u64::from(1 + iterations * grid.chunks()));
        assert!(figures.tally.peak <= super::stencil::WINDOW * grid.chunks(), "{figures:?}");
        assert!(figures.tally.peak > grid.chunks(), "iterations overlap: {figures:?}");
    }
}

#[test]
fn a_run_repeats_itself_and_reports_its_progress() {
    let play = || {
        let mut tasks = 0;
        let size = Size::new(3_000);
        let played =
            run(Policy::Lease, Workload::Leftover, size, (&Trace::off(), 0), &mut |more| {
                tasks += more
            });
        let figures = played.unwrap_or_else(|aborted| panic!("{aborted:?}"));
        assert!((1..=3_000).contains(&tasks), "{tasks}");
        (figures.driver, figures.pool, figures.device_time, tasks)
    };
    assert_eq!(play(), play());
}

/// The oracle watches: a rule that the pool breaks is named, with its trace, and the figures show it.
#[test]
fn a_planted_fault_is_reported_by_its_rule() {
    use Policy::{FreshDrop, Lease};
    use Workload::{Leftover, Pipelines, Stencil};
    let planted = [
        (Fault::LeaseBeforeDone, Lease, Leftover, StreamRule::T1),
        (Fault::CapCountsLeases, Lease, Stencil(Grid::Four), StreamRule::T2),
        (Fault::CreateUnderLock, Lease, Leftover, StreamRule::T4),
        (Fault::ActAfterCheck, Lease, Pipelines, StreamRule::T5),
        (Fault::KeepGeneration, Lease, Leftover, StreamRule::T6),
        (Fault::FreeOnRecycled, Lease, Pipelines, StreamRule::T7),
        (Fault::QueryWithoutGuard, Lease, Pipelines, StreamRule::T8),
        (Fault::DestroyBusy, FreshDrop, Leftover, StreamRule::T10),
        (Fault::MarkWhileCapturing, Lease, Pipelines, StreamRule::T13),
    ];
    for (fault, policy, workload, rule) in planted {
        println!("{} in {workload} with {policy}, {SIZE:?}", fault.name());
        let played =
            plant::with(fault, || run(policy, workload, SIZE, (&Trace::off(), 0), &mut |_| {}));
        let (first, text) = match played {
            Ok(figures) => (figures.first_violation.clone(), report::broken(&figures)),
            Err(aborted) => (aborted.first_violation.clone(), report::aborted(&aborted)),
        };
        let first = first.unwrap_or_else(|| panic!("{} goes unnoticed", fault.name()));
        assert_eq!(first.rule, rule, "{}: {first}", fault.name());
        assert!(text.contains(&format!("{workload} with {policy}")), "{text}");
        assert!(text.contains(&format!("{rule} broken")), "{text}");
    }
}

#[test]
fn a_run_that_ends_early_says_which_and_why() {
    let key =
        StreamKey::new(ringfence::id::DeviceContext::primary(ringfence::id::DeviceId::new(0)));
    let cause = DriverError::OutOfMemory(DriverCode::new(2));
    let aborted = Aborted {
        policy: Policy::FreshDeferred,
        workload: Workload::Stencil(Grid::Two),
        error: StreamError::Create { key, cause },
        first_violation: None,
    };
    let text = report::aborted(&aborted);
    assert!(
        text.starts_with("ringfence: stencil_2x2 with fresh_deferred: the run ended early: "),
        "{text}"
    );
}

#[test]
fn the_length_of_all_workloads_follows_from_the_tasks() {
    let usual = Size::new(20_000);
    assert_eq!((usual.first_look(), usual.iterations_of_stencils()), (250, 2_000));
    assert_eq!(usual.iterations_of_pipelines(), 500);
    let tiny = Size::new(1);
    assert!(Workload::ALL.into_iter().all(|workload| tiny.about(workload) > 0));
    for policy in Policy::ALL {
        for workload in Workload::ALL {
            assert!(sized(policy, workload, tiny).tally.tasks > 0);
        }
    }
    let text = report::opening(usual);
    assert!(text.contains("20,000 tasks one after another"), "{text}");
    assert!(text.contains("2,000 iterations over NxN chunks, 3 in flight"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

/// A cap that counts live leases makes the pool create what it need not: the claim fails, not the rule alone.
#[test]
fn needless_creations_break_the_claim() {
    let workload = Workload::Stencil(Grid::Four);
    let figures = plant::with(Fault::CapCountsLeases, || figures(Policy::Lease, workload));
    let missed = missed(&[figures]);
    assert!(missed.iter().any(|check| check.claim.contains("streams created <=")), "{missed:?}");
}
