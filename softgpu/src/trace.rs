//! Lines on standard error.

use std::io::Write;

use crate::settings::{Settings, Trace};

/// Writes a line, whatever the settings.
pub(crate) fn line(text: &str) {
    // Nobody is told if standard error is closed.
    let _ = writeln!(std::io::stderr(), "softgpu: {text}");
}
/// Writes a line where the settings ask for this much.
pub(crate) fn at(settings: &Settings, level: Trace, text: impl FnOnce() -> String) {
    if settings.trace >= level {
        line(&text());
    }
}
