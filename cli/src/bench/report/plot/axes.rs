//! A drawing with two axes.

use std::ops::Range;

use plotters::{
    coord::ranged1d::{DefaultFormatting, KeyPointHint},
    prelude::*,
};

use super::{LETTERS, SIZE, paint};

/// One axis.
pub(super) struct Axis<'a> {
    pub(super) range: Range<f64>,
    /// Where it is labelled, and a line is drawn behind.
    pub(super) ticks: Vec<f64>,
    pub(super) label: &'a dyn Fn(f64) -> String,
    /// Room for the labels.
    pub(super) room: u32,
    /// What it shows.
    pub(super) words: &'a str,
}

/// Numbers along an axis that is labelled where it is told to be; plotters' own finds places of its own.
pub(super) struct Ticked {
    range: Range<f64>,
    ticks: Vec<f64>,
}
impl Ranged for Ticked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;
    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let part = (value - self.range.start) / (self.range.end - self.range.start);
        first + (f64::from(last - first) * part).round() as i32
    }
    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }
    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// What is drawn upon.
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Ticked, Ticked>>;
/// What plotters answers; into a text, nothing can fail.
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Draws both axes, and then what `act` draws. Answers with the inside of an SVG.
pub(super) fn draw(
    x: Axis<'_>,
    y: Axis<'_>,
    act: impl FnOnce(&mut Chart<'_, '_>) -> Drawn,
) -> String {
    let mut svg = String::new();
    try_draw(&mut svg, x, y, act).expect("a text takes all that is written");
    paint::on_the_page(&svg)
}

fn try_draw(
    svg: &mut String,
    x: Axis<'_>,
    y: Axis<'_>,
    act: impl FnOnce(&mut Chart<'_, '_>) -> Drawn,
) -> Drawn {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let mut chart = ChartBuilder::on(&root)
        .margin(6)
        .margin_right(16)
        .x_label_area_size(x.room)
        .y_label_area_size(y.room)
        .build_cartesian_2d(
            Ticked { range: x.range, ticks: x.ticks.clone() },
            Ticked { range: y.range, ticks: y.ticks.clone() },
        )?;
    let letters = ("sans-serif", LETTERS).into_font().color(&paint::INK);
    let mut mesh = chart.configure_mesh();
    if !y.words.is_empty() {
        mesh.y_desc(y.words);
    }
    mesh.x_labels(x.ticks.len())
        .y_labels(y.ticks.len())
        .x_label_formatter(&|value| (x.label)(*value))
        .y_label_formatter(&|value| (y.label)(*value))
        .x_desc(x.words)
        .label_style(letters.clone())
        .axis_desc_style(letters)
        .axis_style(paint::INK)
        .bold_line_style(paint::GRID)
        .light_line_style(TRANSPARENT)
        .draw()?;
    act(&mut chart)?;
    root.present()
}
