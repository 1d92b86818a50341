//! Tables as elements, cut where they are no tables any more.

use record::{Align, Table};

use super::markup::Markup;

/// More rows than anybody reads in a page; the run's file has them all.
pub(super) const ROWS_MAX: usize = 500;
pub(super) const COLUMNS_MAX: usize = 40;
pub(super) const TABLES_MAX: usize = 40;

pub(super) fn table(page: &mut Markup, table: &Table) {
    let columns = &table.columns[..table.columns.len().min(COLUMNS_MAX)];
    let head: Vec<(&str, Align)> =
        columns.iter().map(|column| (column.title.as_str(), column.align)).collect();
    let rows = table.rows.iter().map(|row| row.iter().map(String::as_str).collect());
    grid(page, &table.title, &head, rows, table.rows.len());
    page.left_out(table.columns.len() - columns.len(), "columns");
}

/// A table of `count` rows that can be scrolled by itself where the page is too narrow for it.
pub(super) fn grid<'a>(
    page: &mut Markup,
    title: &str,
    columns: &[(&str, Align)],
    rows: impl Iterator<Item = Vec<&'a str>>,
    count: usize,
) {
    let mut put = 0;
    scrolled(page, title, |page| {
        page.leaf("caption", &[], title);
        head(page, columns);
        page.open("tbody", &[]);
        let rows = page.each(rows, ROWS_MAX, |page, row| {
            page.open("tr", &[]);
            for (place, (cell, (_, align))) in row.iter().zip(columns).enumerate() {
                match place {
                    // What a row is of stands first.
                    0 => page.leaf("th", &[("scope", "row"), class(*align)], cell),
                    _ => page.leaf("td", &[class(*align)], cell),
                }
            }
            page.close("tr");
        });
        put = rows.len();
        page.close("tbody");
    });
    page.left_out(count - put, "rows");
}

/// Whoever has no mouse scrolls it too, so it can have the focus.
pub(super) fn scrolled(page: &mut Markup, title: &str, content: impl FnOnce(&mut Markup)) {
    let attributes =
        [("class", "scrolled"), ("tabindex", "0"), ("role", "region"), ("aria-label", title)];
    page.within("div", &attributes, |page| page.within("table", &[], content));
}

pub(super) fn head(page: &mut Markup, columns: &[(&str, Align)]) {
    page.within("thead", &[], |page| {
        page.within("tr", &[], |page| {
            for (title, align) in columns {
                page.leaf("th", &[("scope", "col"), class(*align)], title);
            }
        });
    });
}

pub(super) fn class(align: Align) -> (&'static str, &'static str) {
    match align {
        Align::Left => ("class", "words"),
        Align::Right => ("class", "number"),
    }
}
