//! In which order, and for how long, the cases of each round run.
//!
//! A pure function of the seed and the round's number: the schedule of a shorter run is a prefix of
//! a longer one's.

use std::time::Duration;

use stats::{Random, derive_seed};

use crate::timed::WINDOW_SHARE_MIN;

/// A window shorter than this is swayed by a single interrupt.
const WINDOW_MIN: Duration = Duration::from_millis(1);
/// A longer one would only average over the machine's modes.
const WINDOW_MAX: Duration = Duration::from_millis(20);
/// The clock must have stepped this often within a window.
const CLOCK_STEPS_MIN: u64 = 100;
/// How many rounds a window is chosen for, over all the time and in each start.
const ROUNDS_WANTED: u32 = 200;
const ROUNDS_PER_START_WANTED: u32 = 8;
/// Windows of equal length could beat with something periodic.
const JITTER: f64 = 0.2;

/// The schedule of one section.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    seed: u64,
    cases: usize,
    window: Duration,
}

/// One place in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Planned {
    /// Which case.
    pub case: usize,
    /// For how long.
    pub window: Duration,
}

impl Schedule {
    pub(crate) fn new(seed: u64, cases: usize, window: Duration) -> Self {
        Self { seed: derive_seed(seed, "schedule"), cases, window }
    }

    /// Every case once, in this round's order.
    pub(crate) fn round(&self, round: u32) -> Vec<Planned> {
        let mut random = Random::new(self.seed ^ u64::from(round).wrapping_mul(0x9e37_79b9));
        let mut order: Vec<usize> = (0..self.cases).collect();
        random.shuffle(&mut order);
        let mut plan = |case| {
            let jitter = 1.0 + JITTER * (2.0 * random.unit() - 1.0);
            Planned { case, window: self.window.mul_f64(jitter) }
        };
        order.into_iter().map(&mut plan).collect()
    }

    /// The seed of one case's trial in one round.
    pub(crate) fn seed_of(&self, round: u32, case: usize) -> u64 {
        derive_seed(self.seed, &format!("{round}/{case}"))
    }
}

/// The window for this many cases in this much time, in starts of this length, with a clock of this
/// step; before jitter.
pub(crate) fn window(
    time: Duration,
    start: Duration,
    cases: usize,
    clock_step_ns: u64,
) -> Duration {
    let round = (time / ROUNDS_WANTED).min(start / ROUNDS_PER_START_WANTED);
    let wanted = round / cases.max(1) as u32;
    let steps = Duration::from_nanos(clock_step_ns.saturating_mul(CLOCK_STEPS_MIN));
    let min = WINDOW_MIN.max(steps).div_f64((1.0 - JITTER) * WINDOW_SHARE_MIN);
    wanted.clamp(min, WINDOW_MAX.max(min))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_schedule_is_a_prefix_of_a_longer_one() {
        let schedule = Schedule::new(42, 9, Duration::from_millis(2));
        let plan = |rounds| (0..rounds).flat_map(|r| schedule.round(r)).collect::<Vec<_>>();
        assert_eq!(plan(10), plan(500)[..90]);
    }

    #[test]
    fn a_round_holds_every_case_once_and_rounds_differ() {
        let schedule = Schedule::new(42, 9, Duration::from_millis(2));
        let mut orders = std::collections::BTreeSet::new();
        for round in 0..100 {
            let order: Vec<usize> = schedule.round(round).iter().map(|plan| plan.case).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..9).collect::<Vec<_>>());
            orders.insert(order);
        }
        assert!(orders.len() > 95, "{} orders in 100 rounds", orders.len());
        let other = Schedule::new(43, 9, Duration::from_millis(2));
        assert_ne!(other.round(0), schedule.round(0));
    }

    #[test]
    fn windows_are_long_enough_for_the_clock_and_jittered() {
        let ms = Duration::from_millis;
        for (time, cases, step_ns, low, high) in [
            (ms(100), 10, 10, ms(1), ms(2)),
            (ms(5000), 10, 10, ms(2), ms(3)),
            (ms(3_600_000), 10, 10, ms(12), ms(13)),
            (ms(3_600_000), 1, 10, ms(20), ms(20)),
            // A clock that steps every 4 ms (a coarse one) wants 400 ms at the least.
            (ms(5000), 10, 4_000_000, ms(500), ms(700)),
        ] {
            let window = window(time, ms(1000), cases, step_ns);
            assert!((low..=high).contains(&window), "{time:?} {window:?}");
        }
        let base = ms(10);
        let schedule = Schedule::new(1, 50, base);
        let windows: Vec<Duration> = schedule.round(3).iter().map(|plan| plan.window).collect();
        assert!(windows.iter().all(|w| (ms(8)..ms(12)).contains(w)));
        assert!(windows.iter().any(|w| *w < ms(9)) && windows.iter().any(|w| *w > ms(11)));
    }
}
