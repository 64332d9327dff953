//! A bar for each place, one part of it for each series.

use maud::Markup;
use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use super::{
    LETTERS, SIZE, Series, Words,
    axes::{self, Axis},
    framed,
    paint::{INK, paint_of},
    ticks,
};

/// About as wide as a letter is.
const LETTER: u32 = 7;

/// A plot of bars that lie.
#[derive(Clone, Debug)]
pub(in crate::bench::report) struct Bars {
    pub(in crate::bench::report) words: Words,
    /// Each has a point for each bar, in the same order.
    pub(in crate::bench::report) series: Vec<Series>,
}

impl Bars {
    /// `None` if there is nothing to draw.
    pub(in crate::bench::report) fn draw(&self) -> Option<Markup> {
        let first = self.series.first().filter(|one| !one.points.is_empty())?;
        let count = first.points.len();
        let sums = |at: usize| -> f64 {
            self.series.iter().filter_map(|one| one.points.get(at)).map(|p| p.y.value()).sum()
        };
        let longest = (0..count).map(sums).fold(0.0, f64::max);
        let ticks = ticks::linear(longest * 1.2); // room for the words behind a bar
        let place = |at: usize| (count - 1 - at) as f64 + 0.5;
        let named = |value: f64| {
            let at = count - 1 - (value.max(0.0) as usize).min(count - 1);
            first.points[at].named.clone()
        };
        let range = 0.0..ticks[ticks.len() - 1];
        let x = Axis { range, ticks, label: &ticks::label, room: 42, words: self.words.up };
        let longest = first.points.iter().map(|point| point.named.chars().count()).max();
        let room = (longest.unwrap_or_default() as u32 * LETTER + 12).min(SIZE.0 / 2);
        let middles = (0..count).map(place).collect();
        let y = Axis { range: 0.0..count as f64, ticks: middles, label: &named, room, words: "" };
        let svg = axes::draw(x, y, |chart| {
            for at in 0..count {
                let (low, high) = (place(at) - 0.3, place(at) + 0.3);
                let mut begin = 0.0;
                for one in &self.series {
                    let end = begin + one.points.get(at).map_or(0.0, |point| point.y.value());
                    let bar = [(begin, low), (end, high)];
                    chart.draw_series([Rectangle::new(bar, paint_of(one.number).filled())])?;
                    begin = end;
                }
                let style = ("sans-serif", LETTERS).into_font().color(&INK);
                let style = style.pos(Pos::new(HPos::Left, VPos::Center));
                let sum = Text::new(ticks::label(begin), (5, 0), style);
                chart.draw_series([EmptyElement::at((begin, place(at))) + sum])?;
            }
            Ok(())
        });
        Some(framed(&self.words, &svg, &self.series, |_| "■"))
    }
}
