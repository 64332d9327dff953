//! Which planted faults a search finds: `tests/explored.tsv` says so, line by line, and is compared with what
//! is found. Each schedule is replayed, and has to break the same rule.

use ringfence::plant::{self, Fault};
use ringfence_mock::{
    explore::{Options, Shortest, Verdict, Witness, explore},
    scenario::{Scenario, Wrong, parse, run},
};

use crate::scenarios;

const TABLE: &str = include_str!("../../explored.tsv");

fn lines() -> impl Iterator<Item = Vec<&'static str>> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').collect())
}

/// The shortest schedule that breaks a rule with `fault` planted.
fn found(fault: Fault, scenario: &Scenario) -> Option<Box<Witness>> {
    let explored = plant::with(fault, || explore(scenario, &Options::default()));
    match explored.expect("it can be searched").verdict {
        Verdict::Broken(witness) => Some(witness),
        Verdict::Exhausted | Verdict::Bounded(_) | Verdict::Unsound => None,
    }
}

#[test]
fn the_table_says_what_a_search_finds() {
    let mut files = scenarios("");
    let more = scenarios("explore").into_iter();
    files.extend(more.map(|(name, scenario)| (format!("explore/{name}"), scenario)));
    let mut wrong = Vec::new();
    for line in lines() {
        let [name, rule, file, moves] = line[..] else { panic!("four columns: {line:?}") };
        let fault = Fault::ALL.iter().copied().find(|fault| fault.name() == name);
        let fault = fault.unwrap_or_else(|| panic!("no fault is called {name}"));
        let Some(witness) = found(fault, &files[file]) else {
            wrong.push(format!("{name}: not found in {file}"));
            continue;
        };
        let broken = witness.failure.rule.map(|rule| rule.name());
        let seen = format!("{name}\t{}\t{file}\t{}", broken.unwrap_or("none"), witness.moves);
        if seen != format!("{name}\t{rule}\t{file}\t{moves}") || rule != fault.rule() {
            wrong.push(format!("the table has {line:?}, and found is {seen:?}"));
        }
        if witness.shortest != Shortest::Yes {
            wrong.push(format!("{name}: the schedule may not be the shortest"));
        }
        let text = witness.scenario.to_string();
        let again = parse("schedule.toml", &text).expect("a schedule is a scenario");
        match plant::with(fault, || run(&again)) {
            Ok(_) => {
                wrong.push(format!("{name}: the schedule passes when it is replayed:\n{text}"))
            }
            Err(failed) if failed.failure().rule.map(|rule| rule.name()) == broken => {}
            Err(failed) => wrong.push(format!("{name}: replayed, {failed}:\n{text}")),
        }
        // Beyond the break, what the host then waits for is in nobody's script; but no rule breaks.
        if let Err(failed) = run(&again)
            && matches!(failed.failure().wrong, Wrong::RuleBroken { .. })
        {
            wrong.push(format!("{name}: the schedule fails without the fault, {failed}:\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_fault_of_signals_is_in_the_table_once() {
    let named: Vec<&str> = lines().map(|line| line[0]).collect();
    let faults = Fault::ALL.iter().filter(|fault| fault.rule().starts_with('S'));
    let faults: Vec<&str> = faults.map(|fault| fault.name()).collect();
    assert_eq!(named, faults, "streams are not searched yet: only faults of S rules are listed");
}
