//! When do the CPUs' clocks step? A clock that moves in steps of ten nanoseconds moves at moments
//! of its own on each CPU, and two readings of the same instant are equal only where these moments
//! coincide to within the nanosecond that readings are cut down to.
//!
//! On a virtual machine the cores beneath decide that: seen there, the counters of two CPUs stepped
//! together in one second, and apart in the next, and with that the collisions came and went. So
//! the offset between the CPUs' steps is found for every trial, from pairs of readings that are
//! near each other but *not* equal: their differences are whole steps and the offset. The pairs
//! about zero are left out, or the prediction would hold what it is to be checked against.
//!
//! Pure: readings in, numbers out. Source of the circular mean: Mardia and Jupp, Directional
//! Statistics (2000), chapter 2.

use std::f64::consts::TAU;

use machine::clock::step_of;

/// Pairs further apart than so many steps are not looked at.
const REACH_STEPS: f64 = 16.0;
/// So many readings of the first thread are held against those of another that are near them,
/// spread over the whole trial: more would only take longer, with many threads too long.
const LOOKS: usize = 1000;
const NEAR_MAX: usize = 64;
/// So many neighbouring readings tell the step.
const NEIGHBOURS_MAX: usize = 20_000;
/// Steps shorter than this can't be told apart in whole units.
pub const STEP_MIN: u64 = 4;
/// Differences that do not agree better than this (1 is perfect) have no one offset: a CPU was
/// moved to another core in the middle of the trial.
const AGREEMENT_MIN: f64 = 0.8;
const PAIRS_MIN: f64 = 100.0;

/// How the threads' clocks step.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    /// The mean step, in the readings' unit.
    pub step: f64,
    /// How far each thread's steps lie after the first one's: within half a step of zero.
    pub offsets: Vec<f64>,
}

impl Steps {
    /// The chance that two readings of one instant, by these two threads, are equal.
    fn coincide(&self, one: usize, other: usize) -> f64 {
        (1.0 - self.apart(one, other)).max(0.0)
    }

    /// The same of the two threads that agree the least.
    pub fn coincide_min(&self) -> f64 {
        (1.0 - self.apart_max()).max(0.0)
    }

    fn apart(&self, one: usize, other: usize) -> f64 {
        let apart = (self.offsets[one] - self.offsets[other]).abs() % self.step;
        apart.min(self.step - apart)
    }

    /// How far any two threads' steps lie apart at the most.
    pub fn apart_max(&self) -> f64 {
        let places = 0..self.offsets.len();
        let pairs = places.clone().flat_map(|one| places.clone().map(move |other| (one, other)));
        pairs.map(|(one, other)| self.apart(one, other)).fold(0.0, f64::max)
    }

    /// The share of readings that equal another thread's, if nobody's readings know of another's
    /// and each step holds a reading of a given thread with the chance `hit`.
    ///
    /// For two threads it is exact. For more it takes whether a reading equals one thread's and
    /// another's for independent, though both hang on the same fraction of a nanosecond: a few per
    /// cent of the share too much, where several lie apart on the same side.
    pub fn share_by_chance(&self, hit: f64) -> f64 {
        let threads = self.offsets.len();
        let of_one = |one: usize| {
            let others = (0..threads).filter(|other| *other != one);
            1.0 - others.map(|other| 1.0 - hit * self.coincide(one, other)).product::<f64>()
        };
        (0..threads).map(of_one).sum::<f64>() / threads as f64
    }
}

/// How these threads' clocks step; each thread's readings ascending. None where that can't be told:
/// a clock that mostly stands still, steps too short, or no one offset.
pub fn steps(threads: &[Vec<u64>]) -> Option<Steps> {
    let first = threads.first()?;
    let few = &first[..first.len().min(NEIGHBOURS_MAX)];
    let neighbours: Vec<u64> = few.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let still = neighbours.iter().filter(|difference| **difference == 0).count();
    let rough = step_of(&neighbours).filter(|step| *step >= STEP_MIN)?;
    if 2 * still > neighbours.len() {
        return None;
    }
    let step = mean_step(&neighbours, rough as f64)?;
    let others = threads.iter().skip(1).map(|other| offset(first, other, step));
    let offsets = [Some(0.0)].into_iter().chain(others).collect::<Option<Vec<f64>>>()?;
    Some(Steps { step, offsets })
}

/// The step to a fraction of a unit: readings are cut down to whole ones, and so are differences,
/// but their means are not.
fn mean_step(neighbours: &[u64], rough: f64) -> Option<f64> {
    let (mut sum, mut steps) = (0.0, 0.0);
    for &difference in neighbours {
        let difference = difference as f64;
        if (0.5 * rough..REACH_STEPS * rough).contains(&difference) {
            sum += difference;
            steps += (difference / rough).round();
        }
    }
    (steps > 0.0).then(|| sum / steps)
}

