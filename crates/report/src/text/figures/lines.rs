//! Lines in characters: one strip per line, all on the same scale, so that they are compared by eye
//! from strip to strip.

use record::{Axis, Line, Point, Quantity, Scale, Unit};
use unicode_width::UnicodeWidthStr;

use super::{HEIGHTS, LABEL_MIN, PLOT_MAX, PLOT_MIN, shortened};
use crate::{one_line, text::look::Page};

const LINES_MAX: usize = 40;

pub(super) fn lines(page: &mut Page, x: &Axis, y: &Axis, lines: &[Line]) {
    let left_out = lines.len().saturating_sub(LINES_MAX);
    let lines = &lines[..lines.len() - left_out];
    let points = || lines.iter().flat_map(|line| &line.points);
    let places = Places::of(points().map(|point| point.x));
    let heights = Heights::of(points().map(|point| point.value), y.scale);
    let ends: Vec<String> = lines.iter().map(|line| ends(line, y.unit)).collect();
    let end_width = ends.iter().map(|end| end.width()).max().unwrap_or(0);
    let label_max = page.inner_width().saturating_sub(end_width + PLOT_MIN + 2).max(LABEL_MIN);
    let label = |line: &Line| shortened(&one_line(&line.label), label_max);
    let label_width = lines.iter().map(|line| label(line).width()).max().unwrap_or(0);
    let room = page.inner_width().saturating_sub(label_width + end_width + 2);
    let room = room.clamp(PLOT_MIN, PLOT_MAX);
    for (line, end) in lines.iter().zip(ends) {
        let strip = strip(&line.points, &places, &heights, room);
        let strip = if line.reference { strip } else { page.painted("36", &strip) };
        let gap = " ".repeat(label_width - label(line).width());
        page.line(&format!("{}{gap} {strip} {end}", label(line)));
    }
    if left_out > 0 {
        page.line(&format!("... and {left_out} more"));
    }
    if let (Some(first), Some(last)) = (places.0.first(), places.0.last()) {
        // What was varied was chosen, so no digit of it is rounded away.
        let exact = |value: f64| Quantity::new(value, x.unit).as_published();
        let (title, count) = (one_line(&x.title), places.0.len());
        page.line(&format!("across: {title}, {count} from {} to {}", exact(*first), exact(*last)));
    }
    if let (Some(low), Some(high)) = (heights.low, heights.high) {
        let scale = if y.scale == Scale::Log { ", logarithmic" } else { "" };
        let range = Quantity::range(low, high, y.unit);
        page.line(&format!("height: {}, {range}{scale}", one_line(&y.title)));
    }
}

/// From what to what a line leads.
fn ends(line: &Line, unit: Unit) -> String {
    let value = |point: &Point| Quantity::new(point.value, unit);
    match (line.points.first(), line.points.last()) {
        (Some(first), Some(last)) => format!("{} → {}", value(first), value(last)),
        _ => "no points".to_owned(),
    }
}

/// Every x that any line has a point at, once and in order: each is a column, however far apart.
struct Places(Vec<f64>);

impl Places {
    fn of(xs: impl Iterator<Item = f64>) -> Self {
        let mut places: Vec<f64> = xs.collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        Self(places)
    }
}

/// The scale that all strips share.
struct Heights {
    low: Option<f64>,
    high: Option<f64>,
    scale: Scale,
}

impl Heights {
    fn of(values: impl Iterator<Item = f64>, scale: Scale) -> Self {
        let drawn = values.filter(|value| match scale {
            Scale::Linear => value.is_finite(),
            Scale::Log => value.is_finite() && *value > 0.0,
        });
        let (low, high) = drawn.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let some = |edge: f64| edge.is_finite().then_some(edge);
        Self { low: some(low), high: some(high), scale }
    }

    /// A block of one to eight eighths; nothing where the scale has no place for the value.
    fn block(&self, value: f64) -> char {
        let (Some(low), Some(high)) = (self.low, self.high) else { return ' ' };
        let placed = |it: f64| if self.scale == Scale::Log { it.ln() } else { it };
        let share = (placed(value) - placed(low)) / (placed(high) - placed(low));
        match share.is_finite() {
            true => HEIGHTS[1 + (share.clamp(0.0, 1.0) * 7.0).round() as usize],
            false if value == low => HEIGHTS[1],
            false => ' ',
        }
    }
}

/// A block per place; where there are more places than room, the highest of neighbours.
fn strip(points: &[Point], places: &Places, heights: &Heights, room: usize) -> String {
    let wide = (room / places.0.len().max(1)).clamp(1, 3);
    let each = places.0.len().div_ceil(room).max(1);
    let block = |xs: &[f64]| {
        let here = points.iter().filter(|point| xs.contains(&point.x)).map(|point| point.value);
        here.reduce(f64::max).map_or(' ', |value| heights.block(value)).to_string().repeat(wide)
    };
    places.0.chunks(each).map(block).collect()
}
