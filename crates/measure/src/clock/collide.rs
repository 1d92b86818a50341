//! Do threads that read a clock at the same time read the same?

mod count;
mod phase;

use std::time::Duration;

use lab::Trial;
use machine::counters::thread_usage;
use record::{Observation, Part, Reading, Refusal};
use stats::derive_seed;

use super::{
    clocks::Clock,
    sys,
    together::together,
    walk::{Scale, readable},
};
pub use count::{Collisions, collisions};
pub(super) use phase::STEP_MIN;

/// Readings equal to another thread's.
pub(super) const COLLIDED: &str = "collided";
/// Readings that would be, if no thread's readings knew of another's: if they came regularly,
pub(super) const BY_CHANCE: &str = "by_chance";
/// and if they came as by a Poisson process.
pub(super) const BY_CHANCE_AT_RANDOM: &str = "by_chance_at_random";
/// Nanoseconds between two readings of one thread.
pub(super) const GAP: &str = "gap";
/// In the proof: nanoseconds that the steps of the CPUs' clocks lie apart at the most,
pub(super) const APART: &str = "apart_ns";
/// and the chance that two readings of one instant are equal, of the two CPUs that agree the least.
pub(super) const COINCIDE: &str = "coincide";

/// How readings follow one another within a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// As fast as they come: loops of equal length fall into step with each other.
    Tight,
    /// With work of random length in between, as in a program that does something.
    Jittered,
}

/// Both.
pub(super) const ARRIVALS: [Arrival; 2] = [Arrival::Tight, Arrival::Jittered];

impl Arrival {
    /// The last word of the finding's id.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tight => "tight",
            Self::Jittered => "jittered",
        }
    }
}

/// Readings of all threads of one trial together: more would only take longer to count.
const READINGS_MAX: usize = 2_000_000;
/// Fewer readings in a thread than this are no basis.
const READINGS_MIN: usize = 1000;
/// Less than this part of the readings taken while all were reading: the threads did not overlap.
const TOGETHER_SHARE_MIN: f64 = 0.5;

/// One trial: each thread takes about a window's worth of readings.
pub(super) fn trial(
    clock: Clock,
    arrival: Arrival,
    cpus: &[usize],
    asked: &Trial,
) -> Result<Observation, Refusal> {
    readable(clock)?;
    let wanted = readings_in(clock, arrival, asked.window);
    let each = readings_each(wanted, cpus.len(), machine::memory_free_bytes())?;
    let scale = Scale::begin(clock);
    let mut taken = take(clock, arrival, cpus, each, asked.seed)?;
    let ns_per_unit = scale.ns_per_unit();
    let switches: Option<u64> = taken.iter().map(|thread| thread.switches).sum();
    let mut readings: Vec<Vec<u64>> =
        taken.iter_mut().map(|thread| std::mem::take(&mut thread.readings)).collect();
    let seen = collisions(&mut readings);
    let together = seen.compared as f64 / seen.taken as f64;
    if together < TOGETHER_SHARE_MIN {
        let seen = format!("the threads read at the same time for {:.0} % only", together * 100.0);
        return Err(Refusal::EventNotProven { seen });
    }
    let gap = seen.gap(cpus.len());
    let part = |events| Reading::Share(Part { events, of: seen.compared });
    let mut values =
        vec![(COLLIDED, part(seen.collided)), (GAP, Reading::Level(gap * ns_per_unit))];
    let mut proof = vec![("readings", seen.taken as f64), ("together_share", together)];
    if let Some(steps) = phase::steps(&readings) {
        let readings = |share: f64| part((share * seen.compared as f64).round() as u64);
        let per_gap = steps.step / gap;
        values.push((BY_CHANCE, readings(steps.share_by_chance(per_gap.min(1.0)))));
        let at_random = 1.0 - (-per_gap).exp();
        values.push((BY_CHANCE_AT_RANDOM, readings(steps.share_by_chance(at_random))));
        proof.push((APART, steps.apart_max() * ns_per_unit));
        proof.push((COINCIDE, steps.coincide_min()));
    }
    proof.extend(switches.map(|switches| ("involuntary_switches", switches as f64)));
    Ok(Observation {
        readings: values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        proof: proof.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    })
}

/// What one thread took.
#[derive(Debug, PartialEq)]
struct Taken {
    readings: Vec<u64>,
    /// How often its CPU was taken away meanwhile, where that can be counted.
    switches: Option<u64>,
}

/// Lets one thread per CPU take so many readings, all at once.
fn take(
    clock: Clock,
    arrival: Arrival,
    cpus: &[usize],
    each: usize,
    seed: u64,
) -> Result<Vec<Taken>, Refusal> {
    together(cpus, |place, gate| {
        let mut readings = Vec::new();
        readings.try_reserve_exact(each).map_err(|_| too_little_memory(cpus.len(), each))?;
        // Written to now, so that no page is missing later.
        readings.resize(each, 1);
        let before = thread_usage();
        gate.wait()?;
        match arrival {
            Arrival::Tight => sys::sample(clock, &mut readings),
            Arrival::Jittered => {
                let seed = derive_seed(seed, &place.to_string()) | 1;
                sys::sample_jittered(clock, &mut readings, seed);
            }
        }
        let usage = thread_usage().zip(before).map(|(after, before)| after.since(&before));
        Ok(Taken { readings, switches: usage.map(|usage| usage.involuntary_switches) })
    })
}

