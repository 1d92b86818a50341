//! Drawing starts and blocks: how, and what the ends of an interval are among what was drawn.

use super::{BLOCK_NS, Point};
use crate::{Random, median, quantile};

/// The ends of a 95 % interval.
pub(super) const LOW: f64 = 0.025;
pub(super) const HIGH: f64 = 0.975;
/// Of so many starts all ways to draw are gone through: 924 of seven.
const STARTS_ENUMERATED_MAX: usize = 7;
/// How often is resampled elsewhere: enough that the ends of a 95 % interval are themselves steady.
const RESAMPLES: usize = 2000;
/// Long runs resample less often, so that the work stays bounded.
const VALUES_DRAWN_MAX: usize = 200_000_000;
const RESAMPLES_MIN: usize = 200;

/// The values of one start, cut into blocks that span at least [`BLOCK_NS`]; a shorter rest joins
/// the last whole block.
pub(super) fn blocks<V: Copy>(start: &[Point<V>]) -> Vec<Vec<V>> {
    let mut blocks: Vec<Vec<V>> = Vec::new();
    let mut begun_ns = None;
    let end_ns = start.last().map_or(0, |point| point.at_ns);
    for point in start {
        let begun = *begun_ns.get_or_insert(point.at_ns);
        let full = point.at_ns.saturating_sub(begun) >= BLOCK_NS;
        let rest_suffices = end_ns.saturating_sub(point.at_ns) >= BLOCK_NS;
        if blocks.is_empty() || (full && rest_suffices) {
            blocks.push(Vec::new());
            begun_ns = Some(point.at_ns);
        }
        if let Some(block) = blocks.last_mut() {
            block.push(point.value);
        }
    }
    blocks
}

/// One resample: of n starts n - 1, of each as many blocks as it has.
pub(super) fn draw(starts: &[Vec<Vec<f64>>], random: &mut Random, drawn: &mut Vec<f64>) {
    drawn.clear();
    for _ in 0..starts.len().saturating_sub(1).max(1) {
        let start = &starts[random.below(starts.len())];
        for _ in 0..start.len() {
            drawn.extend_from_slice(&start[random.below(start.len())]);
        }
    }
}

/// How often so many values are resampled.
pub(super) fn resamples(values: usize) -> usize {
    (VALUES_DRAWN_MAX / values.max(1)).clamp(RESAMPLES_MIN, RESAMPLES)
}

/// The ends by drawing at random.
pub(super) fn sampled_ends(starts: &[Vec<Vec<f64>>], seed: u64) -> (f64, f64) {
    let mut random = Random::new(seed);
    let all: usize = starts.iter().flatten().map(Vec::len).sum();
    let mut drawn = Vec::with_capacity(all);
    let mut medians: Vec<f64> = (0..resamples(all))
        .map(|_| {
            draw(starts, &mut random, &mut drawn);
            median(&mut drawn)
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    (quantile(&medians, LOW), quantile(&medians, HIGH))
}

/// The median of every way to draw n - 1 of n starts, with how likely it is; where starts are one
/// block each and so few that all ways can be gone through. Drawing at random would do the same,
/// but four of five starts can be drawn in seventy ways only: a quantile of a sample of those falls
/// on either side of a gap as the seed has it.
pub(super) fn all_draws(starts: &[Vec<Vec<f64>>]) -> Option<Vec<(f64, f64)>> {
    let n = starts.len();
    if n > STARTS_ENUMERATED_MAX || starts.iter().any(|start| start.len() != 1) {
        return None;
    }
    let mut draws = Vec::new();
    let mut counts = vec![0; n];
    each_composition(n - 1, 0, &mut counts, &mut |counts| {
        let mut drawn = Vec::new();
        let (mut ways, mut left) = (1.0, n - 1);
        for (start, &count) in starts.iter().zip(counts) {
            (0..count).for_each(|_| drawn.extend_from_slice(&start[0]));
            ways *= choose(left, count);
            left -= count;
        }
        draws.push((median(&mut drawn), ways / (n as f64).powi(n as i32 - 1)));
    });
    Some(draws)
}

/// Every way to write `left` as a sum of counts, from place `at` on.
fn each_composition(left: usize, at: usize, counts: &mut [usize], seen: &mut impl FnMut(&[usize])) {
    if at + 1 == counts.len() {
        counts[at] = left;
        return seen(counts);
    }
    for count in 0..=left {
        counts[at] = count;
        each_composition(left - count, at + 1, counts, seen);
    }
}

fn choose(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

/// The quantiles of values with weights that sum to 1; each value stands in the middle of its
/// weight, and between two middles they are joined by a line.
pub(super) fn weighted_ends(mut draws: Vec<(f64, f64)>) -> (f64, f64) {
    draws.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |share: f64| {
        let (mut before, mut sum) = (None, 0.0);
        for &(value, weight) in &draws {
            let middle = sum + weight / 2.0;
            if middle >= share {
                let Some((low, from)) = before else { return value };
                return low + (value - low) * (share - from) / (middle - from);
            }
            (before, sum) = (Some((value, middle)), sum + weight);
        }
        before.map_or(f64::NAN, |(value, _)| value)
    };
    (at(LOW), at(HIGH))
}
