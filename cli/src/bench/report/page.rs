//! The page: one file, which needs no network and no script.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Measured, Report, signals, streams};
use crate::bench::{gpu::About, setting::Setting};

/// Light and dark, wide and narrow.
pub(super) const STYLE: &str = include_str!("style.css");

/// All of it.
pub(super) fn page(report: &Report<'_>) -> String {
    let (title, halves) = match &report.measured {
        Measured::Signals(results) => (
            "Ringfence: signals, measured",
            html! {
                (signals::section("", results))
                (not_measured("streams", "Streams", "ringfence bench streams"))
            },
        ),
        Measured::Streams(results) => (
            "Ringfence: streams, measured",
            html! {
                (not_measured("signals", "Signals", "ringfence bench signals"))
                (streams::section("", results))
            },
        ),
        Measured::Both { signals, streams } => (
            "Ringfence: signals and streams, measured",
            html! {
                (signals::section("/signals", signals))
                (streams::section("/streams", streams))
            },
        ),
    };
    let abouts: Vec<(&str, &About)> = match &report.measured {
        Measured::Signals(results) => results.about.iter().map(|one| ("Signals", one)).collect(),
        Measured::Streams(results) => vec![("Streams", &results.about)],
        Measured::Both { signals, streams } => {
            let signals = signals.about.iter().map(|one| ("Signals", one));
            signals.chain([("Streams", &streams.about)]).collect()
        }
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    p {
                        "Ringfence proves from state that the host already has that GPU work is finished, so that signals and streams are used "
                        "again without reading device memory, and never too early. This page has what that costs, beside baselines and peers of "
                        "the same run."
                    }
                    nav aria-label="Parts of this page" { ul {
                        li { a href="#setting" { "On what" } }
                        li { a href="#signals" { "Signals" } }
                        li { a href="#streams" { "Streams" } }
                    } }
                }
                main {
                    (on_what(report.setting, &abouts))
                    (halves)
                }
                footer { p { "Each figure is that of " code { "--json" } ", rounded; its place there is in the attribute " code { "data-at" } "." } }
            }
        }
    }
    .into_string()
}

fn on_what(setting: &Setting, abouts: &[(&str, &About)]) -> Markup {
    let Setting { command, commit, date, build, processors } = setting;
    html! {
        section id="setting" {
            h2 { "On what" }
            @for (half, about) in abouts {
                p.ground.(about.ground.name()) { strong { (half) " on " (about.backend) ": " } (about.ground.words()) "." }
            }
            (scrolled("How the figures came about", html! { tbody {
                (said("Command", html! { code { (command) } }))
                (said("Date", html! { time datetime=(date) { (date) } }))
                (said("Commit", html! { code { (commit) } }))
                (said("Build", html! { (build) ", " (processors) " processors" }))
                @for (half, about) in abouts {
                    (said(&format!("{half}, backend"), html! { (about.backend) }))
                    (said(&format!("{half}, driver"), html! { (about.version) }))
                    (said(&format!("{half}, GPU"), html! { (about.gpu) }))
                    (said(&format!("{half}, memory"), html! { (about.memory) }))
                    (said(&format!("{half}, note"), html! { (about.caution) }))
                }
            } }))
        }
    }
}
fn said(what: &str, value: Markup) -> Markup {
    html! { tr { th scope="row" { (what) } td.words { (value) } } }
}
fn not_measured(id: &str, half: &str, command: &str) -> Markup {
    html! {
        section id=(id) {
            h2 { (half) }
            p.missing { "Not measured by this command: " code { (command) } " does, and " code { "ringfence bench" } " measures both." }
        }
    }
}

/// A table in a box of its own, which scrolls by finger and by key; the page does not.
pub(super) fn scrolled(caption: &str, inside: Markup) -> Markup {
    html! {
        div.scroll role="region" aria-label=(caption) tabindex="0" {
            table { caption { span { (caption) } } (inside) }
        }
    }
}
/// The head of a table: its columns, of which some have words below them and the others figures.
pub(super) fn titles(all: &[&str]) -> Markup {
    html! { thead { tr {
        @for (number, title) in all.iter().enumerate() {
            @if number > 0 && WORDS.contains(title) {
                th.words scope="col" { (title) }
            } @else {
                th scope="col" { (title) }
            }
        }
    } } }
}
/// Titles of columns with words.
const WORDS: [&str; 3] = ["policy", "measured", "profiling"];

/// A heading of lines in one line.
pub(super) fn flat(title: &str) -> String {
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}
