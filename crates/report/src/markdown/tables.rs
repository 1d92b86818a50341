//! Tables with their alignment; long ones are folded, so that the answer is not lost among them.

use record::{Align, Table};

use super::{blocks::Blocks, escape::escaped};

/// More rows are no table but a file, and with two such tables a page would be longer than trackers
/// take.
const ROWS_MAX: usize = 100;
const COLUMNS_MAX: usize = 20;
/// Longer tables are folded.
const ROWS_OPEN_MAX: usize = 15;
/// Tables of words alone, which tell of the method or of the machine, are folded beyond that.
const FACTS_OPEN_MAX: usize = 5;

pub(super) fn table(blocks: &mut Blocks, table: &Table) {
    let rows = table.rows.len();
    let folded = rows > open_max(table);
    if folded {
        // What stands on lines with a tag is HTML, to which the same escapes mean the same.
        let title = escaped(&table.title);
        blocks.add(format!("<details>\n<summary>{title} ({rows} rows)</summary>"));
    } else {
        blocks.strong(&table.title);
    }
    blocks.add(set(table));
    blocks.left_out(rows.saturating_sub(ROWS_MAX), "rows");
    blocks.left_out(table.columns.len().saturating_sub(COLUMNS_MAX), "columns");
    if folded {
        blocks.add("</details>");
    }
}

fn open_max(table: &Table) -> usize {
    let numbers = table.columns.iter().any(|column| column.align == Align::Right);
    if numbers { ROWS_OPEN_MAX } else { FACTS_OPEN_MAX }
}

/// A table of no columns is none.
fn set(table: &Table) -> String {
    let columns = &table.columns[..table.columns.len().min(COLUMNS_MAX)];
    if columns.is_empty() {
        return String::new();
    }
    let titles = row(columns.iter().map(|column| escaped(&column.title)));
    let aligns = row(columns.iter().map(|column| {
        match column.align {
            Align::Left => ":---",
            Align::Right => "---:",
        }
        .to_owned()
    }));
    let shown = table.rows.iter().take(ROWS_MAX);
    let rows = shown.map(|cells| row(cells.iter().take(columns.len()).map(|cell| escaped(cell))));
    [titles, aligns].into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

fn row(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
}
