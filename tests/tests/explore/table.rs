//! Which planted faults a search finds: `tests/explored.tsv` says so, line by line, and is compared with what
//! is found. Each schedule is replayed, and has to break the same rule.

use ringfence::plant::{self, Fault};
use ringfence_mock::{
    explore::{Options, Shortest, Verdict, Witness, explore, explore_streams},
    scenario::{Scenario, Wrong, parse, run},
    streams::scenario::{self as of_streams, StreamFailure, StreamScenario},
};

use crate::{scenarios, streams};

const TABLE: &str = include_str!("../../explored.tsv");

fn lines() -> impl Iterator<Item = Vec<&'static str>> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').collect())
}

/// A schedule that was found, and what becomes of it.
struct Found {
    rule: Option<&'static str>,
    moves: u32,
    shortest: Shortest,
    text: String,
    /// The rule that breaks when it is replayed with the fault, or what happens in place of that.
    again: Result<&'static str, String>,
    /// The rule that breaks without the fault.
    healthy: Option<String>,
}

/// The shortest schedule that breaks a rule with `fault` planted.
fn of_signals(fault: Fault, scenario: &Scenario) -> Option<Found> {
    let explored = plant::with(fault, || explore(scenario, &Options::default()));
    let witness = match explored.expect("it can be searched").verdict {
        Verdict::Broken(witness) => witness,
        Verdict::Exhausted | Verdict::Bounded(_) | Verdict::Unsound => return None,
    };
    let Witness { failure, scenario, moves, shortest } = *witness;
    let text = scenario.to_string();
    let again = parse("schedule.toml", &text).expect("a schedule is a scenario");
    let replayed = match plant::with(fault, || run(&again)) {
        Ok(_) => Err("it passes".to_owned()),
        Err(failed) => match failed.failure().rule {
            Some(rule) => Ok(rule.name()),
            None => Err(failed.to_string()),
        },
    };
    // Beyond the break, what the host then waits for is in nobody's script; but no rule breaks.
    let healthy = run(&again).err().filter(|failed| {
        let wrong = &failed.failure().wrong;
        matches!(wrong, Wrong::RuleBroken { .. })
    });
    let healthy = healthy.map(|failed| failed.to_string());
    let rule = failure.rule.map(|rule| rule.name());
    Some(Found { rule, moves, shortest, text, again: replayed, healthy })
}

/// The same of streams, on the first driver of the file on which it breaks one.
fn of_a_pool(fault: Fault, scenario: &StreamScenario) -> Option<Found> {
    let options = Options::default();
    let witness = scenario.setup.drivers.iter().find_map(|&driver| {
        let explored = plant::with(fault, || explore_streams(scenario, driver, &options));
        match explored.expect("it can be searched").verdict {
            Verdict::Broken(witness) => Some(witness),
            Verdict::Exhausted | Verdict::Bounded(_) | Verdict::Unsound => None,
        }
    })?;
    let Witness { failure, scenario, moves, shortest } = *witness;
    let text = scenario.to_string();
    let again = of_streams::parse("schedule.toml", &text).expect("a schedule is a scenario");
    let rule = |failure: &StreamFailure| failure.rule.map(|rule| rule.name());
    let replayed = match plant::with(fault, || of_streams::run(&again)) {
        Ok(_) => Err("it passes".to_owned()),
        Err(failed) => rule(failed.failure()).ok_or_else(|| failed.to_string()),
    };
    // What the file would have shut down or let go of later is left over; but no rule breaks.
    let healthy = of_streams::run(&again).err().filter(|failed| rule(failed.failure()).is_some());
    let healthy = healthy.map(|failed| failed.to_string());
    Some(Found { rule: rule(&failure), moves, shortest, text, again: replayed, healthy })
}

#[test]
fn the_table_says_what_a_search_finds() {
    let mut signals = scenarios("");
    let more = scenarios("explore").into_iter();
    signals.extend(more.map(|(name, scenario)| (format!("explore/{name}"), scenario)));
    let pools = ["streams", "explore/streams"].into_iter().flat_map(|folder| {
        let files = streams::scenarios(folder).into_iter();
        files.map(move |(name, scenario)| (format!("{folder}/{name}"), scenario))
    });
    let pools: std::collections::BTreeMap<_, _> = pools.collect();
    let mut wrong = Vec::new();
    for line in lines() {
        let [name, rule, file, moves] = line[..] else { panic!("four columns: {line:?}") };
        let fault = Fault::ALL.iter().copied().find(|fault| fault.name() == name);
        let fault = fault.unwrap_or_else(|| panic!("no fault is called {name}"));
        let found = match signals.get(file) {
            Some(scenario) => of_signals(fault, scenario),
            None => of_a_pool(fault, &pools[file]),
        };
        let Some(found) = found else {
            wrong.push(format!("{name}: not found in {file}"));
            continue;
        };
        let Found { rule: broken, text, .. } = &found;
        let seen = format!("{name}\t{}\t{file}\t{}", broken.unwrap_or("none"), found.moves);
        if seen != format!("{name}\t{rule}\t{file}\t{moves}") || rule != fault.rule() {
            wrong.push(format!("the table has {line:?}, and found is {seen:?}"));
        }
        if found.shortest != Shortest::Yes {
            wrong.push(format!("{name}: the schedule may not be the shortest"));
        }
        if found.again.as_deref().ok() != *broken {
            let again = &found.again;
            wrong.push(format!("{name}: replayed, {again:?} in place of {broken:?}:\n{text}"));
        }
        if let Some(healthy) = &found.healthy {
            wrong.push(format!("{name}: the schedule fails without the fault, {healthy}:\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_fault_of_a_rule_is_in_the_table_once() {
    let named: Vec<&str> = lines().map(|line| line[0]).collect();
    let faults: Vec<&str> = Fault::ALL.iter().map(|fault| fault.name()).collect();
    assert_eq!(named, faults);
}
