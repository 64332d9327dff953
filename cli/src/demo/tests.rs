use std::process::ExitCode;

use ringfence::{
    error::{Error, WaitedFor},
    id::{Generation, LaneId, PacketId, QueueId, UseId},
    plant::{self, Fault},
};
use ringfence_mock::{chooser::Profile, oracle::Rule};

use super::{
    Half,
    checks::{self, Check, Held},
    report,
    run::{self, Configuration, Figures},
    streams, verdict,
    workload::{EVENTS_EACH, Kind, Mix, QUEUES, Step},
};
use crate::{output::Colours, trace::Trace};

const SEED: u64 = 11;
const USES: u32 = 3_000;

fn figures(configuration: Configuration) -> Figures {
    println!("seed {SEED}, {USES} uses, {configuration}");
    let mix = Mix::roll(SEED, USES);
    run::run(configuration, &mix, SEED, Profile::Hostile, &Trace::off(), &mut |_| {})
        .expect("a healthy device")
}
fn missed(all: &[Figures]) -> Vec<Check> {
    checks::all(all).into_iter().filter(|check| check.result == Held::No).collect()
}

#[test]
fn the_mix_follows_from_seed_and_uses_alone() {
    let mix = Mix::roll(SEED, USES);
    assert_eq!(mix, Mix::roll(SEED, USES));
    assert_ne!(mix, Mix::roll(SEED + 1, USES));
    let total: u64 = Kind::ALL.into_iter().map(|kind| mix.count(kind)).sum();
    assert_eq!(total, mix.steps().len() as u64);
    let uses =
        [Kind::KernelWithBarrier, Kind::KernelWithout, Kind::Profiled, Kind::Record, Kind::Copy];
    let uses: u64 = uses.into_iter().map(|kind| mix.count(kind)).sum();
    assert_eq!(uses, u64::from(USES));
    assert!(Kind::ALL.into_iter().all(|kind| mix.count(kind) > 0), "{mix}");
}

#[test]
fn waits_are_for_streams_of_other_queues() {
    let mix = Mix::roll(SEED, USES);
    let mut waits = 0;
    for step in mix.steps() {
        if let Step::Wait { on, event } = *step {
            assert_ne!(on.index() % QUEUES, event.owner().index() % QUEUES);
            assert_eq!(event.owner().index(), event.index() / EVENTS_EACH);
            waits += 1;
        }
    }
    assert!(waits > 0);
}

#[test]
fn a_run_repeats_itself() {
    let [one, two] = [(); 2].map(|()| figures(Configuration::ALL[3]));
    assert_eq!(
        (one.counts, one.device, one.modelled, one.tally),
        (two.counts, two.device, two.modelled, two.tally)
    );
}

#[test]
fn all_checks_hold_and_each_can_fail() {
    let all = Configuration::ALL.map(figures);
    assert_eq!(missed(&all), []);
    assert!(all.iter().all(|figures| figures.tally.proven_queries > 0));
    assert!(all.iter().all(|figures| figures.tally.intervals > 0));

    type Spoil = fn(&mut Figures);
    let spoiled: [(&str, Spoil); 6] = [
        ("device read a use", |f| f.counts.uses *= 4),
        ("to retire 32", |f| (f.counts.fence_uses, f.tally.drains) = (0, 0)),
        ("1 flush for 32", |f| (f.counts.flushes, f.device.flushes) = (9_999, 9_999)),
        ("0 loads", |f| f.tally.proven_loads = 1),
        ("count the same calls", |f| f.counts.created += 1),
        ("0 rule violations", |f| f.violations = 1),
    ];
    for (claim, spoil) in spoiled {
        let mut all = all.clone();
        all.iter_mut().for_each(spoil);
        let missed = missed(&all);
        assert!(missed.iter().any(|check| check.claim.contains(claim)), "{claim}: {missed:?}");
        assert!(report::checks(&missed, Colours::Off).starts_with('✗'));
        assert!(report::checks(&missed, Colours::On).contains("\u{1b}[31m✗"));
    }
}

/// The oracle watches the demonstration: a rule that the library breaks is named, with its trace.
#[test]
fn a_planted_fault_is_reported_by_its_rule() {
    let planted = [
        (Fault::TrustReadIndex, Rule::S3),
        (Fault::FenceWithoutBarrierBit, Rule::S2),
        (Fault::NoPin, Rule::S9),
        (Fault::NoFlush, Rule::S10),
        (Fault::ArmBeforeTiming, Rule::S16),
        (Fault::ReloadProven, Rule::S19),
    ];
    for (fault, rule) in planted {
        let figures = plant::with(fault, || figures(Configuration::ALL[3]));
        let first = figures.first_violation.clone();
        let first = first.unwrap_or_else(|| panic!("{} goes unnoticed", fault.name()));
        assert_eq!(first.rule, rule, "{}: {first}", fault.name());
        let report = report::broken(&figures);
        assert!(report.contains("retiring on device signals"), "{report}");
        assert!(report.contains(&format!("{rule} broken at step")), "{report}");
        assert!(report.contains("the last calls and device moves:\n  "), "{report}");
    }
}

#[test]
fn a_run_that_ends_early_says_which_and_why() {
    let lane = LaneId::new(QueueId::new(2), Generation::FIRST);
    let of = UseId::new(lane, PacketId::new(7));
    let aborted = run::Aborted {
        configuration: Configuration::ALL[0],
        error: Error::TimedOut { of, waited_for: WaitedFor::Use },
        first_violation: None,
        trace: vec!["     1  wait for s0x1 < 1".to_owned()],
    };
    let report = report::aborted(&aborted);
    assert!(
        report.starts_with("ringfence: polling on host signals: the run ended early: use q2g0#7")
    );
    assert!(report.ends_with("moves:\n       1  wait for s0x1 < 1\n"), "{report}");
}

/// The exit code tells of a broken rule, and of a claim about leases that does not hold.
#[test]
fn streams_that_break_a_rule_or_a_claim_fail_the_demonstration() {
    let size = streams::Size::new(200);
    let (policy, workload) = (streams::Policy::Lease, streams::Workload::Leftover);
    println!("{workload} with {policy}, {size:?}");
    let played = streams::run(policy, workload, size, (&Trace::off(), 0), &mut |_| {})
        .expect("a healthy driver");
    let judged = |figures: streams::Figures| {
        let figures = vec![figures];
        let checks = streams::checks(&figures);
        verdict(&Half { figures: Vec::new(), checks: Vec::new() }, &Half { figures, checks })
    };
    assert_eq!(judged(played.clone()), ExitCode::SUCCESS);
    type Spoil = fn(&mut streams::Figures);
    let spoiled: [Spoil; 3] = [|f| f.violations = 1, |f| f.shared = 1, |f| f.pool.created = 1_000];
    for spoil in spoiled {
        let mut figures = played.clone();
        spoil(&mut figures);
        assert_eq!(judged(figures), ExitCode::FAILURE);
    }
}
