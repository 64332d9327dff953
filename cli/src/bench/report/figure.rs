//! A figure on the page: it says where in the JSON the same number stands.

use maud::{Markup, Render, html};

/// A number.
pub(super) trait Number {
    /// Without loss: no count here comes near 2^53.
    fn into_f64(self) -> f64;
}
impl Number for f64 {
    fn into_f64(self) -> f64 {
        self
    }
}
impl Number for u32 {
    fn into_f64(self) -> f64 {
        f64::from(self)
    }
}
impl Number for u64 {
    fn into_f64(self) -> f64 {
        self as f64
    }
}
impl Number for usize {
    fn into_f64(self) -> f64 {
        self as f64
    }
}

/// How a number is written.
pub(super) type Shown = fn(f64) -> String;

/// A number with its place in the JSON (RFC 6901), and as it is read.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Figure {
    at: String,
    value: f64,
    shown: String,
}
impl Figure {
    pub(super) fn new(at: String, value: impl Number, shown: Shown) -> Self {
        let value = value.into_f64();
        Self { at, value, shown: shown(value) }
    }
    pub(super) fn value(&self) -> f64 {
        self.value
    }
}
impl Render for Figure {
    fn render(&self) -> Markup {
        html! { data value=(self.value) data-at=(self.at) { (self.shown) } }
    }
}

/// A figure that not every run has.
pub(super) fn maybe(at: &str, name: &str, value: Option<f64>, shown: Shown) -> Markup {
    html! { @match value {
        Some(value) => (Figure::new(format!("{at}/{name}"), value, shown)),
        None => "-",
    } }
}
/// To a tenth.
pub(super) fn tenth(value: f64) -> String {
    format!("{value:.1}")
}

/// A figure by the names of its fields, which are those of the JSON: the two cannot name different ones.
macro_rules! figure {
    ($base:expr, $of:ident $(. $field:ident)+, $shown:expr) => {
        $crate::bench::report::figure::Figure::new(
            format!("{}{}", $base, concat!($("/", stringify!($field)),+)),
            $of $(. $field)+,
            $shown,
        )
    };
}
pub(super) use figure;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_says_where_it_comes_from() {
        struct Times {
            p50: f64,
        }
        struct Row {
            times: Times,
        }
        let row = Row { times: Times { p50: 12.3456 } };
        let figure = figure!("/columns/3/rows/1", row.times.p50, |value| format!("{value:.1}"));
        assert_eq!(
            html! { (figure) }.into_string(),
            r#"<data value="12.3456" data-at="/columns/3/rows/1/times/p50">12.3</data>"#
        );
    }
}
