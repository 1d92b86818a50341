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
