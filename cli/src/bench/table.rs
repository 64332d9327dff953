//! How tables look here.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Row, Table, presets};

use super::{gpu::About, setting::Setting};

/// A table with these titles, all but the first over figures.
pub(super) fn table<T: ToString>(titles: impl IntoIterator<Item = T>) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(cells(titles));
    table
}
/// A row of a table.
pub(super) fn row<T: ToString>(texts: impl IntoIterator<Item = T>) -> Row {
    Row::from(cells(texts).collect::<Vec<_>>())
}
fn cells<T: ToString>(texts: impl IntoIterator<Item = T>) -> impl Iterator<Item = Cell> {
    texts.into_iter().enumerate().map(|(number, text)| {
        let side = if number == 0 { CellAlignment::Left } else { CellAlignment::Right };
        Cell::new(text.to_string()).set_alignment(side)
    })
}

/// With a comma between thousands.
pub(super) fn grouped(number: u64) -> String {
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

/// What stands above the tables.
pub(super) fn header(setting: &Setting, abouts: &[About]) -> String {
    let Setting { command, commit, date, build, processors } = setting;
    let mut text = format!(
        "command  {command}\ncommit   {commit}\ndate     {date}\nbuild    {build}, {processors} processors\n"
    );
    for About { version, gpu, ground, memory, caution, .. } in abouts {
        let ground = ground.words();
        text += &format!(
            "runtime  {version}\ngpu      {gpu}\non       {ground}\nmemory   {memory}\nnote     {caution}\n"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_are_grouped() {
        let grouped = [0, 999, 1_000, 1_234_567].map(super::grouped);
        assert_eq!(grouped, ["0", "999", "1,000", "1,234,567"]);
    }
}
