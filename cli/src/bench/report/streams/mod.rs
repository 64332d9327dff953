//! The half of the page about tasks and their streams.

mod plots;
mod tables;

use maud::{Markup, html};

use super::figure::{Figure, figure};
use crate::bench::{
    streams::{EXPERIMENTS, Results, Run, Touch, text},
    table::grouped,
};
use plots::{AGAIN, FIRST, MEMORY, MODELLED, TIME, against_iterations, waits};
use tables::{aims, counts, every_run, looks, stencil, touches};

/// `base` is where the results stand in the JSON.
pub(super) fn section(base: &str, results: &Results) -> Markup {
    let runs: Vec<(String, &Run)> = results
        .runs
        .iter()
        .enumerate()
        .map(|(number, run)| (format!("{base}/runs/{number}"), run))
        .collect();
    let Results { iterations, tasks, side, steps, seed, frees, .. } = results;
    html! {
        section id="streams" {
            h2 { "Streams: tasks and what they share" }
            p {
                "Four experiments, each with every policy: " (grouped((*iterations).into())) " iterations of each loop (arrays given up once "
                (frees) "), " (grouped((*tasks).into())) " tasks one after another, a stencil of " (side) "×" (side) " cells for " (steps)
                " steps (seed " (seed) "). " (text::EQUAL)
            }
            @if results.is_modelled() {
                p {
                    "The driver is a model: seconds and memory are this machine's, of driving the model, and say nothing of a GPU; modelled time is "
                    "what the driver's calls and the device would have taken."
                }
            }
            dl { @for (policy, help) in text::policies() { dt { code { (policy.name()) } } dd { (help) } } }
            @for (name, what) in EXPERIMENTS {
                @if !results.runs.iter().any(|run| run.experiment.starts_with(name)) {
                    p.missing { "Not asked for: " (what) "." }
                }
            }
            div.plots {
                @if let Some(plot) = against_iterations(&runs, &TIME) { (plot) }
                @if let Some(plot) = against_iterations(&runs, &MODELLED) { (plot) }
                @if let Some(plot) = against_iterations(&runs, &MEMORY) { (plot) }
                @if let Some(plot) = waits(&runs, &FIRST) { (plot) }
                @if let Some(plot) = waits(&runs, &AGAIN) { (plot) }
            }
            (aims(results))
            (looks(&runs))
            (stencil(results.side, &runs))
            (touches(&runs))
            (every_run(&runs))
            (counts(&runs))
        }
    }
}

fn touch_figures(at: &str, touch: &Touch) -> [Figure; 4] {
    [
        figure!(at, touch.median, four),
        figure!(at, touch.p75, four),
        figure!(at, touch.p90, four),
        figure!(at, touch.longest, four),
    ]
}

fn count(value: f64) -> String {
    grouped(value as u64)
}
fn three(value: f64) -> String {
    format!("{value:.3}")
}
fn four(value: f64) -> String {
    format!("{value:.4}")
}
