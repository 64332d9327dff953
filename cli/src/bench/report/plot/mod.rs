//! Plots: drawn by plotters as SVG, in colours of the page, with a legend and a table of the same figures.

mod axes;
mod bars;
mod lines;
mod paint;
mod ticks;

#[cfg(test)]
mod tests;

use maud::{Markup, html};

use super::figure::Figure;

pub(super) use bars::Bars;
pub(super) use lines::{Lines, Scale};

/// In units of the drawing: as wide as a phone, so that its letters need no magnifying there.
const SIZE: (u32, u32) = (360, 260);
/// Of letters.
const LETTERS: u32 = 15;

/// A place of a plot: where it is, in the plot's and in the reader's terms, and the figure there.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) named: String,
    pub(super) y: Figure,
}

/// One line, or one part of each bar.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) label: String,
    /// Which colour and which mark it has: the same in every plot of a page.
    pub(super) number: usize,
    pub(super) points: Vec<Point>,
}

/// What a plot says of itself.
#[derive(Clone, Debug)]
pub(super) struct Words {
    /// Unique on the page.
    pub(super) id: &'static str,
    pub(super) title: String,
    /// For whoever cannot see it, and for everybody else below it.
    pub(super) description: String,
    /// What the places are.
    pub(super) across: &'static str,
    /// What the figures are, with their unit.
    pub(super) up: &'static str,
}

/// A plot with all around it.
fn framed(words: &Words, svg: &str, all: &[Series], mark: fn(usize) -> &'static str) -> Markup {
    let (title, description) = (format!("{}-title", words.id), format!("{}-text", words.id));
    html! {
        figure id=(words.id) {
            figcaption { h3 { (words.title) } p { (words.description) } }
            svg viewBox={ "0 0 " (SIZE.0) " " (SIZE.1) } role="img" aria-labelledby={ (title) " " (description) } {
                title id=(title) { (words.title) }
                desc id=(description) { (words.description) }
                (maud::PreEscaped(svg))
            }
            ul.legend {
                @for one in all {
                    li { span class={ "k" (paint::colour_of(one.number)) } aria-hidden="true" { (mark(one.number)) } " " (one.label) }
                }
            }
            details {
                summary { "The figures of this plot" }
                (table(words, all))
            }
        }
    }
}

fn table(words: &Words, all: &[Series]) -> Markup {
    let mut places: Vec<&str> = Vec::new();
    for point in all.iter().flat_map(|one| &one.points) {
        if !places.contains(&point.named.as_str()) {
            places.push(&point.named);
        }
    }
    let at = |one: &'_ Series, place: &str| {
        one.points.iter().find(|point| point.named == place).map(|point| point.y.clone())
    };
    super::page::scrolled(
        &format!("{}: {}", words.title, words.up),
        html! {
            thead { tr {
                th scope="col" { (words.across) }
                @for one in all { th scope="col" { (one.label) } }
            } }
            tbody { @for place in places { tr {
                th scope="row" { (place) }
                @for one in all {
                    td { @match at(one, place) { Some(figure) => (figure), None => "-" } }
                }
            } } }
        },
    )
}
