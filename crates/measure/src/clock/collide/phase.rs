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
/// So many readings of a thread say enough.
const READINGS_MAX: usize = 20_000;
/// Steps shorter than this can't be told apart in whole units.
const STEP_MIN: u64 = 4;
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

    /// The share of readings that equal another thread's, if nobody's readings know of another's:
    /// with the mean time `gap` between two readings of a thread, one of a given other thread falls
    /// into the same step with the chance step / gap.
    pub fn share_by_chance(&self, gap: f64) -> f64 {
        let threads = self.offsets.len();
        let hit = (self.step / gap).min(1.0);
        let of_one = |one: usize| {
            let others = (0..threads).filter(|other| *other != one);
            1.0 - others.map(|other| 1.0 - hit * self.coincide(one, other)).product::<f64>()
        };
        (0..threads).map(of_one).sum::<f64>() / threads as f64
    }
}

/// How these threads' clocks step; each thread's readings ascending. None where that can't be told:
/// steps too short, or no one offset.
pub fn steps(threads: &[Vec<u64>]) -> Option<Steps> {
    let few: Vec<&[u64]> = threads.iter().map(|all| &all[..all.len().min(READINGS_MAX)]).collect();
    let first = *few.first()?;
    let neighbours: Vec<u64> = first.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let rough = step_of(&neighbours).filter(|step| *step >= STEP_MIN)?;
    let step = mean_step(&neighbours, rough as f64)?;
    let mut offsets = vec![0.0];
    for (other, all) in few.iter().zip(threads).skip(1) {
        // The first readings of one thread may lie where the other has not begun.
        let around = if other.last() < first.first() { all.as_slice() } else { other };
        offsets.push(offset(first, around, step)?);
    }
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
    let (mut begin, mut pairs, mut x, mut y) = (0, 0.0, 0.0, 0.0);
    for &reading in one {
        begin += other[begin..].iter().take_while(|it| **it + reach < reading).count();
        for &near in other[begin..].iter().take_while(|it| **it <= reading + reach) {
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
            let predicted = steps.share_by_chance(seen.gap(threads.len()));
            // 120,000 readings or more: a deviation of at most a thousandth or two.
            assert!((share - predicted).abs() < 0.01, "{offsets:?} {share} {predicted}");
        }
    }

    #[test]
    fn steps_apart_are_measured_both_ways() {
        let steps = Steps { step: 10.0, offsets: vec![0.0, 4.0, -4.0] };
        assert!((steps.apart(1, 2) - 2.0).abs() < 1e-9 && (steps.apart_max() - 4.0).abs() < 1e-9);
        assert_eq!(steps.share_by_chance(100.0), 0.0);
        let together = Steps { offsets: vec![0.0; 3], ..steps };
        assert!((together.share_by_chance(100.0) - 0.19).abs() < 1e-9);
    }

    #[test]
    fn what_has_no_one_offset_is_not_predicted() {
        let fine = |seed| readings(1.0, 0.0, 36.0, seed);
        assert_eq!(steps(&[fine(1), fine(2)]), None, "steps of a nanosecond");
        let mut moved = readings(10.0154, 0.0, 36.0, 2);
        let half = moved.len() / 6;
        moved[half..].iter_mut().for_each(|reading| *reading += 5);
        assert_eq!(steps(&[readings(10.0154, 0.0, 36.0, 1), moved]), None, "moved half way");
        assert_eq!(steps(&[vec![], vec![]]), None);
    }
}
