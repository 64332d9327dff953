//! Random programs on a hostile device: no rule breaks, and nothing is left over.

use proptest::{prelude::*, test_runner::RngSeed};
use ringfence::placement::EventPlacement;
use ringfence_mock::scenario::{Setup, Tracking};
use ringfence_tests::programs::{
    Roughness, Verdict, drafts, machine, machine_with_a_peer, program, run,
};

const SEED: u64 = 0x5249_4e47;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(SEED),
        max_shrink_iters: 4_000,
        ..ProptestConfig::default()
    }
}
fn check(setup: &Setup, roughness: Roughness, cases: u32) {
    println!("programs of seed {SEED:#x}");
    let programs = (drafts(roughness), 1..1_000_u64);
    let outcome =
        proptest::test_runner::TestRunner::new(config(cases)).run(&programs, |(drafts, seed)| {
            let steps = program(&drafts, setup);
            match run(setup, &steps, seed, roughness) {
                Verdict::Sound => Ok(()),
                Verdict::Broken { rule, wrong } => Err(TestCaseError::fail(format!(
                    "{rule:?}: {}\nwith seed {seed}, steps:\n{}\ntrace:\n{}",
                    wrong.wrong,
                    steps.iter().map(|step| format!("  {:?}\n", step.action)).collect::<String>(),
                    wrong.trace.join("\n"),
                ))),
            }
        });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

#[test]
fn healthy_programs_with_host_events() {
    check(&machine(EventPlacement::Host), Roughness::Healthy, 1_500);
}

#[test]
fn healthy_programs_with_device_events() {
    check(&machine(EventPlacement::Device), Roughness::Healthy, 700);
}

#[test]
fn healthy_programs_with_twin_events() {
    check(&machine(EventPlacement::Twin), Roughness::Healthy, 700);
}

#[test]
fn healthy_programs_with_the_polling_tracker() {
    let setup = Setup { tracker: Tracking::Polling, ..machine(EventPlacement::Host) };
    check(&setup, Roughness::Healthy, 700);
}

#[test]
fn programs_in_which_things_break() {
    check(&machine(EventPlacement::Host), Roughness::Faulty, 1_500);
}

/// A wait for a cell in the other device's memory is refused, which is an error of that step alone.
#[test]
fn programs_on_two_devices() {
    for events in [EventPlacement::Host, EventPlacement::Device, EventPlacement::Twin] {
        check(&machine_with_a_peer(events), Roughness::Faulty, 500);
    }
}

#[test]
fn programs_in_which_the_device_is_lost() {
    check(&machine(EventPlacement::Device), Roughness::Losing, 700);
}

#[test]
fn programs_in_which_things_break_with_the_polling_tracker() {
    let setup = Setup { tracker: Tracking::Polling, ..machine(EventPlacement::Device) };
    check(&setup, Roughness::Faulty, 700);
}
