//! Small plots in characters.

mod lines;
mod shades;

use record::{Bar, Figure, Histogram, Quantity, Unit};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::look::Page;
use crate::one_line;

const BARS_MAX: usize = 40;
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const HEIGHTS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// A plot wider than this says nothing more.
const PLOT_MAX: usize = 60;
const PLOT_MIN: usize = 8;
/// No label is cut shorter than this, however narrow the page.
const LABEL_MIN: usize = 12;

pub(super) fn figure(page: &mut Page, figure: &Figure) {
    let (Figure::Bars { title, .. }
    | Figure::Distribution { title, .. }
    | Figure::Lines { title, .. }
    | Figure::HeatMap { title, .. }) = figure;
    page.line(&page.painted("1", &one_line(title)));
    match figure {
        Figure::Bars { unit, bars, .. } => self::bars(page, *unit, bars),
        Figure::Distribution { unit, histogram, .. } => distribution(page, *unit, histogram),
        Figure::Lines { x, y, lines, .. } => lines::lines(page, x, y, lines),
        Figure::HeatMap { unit, columns, rows, cells, .. } => {
            shades::shades(page, *unit, columns, rows, cells);
        }
    }
}

fn bars(page: &mut Page, unit: Unit, bars: &[Bar]) {
    let left_out = bars.len().saturating_sub(BARS_MAX);
    let bars = &bars[..bars.len() - left_out];
    let values: Vec<String> = bars.iter().map(|bar| value_words(bar, unit)).collect();
    let value_width = values.iter().map(|value| value.width()).max().unwrap_or(0);
    let label_max = page.inner_width().saturating_sub(value_width + PLOT_MIN + 2).max(LABEL_MIN);
    let label = |bar: &Bar| shortened(&one_line(&bar.label), label_max);
    let label_width = bars.iter().map(|bar| label(bar).width()).max().unwrap_or(0);
    let room = page.inner_width().saturating_sub(label_width + value_width + 2);
    let room = room.clamp(PLOT_MIN, PLOT_MAX);
    let longest = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    for (bar, value) in bars.iter().zip(values) {
        let fill = if bar.reference { '░' } else { '█' };
        let drawn = drawn_bar(bar.value / longest, room, fill);
        let drawn = if bar.reference { drawn } else { page.painted("36", &drawn) };
        let gap = " ".repeat(label_width - label(bar).width());
        page.line(&format!("{}{gap} {drawn} {value}", label(bar)));
    }
    if left_out > 0 {
        page.line(&format!("... and {left_out} more"));
    }
}

/// The text, cut at the end where it is wider than that.
fn shortened(text: &str, width_max: usize) -> String {
    if text.width() <= width_max {
        return text.to_owned();
    }
    let mut width = 0;
    let fits = |letter: &char| {
        width += letter.width().unwrap_or(0);
        width < width_max
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

fn value_words(bar: &Bar, unit: Unit) -> String {
    let value = Quantity::new(bar.value, unit);
    if bar.reference {
        return value.as_published();
    }
    if bar.low == bar.high {
        return value.to_string();
    }
    format!("{value} ({})", Quantity::range(bar.low, bar.high, unit))
}

/// `share` of `room` columns, to an eighth of one; a reference's bar in whole ones.
fn drawn_bar(share: f64, room: usize, fill: char) -> String {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let eighths = (share * room as f64 * 8.0).round() as usize;
    let mut bar = fill.to_string().repeat(eighths / 8);
    if fill == '█' && !eighths.is_multiple_of(8) {
        bar.push(EIGHTHS[eighths % 8]);
    }
    bar
}

fn distribution(page: &mut Page, unit: Unit, histogram: &Histogram) {
    let low = Quantity::new(histogram.low, unit).to_string();
    let high = Quantity::new(histogram.high, unit).to_string();
    let room = page.inner_width().saturating_sub(low.width() + high.width() + 2);
    let counts = squeezed(&histogram.counts, room.clamp(PLOT_MIN, PLOT_MAX));
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let height = |count: &u64| {
        // Whatever happened at all is to be seen.
        let eighths = (*count as f64 / most as f64 * 8.0).round() as usize;
        HEIGHTS[if *count > 0 { eighths.max(1) } else { 0 }]
    };
    let plot: String = counts.iter().map(height).collect();
    page.line(&format!("{low} {} {high}", page.painted("36", &plot)));
    if histogram.below > 0 || histogram.above > 0 {
        let (below, above) = (histogram.below, histogram.above);
        page.line(&format!("beyond these edges: {below} below, {above} above"));
    }
}

/// At most `room` bins: neighbours are added up.
fn squeezed(counts: &[u64], room: usize) -> Vec<u64> {
    let each = counts.len().div_ceil(room).max(1);
    counts
        .chunks(each)
        .map(|chunk| chunk.iter().fold(0u64, |sum, n| sum.saturating_add(*n)))
        .collect()
}
