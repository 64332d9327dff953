//! What a search came to, for people.

use std::fmt::Display;

use ringfence_mock::explore::{Explored, Figures, Limit, Shortest, Verdict, Witness};

use super::Told;

pub(super) fn report<F: Told, S: Display>(name: &str, explored: &Explored<F, S>) -> String {
    let (word, more) = match &explored.verdict {
        Verdict::Exhausted => ("exhausted", "no rule can break within this bound".to_owned()),
        Verdict::Bounded(limit) => ("bounded", bounded(*limit)),
        Verdict::Broken(witness) => ("BROKEN", broken(witness)),
        Verdict::Unsound => (
            "UNSOUND",
            "two states with one digest lead to different ones: nothing can be said".to_owned(),
        ),
    };
    format!("{word}  {name}: {more}\n  {}\n", figures(&explored.figures))
}
fn bounded(limit: Limit) -> String {
    let what = match limit {
        Limit::States => "states",
        Limit::Choices => "choices of a schedule",
        Limit::Time => "time",
    };
    format!("bound reached ({what}): not exhausted")
}
fn broken<F: Told, S: Display>(witness: &Witness<F, S>) -> String {
    let shortest = match witness.shortest {
        Shortest::Yes => "the shortest schedule",
        Shortest::Unknown => "a schedule, perhaps not the shortest,",
    };
    let rule = witness.failure.sentence().map_or(String::new(), |rule| format!("\n  {rule}"));
    let scenario = witness.scenario.to_string();
    let lines: String = scenario.lines().map(|line| format!("    {line}\n")).collect();
    let (failure, moves) = (&witness.failure, witness.moves);
    format!("{failure}{rule}\n  {shortest} has {moves} moves:\n{}", lines.trim_end())
}
fn figures(figures: &Figures) -> String {
    let &Figures { states, transitions, schedules, deepest, rechecked, hits, time, .. } = figures;
    format!(
        "{states} states, {transitions} transitions, {} schedules of up to {deepest} choices; {:.2} s, {:.0} states/s; {hits} met again, \
         {rechecked} of them checked",
        number(schedules),
        time.as_secs_f64(),
        figures.states_a_second(),
    )
}
fn number(schedules: f64) -> String {
    if schedules < 1e7 { format!("{schedules:.0}") } else { format!("{schedules:.1e}") }
}
