//! Tables, without borders: a terminal's columns are for the cells.

use comfy_table::{
    Cell, CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, TableStyle,
};
use record::{Align, Table};

use super::look::Page;
use crate::one_line;

/// More rows are no table but a file; what is left out is counted.
const ROWS_MAX: usize = 200;
/// No number with its unit is as long as this.
const ID_BYTES_MIN: usize = 16;

const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none())
    .header_separator(LineStyle::none().fill('─'))
    .content_lines(ContentLineStyle::none());

pub(super) fn table(page: &mut Page, table: &Table) {
    page.line(&page.painted("1", &one_line(&table.title)));
    let mut set = comfy_table::Table::new();
    set.load_style(STYLE);
    set.set_content_arrangement(ContentArrangement::Dynamic);
    set.set_width(page.inner_width().min(usize::from(u16::MAX)) as u16);
    set.set_header(table.columns.iter().map(|column| cell(&column.title, column.align)));
    for row in table.rows.iter().take(ROWS_MAX) {
        let cells = row.iter().zip(&table.columns);
        set.add_row(cells.map(|(text, column)| cell(text, column.align)));
    }
    for line in set.lines() {
        // Each cell has a space on either side; the indent is the page's.
        page.line(line.strip_prefix(' ').unwrap_or(&line));
    }
    if table.rows.len() > ROWS_MAX {
        page.line(&format!("... and {} more rows", table.rows.len() - ROWS_MAX));
    }
}

fn cell(text: &str, align: Align) -> Cell {
    let align = match align {
        Align::Left => CellAlignment::Left,
        Align::Right => CellAlignment::Right,
    };
    let cell = Cell::new(one_line(text)).set_alignment(align);
    // A dotted id breaks between its words, not in the middle of one.
    let is_id = text.len() > ID_BYTES_MIN && text.contains('.') && !text.contains(' ');
    if is_id { cell.set_delimiter('.') } else { cell }
}
