//! The smallest step that the clock makes, found by reading it many times in a row.
//!
//! Definition. Two reads differ by a whole number of steps, and both are cut down to whole
//! nanoseconds, so that one number of steps shows as one difference or as two adjacent ones: a step
//! of 10.015 ns shows as 30 and 31, 40 and 41. Adjacent differences therefore count as one group,
//! whose mean is free of the cutting. Reads that take about as long as each other fall on two or
//! more neighbouring numbers of steps, so **the step is the smallest distance between neighbouring
//! groups, or from zero to the first**, rounded to whole nanoseconds.
//!
//! Limits. Three adjacent differences belong to at least two numbers of steps closer than 3 ns;
//! that is given as 1. Were every read exactly as long as every other, their length would be given:
//! the answer is an upper bound. Differences rarer than one in a thousand do not count (their means
//! are not means), unless there are no others, as with a clock that moves at timer interrupts only.

use std::collections::BTreeMap;

/// How often the clock is read.
pub const READS: usize = 100_000;

/// Reading ends after this time, however often the clock was read. On a machine whose reads are
/// system calls it comes first.
pub const SAMPLE_NS_MAX: u64 = 20_000_000;

/// A difference counts from this share on: one in so many.
const COMMON_ONE_IN: usize = 1000;

/// The smallest step that CLOCK_MONOTONIC was seen to make; its claimed resolution if it did not
/// move at all.
pub fn step_ns() -> u64 {
    step_of(&sample()).or_else(super::resolution_ns).unwrap_or(1)
}

fn sample() -> Vec<u64> {
    let mut deltas_ns = Vec::with_capacity(READS);
    let start_ns = super::now_ns();
    let mut before_ns = start_ns;
    while deltas_ns.len() < READS && before_ns.saturating_sub(start_ns) < SAMPLE_NS_MAX {
        let now_ns = super::now_ns();
        deltas_ns.push(now_ns.saturating_sub(before_ns));
        before_ns = now_ns;
    }
    deltas_ns
}

/// The step that explains these differences between successive reads, in nanoseconds; `None` if
/// none of them is above zero.
pub fn step_of(deltas_ns: &[u64]) -> Option<u64> {
    let mut times: BTreeMap<u64, usize> = BTreeMap::new();
    for &delta_ns in deltas_ns.iter().filter(|&&delta_ns| delta_ns > 0) {
        *times.entry(delta_ns).or_default() += 1;
    }
    let smallest_ns = times.keys().next().copied();
    times.retain(|_, times| *times * COMMON_ONE_IN >= deltas_ns.len());
    let groups = groups(&times);
    if groups.iter().any(|group| group.members > 2) {
        return Some(1);
    }
    let means = groups.iter().map(Group::mean_ns);
    let below = std::iter::once(0.0).chain(means.clone());
    let smallest = means.zip(below).map(|(mean, below)| mean - below).reduce(f64::min);
    smallest.map(|step_ns| step_ns.round().max(1.0) as u64).or(smallest_ns)
}

/// Differences that adjoin each other.
struct Group {
    /// How many differences are in it.
    members: usize,
    last_ns: u64,
    times: usize,
    sum_ns: f64,
}

impl Group {
    fn mean_ns(&self) -> f64 {
        self.sum_ns / self.times as f64
    }
}

fn groups(times: &BTreeMap<u64, usize>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (&delta_ns, &times) in times {
        let sum_ns = delta_ns as f64 * times as f64;
        match groups.last_mut() {
            Some(group) if group.last_ns + 1 == delta_ns => {
                group.members += 1;
                group.last_ns = delta_ns;
                group.times += times;
                group.sum_ns += sum_ns;
            }
            _ => groups.push(Group { members: 1, last_ns: delta_ns, times, sum_ns }),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads of a clock whose hardware moves in steps of `step_ns`. A read takes `cost_ns`, up to
    /// a quarter more, and once in 700 reads an interrupt comes in between.
    fn reads(step_ns: f64, cost_ns: f64) -> Vec<u64> {
        let (mut time_ns, mut state, mut before) = (1e6, 1u64, None);
        let mut deltas_ns = Vec::new();
        for read in 0..50_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let chance = (state >> 40) as f64 / (1u64 << 24) as f64;
            time_ns += cost_ns * (1.0 + chance / 4.0);
            time_ns += if read % 700 == 0 { 1300.0 + 900.0 * chance } else { 0.0 };
            let now = ((time_ns / step_ns).floor() * step_ns) as u64;
            deltas_ns.extend(before.map(|before| now - before));
            before = Some(now);
        }
        deltas_ns
    }

    #[test]
    fn steps_of_made_up_clocks() {
        let rows = [
            (0.385, 20.0, 1), // a TSC of 2.6 GHz
            (1.0, 20.0, 1),
            (2.0, 20.0, 2),
            (10.0, 20.0, 10),
            (10.0, 300.0, 10),
            (10.015, 27.0, 10),     // a virtual machine of AMD's
            (10.0 / 3.0, 9.0, 3),   // 300 MHz
            (41.666_667, 12.0, 42), // 24 MHz, an ARM system counter
            (52.083_333, 25.0, 52), // 19.2 MHz, another
            (100.0, 20.0, 100),
            (1000.0, 25.0, 1000),
            (1000.0, 400.0, 1000),
            // Jiffies at 1000 Hz: not one read in a thousand sees them move.
            (1_000_000.0, 30.0, 1_000_000),
        ];
        for (step_ns, cost_ns, expected) in rows {
            assert_eq!(step_of(&reads(step_ns, cost_ns)), Some(expected), "{step_ns} {cost_ns}");
        }
    }

    #[test]
    fn few_differences() {
        let rows: [(&[u64], Option<u64>); 8] = [
            (&[], None),
            (&[0, 0], None),
            (&[20], Some(20)),
            (&[0, 1000, 0], Some(1000)),
            (&[20, 21, 30, 31], Some(10)),
            (&[20, 21, 22], Some(1)),
            (&[0, 1], Some(1)),
            (&[u64::MAX, u64::MAX - 1], Some(u64::MAX)),
        ];
        for (deltas_ns, expected) in rows {
            assert_eq!(step_of(deltas_ns), expected, "{deltas_ns:?}");
        }
    }

    #[test]
    fn the_live_clock_has_a_step() {
        let step_ns = step_ns();
        assert!((1..=SAMPLE_NS_MAX).contains(&step_ns), "{step_ns}");
    }
}
