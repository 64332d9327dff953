//! The bar on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Whether there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bars {
    /// Where standard error is a terminal.
    OnTerminals,
    /// Nowhere: a program reads.
    Hidden,
}

/// A bar that is gone when this is dropped.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// Of so many `unit`.
    pub(crate) fn new(length: u64, unit: &str, bars: Bars) -> Self {
        let target = match bars {
            // It draws nothing elsewhere.
            Bars::OnTerminals => ProgressDrawTarget::stderr(),
            Bars::Hidden => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(length), target);
        let style = ProgressStyle::with_template(&format!(
            "{{bar:32}} {{percent:>3}} % of the {unit}  {{msg}}"
        ));
        Self(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }
    /// What runs now.
    pub(crate) fn say(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }
    /// So many more are done.
    pub(crate) fn add(&self, done: u64) {
        self.0.inc(done);
    }
    /// Prints beside it, so that the bar does not stand in the middle of a line.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.suspend(print)
    }
}
impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
