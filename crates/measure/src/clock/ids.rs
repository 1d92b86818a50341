//! Ways to make an ID: what each costs, alone and beside others, and whether IDs are ever equal.

use std::{
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use machine::clock;
use record::{Observation, Part, Reading, Refusal};
use uuid::Uuid;

use super::{clocks::Clock, sys, together::together};

/// Nanoseconds per ID, in each thread.
pub(super) const COST: &str = "cost";
/// IDs that equal another one.
pub(super) const EQUAL: &str = "equal";

/// A way to make IDs that are unique within one process, or claim to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// CLOCK_REALTIME in nanoseconds, as it is.
    Timestamp,
    /// One counter for all threads.
    AtomicCounter,
    /// A counter for each thread, with the thread's number above it.
    ThreadCounter,
    /// Milliseconds of CLOCK_REALTIME above the low bits of one counter for all threads: unique as
    /// long as the clock is not set back, and no thread is held up between the two for so long that
    /// others make four million IDs.
    TimestampCounter,
    /// 122 random bits.
    UuidV4,
    /// Milliseconds, a counter for all threads, and random bits.
    UuidV7,
}

/// All of them, in the order in which they are shown.
pub(super) const SCHEMES: [Scheme; 6] = [
    Scheme::Timestamp,
    Scheme::AtomicCounter,
    Scheme::ThreadCounter,
    Scheme::TimestampCounter,
    Scheme::UuidV4,
    Scheme::UuidV7,
];

impl Scheme {
    /// The middle of its findings' ids.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Timestamp => "timestamp",
            Self::AtomicCounter => "atomic_counter",
            Self::ThreadCounter => "thread_counter",
            Self::TimestampCounter => "timestamp_counter",
            Self::UuidV4 => "uuid_v4",
            Self::UuidV7 => "uuid_v7",
        }
    }

    /// IDs between two looks at the clock, so that looking adds no more than a hundredth of a
    /// nanosecond to the cheap ones, and the dear ones still end with the window.
    fn per_look(self) -> usize {
        match self {
            Self::UuidV4 | Self::UuidV7 => 256,
            _ => 2048,
        }
    }

    /// What a person calls it.
    pub(super) fn shown(self) -> &'static str {
        match self {
            Self::Timestamp => "raw timestamp",
            Self::AtomicCounter => "shared atomic counter",
            Self::ThreadCounter => "thread number + own counter",
            Self::TimestampCounter => "timestamp + shared counter",
            Self::UuidV4 => "UUIDv4",
            Self::UuidV7 => "UUIDv7",
        }
    }
}

/// The scheme of this name.
pub(super) fn by_name(name: &str) -> Option<Scheme> {
    SCHEMES.into_iter().find(|scheme| scheme.name() == name)
}

/// The last IDs of each thread that are kept to be compared: they fit into the second-level cache,
const KEPT_MAX: usize = 1 << 14;
/// and all threads' together are compared within a few milliseconds.
const KEPT_TOGETHER_MAX: usize = 1 << 17;
/// 22 bits count four million IDs per millisecond: no machine makes more.
const COUNTER_BITS: u32 = 22;
/// A thread's own IDs lie so far apart from another's that they never meet.
const THREAD_BITS: u32 = 48;

/// One counter in a cache line of its own, as a careful program would have it.
#[repr(align(128))]
struct Shared(AtomicU64);

/// One trial: each thread makes IDs for a window.
pub(super) fn trial(
    scheme: Scheme,
    cpus: &[usize],
    window: Duration,
) -> Result<Observation, Refusal> {
    let shared = Shared(AtomicU64::new(1));
    let per_look = scheme.per_look();
    let next = || shared.0.fetch_add(1, Ordering::Relaxed);
    match scheme {
        Scheme::Timestamp => made(cpus, window, per_look, |_| || sys::read(Clock::Realtime)),
        Scheme::AtomicCounter => made(cpus, window, per_look, |_| next),
        Scheme::ThreadCounter => made(cpus, window, per_look, |place| {
            let mut id = (place as u64 + 1) << THREAD_BITS;
            move || {
                id += 1;
                id
            }
        }),
        Scheme::TimestampCounter => made(cpus, window, per_look, |_| {
            || {
                let ms = sys::read(Clock::Realtime) / 1_000_000;
                (ms << COUNTER_BITS) | (next() & ((1 << COUNTER_BITS) - 1))
            }
        }),
        Scheme::UuidV4 => made(cpus, window, per_look, |_| || Uuid::new_v4().as_u128()),
        Scheme::UuidV7 => made(cpus, window, per_look, |_| || Uuid::now_v7().as_u128()),
    }
}

