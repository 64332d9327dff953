//! Random programs about streams, on every driver: no rule breaks, nothing would have crashed, and nothing is
//! left over.

use proptest::{prelude::*, test_runner::RngSeed};
use ringfence_mock::streams::profile::DriverProfile;
use ringfence_tests::programs::streams::{Manner, StreamVerdict, drafts, machine, program, run};

const SEED: u64 = 0x5354_524d;

fn check(manner: Manner, cases: u32) {
    println!("programs of seed {SEED:#x}");
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(SEED),
        max_shrink_iters: 4_000,
        ..ProptestConfig::default()
    };
    let profile = prop::sample::select(DriverProfile::ALL.to_vec());
    let programs = (drafts(manner), profile, 0..8_u32);
    let outcome = proptest::test_runner::TestRunner::new(config).run(
        &programs,
        |(drafts, profile, variant)| {
            let steps = program(&drafts, manner, profile);
            let setup = machine(profile, variant);
            match run(&setup, profile, &steps, manner) {
                StreamVerdict::Sound => Ok(()),
                StreamVerdict::Broken { rule, wrong } => Err(TestCaseError::fail(format!(
                    "{rule:?}: {}\non {profile}, variant {variant}, steps:\n{}\ntrace:\n{}",
                    wrong.wrong,
                    steps.iter().map(|step| format!("  {:?}\n", step.action)).collect::<String>(),
                    wrong.trace.join("\n"),
                ))),
            }
        },
    );
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

#[test]
fn healthy_programs() {
    check(Manner::Healthy, 3_000);
}

#[test]
fn programs_in_which_the_driver_refuses() {
    check(Manner::Refusing, 2_000);
}

#[test]
fn programs_with_handles_given_out() {
    check(Manner::Exposed, 2_000);
}

#[test]
fn programs_in_which_things_break() {
    check(Manner::Faulty, 3_000);
}

#[test]
fn programs_in_which_the_device_is_lost() {
    check(Manner::Losing, 2_000);
}
