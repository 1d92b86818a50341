//! Are two cases of the same run different? By their ratio in each round, never by two medians.
//!
//! Both cases of a round saw nearly the same machine, so their ratio is free of what changes from
//! round to round. Its interval is held against a margin: the larger of 3 % and what identical
//! cases (twins) were seen to differ by.

use std::collections::BTreeMap;

use crate::{Interval, Point, Series};

/// No difference below this is ever called one: code placement alone moves a loop by as much.
pub const MARGIN_MIN: f64 = 0.03;
/// Above this the machine is too noisy to call anything the same.
pub const MARGIN_MAX: f64 = 0.10;

/// What the ratio of two cases says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The whole interval lies above the margin.
    Higher,
    /// The whole interval lies below the margin.
    Lower,
    /// The whole interval lies within the margin.
    Same,
    /// None of these: more rounds, or a quieter machine, would be needed.
    Inconclusive,
}

/// Two cases of one run, compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The ratio with its 95 % interval.
    pub ratio: Interval,
    /// The margin around 1 that it was held against.
    pub margin: f64,
    /// What follows.
    pub verdict: Verdict,
}

/// The ratio `of / to` in each round that has both.
pub fn ratios(of: &Series, to: &Series) -> Series {
    combined(of, &[to], |values| values[0] / values[1])
}

/// What `make` makes of the values of the first series and those of the others, in their order, in
/// each round that has all of them.
pub fn combined(first: &Series, others: &[&Series], make: impl Fn(&[f64]) -> f64) -> Series {
    let by_round = |series: &&Series| -> BTreeMap<u32, f64> {
        series.starts().iter().flatten().map(|point| (point.round, point.value)).collect()
    };
    let others: Vec<BTreeMap<u32, f64>> = others.iter().map(by_round).collect();
    let one = |point: &Point| {
        let rest = others.iter().map(|other| other.get(&point.round).copied());
        let values: Option<Vec<f64>> = [Some(point.value)].into_iter().chain(rest).collect();
        Some(Point { value: make(&values?), ..*point })
    };
    let start = |points: &Vec<Point>| points.iter().filter_map(one).collect();
    Series::new(first.starts().iter().map(start).collect())
}

/// Judges ratios of one run against `floor`, what twins were seen to differ by; none without
/// ratios.
pub fn within(ratios: &Series, floor: f64, seed: u64) -> Option<Comparison> {
    let ratio = ratios.median_interval(seed)?;
    let margin = floor.max(MARGIN_MIN);
    let verdict = if ratio.low > 1.0 + margin {
        Verdict::Higher
    } else if ratio.high < 1.0 / (1.0 + margin) {
        Verdict::Lower
    } else if margin <= MARGIN_MAX
        && ratio.low >= 1.0 / (1.0 + margin)
        && ratio.high <= 1.0 + margin
    {
        Verdict::Same
    } else {
        Verdict::Inconclusive
    };
    Some(Comparison { ratio, margin, verdict })
}

/// How far from 1 the intervals of these twins' ratios reach: the noise floor. None without twins.
pub fn noise_floor(twins: &[Interval]) -> Option<f64> {
    let reach = |ratio: &Interval| (ratio.high - 1.0).max(1.0 / ratio.low - 1.0).max(0.0);
    twins.iter().map(reach).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Five starts of forty rounds around `level`, each with 2 % of noise.
    fn series(level: f64, random: &mut Random) -> Series {
        let mut point = |round: u32| Point {
            round,
            at_ns: u64::from(round) * 20_000_000,
            value: level * (1.0 + 0.04 * (random.unit() - 0.5)),
        };
        Series::new((0..5).map(|s| (s * 40..(s + 1) * 40).map(&mut point).collect()).collect())
    }

    #[test]
    fn verdicts_follow_the_margin() {
        let mut random = Random::new(5);
        for (of, floor, verdict) in [
            (100.0, 0.01, Verdict::Same),
            (110.0, 0.01, Verdict::Higher),
            (90.0, 0.01, Verdict::Lower),
            (110.0, 0.20, Verdict::Inconclusive),
            (100.0, 0.20, Verdict::Inconclusive),
            (103.0, 0.01, Verdict::Inconclusive),
        ] {
            let ratios = ratios(&series(of, &mut random), &series(100.0, &mut random));
            assert_eq!(ratios.len(), 200);
            let comparison = within(&ratios, floor, 1).unwrap();
            assert_eq!(comparison.verdict, verdict, "{of} {comparison:?}");
        }
    }

    #[test]
    fn rounds_that_lack_a_side_are_left_out() {
        let point = |round, value| Point { round, at_ns: u64::from(round), value };
        let of = Series::new(vec![vec![point(0, 2.0), point(1, 3.0)], vec![point(2, 4.0)]]);
        let to = Series::new(vec![vec![point(1, 1.0)], vec![point(2, 2.0), point(3, 9.0)]]);
        assert_eq!(ratios(&of, &to).values(), [3.0, 2.0]);
    }

    #[test]
    fn the_floor_is_the_farthest_reach_either_way() {
        let ratio = |low, high| Interval { value: 1.0, low, high };
        assert_eq!(noise_floor(&[]), None);
        let floor = noise_floor(&[ratio(0.99, 1.02), ratio(0.8, 1.01)]).unwrap();
        assert!((floor - 0.25).abs() < 1e-12);
    }
}