/// What one thread made.
#[derive(Debug)]
struct Made<I> {
    kept: Vec<I>,
    ids: u64,
    begun_ns: u64,
    ended_ns: u64,
}

impl<I> Made<I> {
    fn elapsed_ns(&self) -> u64 {
        self.ended_ns - self.begun_ns
    }
}

/// Less than this part of the time in which all were making IDs, and they were not side by side.
const TOGETHER_SHARE_MIN: f64 = 0.5;
/// A thread that took so many windows for one was stopped in it.
const WINDOWS_MAX: u64 = 2;

/// The part of the whole time in which all made IDs.
///
/// # Errors
/// Where that is too short, or a thread lost its CPU for longer than a window.
fn together_share<I>(made: &[Made<I>], window_ns: u64) -> Result<f64, Refusal> {
    let not = |seen: String| Err(Refusal::EventNotProven { seen });
    if made.iter().any(|thread| thread.elapsed_ns() > WINDOWS_MAX * window_ns) {
        return not("a thread lost its CPU for longer than the window".to_owned());
    }
    let all = made.iter().map(|it| (it.begun_ns, it.ended_ns));
    let (whole, common) = all.fold(((u64::MAX, 0), (0, u64::MAX)), |(whole, common), it| {
        ((whole.0.min(it.0), whole.1.max(it.1)), (common.0.max(it.0), common.1.min(it.1)))
    });
    let share = common.1.saturating_sub(common.0) as f64 / (whole.1 - whole.0).max(1) as f64;
    if share < TOGETHER_SHARE_MIN {
        return not(format!("the threads ran side by side for {:.0} % only", share * 100.0));
    }
    Ok(share)
}

/// Lets one thread per CPU make IDs by a function of its own, all at once.
fn made<I, F>(
    cpus: &[usize],
    window: Duration,
    per_look: usize,
    maker: impl Fn(usize) -> F + Sync,
) -> Result<Observation, Refusal>
where
    I: Copy + Ord + Send,
    F: FnMut() -> I,
{
    let made = together(cpus, |place, gate| {
        let mut next = maker(place);
        // What is set up at the first use, and the pages of the memory, are no part of the cost.
        let kept = vec![next(); kept_each(cpus.len(), per_look)];
        gate.wait()?;
        Ok(make(kept, per_look, window.as_nanos() as u64, next))
    })?;
    let together = together_share(&made, window.as_nanos() as u64)?;
    let mut kept: Vec<I> = made.iter().flat_map(|thread| &thread.kept).copied().collect();
    let equal = Part { events: equal(&mut kept), of: kept.len() as u64 };
    let cost = |thread: &Made<I>| thread.elapsed_ns() as f64 / thread.ids as f64;
    let mean_cost = made.iter().map(cost).sum::<f64>() / made.len() as f64;
    let ids: u64 = made.iter().map(|thread| thread.ids).sum();
    Ok(Observation {
        readings: [
            (COST.to_owned(), Reading::Level(mean_cost)),
            (EQUAL.to_owned(), Reading::Share(equal)),
        ]
        .into(),
        proof: [("ids".to_owned(), ids as f64), ("together_share".to_owned(), together)].into(),
    })
}

/// How many IDs each of so many threads keeps: whole looks at the clock, one at the least.
fn kept_each(threads: usize, per_look: usize) -> usize {
    let fair = (KEPT_TOGETHER_MAX / threads).min(KEPT_MAX);
    (fair / per_look).max(1) * per_look
}

