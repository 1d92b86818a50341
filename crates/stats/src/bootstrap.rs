//! The interval of a median, by bootstrap over starts, then blocks of rounds within them.
//!
//! On the machines that Fathom is for, a round resembles the one before it (autocorrelation at lag
//! 1 is 0.84 to 0.92, and the host's modes last up to seconds), so resampling single rounds yields
//! intervals that are far too narrow. What is nearly independent is a worker process, and within a
//! long one stretches of at least [`BLOCK_NS`].
//!
//! Few starts need two corrections. Of n starts, n - 1 are drawn with replacement (Rao and Wu
//! 1988): drawing all n understates the variance between starts by (n - 1)/n. And the percentiles'
//! distances from the median are widened by t / 1.96, with Student's t of n - 1 degrees of freedom:
//! by 1.42 at five starts. Fewer than four starts say too little about others, and have no
//! interval.

mod draws;
mod pooled;
mod share;

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::{Random, median, quantile};
pub use pooled::pooled_interval;
pub use share::{Counted, share_interval};

use draws::{HIGH, LOW, all_draws, blocks, draw, resamples, sampled_ends, weighted_ends};

/// The least time that a block of rounds spans.
pub const BLOCK_NS: u64 = 500_000_000;

/// Of two or three starts an interval holds the truth 80 to 92 % of the time, however it is
/// widened.
const STARTS_MIN: usize = 4;

/// One value and when it was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point<V = f64> {
    /// The round it belongs to.
    pub round: u32,
    /// When, in nanoseconds; ascending within a start.
    pub at_ns: u64,
    /// What was measured.
    pub value: V,
}

/// A value with its 95 % interval: low <= value <= high.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// One metric of one case over a section: the points of each start, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    starts: Vec<Vec<Point>>,
}

impl Series {
    /// The series of these starts; starts without points are left out, as are values that are not
    /// finite.
    pub fn new(starts: Vec<Vec<Point>>) -> Self {
        let finite = |start: Vec<Point>| -> Vec<Point> {
            start.into_iter().filter(|point| point.value.is_finite()).collect()
        };
        let starts = starts.into_iter().map(finite).filter(|start| !start.is_empty()).collect();
        Self { starts }
    }

    /// The points of each start.
    pub fn starts(&self) -> &[Vec<Point>] {
        &self.starts
    }

    /// All values, in order of time.
    pub fn values(&self) -> Vec<f64> {
        self.starts.iter().flatten().map(|point| point.value).collect()
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.starts.iter().map(Vec::len).sum()
    }

    /// Whether there is no point at all.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The median; NaN where there is no point.
    pub fn median(&self) -> f64 {
        median(&mut self.values())
    }

    /// The median with its 95 % interval; none with fewer than four starts.
    pub fn median_interval(&self, seed: u64) -> Option<Interval> {
        let widened = widening(self.starts.len()).filter(|_| self.starts.len() >= STARTS_MIN)?;
        let value = self.median();
        let starts: Vec<_> = self.starts.iter().map(|start| blocks(start)).collect();
        let (low, high) = match all_draws(&starts) {
            Some(draws) => weighted_ends(draws),
            None => sampled_ends(&starts, seed),
        };
        // A resampled median may miss the whole sample's where modes are far apart.
        let (low, high) = (low.min(value), high.max(value));
        Some(Interval { value, low: widen(value, low, widened), high: widen(value, high, widened) })
    }
}

/// Moves an interval's end away from its value. Costs and ratios can't fall below zero, so theirs
/// is moved by a factor.
fn widen(value: f64, end: f64, by: f64) -> f64 {
    if value > 0.0 && end > 0.0 {
        value * (end / value).powf(by)
    } else {
        value + (end - value) * by
    }
}

/// The ratio of two sides' medians, `after / before`, with its 95 % interval; each side is one run
/// or several. The sides are resampled apart: of several runs as of starts, one fewer than there
/// are, and within each run its starts and blocks. None where a single run has fewer than four
/// starts.
///
/// Student's t has the degrees of freedom of the smaller side, counted in runs where both sides
/// have several, else in starts: what differs between single runs is not in the interval, and has
/// to be in the margin that it is held against.
pub fn ratio_of_medians(before: &[Series], after: &[Series], seed: u64) -> Option<Interval> {
    let units = |side: &[Series]| match (before.len().min(after.len()), side) {
        (1, side) => side.iter().map(|run| run.starts.len()).sum(),
        (_, side) => side.len(),
    };
    let (units, several) = (units(before).min(units(after)), before.len().min(after.len()) > 1);
    let widened = widening(units).filter(|_| several || units >= STARTS_MIN)?;
    let side_blocks = |side: &[Series]| -> Vec<Vec<Vec<Vec<f64>>>> {
        side.iter().map(|run| run.starts.iter().map(|start| blocks(start)).collect()).collect()
    };
    let side_median =
        |side: &[Series]| median(&mut side.iter().flat_map(Series::values).collect::<Vec<_>>());
    let value = side_median(after) / side_median(before);
    let values = before.iter().chain(after).map(Series::len).sum();
    let (before, after) = (side_blocks(before), side_blocks(after));
    let mut random = Random::new(seed);
    let (mut drawn, mut run) = (Vec::new(), Vec::new());
    let mut draw_side = |side: &[Vec<Vec<Vec<f64>>>], random: &mut Random| {
        drawn.clear();
        for _ in 0..side.len().saturating_sub(1).max(1) {
            draw(&side[random.below(side.len())], random, &mut run);
            drawn.extend_from_slice(&run);
        }
        median(&mut drawn)
    };
    let mut ratios: Vec<f64> = (0..resamples(values))
        .map(|_| draw_side(&after, &mut random) / draw_side(&before, &mut random))
        .collect();
    ratios.sort_by(f64::total_cmp);
    let (low, high) = (quantile(&ratios, LOW).min(value), quantile(&ratios, HIGH).max(value));
    Some(Interval { value, low: widen(value, low, widened), high: widen(value, high, widened) })
}

/// How much wider an interval from so many starts must be than if there were very many; none for
/// fewer than two.
fn widening(starts: usize) -> Option<f64> {
    let normal = 1.959_963_985;
    let student = StudentsT::new(0.0, 1.0, starts.checked_sub(1)? as f64).ok()?;
    Some(student.inverse_cdf(0.975) / normal)
}

#[cfg(test)]
mod tests;
