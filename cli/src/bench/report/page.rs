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

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance (<https://www.w3.org/TR/WCAG22/#dfn-relative-luminance>).
    fn luminance(colour: &str) -> f64 {
        let part = |at: usize| {
            let part = u8::from_str_radix(&colour[at..at + 2], 16).expect("two digits");
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }
    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }
    /// The colours of a block of the style, by name.
    fn colours(block: &str) -> Vec<(&str, &str)> {
        let pairs = block.split(';').filter_map(|one| one.trim().split_once(": "));
        pairs.filter(|(name, colour)| name.starts_with("--") && colour.len() == 7).collect()
    }

    #[test]
    fn letters_and_lines_stand_out_in_light_and_in_dark() {
        let (light, dark) = STYLE.split_once("@media (prefers-color-scheme: dark)").expect("dark");
        let dark = dark.split_once("* {").expect("what follows").0;
        let after = |block| <str>::split_once(block, ":root {").expect("colours").1;
        let all = [colours(after(light)), colours(after(dark))];
        let names = |of: &[(&str, &str)]| of.iter().map(|(name, _)| (*name).to_owned()).collect();
        let [light, dark]: [Vec<String>; 2] = [names(&all[0]), names(&all[1])];
        assert_eq!(light, dark, "each colour has both");
        for scheme in &all {
            let of =
                |name: &str| scheme.iter().find(|(one, _)| *one == name).expect("it is there").1;
            for back in ["--paper", "--box"] {
                for front in [
                    "--ink", "--quiet", "--link", "--s1", "--s2", "--s3", "--s4", "--s5", "--s6",
                    "--s7", "--s8",
                ] {
                    let contrast = contrast(of(front), of(back));
                    assert!(contrast >= 4.5, "{front} on {back}: {contrast:.2} of 4.5");
                }
            }
        }
    }

    #[test]
    fn the_ratio_of_black_and_white_is_21() {
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 0.01);
        assert!((contrast("#777777", "#ffffff") - 4.48).abs() < 0.01, "a known pair");
    }
}
