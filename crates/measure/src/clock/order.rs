//! Do the CPUs agree on the order of events? A message goes from CPU to CPU, and each reads the
//! clock when it has the message: whoever has it later must read no less.
//!
//! A clock that is behind on one CPU shows only where it is further behind than the message takes:
//! the smallest advance that was seen says how small an offset would have gone unseen.

use std::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use lab::Trial;
use machine::clock;
use record::{Observation, Part, Reading, Refusal};
use stats::{Random, derive_seed};

use super::{
    clocks::Clock,
    sys,
    together::together,
    walk::{Scale, readable},
};

/// Messages on whose arrival the clock read less than when they were sent.
pub(super) const VIOLATIONS: &str = "violations";

/// After so many messages of its own a thread looks whether the time is over.
const LAPS_PER_LOOK: u64 = 16;
/// Spins before a thread that waits looks whether anybody is still there.
const SPINS_PER_LOOK: u32 = 1 << 16;

/// The message, in a cache line of its own: the reading travels with the turn.
#[repr(align(128))]
#[derive(Default)]
struct Message {
    /// How often it was passed on; whose turn it is follows from that.
    passed: AtomicU64,
    /// What the clock read when it was passed on last.
    reading: AtomicU64,
    over: AtomicBool,
}

/// What one thread saw.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    messages: u64,
    violations: u64,
    violation_max: u64,
    advance_min: u64,
}

impl Seen {
    const NOTHING: Self =
        Self { messages: 0, violations: 0, violation_max: 0, advance_min: u64::MAX };

    fn message(&mut self, sent: u64, received: u64) {
        self.messages += 1;
        if received < sent {
            self.violations += 1;
            self.violation_max = self.violation_max.max(sent - received);
        } else {
            self.advance_min = self.advance_min.min(received - sent);
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            messages: self.messages + other.messages,
            violations: self.violations + other.violations,
            violation_max: self.violation_max.max(other.violation_max),
            advance_min: self.advance_min.min(other.advance_min),
        }
    }
}

/// One trial: the message goes round for a window. The CPUs form a ring whose order is another in
/// each start, so that over a run many pairs are neighbours.
pub(super) fn trial(clock: Clock, asked: &Trial) -> Result<Observation, Refusal> {
    readable(clock)?;
    let mut ring = asked.cpus.clone();
    Random::new(derive_seed(u64::from(asked.start), "ring")).shuffle(&mut ring);
    let scale = Scale::begin(clock);
    let seen = pass_round(clock, &ring, asked.window)?;
    let ns = scale.ns_per_unit();
    if seen.messages < ring.len() as u64 {
        return Err(Refusal::EventNotProven { seen: "the message did not go round once".into() });
    }
    let violations = Part { events: seen.violations, of: seen.messages };
    let mut proof = vec![("violation_ns_max", seen.violation_max as f64 * ns)];
    if seen.advance_min != u64::MAX {
        proof.push(("advance_ns_min", seen.advance_min as f64 * ns));
    }
    Ok(Observation {
        readings: [(VIOLATIONS.to_owned(), Reading::Share(violations))].into(),
        proof: proof.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    })
}

fn pass_round(clock: Clock, ring: &[usize], window: Duration) -> Result<Seen, Refusal> {
    let message = Message::default();
    let seen = together(ring, |place, gate| {
        gate.wait()?;
        let until_ns = clock::now_ns() + window.as_nanos() as u64;
        Ok(take_part(clock, place as u64, ring.len() as u64, &message, until_ns))
    })?;
    Ok(seen.into_iter().fold(Seen::NOTHING, Seen::and))
}

/// Takes every message that is for `place`, and passes it on, until the time is over.
fn take_part(clock: Clock, place: u64, ring: u64, message: &Message, until_ns: u64) -> Seen {
    let mut seen = Seen::NOTHING;
    let mut turn = place;
    loop {
        let mut spins = 0u32;
        while message.passed.load(Ordering::Acquire) != turn {
            if message.over.load(Ordering::Relaxed) {
                return seen;
            }
            spins += 1;
            // The thread whose turn it is may have lost its CPU for good; nobody waits for ever.
            if spins.is_multiple_of(SPINS_PER_LOOK) && clock::now_ns() > until_ns {
                message.over.store(true, Ordering::Relaxed);
            }
            spin_loop();
        }
        let sent = message.reading.load(Ordering::Relaxed);
        let received = sys::read(clock);
        // The first message was sent by nobody.
        if turn > 0 {
            seen.message(sent, received);
        }
        if seen.messages.is_multiple_of(LAPS_PER_LOOK) && clock::now_ns() > until_ns {
            message.over.store(true, Ordering::Relaxed);
        }
        message.reading.store(received, Ordering::Relaxed);
        turn += ring;
        message.passed.fetch_add(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_backwards_is_counted() {
        let mut seen = Seen::NOTHING;
        for (sent, received) in [(100, 160), (160, 150), (150, 150), (150, 120)] {
            seen.message(sent, received);
        }
        let expected = Seen { messages: 4, violations: 2, violation_max: 30, advance_min: 0 };
        assert_eq!(seen, expected);
        let both = seen.and(Seen { violation_max: 99, ..Seen::NOTHING });
        assert_eq!(both, Seen { violation_max: 99, ..expected });
    }

    #[test]
    fn a_message_goes_round_and_its_time_only_grows() {
        let cpus = machine::describe().affinity;
        if cpus.len() < 2 {
            return println!("skipped: needs two CPUs");
        }
        let seen = pass_round(Clock::Monotonic, &cpus, Duration::from_millis(2)).unwrap();
        assert!(seen.messages >= cpus.len() as u64, "{seen:?}");
        assert_eq!(seen.violations, 0, "{seen:?}");
    }

    /// A clock that each thread has for itself must be found out: the check can fail.
    #[test]
    fn clocks_that_differ_are_found_out() {
        let cpus = machine::describe().affinity;
        if cpus.len() < 2 {
            return println!("skipped: needs two CPUs");
        }
        let seen = together(&cpus[..1], |_, gate| {
            gate.wait()?;
            // Some CPU time for this thread, and none for the next ones.
            let until_ns = clock::now_ns() + 2_000_000;
            while clock::now_ns() < until_ns {}
            pass_round(Clock::ThreadCpu, &cpus, Duration::from_millis(2))
        });
        let seen = seen.unwrap()[0];
        assert!(seen.violations > 0, "{seen:?}");
    }
}
