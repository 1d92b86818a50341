//! Figures as values: what is drawn, never how. Every renderer draws from the same ones.

use serde::{Deserialize, Serialize};

use crate::{Estimate, Reference, Unit};

/// A picture that a renderer may draw; the list is closed and grows with the questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Figure {
    /// One bar per case, each with its interval.
    Bars {
        /// What the figure shows.
        title: String,
        /// What the bars are counted in.
        unit: Unit,
        /// The bars, in reading order.
        bars: Vec<Bar>,
    },
    /// How the trials of one case fell.
    Distribution {
        /// What the figure shows.
        title: String,
        /// What the edges are counted in.
        unit: Unit,
        /// The counts.
        histogram: Histogram,
    },
    /// How a number depends on another: lines, each with the band of its intervals.
    Lines {
        /// What the figure shows.
        title: String,
        /// What is varied.
        x: Axis,
        /// What follows from it.
        y: Axis,
        /// The lines, in the order of their legend.
        lines: Vec<Line>,
    },
    /// A number for each pair of two things: from which CPU to which.
    HeatMap {
        /// What the figure shows.
        title: String,
        /// What the cells are counted in.
        unit: Unit,
        /// What stands above the columns, left to right.
        columns: Labels,
        /// What stands beside the rows, top to bottom.
        rows: Labels,
        /// The rows, each with one cell per column; a pair that has no number has none.
        cells: Vec<Vec<Option<f64>>>,
    },
}

/// One bar with its interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// What the bar is of.
    pub label: String,
    /// Its length.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Whether this is somebody else's number.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reference: bool,
}

impl Bar {
    /// A number of this run, with its interval.
    pub fn measured(label: impl Into<String>, it: &Estimate) -> Self {
        let (value, low, high) = (it.value, it.low, it.high);
        Self { label: label.into(), value, low, high, reference: false }
    }

    /// Somebody else's number, which came without an interval.
    pub fn published(label: impl Into<String>, it: &Reference) -> Self {
        let value = it.value;
        Self { label: label.into(), value, low: value, high: value, reference: true }
    }
}

/// Counts over equally wide bins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// Lower edge of the first bin.
    pub low: f64,
    /// Upper edge of the last bin.
    pub high: f64,
    /// How many fell into each bin.
    pub counts: Vec<u64>,
    /// How many fell below `low`.
    pub below: u64,
    /// How many fell above `high`.
    pub above: u64,
}

/// One direction of a figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// What stands beside it.
    pub title: String,
    /// What it is counted in.
    pub unit: Unit,
    /// How it is divided when the figure is first seen.
    #[serde(default)]
    pub scale: Scale,
}

/// How an axis is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Equal differences are equally far apart.
    #[default]
    Linear,
    /// Equal ratios are equally far apart.
    Log,
}

/// One line, and the band around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// What it is of.
    pub label: String,
    /// Its points, `x` rising.
    pub points: Vec<Point>,
    /// Whether these are somebody else's numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reference: bool,
}

/// One point of a line with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Where it stands on the first axis.
    pub x: f64,
    /// Where it stands on the second.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The labels along one side of a heat map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// What they are labels of.
    pub title: String,
    /// One per column or row.
    pub labels: Vec<String>,
}