/// How far the steps of `other` lie after those of `one`.
fn offset(one: &[u64], other: &[u64], step: f64) -> Option<f64> {
    let reach = (REACH_STEPS * step) as u64;
    let (mut pairs, mut x, mut y) = (0.0, 0.0, 0.0);
    for &reading in one.iter().step_by((one.len() / LOOKS).max(1)) {
        let begin = other.partition_point(|near| *near + reach < reading);
        let near = other[begin..].iter().take_while(|near| **near <= reading + reach);
        for &near in near.take(NEAR_MAX) {
            // As wholes first: a number of nanoseconds since 1970 does not fit a float.
            let difference = near.wrapping_sub(reading).cast_signed() as f64;
            if difference.abs() > step / 2.0 + 1.0 {
                let angle = TAU * difference / step;
                (x, y, pairs) = (x + angle.cos(), y + angle.sin(), pairs + 1.0);
            }
        }
    }
    let agreement = x.hypot(y) / pairs;
    (pairs >= PAIRS_MIN && agreement >= AGREEMENT_MIN).then(|| y.atan2(x) / TAU * step)
}

#[cfg(test)]
mod tests {
    use stats::Random;

    use super::super::count::collisions;
    use super::*;

    /// Readings at random moments of a clock whose hardware steps at `offset` and every `step`.
    /// They count from 1970: differences of such numbers taken as floats were multiples of 256.
    fn readings(step: f64, offset: f64, gap: f64, seed: u64) -> Vec<u64> {
        let mut random = Random::new(seed);
        let mut time = 1e6;
        let next = || {
            time += gap * (0.6 + 0.8 * random.unit());
            1_700_000_000_000_000_000 + (((time - offset) / step).floor() * step + offset) as u64
        };
        std::iter::repeat_with(next).take(60_000).collect()
    }

    /// What was counted in made-up trials, held against what steps, gap and offsets predict.
    #[test]
    fn chance_predicts_the_collisions_of_made_up_clocks() {
        for (offsets, step, gap) in [
            (&[0.0, 0.0][..], 10.0154, 36.0),
            (&[0.0, 0.77], 10.0154, 36.0),
            (&[0.0, -0.4], 10.0154, 36.0),
            (&[0.0, 5.0], 10.0154, 36.0),
            (&[0.0, 0.0], 41.667, 60.0),
            (&[0.0, 0.25, 0.5, 0.0], 10.0154, 50.0),
            (&[0.0, 9.7], 10.0154, 36.0),
            (&[0.0, 0.5, 0.5], 10.0154, 36.0),
        ] {
            let mut threads: Vec<Vec<u64>> = offsets
                .iter()
                .zip(1..)
                .map(|(offset, seed)| readings(step, *offset, gap, seed))
                .collect();
            let seen = collisions(&mut threads);
            let steps = steps(&threads).expect("steps");
            assert!((steps.step - step).abs() < 0.01, "{offsets:?} {steps:?}");
            let share = seen.collided as f64 / seen.compared as f64;
            let predicted = steps.share_by_chance(steps.step / seen.gap(threads.len()));
            // A deviation of a thousandth or two, and for more than two threads an approximation.
            assert!((share - predicted).abs() < 0.012, "{offsets:?} {share} {predicted}");
        }
    }

    #[test]
    fn steps_apart_are_measured_both_ways() {
        let steps = Steps { step: 10.0, offsets: vec![0.0, 4.0, -4.0] };
        assert!((steps.apart(1, 2) - 2.0).abs() < 1e-9 && (steps.apart_max() - 4.0).abs() < 1e-9);
        assert_eq!((steps.share_by_chance(0.1), steps.coincide_min()), (0.0, 0.0));
        let together = Steps { offsets: vec![0.0; 3], ..steps };
        assert!((together.share_by_chance(0.1) - 0.19).abs() < 1e-9);
    }

    #[test]
    fn what_has_no_one_offset_is_not_predicted() {
        let fine = |seed| readings(1.0, 0.0, 36.0, seed);
        assert_eq!(steps(&[fine(1), fine(2)]), None, "steps of a nanosecond");
        let mut moved = readings(10.0154, 0.0, 36.0, 2);
        let half = moved.len() / 2;
        moved[half..].iter_mut().for_each(|reading| *reading += 5);
        assert_eq!(steps(&[readings(10.0154, 0.0, 36.0, 1), moved]), None, "moved half way");
        assert_eq!(steps(&[vec![], vec![]]), None);
    }

    /// A clock that moved once in a trial made every reading a pair of every other: seconds of
    /// work.
    #[test]
    fn a_clock_that_mostly_stands_still_has_no_steps() {
        let mut coarse = vec![1_700_000_000_000_000_000u64; 60_000];
        coarse[30_000..].iter_mut().for_each(|reading| *reading += 4_000_000);
        assert_eq!(steps(&[coarse.clone(), coarse]), None);
    }

    #[test]
    fn many_threads_take_a_bounded_time() {
        let one = |seed| readings(10.0154, 0.0, 36.0, seed);
        let threads: Vec<Vec<u64>> = (0..64).map(one).collect();
        let begun = std::time::Instant::now();
        let steps = steps(&threads).expect("steps");
        assert!(steps.apart_max() < 0.1, "{steps:?}");
        // Some ten milliseconds; a bound that only a quadratic count would break.
        assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    }
}
