//! Every check is seen to fail: each planted fault is caught by a scenario and by random programs, and
//! the report names exactly the rule that the fault breaks.
//!
//! Run with `cargo test -p ringfence-tests --features planted`.
#![cfg(feature = "planted")]

use std::{collections::BTreeMap, fs, path::Path};

use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::{Config, RngSeed, TestRunner},
};
use ringfence::{
    placement::EventPlacement,
    plant::{self, Fault},
};
use ringfence_mock::{
    scenario::{AnyParsed, parse_any, run_any},
    streams::profile::DriverProfile,
};
use ringfence_tests::programs::{
    Roughness, Verdict, drafts, machine, machine_with_a_peer, program, run,
    streams::{self, StreamVerdict},
};

/// The corpus of both halves.
fn scenarios() -> BTreeMap<String, AnyParsed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let folders = [folder.clone(), folder.join("streams")];
    let files = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("the corpus is part of the repository"));
    let files = files.map(|entry| entry.expect("a readable folder").path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    files
        .map(|path| {
            let name = path.strip_prefix(&folder).unwrap_or(&path).display().to_string();
            let text = fs::read_to_string(&path).expect("a readable file");
            let parsed = parse_any(&name, &text).expect("the corpus parses");
            (name, parsed)
        })
        .collect()
}

#[test]
fn each_fault_is_caught_by_the_scenarios_that_say_so() {
    let scenarios = scenarios();
    let mut missed = Vec::new();
    for &fault in Fault::ALL {
        let catching = scenarios
            .iter()
            .filter(|(_, parsed)| parsed.catches().iter().any(|name| name == fault.name()));
        let mut count = 0;
        for (name, parsed) in catching {
            count += 1;
            match plant::with(fault, || run_any(parsed)) {
                Ok(_) => missed.push(format!("{name} passes in spite of {}", fault.name())),
                Err(failed) => {
                    let rule = failed.rule();
                    if rule != Some(fault.rule()) {
                        missed.push(format!(
                            "{name} names {rule:?} for {}, which breaks {}: {failed}",
                            fault.name(),
                            fault.rule()
                        ));
                    }
                }
            }
        }
        println!("{} ({}): {count} scenarios", fault.name(), fault.rule());
        if count == 0 {
            missed.push(format!("no scenario says that it catches {}", fault.name()));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

const SEED: u64 = 0x5249_4e47;
const PROGRAMS: u32 = 6_000;

/// The first report of random programs with `fault` planted: after how many programs, and which rule.
type Report = Option<(u32, Option<&'static str>, String)>;

fn first_report(fault: Fault) -> Report {
    if fault.rule().starts_with('T') { of_streams(fault) } else { of_signals(fault) }
}
fn of_streams(fault: Fault) -> Report {
    let config = Config { rng_seed: RngSeed::Fixed(SEED), ..Config::default() };
    let mut runner = TestRunner::new(config);
    // Each fault has a manner in which it shows, and the tamest is best at naming the rule.
    let manner = match fault {
        Fault::DropRefusedFree => streams::Manner::Refusing,
        Fault::HandOutCapturing => streams::Manner::Faulty,
        Fault::TrustVoidWord | Fault::WrapMakesAnother => streams::Manner::Exposed,
        _ => streams::Manner::Healthy,
    };
    for at in 0..PROGRAMS {
        let profile = DriverProfile::ALL[at as usize % DriverProfile::ALL.len()];
        let drafts = streams::drafts(manner).new_tree(&mut runner).expect("nothing is filtered");
        let steps = streams::program(&drafts.current(), manner, profile);
        let setup = streams::machine(profile, at / 5 % 8);
        let verdict = plant::with(fault, || streams::run(&setup, profile, &steps, manner));
        if let StreamVerdict::Broken { rule, wrong } = verdict {
            return Some((at + 1, rule.map(|rule| rule.name()), wrong.wrong.to_string()));
        }
    }
    None
}
fn of_signals(fault: Fault) -> Report {
    let config = Config { rng_seed: RngSeed::Fixed(SEED), ..Config::default() };
    let mut runner = TestRunner::new(config);
    for at in 0..PROGRAMS {
        // The machines and manners take turns: each fault has one in which it shows.
        let roughness = match at % 2 {
            0 => Roughness::Healthy,
            _ if fault == Fault::LostIsFinished => Roughness::Losing,
            _ => Roughness::Faulty,
        };
        let events = [EventPlacement::Host, EventPlacement::Device][(at / 2 % 2) as usize];
        let setup = match fault {
            Fault::PeerReadsDeviceCell => machine_with_a_peer(events),
            _ => machine(events),
        };
        let drafts =
            drafts(roughness).new_tree(&mut runner).expect("nothing is filtered").current();
        let steps = program(&drafts, &setup);
        let verdict = plant::with(fault, || run(&setup, &steps, u64::from(at), roughness));
        if let Verdict::Broken { rule, wrong } = verdict {
            return Some((at + 1, rule.map(|rule| rule.name()), wrong.wrong.to_string()));
        }
    }
    None
}

#[test]
fn each_fault_is_caught_by_random_programs() {
    println!("programs of seed {SEED:#x}");
    let mut missed = Vec::new();
    for &fault in Fault::ALL {
        match first_report(fault) {
            Some((programs, rule, what)) if rule == Some(fault.rule()) => {
                println!("{} ({}): in program {programs}: {what}", fault.name(), fault.rule());
            }
            Some((programs, rule, what)) => missed.push(format!(
                "{} breaks {}, and program {programs} names {rule:?}: {what}",
                fault.name(),
                fault.rule()
            )),
            None => missed.push(format!("{}: not in {PROGRAMS} programs", fault.name())),
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
