//! A figure's place on the page, and its numbers as a table for whoever sees no figure.

use record::{Align, Axis, Bar, Figure, Histogram, Labels, Line, Quantity, Unit};

use super::{
    carried::is_drawn,
    markup::{Markup, as_data},
    plots,
    tables::{self, grid},
};
use crate::one_line;

/// More figures in one section than anybody looks at.
const FIGURES_MAX: usize = 30;

pub(super) fn figures(page: &mut Markup, figures: &[Figure], section: &str) {
    let drawn: Vec<&Figure> = figures.iter().filter(|figure| is_drawn(figure)).collect();
    for (place, figure) in drawn.iter().take(FIGURES_MAX).enumerate() {
        self::figure(page, figure, &format!("{section}.figure-{}", place + 1));
    }
    if drawn.len() > FIGURES_MAX {
        let left_out = drawn.len() - FIGURES_MAX;
        page.leaf("p", &[("class", "cut")], &format!("... and {left_out} more figures"));
    }
}

fn figure(page: &mut Markup, figure: &Figure, id: &str) {
    let title = title(figure);
    page.open("figure", &[("id", id), ("class", "drawn")]);
    page.leaf("figcaption", &[], title);
    page.open("div", &[("class", "tools"), ("hidden", "")]);
    page.close("div");
    let label = format!("{title}. {} The numbers are in the table that follows.", summary(figure));
    let keys = "Arrow keys go from point to point, Escape leaves them";
    let attributes = [
        ("class", "plot"),
        ("role", "img"),
        ("tabindex", "0"),
        ("aria-label", label.as_str()),
        ("aria-description", keys),
    ];
    page.open("div", &attributes);
    page.close("div");
    page.open("p", &[("class", "heard"), ("aria-live", "polite")]);
    page.close("p");
    if let Figure::Distribution { histogram, .. } = figure
        && (histogram.below > 0 || histogram.above > 0)
    {
        let (below, above) = (histogram.below, histogram.above);
        let text = format!("Beyond these edges: {below} below, {above} above.");
        page.leaf("p", &[("class", "cut")], &text);
    }
    page.open("details", &[("class", "numbers")]);
    page.leaf("summary", &[], "The numbers");
    numbers(page, figure);
    page.close("details");
    page.script(&[("type", "application/json"), ("data-figure", "")], &data(figure));
    page.close("figure");
}

fn data(figure: &Figure) -> String {
    as_data(&plots::plot(figure))
}

fn title(figure: &Figure) -> &str {
    match figure {
        Figure::Bars { title, .. }
        | Figure::Distribution { title, .. }
        | Figure::Lines { title, .. }
        | Figure::HeatMap { title, .. } => title,
    }
}

/// What is to be seen, in a sentence.
fn summary(figure: &Figure) -> String {
    match figure {
        Figure::Bars { bars, .. } => {
            let theirs = bars.iter().filter(|bar| bar.reference).count();
            format!("{} values, {theirs} of them measured by others.", bars.len())
        }
        Figure::Distribution { unit, histogram, .. } => {
            let range = Quantity::range(histogram.low, histogram.high, *unit);
            format!("Counts in {} bins from {range}.", histogram.counts.len())
        }
        Figure::Lines { x, y, lines, .. } => {
            format!("{} lines: {} over {}.", lines.len(), one_line(&y.title), one_line(&x.title))
        }
        Figure::HeatMap { columns, rows, .. } => {
            let (across, down) = (columns.labels.len(), rows.labels.len());
            format!("{down} rows ({}) by {across} columns ({}).", rows.title, columns.title)
        }
    }
}

fn numbers(page: &mut Markup, figure: &Figure) {
    match figure {
        Figure::Bars { title, unit, bars } => self::bars(page, title, *unit, bars),
        Figure::Distribution { title, unit, histogram } => bins(page, title, *unit, histogram),
        Figure::Lines { title, x, y, lines } => self::lines(page, title, x, y, lines),
        Figure::HeatMap { title, unit, columns, rows, cells } => {
            self::cells(page, title, *unit, (columns, rows), cells);
        }
    }
}

