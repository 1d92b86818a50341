//! Did something change between runs? Far harder than within one: the machine itself may have.
//!
//! The margin is the largest of 3 %, what twins differed by, and, where a side is a single run,
//! what the starts of a run differed by: that stands for what runs would differ by. Several runs
//! show it themselves: they are resampled, and the interval holds it. For CPU work a verdict must
//! hold for the raw ratio and for the ratio of costs divided by the canary of the same round; else
//! it is the machine's speed that changed, or nothing can be said.

use record::{Better, Recorded, RestsOn, Verdict};
use stats::{
    Interval, MARGIN_MAX, MARGIN_MIN, Series, derive_seed, median, ratio_of_medians, ratios,
};

use crate::{CANARY, CANARY_STEP, floor_of, series, twins};

/// A run of one side, with what is the same for all of its metrics found out once.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its trials.
    pub recorded: &'a Recorded,
    /// What its twins differed by; none without twins.
    pub floor: Option<f64>,
}

impl<'a> Side<'a> {
    /// The side that these trials are.
    pub fn of(recorded: &'a Recorded) -> Self {
        Self { recorded, floor: floor_of(&twins(recorded)) }
    }
}

/// Two sides of one metric, compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Between {
    /// The later side over the earlier one.
    pub ratio: Interval,
    /// The same with each round's value divided by its canary, for CPU work.
    pub per_canary: Option<Interval>,
    /// What the ratio was held against.
    pub margin: Margin,
    /// What follows.
    pub verdict: Verdict,
}

/// A margin around 1, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// The margin.
    pub value: f64,
    /// What made it as large as it is.
    pub from: &'static str,
}

/// Compares the runs of the earlier side with those of the later one; none where there are too few
/// starts of that case for an interval.
pub fn between(
    before: &[Side<'_>],
    after: &[Side<'_>],
    rests_on: &RestsOn,
    better: Better,
) -> Option<Between> {
    let side = |runs: &[Side<'_>]| -> Vec<Series> {
        let one = |run: &Side<'_>| series(run.recorded, &rests_on.case, &rests_on.metric);
        runs.iter().map(one).collect()
    };
    let (before_series, after_series) = (side(before), side(after));
    let seed = derive_seed(after.first()?.recorded.seed, &rests_on.case);
    let ratio = ratio_of_medians(&before_series, &after_series, seed)?;
    let per_canary = if rests_on.cpu_bound {
        let per = |runs: &[Side<'_>], values: &[Series]| -> Vec<Series> {
            let canary = |run: &Side<'_>| series(run.recorded, CANARY, CANARY_STEP);
            runs.iter().zip(values).map(|(run, values)| ratios(values, &canary(run))).collect()
        };
        let (before, after) = (per(before, &before_series), per(after, &after_series));
        Some(ratio_of_medians(&before, &after, seed)?)
    } else {
        None
    };
    let margin = margin(before, after, &before_series, &after_series);
    let verdict = verdict(&ratio, per_canary.as_ref(), margin.value, better);
    Some(Between { ratio, per_canary, margin, verdict })
}

fn margin(
    before: &[Side<'_>],
    after: &[Side<'_>],
    before_series: &[Series],
    after_series: &[Series],
) -> Margin {
    let floors = before.iter().chain(after).filter_map(|run| run.floor);
    let floor = floors.reduce(f64::max).unwrap_or(0.0);
    let single = before.len() == 1 || after.len() == 1;
    let starts = before_series.iter().chain(after_series).map(spread_of_starts);
    let spread = if single { starts.fold(0.0, f64::max) } else { 0.0 };
    let candidates = [
        Margin { value: MARGIN_MIN, from: "no difference below it is called one" },
        Margin { value: floor, from: "what identical cases differed by" },
        Margin { value: spread, from: "what the starts of one run differed by" },
    ];
    candidates.into_iter().fold(candidates[0], |a, b| if b.value > a.value { b } else { a })
}

/// How far the median of any start lies from the median of the run, as a share of it.
fn spread_of_starts(run: &Series) -> f64 {
    let all = run.median();
    let distance = |start: &Vec<stats::Point>| {
        let mut values: Vec<f64> = start.iter().map(|point| point.value).collect();
        (median(&mut values) / all - 1.0).abs()
    };
    run.starts().iter().map(distance).fold(0.0, f64::max)
}

fn verdict(raw: &Interval, per_canary: Option<&Interval>, margin: f64, better: Better) -> Verdict {
    let both = |holds: &dyn Fn(&Interval) -> bool| holds(raw) && per_canary.is_none_or(holds);
    let (top, bottom) = (1.0 + margin, 1.0 / (1.0 + margin));
    if both(&|ratio| ratio.low >= bottom && ratio.high <= top) {
        return if margin > MARGIN_MAX { Verdict::Inconclusive } else { Verdict::Same };
    }
    // A fact may be the same, but not better or worse.
    if better == Better::Neither {
        return Verdict::Inconclusive;
    }
    let (more, less) = match better {
        Better::Lower | Better::Neither => (Verdict::Slower, Verdict::Faster),
        Better::Higher => (Verdict::Faster, Verdict::Slower),
    };
    if both(&|ratio| ratio.low > top) {
        more
    } else if both(&|ratio| ratio.high < bottom) {
        less
    } else {
        Verdict::Inconclusive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, high: f64) -> Interval {
        Interval { value: (low + high) / 2.0, low, high }
    }

    #[test]
    fn a_verdict_must_hold_raw_and_by_the_canary() {
        use Verdict::{Faster, Inconclusive, Same, Slower};
        for (raw, canary, margin, better, expected) in [
            ((1.08, 1.12), (1.07, 1.11), 0.03, Better::Lower, Slower),
            ((1.08, 1.12), (1.07, 1.11), 0.03, Better::Higher, Faster),
            ((0.88, 0.92), (0.87, 0.93), 0.03, Better::Lower, Faster),
            ((0.99, 1.01), (0.98, 1.02), 0.03, Better::Lower, Same),
            // The machine was slower, the work was not.
            ((1.30, 1.40), (0.99, 1.01), 0.03, Better::Lower, Inconclusive),
            ((1.02, 1.12), (1.04, 1.11), 0.03, Better::Lower, Inconclusive),
            ((0.99, 1.01), (0.99, 1.01), 0.12, Better::Lower, Inconclusive),
            ((1.90, 2.10), (1.90, 2.10), 0.12, Better::Lower, Slower),
            ((1.20, 1.30), (1.20, 1.30), 0.03, Better::Neither, Inconclusive),
            ((0.99, 1.01), (0.99, 1.01), 0.03, Better::Neither, Same),
        ] {
            let (raw, canary) = (interval(raw.0, raw.1), interval(canary.0, canary.1));
            assert_eq!(
                verdict(&raw, Some(&canary), margin, better),
                expected,
                "{raw:?} {canary:?}"
            );
        }
        let raw = interval(1.30, 1.40);
        assert_eq!(verdict(&raw, None, 0.03, Better::Lower), Slower);
    }
}
