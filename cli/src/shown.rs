//! Failures as people see them, and panics that are one.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};

use ringfence_mock::scenario::Rejected;

use crate::output::{Colours, Reader};

/// Columns of a report of a failure, on a terminal.
const WIDTH: usize = 100;

pub(crate) fn handler(reader: Reader) -> GraphicalReportHandler {
    let theme = match reader.colours() {
        Colours::On => GraphicalTheme::unicode(),
        Colours::Off => GraphicalTheme::unicode_nocolor(),
    };
    GraphicalReportHandler::new_themed(theme)
        .with_width(WIDTH)
        .with_wrap_lines(reader != Reader::Program)
}

pub(crate) fn drawn(why: &dyn Diagnostic, handler: &GraphicalReportHandler) -> String {
    let mut text = String::new();
    match handler.render_report(&mut text, why) {
        Ok(()) => text,
        Err(_) => format!("  {why}\n"),
    }
}

/// What is wrong with the text of a scenario file.
pub(crate) fn drawn_rejected(rejected: &Rejected, handler: &GraphicalReportHandler) -> String {
    match rejected.problems() {
        [one] => drawn(one, handler),
        _ => drawn(rejected, handler),
    }
}

/// A panic of the library becomes a report; the usual message beside it would only repeat it.
pub(crate) fn quietly<T>(act: impl FnOnce() -> T) -> T {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let done = act();
    std::panic::set_hook(usual);
    done
}
