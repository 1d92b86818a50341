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
//! by 1.42 at five starts. One start alone says nothing about others, and has no interval.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::{Random, median, quantile};

/// The least time that a block of rounds spans.
pub const BLOCK_NS: u64 = 500_000_000;

/// How often is resampled: enough that the ends of a 95 % interval are themselves steady.
const RESAMPLES: usize = 2000;
/// Long runs resample less often, so that the work stays bounded.
const VALUES_DRAWN_MAX: usize = 200_000_000;
const RESAMPLES_MIN: usize = 200;

/// One value and when it was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The round it belongs to.
    pub round: u32,
    /// When, in nanoseconds; ascending within a start.
    pub at_ns: u64,
    /// What was measured.
    pub value: f64,
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

    /// The median with its 95 % interval; none with fewer than two starts.
    pub fn median_interval(&self, seed: u64) -> Option<Interval> {
        let widened = widening(self.starts.len())?;
        let value = self.median();
        let starts: Vec<_> = self.starts.iter().map(|start| blocks(start)).collect();
        let mut random = Random::new(seed);
        let mut drawn = Vec::with_capacity(self.len());
        let resamples = (VALUES_DRAWN_MAX / self.len()).clamp(RESAMPLES_MIN, RESAMPLES);
        let mut medians: Vec<f64> = (0..resamples)
            .map(|_| {
                draw(&starts, &mut random, &mut drawn);
                median(&mut drawn)
            })
            .collect();
        medians.sort_by(f64::total_cmp);
        let (low, high) = (quantile(&medians, 0.025), quantile(&medians, 0.975));
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
/// are, and within each run its starts and blocks. None where a side has fewer than two starts.
///
/// Student's t has the degrees of freedom of the smaller side, counted in runs where both sides
/// have several, else in starts: what differs between single runs is not in the interval, and has
/// to be in the margin that it is held against.
pub fn ratio_of_medians(before: &[Series], after: &[Series], seed: u64) -> Option<Interval> {
    let units = |side: &[Series]| match (before.len().min(after.len()), side) {
        (1, side) => side.iter().map(|run| run.starts.len()).sum(),
        (_, side) => side.len(),
    };
    let widened = widening(units(before).min(units(after)))?;
    let side_blocks = |side: &[Series]| -> Vec<Vec<Vec<Vec<f64>>>> {
        side.iter().map(|run| run.starts.iter().map(|start| blocks(start)).collect()).collect()
    };
    let side_median =
        |side: &[Series]| median(&mut side.iter().flat_map(Series::values).collect::<Vec<_>>());
    let value = side_median(after) / side_median(before);
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
    let mut ratios: Vec<f64> = (0..RESAMPLES)
        .map(|_| draw_side(&after, &mut random) / draw_side(&before, &mut random))
        .collect();
    ratios.sort_by(f64::total_cmp);
    let (low, high) = (quantile(&ratios, 0.025).min(value), quantile(&ratios, 0.975).max(value));
    Some(Interval { value, low: widen(value, low, widened), high: widen(value, high, widened) })
}

/// How much wider an interval from so many starts must be than if there were very many; none for
/// fewer than two.
fn widening(starts: usize) -> Option<f64> {
    let normal = 1.959_963_985;
    let student = StudentsT::new(0.0, 1.0, starts.checked_sub(1)? as f64).ok()?;
    Some(student.inverse_cdf(0.975) / normal)
}

/// The values of one start, cut into blocks that span at least [`BLOCK_NS`]; a shorter rest joins
/// the last whole block.
fn blocks(start: &[Point]) -> Vec<Vec<f64>> {
    let mut blocks: Vec<Vec<f64>> = Vec::new();
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
fn draw(starts: &[Vec<Vec<f64>>], random: &mut Random, drawn: &mut Vec<f64>) {
    drawn.clear();
    for _ in 0..starts.len().saturating_sub(1).max(1) {
        let start = &starts[random.below(starts.len())];
        for _ in 0..start.len() {
            drawn.extend_from_slice(&start[random.below(start.len())]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A standard normal number (the sum of twelve uniforms: close enough within three deviations).
    fn normal(random: &mut Random) -> f64 {
        (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
    }

    /// Rounds as a shared machine makes them: 100 plus an effect of the start, plus neighbours that
    /// resemble each other (lag-1 autocorrelation 0.9, a round each 10 ms).
    fn noisy(random: &mut Random, starts: usize, rounds: usize, start_effect: f64) -> Series {
        let mut at_ns = 0;
        let mut one = |random: &mut Random| {
            let offset = start_effect * normal(random);
            let mut slow = 2.0 * normal(random);
            let mut point = |random: &mut Random| {
                slow = 0.9 * slow + 2.0 * (1.0f64 - 0.81).sqrt() * normal(random);
                at_ns += 10_000_000;
                Point { round: 0, at_ns, value: 100.0 + offset + slow }
            };
            (0..rounds).map(|_| point(random)).collect()
        };
        Series::new((0..starts).map(|_| one(random)).collect())
    }

    /// How often the interval holds the truth, by each of two ways to make it.
    fn coverage(starts: usize, rounds: usize, start_effect: f64, one_block: bool) -> f64 {
        let mut random = Random::new(11);
        let trials = 400;
        let mut held = 0;
        for trial in 0..trials {
            let mut series = noisy(&mut random, starts, rounds, start_effect);
            if one_block {
                // Every round a start of its own: the plain bootstrap over rounds.
                let points = series.starts.concat();
                series = Series::new(points.into_iter().map(|point| vec![point]).collect());
            }
            let interval = series.median_interval(trial).unwrap();
            held += u32::from(interval.low <= 100.0 && 100.0 <= interval.high);
        }
        f64::from(held) / trials as f64
    }

    /// Nominal 95 %; with 400 trials the count itself is known to +-2 %.
    #[test]
    fn intervals_hold_the_truth_where_a_bootstrap_over_rounds_does_not() {
        let plain = coverage(5, 100, 1.0, true);
        println!("over rounds: {plain:.3}");
        assert!(plain <= 0.60, "{plain}");
        // Two, five and twenty starts of one second; five and ten of five seconds, where there are
        // blocks; starts that do not differ.
        for (starts, rounds, effect, at_least) in [
            (2, 100, 1.0, 0.88),
            (5, 100, 1.0, 0.92),
            (20, 100, 1.0, 0.92),
            (5, 500, 0.3, 0.92),
            (10, 500, 1.0, 0.92),
            (5, 100, 0.0, 0.92),
        ] {
            let held = coverage(starts, rounds, effect, false);
            println!("{starts} starts of {rounds} rounds, effect {effect}: {held:.3}");
            assert!(held >= at_least, "{starts} {rounds} {effect}: {held}");
        }
    }

    /// `scipy.stats.t.ppf(0.975, n - 1) / scipy.stats.norm.ppf(0.975)` of SciPy 1.17.
    #[test]
    fn widening_agrees_with_scipy() {
        for (starts, expected) in
            [(2, 6.482_877), (5, 1.416_580), (20, 1.067_889), (250, 1.004_884)]
        {
            let widened = widening(starts).unwrap();
            assert!((widened - expected).abs() < 1e-5, "{starts}: {widened}");
        }
        assert_eq!((widening(0), widening(1)), (None, None));
    }

    /// Runs that differ from each other, and starts and rounds within them: nominal 95 %.
    #[test]
    fn the_ratio_of_several_runs_holds_the_truth() {
        let mut random = Random::new(3);
        let mut held = 0;
        for trial in 0..200 {
            let mut side = |level: f64| -> Vec<Series> {
                let mut run = || {
                    let factor = level * (1.0 + 0.01 * normal(&mut random));
                    let mut series = noisy(&mut random, 5, 40, 1.0);
                    let points = series.starts.iter_mut().flatten();
                    points.for_each(|point| point.value *= factor);
                    series
                };
                (0..5).map(|_| run()).collect()
            };
            let (before, after) = (side(1.0), side(1.1));
            let ratio = ratio_of_medians(&before, &after, trial).unwrap();
            held += u32::from(ratio.low <= 1.1 && 1.1 <= ratio.high);
        }
        println!("five runs a side: {held} of 200");
        assert!(held >= 180, "{held}");
    }

    #[test]
    fn one_start_has_no_interval() {
        let mut random = Random::new(1);
        assert_eq!(noisy(&mut random, 1, 100, 0.0).median_interval(1), None);
    }

    #[test]
    fn blocks_span_half_a_second_and_lose_nothing() {
        let start = |rounds: u64, step_ms: u64| -> Vec<Point> {
            let point = |i| Point { round: 0, at_ns: i * step_ms * 1_000_000, value: i as f64 };
            (0..rounds).map(point).collect()
        };
        for (rounds, step_ms, sizes) in [
            (1, 10, vec![1]),
            (40, 10, vec![40]),
            (100, 10, vec![100]),
            (101, 10, vec![50, 51]),
            (149, 10, vec![50, 99]),
            (151, 10, vec![50, 50, 51]),
            (3, 2000, vec![1, 2]),
        ] {
            let blocks = blocks(&start(rounds, step_ms));
            let seen: Vec<usize> = blocks.iter().map(Vec::len).collect();
            assert_eq!(seen, sizes, "{rounds} rounds each {step_ms} ms");
            assert_eq!(blocks.concat().len() as u64, rounds);
        }
    }

    proptest! {
        #[test]
        fn an_interval_holds_its_value(values in prop::collection::vec(-1e6f64..1e6, 21..80)) {
            let point = |(i, value)| Point { round: i as u32, at_ns: i as u64, value };
            let points: Vec<_> = values.into_iter().enumerate().map(point).collect();
            let starts = points.chunks(20).map(<[Point]>::to_vec).collect();
            let interval = Series::new(starts).median_interval(3).unwrap();
            prop_assert!(interval.low <= interval.value && interval.value <= interval.high);
        }
    }

    #[test]
    fn nothing_measured_has_no_interval() {
        assert_eq!(Series::default().median_interval(1), None);
        let nan = Point { round: 0, at_ns: 0, value: f64::NAN };
        assert_eq!(Series::new(vec![vec![nan]]).median_interval(1), None);
    }
}