const NUMBERS: [(&str, Align); 3] =
    [("value", Align::Right), ("low", Align::Right), ("high", Align::Right)];

fn put(page: &mut Markup, title: &str, columns: &[(&str, Align)], rows: &[Vec<String>], n: usize) {
    let rows = rows.iter().map(|row| row.iter().map(String::as_str).collect());
    grid(page, &format!("{title}: the numbers"), columns, rows, n);
}

fn three(value: f64, low: f64, high: f64, unit: Unit) -> [String; 3] {
    let text = |number: f64| Quantity::new(number, unit).to_string();
    // Where no interval is claimed none is shown.
    let edge = |number: f64| if low == high { String::new() } else { text(number) };
    [text(value), edge(low), edge(high)]
}

fn bars(page: &mut Markup, title: &str, unit: Unit, bars: &[Bar]) {
    let columns = [&[("case", Align::Left)][..], &NUMBERS].concat();
    let row = |bar: &Bar| match bar.reference {
        true => {
            let value = Quantity::new(bar.value, unit).as_published();
            vec![bar.label.clone(), value, String::new(), String::new()]
        }
        false => {
            let [value, low, high] = three(bar.value, bar.low, bar.high, unit);
            vec![bar.label.clone(), value, low, high]
        }
    };
    let rows: Vec<Vec<String>> = bars.iter().take(tables::ROWS_MAX).map(row).collect();
    put(page, title, &columns, &rows, bars.len());
}

fn bins(page: &mut Markup, title: &str, unit: Unit, histogram: &Histogram) {
    let columns = [("from", Align::Right), ("to", Align::Right), ("count", Align::Right)];
    let width = plots::bin_width(histogram);
    let edge = |bin: usize| {
        Quantity::new(histogram.low + bin as f64 * width, unit).edge(width, histogram.high)
    };
    let rows: Vec<Vec<String>> = histogram
        .counts
        .iter()
        .take(tables::ROWS_MAX)
        .enumerate()
        .map(|(bin, count)| vec![edge(bin), edge(bin + 1), count.to_string()])
        .collect();
    put(page, title, &columns, &rows, histogram.counts.len());
}

fn lines(page: &mut Markup, title: &str, x: &Axis, y: &Axis, lines: &[Line]) {
    let columns = [&[("line", Align::Left), (&*x.title, Align::Right)][..], &NUMBERS].concat();
    let points = || lines.iter().flat_map(|line| line.points.iter().map(move |it| (line, it)));
    let rows: Vec<Vec<String>> = points()
        .take(tables::ROWS_MAX)
        .map(|(line, point)| {
            let at = Quantity::new(point.x, x.unit).as_published();
            let [value, low, high] = three(point.value, point.low, point.high, y.unit);
            vec![line.label.clone(), at, value, low, high]
        })
        .collect();
    put(page, title, &columns, &rows, points().count());
}

fn cells(
    page: &mut Markup,
    title: &str,
    unit: Unit,
    (columns, rows): (&Labels, &Labels),
    cells: &[Vec<Option<f64>>],
) {
    let shown = columns.labels.iter().take(tables::COLUMNS_MAX);
    let corner = format!("{} / {}", one_line(&rows.title), one_line(&columns.title));
    let heads: Vec<(&str, Align)> = [(corner.as_str(), Align::Left)]
        .into_iter()
        .chain(shown.map(|label| (label.as_str(), Align::Right)))
        .collect();
    let value = |cell: &Option<f64>| {
        cell.map(|number| Quantity::new(number, unit).to_string()).unwrap_or_default()
    };
    let lines: Vec<Vec<String>> = rows
        .labels
        .iter()
        .zip(cells)
        .take(tables::ROWS_MAX)
        .map(|(label, row)| {
            let cells = row.iter().take(tables::COLUMNS_MAX).map(value);
            [label.clone()].into_iter().chain(cells).collect()
        })
        .collect();
    put(page, title, &heads, &lines, rows.labels.len());
    if columns.labels.len() > tables::COLUMNS_MAX {
        let left_out = columns.labels.len() - tables::COLUMNS_MAX;
        page.leaf("p", &[("class", "cut")], &format!("... and {left_out} more columns"));
    }
}
