//! A heat map in characters: a shade per cell, and what the shades mean.

use record::{Labels, Quantity, Unit};
use unicode_width::UnicodeWidthStr;

use super::{LABEL_MIN, shortened};
use crate::{one_line, text::look::Page};

/// From the least to the most.
const SHADES: [char; 5] = ['·', '░', '▒', '▓', '█'];
const NO_NUMBER: char = ' ';
const ROWS_MAX: usize = 64;
/// Columns of the page to a cell.
const CELL: usize = 2;

pub(super) fn shades(
    page: &mut Page,
    unit: Unit,
    columns: &Labels,
    rows: &Labels,
    cells: &[Vec<Option<f64>>],
) {
    let label_max = (page.inner_width() / 3).max(LABEL_MIN);
    let label = |text: &String| shortened(&one_line(text), label_max);
    let labels: Vec<String> = rows.labels.iter().take(ROWS_MAX).map(label).collect();
    let label_width = labels.iter().map(|label| label.width()).max().unwrap_or(0);
    let columns_max = page.inner_width().saturating_sub(label_width + 1) / CELL;
    let all = || cells.iter().flatten().flatten().copied().filter(|value| value.is_finite());
    let (low, high) = (all().reduce(f64::min), all().reduce(f64::max));
    let (Some(low), Some(high)) = (low, high) else { return page.line("no numbers") };
    for (label, row) in labels.iter().zip(cells) {
        let drawn = row.iter().take(columns_max).map(|cell| cell.map(|it| shade(it, low, high)));
        let drawn: String =
            drawn.map(|shade| shade.unwrap_or(NO_NUMBER).to_string().repeat(CELL)).collect();
        let gap = " ".repeat(label_width - label.width());
        page.line(&format!("{label}{gap} {}", page.painted("36", &drawn)));
    }
    let ends = |side: &str, labels: &Labels| match (labels.labels.first(), labels.labels.last()) {
        (Some(first), Some(last)) => {
            format!("{side} ({}): {} to {}", one_line(&labels.title), label(first), label(last))
        }
        _ => format!("{side}: none"),
    };
    page.prose(&format!("{}; {}", ends("rows", rows), ends("columns", columns)));
    page.line(&legend(unit, low, high));
    let left_out = (rows.labels.len().saturating_sub(ROWS_MAX), columns.labels.len());
    match (left_out.0, left_out.1.saturating_sub(columns_max)) {
        (0, 0) => {}
        (rows, columns) => page.line(&format!("... and {rows} more rows, {columns} more columns")),
    }
}

fn shade(value: f64, low: f64, high: f64) -> char {
    let share = (value - low) / (high - low);
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    SHADES[(share * (SHADES.len() - 1) as f64).round() as usize]
}

/// `·· 49.0 ns  ░░  ▒▒  ▓▓  ██ 120 ns`.
fn legend(unit: Unit, low: f64, high: f64) -> String {
    let shades = SHADES.map(|shade| shade.to_string().repeat(CELL)).join(" ");
    format!("{} {shades} {}", Quantity::new(low, unit), Quantity::new(high, unit))
}
