//! The committed table of instruction counts, which `cargo xtask bench-gate` compares with: it has every
//! case, and the cost of a use does not grow with the number of queues.

use std::collections::BTreeMap;

use ringfence_tests::cases;

fn table() -> BTreeMap<String, f64> {
    include_str!("../benches/instructions.toml")
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (case, count) = line.split_once('=').expect("a line is `\"case\" = count`");
            let count = count.trim().parse().expect("a count is a number");
            (case.trim().trim_matches('"').to_owned(), count)
        })
        .collect()
}

#[test]
fn every_case_has_a_row() {
    let rows = table();
    let cases: Vec<&str> = cases::ALL.iter().map(|case| case.name).collect();
    let mut rows: Vec<&str> = rows.keys().map(String::as_str).collect();
    rows.sort_by_key(|row| cases.iter().position(|case| case == row));
    assert_eq!(rows, cases);
}

#[test]
fn instructions_a_use_are_flat_from_1_to_64_queues() {
    let rows = table();
    let counts = ["plain_1", "plain_8", "plain_64"].map(|case| rows[case]);
    let most = counts.iter().copied().fold(f64::MIN, f64::max);
    let least = counts.iter().copied().fold(f64::MAX, f64::min);
    assert!(most <= 1.3 * least, "{counts:?}");
}

const UNITS: u64 = 20_000;

#[test]
fn every_case_runs_and_counts_what_it_does() {
    for case in cases::ALL {
        let mut work = (case.open)();
        work.run(UNITS);
        let before = work.counts();
        work.run(UNITS);
        let after = work.counts();
        let did = after.arms - before.arms;
        // All but what is still in flight on one of 64 queues.
        let about = |uses: u64| (uses - 64 * 32..=uses + 64 * 32).contains(&did);
        match case.unit {
            cases::Unit::Use => assert!(about(UNITS), "{}: {did} arms", case.name),
            cases::Unit::Round => assert!(about(3 * UNITS), "{}: {did} arms", case.name),
            cases::Unit::Query => {
                assert_eq!(after, before, "{}: a proven event costs nothing", case.name);
            }
        }
    }
}
