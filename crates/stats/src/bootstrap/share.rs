//! The interval of a share whose events come in clusters: two threads that fall into step collide
//! ten thousand times in a row, so single events say nothing, and a binomial interval would be a
//! hundred times too narrow.
//!
//! What is resampled is what is nearly independent, as for medians: starts, then blocks of rounds
//! within them, and of each resample the ratio of the sums is taken (Cochran, Sampling Techniques,
//! 3rd edition, chapter 6). Where no event was seen at all, or nothing else, no resample shows
//! another; then the far end is Clopper and Pearson's (1934) over the *starts*, as if every event
//! of a start had happened where one did: wide, because a state of the machine that lasts may just
//! not have been met.

use super::{Interval, Point, STARTS_MIN, draws::LOW, pooled_interval};

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counted {
    /// How many it happened to.
    pub events: f64,
    /// Of how many.
    pub of: f64,
}

impl Counted {
    fn plus(self, other: Self) -> Self {
        Self { events: self.events + other.events, of: self.of + other.of }
    }

    fn sum<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        all.into_iter().fold(Self::default(), |sum, one| sum.plus(*one))
    }
}

/// The share of all events in all that could have been, with its 95 % interval within [0, 1]; none
/// with fewer than four starts, or where nothing could have been. Points of which nothing could
/// have been do not count.
pub fn share_interval(starts: &[Vec<Point<Counted>>], seed: u64) -> Option<Interval> {
    let counts = |point: &&Point<Counted>| point.value.of > 0.0;
    let starts: Vec<Vec<Point<Counted>>> = starts
        .iter()
        .map(|start| start.iter().filter(counts).copied().collect::<Vec<_>>())
        .filter(|start| !start.is_empty())
        .collect();
    if starts.len() < STARTS_MIN {
        return None;
    }
    let all = Counted::sum(starts.iter().flatten().map(|point| &point.value));
    let value = all.events / all.of;
    // With no event in so many independent starts, their true share is below this 39 times of 40.
    let unseen_max = 1.0 - LOW.powf(1.0 / starts.len() as f64);
    if all.events == 0.0 {
        return Some(Interval { value, low: 0.0, high: unseen_max });
    }
    if all.events == all.of {
        return Some(Interval { value, low: 1.0 - unseen_max, high: 1.0 });
    }
    let pair = |it: &Point<Counted>| Point {
        round: it.round,
        at_ns: it.at_ns,
        value: [it.value.events, it.value.of],
    };
    let pairs: Vec<Vec<Point<[f64; 2]>>> =
        starts.iter().map(|start| start.iter().map(pair).collect()).collect();
    let it = pooled_interval(&pairs, seed, |sums| sums[0] / sums[1])?;
    Some(Interval { value, low: it.low.max(0.0), high: it.high.min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    fn starts(
        of_start: usize,
        n: usize,
        mut share: impl FnMut(usize) -> f64,
    ) -> Vec<Vec<Point<Counted>>> {
        let mut at_ns = 0;
        let mut start = |place: usize| {
            let share = share(place);
            (0..of_start)
                .map(|round| {
                    at_ns += 50_000_000;
                    let value = Counted { events: (share * 1000.0).round(), of: 1000.0 };
                    Point { round: (place * of_start + round) as u32, at_ns, value }
                })
                .collect()
        };
        (0..n).map(&mut start).collect()
    }

    /// Starts that differ, as threads do that fall into step in some of them: a nominal 95 %
    /// holds the truth 94.7 % of the time here (measured over a thousand); a binomial one would be
    /// some 25 times too narrow.
    #[test]
    fn clustered_shares_are_covered() {
        let mut random = Random::new(11);
        let (mut covered, repetitions) = (0, 400);
        for seed in 0..repetitions {
            let starts = starts(20, 10, |_| random.unit() * 0.2);
            let it = share_interval(&starts, seed).unwrap();
            covered += u32::from(it.low <= 0.1 && 0.1 <= it.high);
        }
        let share = f64::from(covered) / repetitions as f64;
        assert!((0.90..=0.99).contains(&share), "{share}");
    }

    /// scipy.stats.binomtest(0, n).proportion_ci(0.95, "exact").high of SciPy 1.
    #[test]
    fn at_zero_and_at_one_agrees_with_scipy() {
        for (n, high) in [(5, 0.521_823_75), (20, 0.168_433_47), (100, 0.036_216_69)] {
            let none = share_interval(&starts(7, n, |_| 0.0), 1).unwrap();
            assert_eq!((none.value, none.low), (0.0, 0.0));
            assert!((none.high - high).abs() < 1e-7, "{n} {}", none.high);
            let all = share_interval(&starts(7, n, |_| 1.0), 1).unwrap();
            assert_eq!((all.value, all.high), (1.0, 1.0));
            assert!((1.0 - all.low - high).abs() < 1e-7, "{n} {}", all.low);
        }
    }

    /// A state that one start in ten is in, and no other: where no start was, the truth is held all
    /// the same. Taken over rounds it was missed each time.
    #[test]
    fn what_was_not_met_is_held() {
        let mut random = Random::new(5);
        for seed in 0..200 {
            let starts = starts(9, 10, |_| if random.unit() < 0.1 { 1.0 } else { 0.0 });
            let it = share_interval(&starts, seed).unwrap();
            assert!(it.value > 0.0 || it.high >= 0.1, "{it:?}");
        }
    }

    /// Long windows count for more than short ones: a ratio of sums, not a mean of ratios.
    #[test]
    fn each_event_counts_alike() {
        let mut starts = starts(1, 4, |_| 0.0);
        starts[0][0].value = Counted { events: 90.0, of: 100.0 };
        starts[1][0].value = Counted { events: 0.0, of: 0.0 };
        assert_eq!(share_interval(&starts, 1), None, "three starts in which anything could be");
        starts[1][0].value = Counted { events: 0.0, of: 800.0 };
        let it = share_interval(&starts, 1).unwrap();
        assert!((it.value - 90.0 / 2900.0).abs() < 1e-12);
        assert!(it.low < it.value && it.value < it.high && it.high <= 1.0, "{it:?}");
    }
}
