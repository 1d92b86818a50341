//! How many readings of a thread equal one of another's: a pure count over sorted readings.
//!
//! Only stretches in which every thread was reading count. A thread that was interrupted, or whose
//! CPU was taken away by the host, left a gap in its readings, and nobody can collide with a gap:
//! such stretches are left out for all.

use std::{cmp::Reverse, collections::BinaryHeap};

/// A pause so many times as long as the mean between two readings is no reading thread's.
const GAP_IN_MEANS: u64 = 64;

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Collisions {
    /// Readings that equal one of another thread's.
    pub collided: u64,
    /// Readings taken while every thread was reading.
    pub compared: u64,
    /// All readings.
    pub taken: u64,
    /// How long every thread was reading, in the readings' unit.
    pub together: u64,
}

impl Collisions {
    /// The mean time between two readings of one thread, while all were reading.
    pub fn gap(&self, threads: usize) -> f64 {
        self.together as f64 * threads as f64 / self.compared.max(1) as f64
    }
}

/// Counts collisions between threads' readings, each thread's in the order in which it took them;
/// a clock that was set back in between leaves them unsorted, and they are sorted first.
pub fn collisions(threads: &mut [Vec<u64>]) -> Collisions {
    for readings in threads.iter_mut().filter(|readings| !readings.is_sorted()) {
        readings.sort_unstable();
    }
    let taken = threads.iter().map(|readings| readings.len() as u64).sum();
    let common = threads.iter().map(|readings| runs(readings)).reduce(|a, b| intersect(&a, &b));
    let mut sum = Collisions { taken, ..Collisions::default() };
    for run in common.unwrap_or_default() {
        let within: Vec<&[u64]> = threads.iter().map(|readings| within(readings, run)).collect();
        sum.together += run.1 - run.0;
        sum.compared += within.iter().map(|readings| readings.len() as u64).sum::<u64>();
        sum.collided += match within.as_slice() {
            [one, other] => of_two(one, other),
            many => of_many(many),
        };
    }
    sum
}

/// First and last reading of a stretch, both in it.
type Run = (u64, u64);

