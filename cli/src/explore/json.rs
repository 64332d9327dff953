//! What a search came to, for programs: one line for each file.

use std::fmt::Display;

use ringfence_mock::explore::{Explored, Limit, Shortest, Verdict};
use serde::Serialize;

use super::Told;

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    driver: Option<&'a str>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shortest: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scenario: Option<String>,
    #[serde(flatten)]
    figures: Option<Figures>,
}
#[derive(Serialize)]
struct Figures {
    states: u64,
    transitions: u64,
    schedules: f64,
    choices: usize,
    met_again: u64,
    checked: u64,
    differing: u64,
    seconds: f64,
    states_per_second: f64,
}

pub(super) fn line<F: Told, S: Display>(
    file: &str,
    driver: Option<&str>,
    explored: &Explored<F, S>,
) -> String {
    let figures = &explored.figures;
    let figures = Figures {
        states: figures.states,
        transitions: figures.transitions,
        schedules: figures.schedules,
        choices: figures.deepest,
        met_again: figures.hits,
        checked: figures.rechecked,
        differing: figures.differing,
        seconds: figures.time.as_secs_f64(),
        states_per_second: figures.states_a_second(),
    };
    let mut line = Line { driver, figures: Some(figures), ..empty(file, "exhausted") };
    match &explored.verdict {
        Verdict::Exhausted => {}
        Verdict::Bounded(limit) => {
            line.verdict = "bounded";
            line.why = Some(
                match limit {
                    Limit::States => "states",
                    Limit::Choices => "choices",
                    Limit::Time => "time",
                }
                .to_owned(),
            );
        }
        Verdict::Broken(witness) => {
            line.verdict = "broken";
            line.why = Some(witness.failure.to_string());
            line.rule = witness.failure.rule();
            line.moves = Some(witness.moves);
            line.shortest = Some(witness.shortest == Shortest::Yes);
            line.scenario = Some(witness.scenario.to_string());
        }
        Verdict::Unsound => line.verdict = "unsound",
    }
    written(&line)
}
pub(super) fn left_out(file: &str, why: &str) -> String {
    written(&Line { why: Some(why.to_owned()), ..empty(file, "left_out") })
}
/// It is no scenario file.
pub(super) fn unreadable(file: &str, why: &str) -> String {
    written(&Line { why: Some(why.to_owned()), ..empty(file, "unreadable") })
}
fn empty<'a>(file: &'a str, verdict: &'static str) -> Line<'a> {
    let (driver, why, rule, moves) = (None, None, None, None);
    let (shortest, scenario, figures) = (None, None, None);
    Line { file, driver, verdict, why, rule, moves, shortest, scenario, figures }
}
fn written(line: &Line<'_>) -> String {
    let text = serde_json::to_string(line).expect("strings and numbers can be written");
    format!("{text}\n")
}
