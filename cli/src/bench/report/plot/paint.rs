//! Colours: plotters knows only fixed ones, so that each stands for a colour of the page, which knows light from dark.

use plotters::style::RGBColor;

/// Letters and axes.
pub(super) const INK: RGBColor = RGBColor(1, 0, 0);
/// Lines behind.
pub(super) const GRID: RGBColor = RGBColor(2, 0, 0);
/// Colours that the style has for series: `--s1` and so on.
pub(super) const COLOURS: u8 = 8;

/// Which colour of the style the series with this number has, from 1 on.
pub(super) fn colour_of(series: usize) -> u8 {
    (series % usize::from(COLOURS)) as u8 + 1
}
/// What stands for it until the drawing is done.
pub(super) fn paint_of(series: usize) -> RGBColor {
    RGBColor(3, 0, colour_of(series))
}

/// How places of a series are marked, so that colour is not all that tells series apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    Disc,
    Triangle,
    Square,
    Cross,
    Ring,
}
impl Mark {
    const ALL: [Self; 5] = [Self::Disc, Self::Triangle, Self::Square, Self::Cross, Self::Ring];
    /// That of the series with this number.
    pub(super) fn of(series: usize) -> Self {
        Self::ALL[series % Self::ALL.len()]
    }
    const fn letter(self) -> &'static str {
        match self {
            Self::Disc => "●",
            Self::Triangle => "▲",
            Self::Square => "■",
            Self::Cross => "✕",
            Self::Ring => "○",
        }
    }
}
/// The same as a letter.
pub(super) fn mark_of(series: usize) -> &'static str {
    Mark::of(series).letter()
}

/// The drawing without its outermost tag, in colours of the page.
pub(super) fn on_the_page(svg: &str) -> String {
    let inner = svg.trim().split_once('>').map_or("", |(_, inner)| inner);
    let inner = inner.strip_suffix("</svg>").unwrap_or(inner);
    let mut text = inner.replace(&quoted(INK), "\"var(--ink)\"");
    text = text.replace(&quoted(GRID), "\"var(--grid)\"");
    for series in 0..usize::from(COLOURS) {
        let colour = format!("\"var(--s{})\"", colour_of(series));
        text = text.replace(&quoted(paint_of(series)), &colour);
    }
    text
}
fn quoted(RGBColor(red, green, blue): RGBColor) -> String {
    format!("\"#{red:02X}{green:02X}{blue:02X}\"")
}
