//! The committed table of instruction counts, and the comparison with it.

use std::fmt::{self, Write};

/// A case may cost this much more, or less, than its row says: what a new compiler moves.
const TOLERANCE: f64 = 0.02;

/// What stands at the top of the file.
const HEAD: &str = "\
# Instructions a use, by case. `cargo xtask bench-gate` compares with a tolerance of 2 %;
# `cargo xtask bench-gate --bless` counts again and writes this file.
";

/// One case.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    pub(super) case: String,
    /// Instructions that one iteration costs.
    pub(super) instructions: f64,
}

/// What the comparison says of one case.
#[derive(PartialEq, Debug)]
pub(super) enum Verdict {
    /// Within the tolerance.
    Same { case: String, was: f64, is: f64 },
    /// Cheaper: welcome, and the table should learn of it.
    Cheaper { case: String, was: f64, is: f64 },
    /// More expensive.
    Dearer { case: String, was: f64, is: f64 },
    /// Counted, but not in the table.
    NoRow { case: String, is: f64 },
    /// In the table, but no longer counted.
    NoCase { case: String },
}
impl Verdict {
    /// Whether it fails the gate.
    pub(super) fn is_broken(&self) -> bool {
        !matches!(self, Self::Same { .. } | Self::Cheaper { .. })
    }
}
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let change = |was: f64, is: f64| (is / was - 1.0) * 100.0;
        match self {
            Self::Same { case, was, is } => {
                write!(f, "{case}: {is:.1} ({:+.2} % of {was:.1})", change(*was, *is))
            }
            Self::Cheaper { case, was, is } => {
                let change = change(*was, *is);
                write!(f, "{case}: {is:.1}, cheaper than {was:.1} ({change:+.2} %): bless it")
            }
            Self::Dearer { case, was, is } => {
                write!(f, "{case}: {is:.1}, dearer than {was:.1} ({:+.2} %)", change(*was, *is))
            }
            Self::NoRow { case, is } => write!(f, "{case}: {is:.1}, and no row in the table"),
            Self::NoCase { case } => {
                write!(f, "{case}: in the table, but the program has no such case")
            }
        }
    }
}

/// The rows of the file: lines of `case = number`.
pub(super) fn read(text: &str) -> Result<Vec<Row>, String> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| {
            let row = line.split_once('=').and_then(|(case, instructions)| {
                let instructions = instructions.trim().parse().ok()?;
                Some(Row { case: case.trim().trim_matches('"').to_owned(), instructions })
            });
            row.ok_or_else(|| format!("line {number} is no `case = instructions`: {line}"))
        })
        .collect()
}

/// The file that says `rows`.
pub(super) fn written(rows: &[Row]) -> String {
    let mut text = HEAD.to_owned();
    for Row { case, instructions } in rows {
        writeln!(text, "{case:?} = {instructions:.1}").expect("a string takes any text");
    }
    text
}

/// One verdict for each case of either side.
pub(super) fn compare(committed: &[Row], counted: &[Row]) -> Vec<Verdict> {
    let gone = committed
        .iter()
        .filter(|row| !counted.iter().any(|other| other.case == row.case))
        .map(|row| Verdict::NoCase { case: row.case.clone() });
    let seen = counted.iter().map(|row| {
        let (case, is) = (row.case.clone(), row.instructions);
        match committed.iter().find(|other| other.case == row.case) {
            None => Verdict::NoRow { case, is },
            Some(&Row { instructions: was, .. }) if is > was * (1.0 + TOLERANCE) => {
                Verdict::Dearer { case, was, is }
            }
            Some(&Row { instructions: was, .. }) if is < was * (1.0 - TOLERANCE) => {
                Verdict::Cheaper { case, was, is }
            }
            Some(&Row { instructions: was, .. }) => Verdict::Same { case, was, is },
        }
    });
    seen.chain(gone).collect()
}

/// The count of all instructions in a file of callgrind.
pub(super) fn summary(profile: &str) -> Option<u64> {
    let line = profile.lines().find_map(|line| line.strip_prefix("summary:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(case: &str, instructions: f64) -> Row {
        Row { case: case.to_owned(), instructions }
    }

    #[test]
    fn what_is_written_reads_back() {
        let rows = [row("plain_use", 81.5), row("queues_64", 90.0)];
        assert_eq!(read(&written(&rows)), Ok(rows.to_vec()));
        assert!(read("plain_use 81").is_err_and(|why| why.contains("line 1")));
    }

    #[test]
    fn two_percent_either_way_is_the_same() {
        let committed = [row("a", 100.0)];
        let broken = |is| compare(&committed, &[row("a", is)])[0].is_broken();
        assert!(!broken(101.9) && !broken(98.1) && !broken(50.0));
        assert!(broken(102.1));
        let cheaper = &compare(&committed, &[row("a", 97.0)])[0];
        assert!(matches!(cheaper, Verdict::Cheaper { .. }), "{cheaper}");
    }

    #[test]
    fn rows_and_cases_must_match() {
        let verdicts = compare(&[row("gone", 1.0)], &[row("new", 1.0)]);
        assert_eq!(verdicts.len(), 2);
        assert!(verdicts.iter().all(Verdict::is_broken));
    }

    #[test]
    fn the_summary_of_a_profile_is_found() {
        assert_eq!(summary("events: Ir\nsummary: 5678\n\ntotals: 5678\n"), Some(5678));
        assert_eq!(summary("events: Ir\n"), None);
    }
}
