//! A figure as the page's script takes it: numbers, and words that are ready to be shown.
//!
//! Every number that a person reads is put into words here, by the same rules as everywhere else;
//! the script only says where things go. It draws in the axes' own steps, seconds for nanoseconds
//! and per cent for shares, so that it can name any place on them however far one zooms. Words go
//! there twice: as a label of the charts, which have a small markup of their own, and as a name.

use record::{Axis, Bar, Figure, Histogram, Labels, Line, Point, Quantity, Scale, Unit};
use serde_json::{Value, json};

use super::markup::label;
use crate::one_line;

/// More of anything than can be told apart.
const BARS_MAX: usize = 200;
const BINS_MAX: usize = 500;
const LINES_MAX: usize = 30;
const POINTS_MAX: usize = 2000;
const CELLS_MAX: usize = 2000;
const SIDE_MAX: usize = 200;

/// The figure's values.
///
/// # Errors
/// Why it is not drawn: part of a figure would be another figure.
pub(super) fn plot(figure: &Figure) -> Result<Value, String> {
    for (count, max, what) in sizes(figure) {
        if count > max {
            return Err(format!("of {count} {what} at most {max} can be told apart"));
        }
    }
    Ok(match figure {
        Figure::Bars { unit, bars, .. } => {
            let bars: Vec<Value> = bars.iter().map(|it| bar(it, *unit)).collect();
            json!({ "kind": "bars", "y": { "unit": steps(*unit) }, "bars": bars })
        }
        Figure::Distribution { unit, histogram, .. } => distribution(*unit, histogram),
        Figure::Lines { x, y, lines, .. } => {
            let lines: Vec<Value> = lines.iter().map(|it| line(it, x.unit, y.unit)).collect();
            json!({ "kind": "lines", "x": axis(x), "y": axis(y), "lines": lines })
        }
        Figure::HeatMap { unit, columns, rows, cells, .. } => heat_map(*unit, columns, rows, cells),
    })
}

/// How much there is to draw: a count, the most there may be, and of what.
fn sizes(figure: &Figure) -> Vec<(usize, usize, &'static str)> {
    match figure {
        Figure::Bars { bars, .. } => vec![(bars.len(), BARS_MAX, "values")],
        Figure::Distribution { histogram, .. } => {
            vec![(histogram.counts.len(), BINS_MAX, "bins")]
        }
        Figure::Lines { lines, .. } => {
            let points = lines.iter().map(|line| line.points.len()).sum();
            vec![(lines.len(), LINES_MAX, "lines"), (points, POINTS_MAX, "points")]
        }
        Figure::HeatMap { columns, rows, cells, .. } => {
            let (across, down) = (columns.labels.len(), rows.labels.len());
            let cells = cells.iter().map(Vec::len).sum();
            let sides = [(across, SIDE_MAX, "columns"), (down, SIDE_MAX, "rows")];
            [&sides[..], &[(cells, CELLS_MAX, "cells")]].concat()
        }
    }
}

/// By what a number is multiplied to be drawn, and how a place on the axis is named.
fn steps(unit: Unit) -> Value {
    let (factor, format, suffix) = match unit {
        Unit::Nanoseconds => (1e-9, "~s", "s"),
        Unit::PerSecond => (1.0, "~s", "/s"),
        Unit::Ratio => (1.0, "~g", "x"),
        Unit::Count => (1.0, "~s", ""),
        // Its prefixes are powers of ten; where they matter, the levels are named one by one.
        Unit::Bytes => (1.0, "~s", "B"),
        Unit::Share => (100.0, "~g", " %"),
    };
    json!({ "factor": factor, "format": format, "suffix": suffix })
}

fn axis(axis: &Axis) -> Value {
    json!({
        "title": label(&axis.title),
        "unit": steps(axis.unit),
        "log": axis.scale == Scale::Log,
    })
}

/// `103 ns (100 to 105 ns)`, or the number alone where no interval is claimed.
fn said(value: f64, low: f64, high: f64, unit: Unit) -> String {
    let number = Quantity::new(value, unit);
    match low == high {
        true => number.to_string(),
        false => format!("{number} ({})", Quantity::range(low, high, unit)),
    }
}

fn bar(bar: &Bar, unit: Unit) -> Value {
    let said = match bar.reference {
        true => Quantity::new(bar.value, unit).as_published(),
        false => said(bar.value, bar.low, bar.high, unit),
    };
    json!({
        "label": label(&bar.label), "name": one_line(&bar.label),
        "value": bar.value, "low": bar.low, "high": bar.high,
        "reference": bar.reference,
        "said": said,
    })
}

/// How wide each bin is, in the histogram's unit.
pub(super) fn bin_width(histogram: &Histogram) -> f64 {
    (histogram.high - histogram.low) / histogram.counts.len().max(1) as f64
}

fn distribution(unit: Unit, histogram: &Histogram) -> Value {
    let width = bin_width(histogram);
    let beyond = [histogram.below, histogram.above];
    let counts = histogram.counts.iter();
    let all = counts.clone().chain(&beyond).fold(0u64, |sum, count| sum.saturating_add(*count));
    let bin = |(place, count): (usize, &u64)| {
        let low = histogram.low + place as f64 * width;
        let edge = |at| Quantity::new(at, unit).edge(width, histogram.high);
        let said = format!("{count} of {all}: {} to {}", edge(low), edge(low + width));
        json!({ "at": low + width / 2.0, "count": count, "said": said })
    };
    let bins: Vec<Value> = counts.enumerate().map(bin).collect();
    json!({ "kind": "distribution", "x": { "unit": steps(unit) }, "width": width, "bins": bins })
}

fn line(line: &Line, x: Unit, y: Unit) -> Value {
    let point = |it: &Point| {
        let at = Quantity::new(it.x, x).as_published();
        let said = format!("{at}: {}", said(it.value, it.low, it.high, y));
        json!({
            "x": it.x, "at": at, "value": it.value, "low": it.low, "high": it.high, "said": said,
        })
    };
    let points: Vec<Value> = line.points.iter().map(point).collect();
    let (label, name) = (label(&line.label), one_line(&line.label));
    json!({ "label": label, "name": name, "reference": line.reference, "points": points })
}

fn heat_map(unit: Unit, columns: &Labels, rows: &Labels, cells: &[Vec<Option<f64>>]) -> Value {
    let side = |side: &Labels| {
        let names = || side.labels.iter();
        json!({
            "title": label(&side.title), "labels": names().map(|it| label(it)).collect::<Vec<_>>(),
            "name": one_line(&side.title),
            "names": names().map(|it| one_line(it)).collect::<Vec<_>>(),
        })
    };
    let cell = |cell: &Option<f64>| {
        let said = cell.map_or("no number".to_owned(), |it| Quantity::new(it, unit).to_string());
        json!({ "value": cell, "said": said })
    };
    let row = |row: &Vec<Option<f64>>| row.iter().map(cell).collect();
    let cells: Vec<Vec<Value>> = cells.iter().map(row).collect();
    json!({
        "kind": "heat_map",
        "y": { "unit": steps(unit) },
        "columns": side(columns), "rows": side(rows), "cells": cells,
    })
}