/// Takes so many readings of CLOCK_REALTIME in a tight loop on each of these CPUs at once, and
/// counts those that equal another thread's. For whoever wants one large count instead of many
/// small ones; memory: 8 bytes per reading.
///
/// # Errors
/// Where the threads can't be placed, or the readings find no memory.
pub fn collide_once(cpus: &[usize], each: usize) -> Result<Collisions, Refusal> {
    let taken = take(Clock::Realtime, Arrival::Tight, cpus, each, 1)?;
    let mut readings: Vec<Vec<u64>> = taken.into_iter().map(|thread| thread.readings).collect();
    Ok(collisions(&mut readings))
}

/// How many readings fill the window, by taking a few.
fn readings_in(clock: Clock, arrival: Arrival, window: Duration) -> usize {
    const FEW: usize = 512;
    let mut few = vec![1; FEW];
    let begun_ns = machine::clock::now_ns();
    match arrival {
        Arrival::Tight => sys::sample(clock, &mut few),
        Arrival::Jittered => sys::sample_jittered(clock, &mut few, 1),
    }
    let took_ns = (machine::clock::now_ns() - begun_ns).max(1);
    (window.as_nanos() as u64 * FEW as u64 / took_ns) as usize
}

/// So many readings a thread may take: of those wanted as many as are worth counting, and as a
/// quarter of the free memory holds.
fn readings_each(
    wanted: usize,
    threads: usize,
    memory_free_bytes: Option<u64>,
) -> Result<usize, Refusal> {
    let memory = memory_free_bytes.map_or(usize::MAX, |bytes| bytes as usize / 4);
    let fit = memory / size_of::<u64>() / threads;
    if fit < READINGS_MIN {
        return Err(too_little_memory(threads, READINGS_MIN));
    }
    Ok(wanted.min(READINGS_MAX / threads).max(READINGS_MIN).min(fit))
}

fn too_little_memory(threads: usize, each: usize) -> Refusal {
    let kib = threads * each * size_of::<u64>() / 1024;
    Refusal::NotPermitted {
        now: format!("no memory for {threads} threads of {each} readings ({kib} KiB)"),
        fix: "ask for fewer --threads, or raise the memory limit".into(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn two_cpus() -> Option<Vec<usize>> {
        let cpus = machine::describe().affinity;
        if cpus.len() < 2 {
            println!("skipped: needs two CPUs");
            return None;
        }
        Some(cpus[..2].to_vec())
    }

    /// The readings of a real trial, counted by sets of all of them.
    #[test]
    fn the_count_of_a_real_trial_is_the_naive_one() {
        let Some(cpus) = two_cpus() else { return };
        for arrival in ARRIVALS {
            let taken = take(Clock::Realtime, arrival, &cpus, 50_000, 7).unwrap();
            let mut readings: Vec<Vec<u64>> = taken.into_iter().map(|it| it.readings).collect();
            let sets: Vec<HashSet<u64>> =
                readings.iter().map(|all| all.iter().copied().collect()).collect();
            let hits = |one: usize, other: usize| {
                readings[one].iter().filter(|reading| sets[other].contains(reading)).count() as u64
            };
            let naive = hits(0, 1) + hits(1, 0);
            let seen = collisions(&mut readings);
            // No reading outside the common stretches can equal one of the other's.
            assert_eq!(seen.collided, naive, "{arrival:?} {seen:?}");
        }
    }

    #[test]
    fn memory_bounds_the_readings() {
        let free = Some;
        for (wanted, threads, memory, expected) in [
            (50_000, 2, None, Some(50_000)),
            (50_000_000, 2, None, Some(1_000_000)),
            (50_000, 128, None, Some(15_625)),
            (10, 2, None, Some(1000)),
            (50_000, 2, free(64_000), Some(1000)),
            (50_000, 2, free(640_000), Some(10_000)),
            (50_000, 2, free(63_000), None),
            (50_000, 512, free(1 << 23), None),
        ] {
            let each = readings_each(wanted, threads, memory);
            assert_eq!(each.as_ref().ok(), expected.as_ref(), "{wanted} {threads} {memory:?}");
        }
        let refusal = readings_each(50_000, 512, free(1 << 20)).unwrap_err().to_string();
        assert!(refusal.contains("512 threads") && refusal.contains("--threads"), "{refusal}");
    }

    #[test]
    fn one_large_count() {
        let Some(cpus) = two_cpus() else { return };
        let seen = collide_once(&cpus, 20_000).unwrap();
        assert_eq!(seen.taken, 40_000);
        assert!(seen.collided <= seen.compared && seen.compared <= seen.taken);
    }
}