/// The stretches in which a thread read without a gap.
fn runs(sorted: &[u64]) -> Vec<Run> {
    let (Some(&first), Some(&last)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    let gap_max = (last - first) / sorted.len() as u64 * GAP_IN_MEANS + GAP_IN_MEANS;
    let mut runs = vec![(first, first)];
    for &reading in sorted {
        match runs.last_mut() {
            Some(run) if reading - run.1 <= gap_max => run.1 = reading,
            _ => runs.push((reading, reading)),
        }
    }
    runs
}

fn intersect(a: &[Run], b: &[Run]) -> Vec<Run> {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut common = Vec::new();
    while let (Some(&&one), Some(&&other)) = (a.peek(), b.peek()) {
        let both = (one.0.max(other.0), one.1.min(other.1));
        if both.0 <= both.1 {
            common.push(both);
        }
        if one.1 < other.1 {
            a.next()
        } else {
            b.next()
        };
    }
    common
}

fn within(sorted: &[u64], run: Run) -> &[u64] {
    let begin = sorted.partition_point(|&reading| reading < run.0);
    let end = sorted.partition_point(|&reading| reading <= run.1);
    &sorted[begin..end]
}

/// Two threads walk up side by side.
fn of_two(one: &[u64], other: &[u64]) -> u64 {
    let (mut i, mut j, mut collided) = (0, 0, 0);
    while i < one.len() && j < other.len() {
        let (a, b) = (one[i], other[j]);
        if a == b {
            let both = same(&one[i..]) + same(&other[j..]);
            collided += both as u64;
            i += same(&one[i..]);
            j += same(&other[j..]);
        } else {
            // Without a branch to be mispredicted every other time.
            i += usize::from(a < b);
            j += usize::from(b < a);
        }
    }
    collided
}

/// How many readings at the front are equal.
fn same(sorted: &[u64]) -> usize {
    sorted.iter().take_while(|&&reading| reading == sorted[0]).count()
}

/// The lowest reading of any thread is at the top of a heap.
fn of_many(threads: &[&[u64]]) -> u64 {
    let mut places = vec![0; threads.len()];
    let first = |(thread, readings): (usize, &&[u64])| Some(Reverse((*readings.first()?, thread)));
    let mut heap: BinaryHeap<_> = threads.iter().enumerate().filter_map(first).collect();
    let mut collided = 0;
    while let Some(&Reverse((lowest, _))) = heap.peek() {
        let (mut readings, mut owners) = (0, 0u32);
        while let Some(&Reverse((reading, thread))) = heap.peek()
            && reading == lowest
        {
            heap.pop();
            let equal = same(&threads[thread][places[thread]..]);
            places[thread] += equal;
            readings += equal as u64;
            owners += 1;
            if let Some(&next) = threads[thread].get(places[thread]) {
                heap.push(Reverse((next, thread)));
            }
        }
        collided += if owners > 1 { readings } else { 0 };
    }
    collided
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    /// A set of all readings, and for each whose it is.
    fn naive(threads: &[Vec<u64>], begin: u64, end: u64) -> (u64, u64) {
        let mut owners: HashMap<u64, Vec<usize>> = HashMap::new();
        let mut compared = 0;
        for (thread, readings) in threads.iter().enumerate() {
            for &reading in readings.iter().filter(|reading| (begin..=end).contains(reading)) {
                compared += 1;
                owners.entry(reading).or_default().push(thread);
            }
        }
        let shared = |owners: &&Vec<usize>| owners.iter().any(|thread| *thread != owners[0]);
        (owners.values().filter(shared).map(|owners| owners.len() as u64).sum(), compared)
    }

    #[test]
    fn only_the_time_that_all_were_reading_counts() {
        for (threads, collided, compared) in [
            (vec![vec![1, 2, 3], vec![3, 4, 5]], 2, 2),
            (vec![vec![1, 2, 3], vec![4, 5, 6]], 0, 0),
            (vec![vec![1, 2, 3, 4], vec![2, 4]], 4, 5),
            (vec![vec![1, 1, 2], vec![1, 2, 2]], 6, 6),
            (vec![vec![1, 2, 3], vec![1, 2, 3], vec![2, 5]], 5, 5),
            (vec![vec![1, 2, 3, 5], vec![1, 3, 4, 5], vec![1, 2, 4, 5]], 12, 12),
            (vec![vec![1, 2, 9], vec![1, 4, 9], vec![1, 5, 9]], 6, 9),
            (vec![vec![], vec![1]], 0, 0),
            (vec![vec![7, 7]], 0, 2),
        ] {
            let seen = collisions(&mut threads.clone());
            assert_eq!((seen.collided, seen.compared), (collided, compared), "{threads:?}");
        }
    }

    /// While one thread was held up, the other read on alone.
    #[test]
    fn a_gap_is_left_out_for_all() {
        let steady: Vec<u64> = (0..20_000).map(|i| i * 30).collect();
        let held_up: Vec<u64> =
            steady.iter().copied().filter(|t| !(200_000..300_000).contains(t)).collect();
        let seen = collisions(&mut [steady, held_up.clone()]);
        assert_eq!(
            (seen.collided, seen.compared),
            (2 * held_up.len() as u64, 2 * held_up.len() as u64)
        );
        assert!((seen.gap(2) - 30.0).abs() < 0.01, "{}", seen.gap(2));
    }

    proptest! {
        #[test]
        fn the_fast_count_is_the_naive_one(
            steps in prop::collection::vec(prop::collection::vec(0u64..40, 1..300), 1..6)
        ) {
            let walk = |steps: &Vec<u64>| -> Vec<u64> {
                steps.iter().scan(1000, |at, step| { *at += step; Some(*at) }).collect()
            };
            let threads: Vec<Vec<u64>> = steps.iter().map(walk).collect();
            let begin = threads.iter().map(|readings| readings[0]).max().unwrap_or(0);
            let last = |readings: &Vec<u64>| readings[readings.len() - 1];
            let end = threads.iter().map(last).min().unwrap_or(0);
            let seen = collisions(&mut threads.clone());
            let expected = if begin <= end { naive(&threads, begin, end) } else { (0, 0) };
            prop_assert_eq!((seen.collided, seen.compared), expected);
        }
    }
}
