//! The figures of streams as tables: a row for each policy.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Row, Table, presets};

use super::{Figures, Grid, Policy, Size, Workload, mib};
use crate::demo::table::grouped;

/// One column: its title, and the figure.
type Column = (&'static str, fn(&Figures) -> String);

const COLUMNS: [Column; 8] = [
    ("tasks\nat once", |f| grouped(f.tally.peak.into())),
    ("leased,\ndraining", |f| grouped(f.pool.peak_leased_and_draining.into())),
    ("streams\ncreated", |f| grouped(f.pool.created)),
    ("model\nms", |f| grouped(f.modelled().as_millis() as u64)),
    ("host\nMiB", |f| grouped(f.host_mib().round() as u64)),
    ("tasks\nshared", |f| grouped(f.shared)),
    ("foreign\nnodes", |f| grouped(f.foreign_nodes)),
    ("rules\nbroken", |f| grouped(f.violations)),
];

/// All workloads.
pub(crate) fn table(all: &[Figures]) -> String {
    let mut table = plain();
    table.set_header(
        std::iter::once(Cell::new("workload,\n  policy"))
            .chain(COLUMNS.map(|(title, _)| right(title))),
    );
    for workload in Workload::ALL {
        let rows: Vec<_> = all.iter().filter(|figures| figures.workload == workload).collect();
        if rows.is_empty() {
            continue;
        }
        table.add_row([Cell::new(workload)]);
        for figures in rows {
            let first = Cell::new(format!("  {}", figures.policy));
            let rest = COLUMNS.iter().map(|(_, figure)| right(figure(figures)));
            table.add_row(Row::from(std::iter::once(first).chain(rest).collect::<Vec<_>>()));
        }
    }
    finished(table)
}

/// What streams took of the host's memory, at most, as a stencil went on.
pub(crate) fn memory_table(all: &[Figures], size: Size) -> String {
    let grids = [Grid::One, Grid::Two, Grid::Four];
    let mut table = plain();
    let looks = [size.first_look(), size.iterations_of_stencils()];
    let titles = grids.iter().flat_map(|grid| {
        looks.map(|look| right(format!("{0}x{0}\n{1}", grid.side(), grouped(look.into()))))
    });
    table.set_header(std::iter::once(Cell::new("peak host MiB\n  by iteration")).chain(titles));
    for policy in Policy::ALL {
        let of = |grid| {
            let of = |f: &&Figures| f.policy == policy && f.workload == Workload::Stencil(grid);
            all.iter().find(of).and_then(|figures| figures.memory)
        };
        let cells = grids.into_iter().flat_map(|grid| {
            let memory = of(grid).unwrap_or_default();
            memory.map(|bytes| right(grouped(mib(bytes).round() as u64)))
        });
        let cells = std::iter::once(Cell::new(format!("  {policy}"))).chain(cells);
        table.add_row(Row::from(cells.collect::<Vec<_>>()));
    }
    finished(table)
}

fn plain() -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Disabled);
    table
}
/// Narrow, so that it fits a terminal of 80 columns.
fn finished(mut table: Table) -> String {
    let last = table.column_count() - 1;
    for (number, column) in table.column_iter_mut().enumerate() {
        column.set_padding((u16::from(number == 0), u16::from(number == last)));
    }
    format!("{table}\n")
}
fn right(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}
