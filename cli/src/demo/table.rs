//! The figures as a table: a column for each configuration.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};

use ringfence::{backend::SignalMemory, ledger::LoadCause};

use super::{checks::ratio, run::Figures};

/// One line of the table.
type Line = (&'static str, fn(&Figures) -> String);

const LINES: [Line; 19] = [
    ("uses", |f| grouped(f.counts.uses)),
    ("  of them fence uses", |f| grouped(f.counts.fence_uses)),
    ("packets", |f| grouped(f.counts.packets)),
    ("host loads", |f| grouped(f.counts.loads.all_host())),
    ("device reads", |f| grouped(f.counts.loads.all_device())),
    ("  to retire", |f| grouped(f.counts.loads.device(LoadCause::Retire))),
    ("  for queries", |f| grouped(f.counts.loads.device(LoadCause::Query))),
    ("  before waits", |f| grouped(f.counts.loads.device(LoadCause::Wait))),
    ("  for timing", |f| grouped(f.counts.loads.device(LoadCause::Timing))),
    ("  after flushes", |f| grouped(f.counts.loads.device(LoadCause::Flush))),
    ("arms", |f| grouped(f.counts.arms)),
    ("  in device memory", |f| grouped(f.device.arms.of(SignalMemory::Device))),
    ("flushes", |f| grouped(f.counts.flushes)),
    ("signals created", |f| grouped(f.counts.created)),
    ("peak parked", |f| grouped(f.counts.parked_peak)),
    ("model µs/use, calls", |f| micros(f, f.modelled.calls.as_nanos())),
    ("model µs/use, waits", |f| micros(f, f.modelled.waits.as_nanos())),
    ("bookkeeping ns/use", |f| format!("{:.1}", f.bookkeeping)),
    ("rule violations", |f| grouped(f.violations)),
];

/// The whole table.
pub(crate) fn table(all: &[Figures]) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Disabled);
    let names = |name: fn(&Figures) -> String| all.iter().map(move |f| Cell::new(name(f)));
    let tracker = names(|f| f.configuration.tracker_name().to_owned());
    table.set_header(std::iter::once(Cell::new("tracker")).chain(tracker));
    table.add_row(
        std::iter::once(Cell::new("placement")).chain(names(|f| f.configuration.place.to_string())),
    );
    for (label, figure) in LINES {
        table.add_row(std::iter::once(Cell::new(label)).chain(names(figure)));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n")
}

fn micros(figures: &Figures, nanos: u128) -> String {
    format!("{:.3}", ratio(nanos as u64, figures.counts.uses) / 1_000.0)
}

/// With a comma between thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
