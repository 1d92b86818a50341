//! One thread and one clock: what a reading costs, and how the clock walks from reading to reading.

use std::{io::ErrorKind, time::Duration};

use lab::timed;
use machine::{
    clock::{self, Served},
    counters::ThreadWatch,
};
use record::{Observation, Part, Reading, Refusal};

use super::{clocks::Clock, sys, tsc};

/// Nanoseconds per reading.
pub(super) const COST: &str = "cost";
/// The smallest step, in nanoseconds.
pub(super) const STEP: &str = "step";
/// Neighbouring readings that are equal.
pub(super) const EQUAL: &str = "equal";
/// Neighbouring readings of which the later one is less.
pub(super) const BACKWARDS: &str = "backwards";

/// Readings between two looks at what came of them: they fit into the first-level cache.
const CHUNK: usize = 2048;
/// A coarse clock moves at timer interrupts, of which there are 100 a second at the least; so long
/// is waited for one.
const MOVES_WITHIN: Duration = Duration::from_millis(30);

/// Refuses a clock that can't be read here.
pub(super) fn readable(clock: Clock) -> Result<(), Refusal> {
    match clock.id() {
        None => tsc::usable()?,
        Some(id) => sys::known(id).map_err(|error| match error.kind() {
            ErrorKind::InvalidInput => {
                Refusal::Missing { what: format!("{} in this kernel", clock.shown()) }
            }
            _ => Refusal::NotPermitted {
                now: format!("clock_gettime of {}: {error}", clock.shown()),
                fix: "let the filter allow clock_gettime".into(),
            },
        })?,
    }
    // Where a filter refuses, the library leaves the answer untouched.
    if sys::read(clock) == 0 {
        return Err(Refusal::EventNotProven { seen: format!("{} reads 0", clock.shown()) });
    }
    Ok(())
}

/// One window of bare readings.
pub(super) fn read(clock: Clock, window: Duration) -> Result<Observation, Refusal> {
    readable(clock)?;
    let served = clock.id().map(clock::served);
    let mut watch = ThreadWatch::new();
    let timed = timed(&mut watch, window, |times| sys::read_repeatedly(clock, times))?;
    let mut observation = timed.observe(COST, timed.cost_ns());
    let enters = match served {
        Some(Served::ByKernel) => Some(1.0),
        Some(Served::ByVdso) | None => Some(0.0),
        Some(Served::Unknown) => None,
    };
    observation.proof.extend(enters.map(|yes| ("enters_kernel".to_owned(), yes)));
    Ok(observation)
}

/// What successive readings were.
#[derive(Debug, Default, PartialEq)]
struct Walk {
    /// Differences above zero, in the clock's own unit.
    advances: Vec<u64>,
    pairs: u64,
    equal: u64,
    backwards: u64,
    backwards_max: u64,
    last: Option<u64>,
}

impl Walk {
    fn go(&mut self, readings: &[u64]) {
        for &now in readings {
            if let Some(before) = self.last.replace(now) {
                self.pairs += 1;
                if now > before {
                    self.advances.push(now - before);
                } else if now == before {
                    self.equal += 1;
                } else {
                    self.backwards += 1;
                    self.backwards_max = self.backwards_max.max(before - now);
                }
            }
        }
    }

    /// The step, in the clock's own unit; none where it never moved. Where most neighbours are
    /// equal, each advance is one step, but for the few readings that were held up.
    fn step(&self) -> Option<u64> {
        if 2 * self.equal > self.pairs {
            let mut sorted = self.advances.clone();
            sorted.sort_unstable();
            return sorted.get(sorted.len() / 2).copied();
        }
        clock::step_of(&self.advances)
    }
}

