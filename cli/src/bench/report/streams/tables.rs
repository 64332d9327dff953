//! The tables of tasks and their streams.

use maud::{Markup, html};

use super::{count, three, touch_figures};
use crate::bench::{
    report::{
        figure::{figure, maybe, tenth},
        page::{scrolled, titles},
    },
    streams::{Results, Run, text},
};

pub(super) fn aims(results: &Results) -> Markup {
    if results.aims.is_empty() {
        return html! {};
    }
    scrolled(
        text::AIMS,
        html! {
            (titles(&["aim", "found", "held"]))
            tbody { @for aim in &results.aims { tr {
                th scope="row" { (aim.claim) }
                td { (aim.found) }
                td { @if aim.held { "yes" } @else { strong { "NO" } } }
            } } }
        },
    )
}

pub(super) fn looks(runs: &[(String, &Run)]) -> Markup {
    let runs: Vec<_> =
        runs.iter().filter_map(|(at, run)| Some((at, run.policy, run.looks.as_ref()?))).collect();
    let is_modelled =
        runs.iter().any(|(_, _, looks)| looks.iter().any(|look| look.modelled_ms.is_some()));
    let rows = runs.iter().map(|(_, _, looks)| looks.len()).max().unwrap_or_default();
    if rows == 0 {
        return html! {};
    }
    scrolled(
        &text::pipelines_title(),
        html! {
            thead { tr {
                th scope="col" { "iterations" }
                @for (_, policy, _) in &runs {
                    th scope="col" { (policy) ", s" }
                    @if is_modelled { th scope="col" { (policy) ", ms, modelled" } }
                    th scope="col" { (policy) ", MiB" }
                }
            } }
            tbody { @for row in 0..rows { tr {
                th scope="row" { @if let Some((at, _, looks)) = runs.iter().find(|(_, _, looks)| looks.len() > row) {
                    @let at = format!("{at}/looks/{row}");
                    @let look = &looks[row];
                    (figure!(at, look.iterations, count))
                } }
                @for (at, _, looks) in &runs {
                    @if let Some(look) = looks.get(row) {
                        @let at = format!("{at}/looks/{row}");
                        td { (figure!(at, look.seconds, three)) }
                        @if is_modelled { td { (maybe(&at, "modelled_ms", look.modelled_ms, tenth)) } }
                        td { (figure!(at, look.rss_mib, tenth)) }
                    } @else { td { "-" } @if is_modelled { td { "-" } } td { "-" } }
                }
            } } }
        },
    )
}

pub(super) fn stencil(side: u32, runs: &[(String, &Run)]) -> Markup {
    let mut runs: Vec<_> =
        runs.iter().filter_map(|(at, run)| Some((run.chunks()?, at, run))).collect();
    if runs.is_empty() {
        return html! {};
    }
    runs.sort_by_key(|(chunks, _, _)| *chunks);
    scrolled(
        &text::stencil_title(side),
        html! {
            (titles(&["chunks", "policy", "steps", "ms a step", "RSS after, MiB"]))
            tbody { @for (chunks, at, run) in &runs { tr {
                th scope="row" { (chunks) }
                td.words { (run.policy) }
                td { (maybe(at, "steps_done", run.steps_done.map(f64::from), count)) }
                td { (maybe(at, "ms_per_step", run.ms_per_step, three)) }
                td { (figure!(at, run.rss_after_mib, tenth)) }
            } } }
        },
    )
}

pub(super) fn touches(runs: &[(String, &Run)]) -> Markup {
    let runs: Vec<_> = runs
        .iter()
        .filter_map(|(at, run)| {
            Some((at, run.policy, run.first_touch_ms.as_ref()?, run.next_touch_ms.as_ref()?))
        })
        .collect();
    if runs.is_empty() {
        return html! {};
    }
    let places = ["median", "p75", "p90", "longest"];
    scrolled(
        &(text::touches_title() + " In ms."),
        html! {
            thead {
                tr {
                    th scope="col" rowspan="2" { "policy" }
                    th scope="colgroup" colspan="4" { "first" }
                    th scope="colgroup" colspan="4" { "again" }
                }
                tr { @for place in places.iter().chain(&places) { th scope="col" { (place) } } }
            }
            tbody { @for (at, policy, first, again) in runs { tr {
                th scope="row" { (policy) }
                @for figure in touch_figures(&format!("{at}/first_touch_ms"), first) { td { (figure) } }
                @for figure in touch_figures(&format!("{at}/next_touch_ms"), again) { td { (figure) } }
            } } }
        },
    )
}

pub(super) fn every_run(runs: &[(String, &Run)]) -> Markup {
    scrolled(
        "What each run took: time of this machine, and of calls and device by the model, where there is one.",
        html! {
            (titles(&["experiment", "policy", "tasks", "of", "s", "µs a task", "modelled ms", "RSS before, MiB", "RSS after, MiB"]))
            tbody { @for (at, run) in runs { tr {
                th scope="row" { (run.experiment) }
                td.words { (run.policy) }
                td { (figure!(at, run.tasks, count)) }
                td { (figure!(at, run.tasks_asked, count)) }
                td { (figure!(at, run.seconds, three)) }
                td { (figure!(at, run.us_per_task, tenth)) }
                td { (maybe(at, "modelled_ms", run.modelled_ms, tenth)) }
                td { (figure!(at, run.rss_before_mib, tenth)) }
                td { (figure!(at, run.rss_after_mib, tenth)) }
            } } }
        },
    )
}

pub(super) fn counts(runs: &[(String, &Run)]) -> Markup {
    scrolled(
        text::COUNTS,
        html! {
            (titles(&[
                    "experiment", "policy", "streams created", "peak live", "peak leased, draining", "leases", "reused",
                    "that shared", "destroyed", "leaked", "looks by query", "frees", "frees deferred", "memory leaked",
                ]))
            tbody { @for (at, run) in runs { tr {
                th scope="row" { (run.experiment) }
                td.words { (run.policy) }
                td { (figure!(at, run.streams_created, count)) }
                td { (figure!(at, run.peak_live, count)) }
                td { (figure!(at, run.peak_leased_and_draining, count)) }
                td { (figure!(at, run.leases, count)) }
                td { (figure!(at, run.leases_reused, count)) }
                td { (figure!(at, run.leases_shared, count)) }
                td { (figure!(at, run.streams_destroyed, count)) }
                td { (figure!(at, run.streams_leaked, count)) }
                td { (figure!(at, run.looks_by_query, count)) }
                td { (figure!(at, run.frees, count)) }
                td { (figure!(at, run.frees_deferred, count)) }
                td { (figure!(at, run.memory_leaked, count)) }
            } } }
        },
    )
}
