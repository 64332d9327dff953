//! The bar on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that is gone when this is dropped. On a terminal; elsewhere it draws nothing.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new(length: u64, unit: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template(&format!(
            "{{bar:32}} {{percent:>3}} % of the {unit}  {{msg}}"
        ));
        Self(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }
    /// What runs now.
    pub(super) fn say(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }
    /// So many more are done.
    pub(super) fn add(&self, done: u64) {
        self.0.inc(done);
    }
}
impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
