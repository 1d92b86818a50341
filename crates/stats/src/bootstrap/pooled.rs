//! The interval of whatever follows from the counts of all rounds together: a share, or a quantile
//! of a histogram.
//!
//! What is resampled is what is nearly independent, as for medians: starts, then blocks of rounds
//! within them; of each resample the counts are summed, and the statistic is taken of the sums.

use super::{Interval, Point, STARTS_MIN, blocks, widen, widening};
use crate::{Random, quantile};

use super::draws::{HIGH, LOW, resamples};

/// The statistic of the sums of all counts, with its 95 % interval; none with fewer than four
/// starts. Each point holds the counts of its round, as many as every other.
pub fn pooled_interval<V: AsRef<[f64]> + Copy>(
    starts: &[Vec<Point<V>>],
    seed: u64,
    statistic: impl Fn(&[f64]) -> f64,
) -> Option<Interval> {
    // Of a block only its sums matter.
    let sums = |start: &Vec<Point<V>>| -> Vec<Vec<f64>> { blocks(start).iter().map(sum).collect() };
    let starts: Vec<Vec<Vec<f64>>> =
        starts.iter().filter(|start| !start.is_empty()).map(sums).collect();
    let widened = widening(starts.len()).filter(|_| starts.len() >= STARTS_MIN)?;
    let value = statistic(&sum(starts.iter().flatten()));
    let mut random = Random::new(seed);
    let times = resamples(starts.iter().map(Vec::len).sum());
    let mut drawn: Vec<f64> =
        (0..times).map(|_| statistic(&resample(&starts, &mut random))).collect();
    drawn.sort_by(f64::total_cmp);
    let (low, high) = (quantile(&drawn, LOW).min(value), quantile(&drawn, HIGH).max(value));
    Some(Interval { value, low: widen(value, low, widened), high: widen(value, high, widened) })
}

fn sum<V: AsRef<[f64]>>(all: impl IntoIterator<Item = V>) -> Vec<f64> {
    let mut sum = Vec::new();
    for counts in all {
        let counts = counts.as_ref();
        sum.resize(counts.len(), 0.0);
        sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    sum
}

/// The sums of one resample: of n starts n - 1, of each as many blocks as it has.
fn resample(starts: &[Vec<Vec<f64>>], random: &mut Random) -> Vec<f64> {
    let mut drawn: Vec<&[f64]> = Vec::new();
    for _ in 1..starts.len() {
        let start = &starts[random.below(starts.len())];
        drawn.extend((0..start.len()).map(|_| start[random.below(start.len())].as_slice()));
    }
    sum(drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The 99th percentile of a hundred thousand even draws, from counts beyond each hundredth.
    #[test]
    fn a_quantile_of_pooled_counts_is_found() {
        let mut random = Random::new(5);
        let rounds: Vec<Vec<f64>> = (0..50)
            .map(|_| {
                let draws: Vec<f64> = (0..2000).map(|_| random.unit()).collect();
                let beyond = |place: usize| {
                    draws.iter().filter(|it| **it > place as f64 / 200.0).count() as f64
                };
                (0..=200).map(beyond).collect()
            })
            .collect();
        let mut all = Vec::new();
        for (round, value) in rounds.iter().map(Vec::as_slice).enumerate() {
            all.push(Point { round: round as u32, at_ns: round as u64 * 100_000_000, value });
        }
        let starts: Vec<Vec<Point<&[f64]>>> = all.chunks(10).map(<[_]>::to_vec).collect();
        let p99 = |counts: &[f64]| {
            counts.iter().position(|count| *count <= 0.01 * counts[0]).unwrap_or(200) as f64 / 200.0
        };
        let it = pooled_interval(&starts, 1, p99).unwrap();
        assert!(it.low <= 0.99 && 0.99 <= it.high && it.high - it.low < 0.02, "{it:?}");
        assert!(pooled_interval(&starts[..3], 1, p99).is_none());
    }
}
