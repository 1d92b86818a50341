//! Coverage in simulation, and the parts that it rests on.

use proptest::prelude::*;

use super::{
    draws::{all_draws, blocks, sampled_ends, weighted_ends},
    *,
};

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
        (4, 100, 1.0, 0.90),
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
    for (starts, expected) in [(2, 6.482_877), (5, 1.416_580), (20, 1.067_889), (250, 1.004_884)] {
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
fn three_starts_have_no_interval() {
    let mut random = Random::new(1);
    for starts in 1..=3 {
        assert_eq!(noisy(&mut random, starts, 100, 1.0).median_interval(1), None);
    }
}

/// With five starts an end jumped by a fifth of the width from one seed to the next.
#[test]
fn the_ends_of_few_starts_do_not_depend_on_the_seed() {
    let mut random = Random::new(8);
    let series = noisy(&mut random, 5, 30, 3.0);
    assert_eq!(series.median_interval(1), series.median_interval(2));
}

#[test]
fn all_ways_to_draw_are_gone_through_once() {
    for (starts, ways) in [(2, 2), (4, 20), (5, 70), (7, 924)] {
        let blocks: Vec<_> = (0..starts).map(|start| vec![vec![start as f64]]).collect();
        let draws = all_draws(&blocks).unwrap();
        let sum: f64 = draws.iter().map(|(_, weight)| weight).sum();
        assert!(draws.len() == ways && (sum - 1.0).abs() < 1e-12, "{starts}: {sum}");
    }
}

/// What is gone through and what is drawn at random agree where draws are not few.
#[test]
fn enumeration_agrees_with_sampling() {
    let mut random = Random::new(4);
    let series = noisy(&mut random, 7, 60, 1.0);
    let starts: Vec<_> = series.starts.iter().map(|start| blocks(start)).collect();
    let (low, high) = weighted_ends(all_draws(&starts).unwrap());
    let (sampled_low, sampled_high) = sampled_ends(&starts, 1);
    let width = high - low;
    assert!((low - sampled_low).abs() < 0.1 * width, "{low} {sampled_low}");
    assert!((high - sampled_high).abs() < 0.1 * width, "{high} {sampled_high}");
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
    fn an_interval_holds_its_value(values in prop::collection::vec(-1e6f64..1e6, 61..80)) {
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
