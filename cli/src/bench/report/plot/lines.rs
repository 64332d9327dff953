//! A line for each series.

use maud::Markup;
use plotters::prelude::*;

use super::{
    Series, Words,
    axes::{self, Axis, Chart, Drawn},
    framed,
    paint::{Mark, mark_of, paint_of},
    ticks,
};

/// How figures are laid out along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::bench::report) enum Scale {
    /// From 0 on.
    Linear,
    /// By decades, where none of them is 0.
    Decades,
}

/// A plot of lines.
#[derive(Clone, Debug)]
pub(in crate::bench::report) struct Lines {
    pub(in crate::bench::report) words: Words,
    /// Of the figures.
    pub(in crate::bench::report) scale: Scale,
    /// Places with names of their own; empty where they are numbers from 0 on.
    pub(in crate::bench::report) places: Vec<String>,
    pub(in crate::bench::report) series: Vec<Series>,
}

impl Lines {
    /// `None` if there is nothing to draw.
    pub(in crate::bench::report) fn draw(&self) -> Option<Markup> {
        let figures =
            || self.series.iter().flat_map(|one| &one.points).map(|point| point.y.value());
        let most = figures().reduce(f64::max)?;
        let least = figures().reduce(f64::min)?;
        let scale = if least > 0.0 { self.scale } else { Scale::Linear };
        let up = match scale {
            Scale::Linear => ticks::linear(most),
            Scale::Decades => ticks::decades(least, most),
        };
        let laid = move |value: f64| match scale {
            Scale::Linear => value,
            Scale::Decades => value.log10(),
        };
        let label_up = move |value: f64| match scale {
            Scale::Linear => ticks::label(value),
            Scale::Decades => ticks::label(10_f64.powf(value)),
        };
        let (range, across) = self.across();
        let named = |value: f64| match self.places.get(value.round().max(0.0) as usize) {
            Some(place) => place.clone(),
            None => ticks::label(value),
        };
        let x = Axis { range, ticks: across, label: &named, room: 42, words: self.words.across };
        let ends = up[0]..up[up.len() - 1];
        let y = Axis { range: ends, ticks: up, label: &label_up, room: 62, words: self.words.up };
        let svg = axes::draw(x, y, |chart| {
            for one in &self.series {
                let points: Vec<_> =
                    one.points.iter().map(|point| (point.x, laid(point.y.value()))).collect();
                line(chart, one.number, &points)?;
            }
            Ok(())
        });
        Some(framed(&self.words, &svg, &self.series, mark_of))
    }
    fn across(&self) -> (std::ops::Range<f64>, Vec<f64>) {
        if self.places.is_empty() {
            let places = self.series.iter().flat_map(|one| &one.points).map(|point| point.x);
            let ticks = ticks::linear(places.fold(0.0, f64::max));
            return (0.0..ticks[ticks.len() - 1], ticks);
        }
        let last = self.places.len() as f64 - 1.0;
        (-0.2..last + 0.2, (0..self.places.len()).map(|place| place as f64).collect())
    }
}

fn line(chart: &mut Chart<'_, '_>, number: usize, points: &[(f64, f64)]) -> Drawn {
    let paint = paint_of(number);
    chart.draw_series(LineSeries::new(points.iter().copied(), paint.stroke_width(2)))?;
    let (full, bare) = (paint.filled(), paint.stroke_width(2));
    let places = points.iter().map(|place| EmptyElement::at(*place));
    match Mark::of(number) {
        Mark::Disc => chart.draw_series(places.map(|at| at + Circle::new((0, 0), 4, full)))?,
        Mark::Ring => chart.draw_series(places.map(|at| at + Circle::new((0, 0), 4, bare)))?,
        Mark::Cross => chart.draw_series(places.map(|at| at + Cross::new((0, 0), 4, bare)))?,
        Mark::Triangle => {
            chart.draw_series(places.map(|at| at + TriangleMarker::new((0, 0), 6, full)))?
        }
        Mark::Square => {
            let square = || Rectangle::new([(-4, -4), (4, 4)], full);
            chart.draw_series(places.map(|at| at + square()))?
        }
    };
    Ok(())
}