/// One window of readings of which each is looked at.
pub(super) fn walk(clock: Clock, window: Duration) -> Result<Observation, Refusal> {
    readable(clock)?;
    let mut readings = vec![0; CHUNK];
    let mut walk = Walk::default();
    let scale = Scale::begin(clock);
    let waited_max = if clock.is_coarse() { window + MOVES_WITHIN } else { window };
    loop {
        sys::sample(clock, &mut readings);
        walk.go(&readings);
        let waited = scale.elapsed();
        if waited >= waited_max || (waited >= window && !walk.advances.is_empty()) {
            break;
        }
    }
    let ns_per_unit = scale.ns_per_unit();
    let Some(step) = walk.step() else {
        let waited_ms = scale.elapsed().as_millis();
        let seen = format!("{} did not move within {waited_ms} ms", clock.shown());
        return Err(Refusal::EventNotProven { seen });
    };
    let share = |events| Reading::Share(Part { events, of: walk.pairs });
    let mut proof = vec![
        ("readings", walk.pairs as f64 + 1.0),
        ("backwards_ns_max", walk.backwards_max as f64 * ns_per_unit),
    ];
    let claimed = clock.id().and_then(clock::claimed_step_ns);
    proof.extend(claimed.map(|ns| ("claimed_step_ns", ns as f64)));
    Ok(Observation {
        readings: [
            (STEP.to_owned(), Reading::Level(step as f64 * ns_per_unit)),
            (EQUAL.to_owned(), share(walk.equal)),
            (BACKWARDS.to_owned(), share(walk.backwards)),
        ]
        .into(),
        proof: proof.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    })
}

/// What a clock's own unit is in nanoseconds: one, but for the TSC, which is held against
/// CLOCK_MONOTONIC over the time between.
pub(super) struct Scale {
    clock: Clock,
    begun_ns: u64,
    begun: u64,
}

impl Scale {
    pub(super) fn begin(clock: Clock) -> Self {
        Self { clock, begun_ns: clock::now_ns(), begun: sys::read(clock) }
    }

    fn elapsed(&self) -> Duration {
        Duration::from_nanos(clock::now_ns() - self.begun_ns)
    }

    /// To be asked when a millisecond or more has passed.
    pub(super) fn ns_per_unit(&self) -> f64 {
        match self.clock {
            Clock::Tsc => {
                let ns = clock::now_ns() - self.begun_ns;
                ns as f64 / sys::read(self.clock).saturating_sub(self.begun).max(1) as f64
            }
            _ => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::clocks::CLOCKS;
    use super::*;

    #[test]
    fn walks_are_counted_across_chunks() {
        let mut walk = Walk::default();
        walk.go(&[100, 110, 110]);
        walk.go(&[105, 135, 135, 135]);
        assert_eq!((walk.pairs, walk.equal, walk.backwards, walk.backwards_max), (6, 3, 1, 5));
        assert_eq!(walk.advances, [10, 30]);
    }

    /// A coarse clock's steps are a nanosecond more or less, which looked like a step of one.
    #[test]
    fn a_clock_that_mostly_stands_still_steps_by_what_it_moves() {
        let mut walk = Walk::default();
        for step in 0..5u64 {
            walk.go(&vec![1_000_000_000 + step * 4_000_000 + step / 2; 1000]);
        }
        assert!((4_000_000..=4_000_001).contains(&walk.step().unwrap()), "{:?}", walk.step());
        assert_eq!(Walk::default().step(), None);
    }

    #[test]
    fn every_clock_walks_and_has_a_cost() {
        let window = Duration::from_millis(2);
        for clock in CLOCKS {
            let (cost, walk) = match (read(clock, window), walk(clock, window)) {
                (Ok(cost), Ok(walk)) => (cost, walk),
                // Not every machine has a TSC that may be used.
                (Err(Refusal::Missing { .. }), _) if clock == Clock::Tsc => continue,
                (cost, walk) => panic!("{clock:?} {cost:?} {walk:?}"),
            };
            assert!(cost.readings[COST].level().unwrap() > 0.0);
            assert!(walk.readings[STEP].level().unwrap() > 0.0, "{clock:?}");
            let equal = walk.readings[EQUAL].share().unwrap();
            assert!(equal.of >= 2047 && equal.events <= equal.of);
            // On some machines most readings of fine clocks are equal too.
            assert!(!clock.is_coarse() || 2 * equal.events > equal.of, "{clock:?} {equal:?}");
        }
    }
}