/// Makes IDs until the time is over, and keeps the last ones in the memory given.
fn make<I: Copy>(
    mut kept: Vec<I>,
    per_look: usize,
    window_ns: u64,
    mut next: impl FnMut() -> I,
) -> Made<I> {
    let begun_ns = clock::now_ns();
    let mut ids = 0u64;
    loop {
        for chunk in kept.chunks_exact_mut(per_look) {
            // One by one, as a program makes them: a counter alone would be counted in vectors.
            chunk.fill_with(|| black_box(next()));
            ids += per_look as u64;
            let ended_ns = clock::now_ns();
            if ended_ns - begun_ns >= window_ns {
                kept.truncate(ids as usize);
                return Made { kept, ids, begun_ns, ended_ns };
            }
        }
    }
}

/// How many of these are not the only ones of their value.
fn equal<I: Ord>(all: &mut [I]) -> u64 {
    all.sort_unstable();
    let groups = all.chunk_by(|one, other| one == other).map(<[I]>::len);
    groups.filter(|len| *len > 1).map(|len| len as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ids_are_counted_wherever_they_are() {
        for (ids, expected) in
            [(vec![3, 1, 2], 0), (vec![1, 2, 1], 2), (vec![5, 5, 5, 1], 3), (vec![], 0)]
        {
            assert_eq!(equal(&mut ids.clone()), expected, "{ids:?}");
        }
    }

    #[test]
    fn many_threads_keep_fewer_each() {
        for (threads, kept) in [(1, 16_384), (8, 16_384), (9, 14_336), (512, 256), (4096, 256)] {
            assert_eq!(kept_each(threads, 256), kept, "{threads}");
        }
    }

    #[test]
    fn threads_that_ran_one_after_another_did_not_run_together() {
        let made = |begun_ns, ended_ns| Made { kept: vec![1u64], ids: 1, begun_ns, ended_ns };
        for (threads, window_ns, share) in [
            (vec![made(0, 100)], 100, Some(1.0)),
            (vec![made(0, 100), made(10, 110)], 100, Some(90.0 / 110.0)),
            (vec![made(0, 100), made(60, 160)], 100, None),
            (vec![made(0, 100), made(200, 300)], 100, None),
            (vec![made(0, 300), made(0, 300)], 100, None),
        ] {
            assert_eq!(together_share(&threads, window_ns).ok(), share, "{threads:?}");
        }
    }

    /// Tests share the CPUs: a trial that lost its own is refused, and the next one may not be.
    fn tried(run: impl Fn() -> Result<Observation, Refusal>) -> Observation {
        let mut last = None;
        for _ in 0..50 {
            match run() {
                Ok(seen) => return seen,
                Err(refusal) => last = Some(refusal),
            }
        }
        panic!("{last:?}");
    }

    /// All but the raw timestamp are unique by construction, or by chance beyond any doubt.
    #[test]
    fn every_scheme_makes_ids_on_every_cpu() {
        let cpus = machine::describe().affinity;
        for scheme in SCHEMES {
            let seen = tried(|| trial(scheme, &cpus, Duration::from_millis(2)));
            assert!(seen.readings[COST].level().unwrap() > 0.0);
            let equal = seen.readings[EQUAL].share().unwrap();
            assert!(equal.of as f64 <= seen.proof["ids"], "{scheme:?}");
            assert!((1..=(KEPT_MAX * cpus.len()) as u64).contains(&equal.of), "{scheme:?}");
            if scheme != Scheme::Timestamp {
                assert_eq!(equal.events, 0, "{scheme:?}");
            }
        }
    }

    /// A scheme that repeats itself is found out: the check can fail.
    #[test]
    fn a_scheme_that_repeats_itself_is_found_out() {
        let cpus = machine::describe().affinity;
        let seen = tried(|| made(&cpus[..1], Duration::from_millis(1), 256, |_| || 7u64));
        let equal = seen.readings[EQUAL].share().unwrap();
        assert_eq!(equal.events, equal.of);
    }
}
