//! A figure's place on the page, and its numbers as a table for whoever sees no figure.

use record::{Align, Axis, Bar, Figure, Histogram, Labels, Line, Quantity, Unit};

use super::{
    markup::{Markup, as_data},
    plots,
    tables::{self, grid},
};
use crate::one_line;

/// More figures in one section than anybody looks at.
const FIGURES_MAX: usize = 30;
/// As long as thousands of points; longer only if somebody put essays into the labels.
const DATA_BYTES_MAX: usize = 250_000;

/// Whether any of them is drawn.
pub(super) fn figures(page: &mut Markup, figures: &[Figure], section: &str) -> bool {
    let shown: Vec<&Figure> = figures.iter().filter(|figure| holds_anything(figure)).collect();
    let drawn = page.each(shown.iter().enumerate(), FIGURES_MAX, |page, (place, figure)| {
        self::figure(page, figure, &format!("{section}:figure-{}", place + 1))
    });
    page.left_out(shown.len() - drawn.len(), "figures");
    drawn.contains(&true)
}

/// Whether anything is to be seen in it.
fn holds_anything(figure: &Figure) -> bool {
    match figure {
        Figure::Bars { bars, .. } => !bars.is_empty(),
        Figure::Distribution { histogram, .. } => !histogram.counts.is_empty(),
        Figure::Lines { lines, .. } => lines.iter().any(|line| !line.points.is_empty()),
        Figure::HeatMap { cells, .. } => cells.iter().flatten().any(Option::is_some),
    }
}

/// Whether it is drawn.
fn figure(page: &mut Markup, figure: &Figure, id: &str) -> bool {
    let plot = plots::plot(figure).map(|plot| as_data(&plot)).and_then(|data| {
        match data.len() <= DATA_BYTES_MAX {
            true => Ok(data),
            false => Err("its labels are too long".to_owned()),
        }
    });
    let class = if plot.is_ok() { "drawn" } else { "told" };
    page.open("figure", &[("id", id), ("class", class)]);
    page.leaf("figcaption", &[], title(figure));
    match &plot {
        Ok(_) => canvas(page, figure),
        Err(why) => page.leaf("p", &[("class", "cut")], &format!("Not drawn: {why}.")),
    }
    if let Figure::Distribution { histogram, .. } = figure
        && (histogram.below > 0 || histogram.above > 0)
    {
        let (below, above) = (histogram.below, histogram.above);
        let text = format!("Beyond these edges: {below} below, {above} above.");
        page.leaf("p", &[("class", "cut")], &text);
    }
    // Before the numbers, whose rows can be cut where both have no room.
    if let Ok(data) = &plot {
        page.script(&[("type", "application/json"), ("data-figure", "")], data);
    }
    page.open("details", &[("class", "numbers")]);
    page.leaf("summary", &[], "The numbers");
    numbers(page, figure);
    page.close("details");
    page.close("figure");
    plot.is_ok()
}

/// Where the page's script draws, and whatever goes with that.
fn canvas(page: &mut Markup, figure: &Figure) {
    let title = title(figure);
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
    page.left_out(columns.labels.len().saturating_sub(tables::COLUMNS_MAX), "columns");
}
