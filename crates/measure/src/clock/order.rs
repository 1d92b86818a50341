//! Do the CPUs agree on the order of events? A message goes to and fro between two CPUs, and each
//! reads the clock when it has the message: whoever has it later must read no less.
//!
//! A clock that is behind on one CPU shows only where it is further behind than the message takes.
//! The quickest message one way and the quickest the other way add up to a round trip that is free
//! of any offset; half of it is the least offset that would have shown.

use std::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use lab::Trial;
use machine::clock;
use record::{Observation, Part, Reading, Refusal};
use stats::Random;

use super::{
    clocks::Clock,
    sys,
    together::together,
    walk::{Scale, readable},
};

/// Messages on whose arrival the clock read less than when they were sent.
pub(super) const VIOLATIONS: &str = "violations";

/// After so many messages of its own a thread looks whether the time is over.
const MESSAGES_PER_LOOK: u64 = 16;
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

/// What one of the two saw of the messages that came to it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    messages: u64,
    violations: u64,
    violation_max: u64,
    /// The least that the clock advanced from sending to arrival; below zero if it went back.
    advance_min: i64,
}

impl Seen {
    const NOTHING: Self =
        Self { messages: 0, violations: 0, violation_max: 0, advance_min: i64::MAX };

    fn message(&mut self, sent: u64, received: u64) {
        self.messages += 1;
        self.advance_min = self.advance_min.min(received.wrapping_sub(sent).cast_signed());
        if received < sent {
            self.violations += 1;
            self.violation_max = self.violation_max.max(sent - received);
        }
    }
}

/// One trial: a message goes to and fro between two CPUs, drawn anew for each trial.
pub(super) fn trial(clock: Clock, asked: &Trial) -> Result<Observation, Refusal> {
    readable(clock)?;
    let mut cpus = asked.cpus.clone();
    Random::new(asked.seed).shuffle(&mut cpus);
    let (Some(&one), Some(&other)) = (cpus.first(), cpus.get(1)) else {
        return Err(Refusal::Missing { what: "a second CPU".into() });
    };
    let scale = Scale::begin(clock);
    let [there, back] = to_and_fro(clock, [one, other], asked.window)?;
    let ns = scale.ns_per_unit();
    if there.messages.min(back.messages) == 0 {
        let seen = "the message did not go to and fro once".to_owned();
        return Err(Refusal::EventNotProven { seen });
    }
    let events = there.violations + back.violations;
    let violations = Part { events, of: there.messages + back.messages };
    let most = there.violation_max.max(back.violation_max) as f64;
    let shows_from = (there.advance_min as f64 + back.advance_min as f64) / 2.0;
    let proof = [("violation_ns_max", most * ns), ("shows_from_ns", shows_from * ns)];
    Ok(Observation {
        readings: [(VIOLATIONS.to_owned(), Reading::Share(violations))].into(),
        proof: proof.map(|(name, value)| (name.to_owned(), value)).into(),
    })
}

/// What came to the first CPU, and what to the second.
fn to_and_fro(clock: Clock, cpus: [usize; 2], window: Duration) -> Result<[Seen; 2], Refusal> {
    let message = Message::default();
    let seen = together(&cpus, |place, gate| {
        gate.wait()?;
        let until_ns = clock::now_ns() + window.as_nanos() as u64;
        Ok(take_part(clock, place as u64, &message, until_ns))
    })?;
    Ok([seen[0], seen[1]])
}

/// Takes every message that is for `place`, and passes it on, until the time is over.
fn take_part(clock: Clock, place: u64, message: &Message, until_ns: u64) -> Seen {
    let mut seen = Seen::NOTHING;
    let mut turn = place;
    loop {
        let mut spins = 0u32;
        while message.passed.load(Ordering::Acquire) != turn {
            if message.over.load(Ordering::Relaxed) {
                return seen;
            }
            spins += 1;
            // The one whose turn it is may have lost its CPU for good; nobody waits for ever.
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
        if seen.messages.is_multiple_of(MESSAGES_PER_LOOK) && clock::now_ns() > until_ns {
            message.over.store(true, Ordering::Relaxed);
        }
        message.reading.store(received, Ordering::Relaxed);
        turn += 2;
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
        let expected = Seen { messages: 4, violations: 2, violation_max: 30, advance_min: -30 };
        assert_eq!(seen, expected);
    }

    fn two_cpus() -> Option<[usize; 2]> {
        let cpus = machine::describe().affinity;
        let two = cpus.first_chunk().copied();
        if two.is_none() {
            println!("skipped: needs two CPUs");
        }
        two
    }

    /// On a busy machine a window may end before the message came back once: then the next one.
    #[test]
    fn a_message_goes_to_and_fro_and_its_time_only_grows() {
        let Some(cpus) = two_cpus() else { return };
        for _ in 0..50 {
            let window = Duration::from_millis(20);
            let [there, back] = to_and_fro(Clock::Monotonic, cpus, window).unwrap();
            assert_eq!((there.violations, back.violations), (0, 0), "{there:?} {back:?}");
            if there.messages.min(back.messages) > 0 {
                assert!(there.advance_min + back.advance_min > 0, "{there:?} {back:?}");
                return;
            }
        }
        panic!("no message went to and fro in 50 windows of 20 ms");
    }

    /// A clock that each thread has for itself must be found out: the check can fail.
    #[test]
    fn clocks_that_differ_are_found_out() {
        let Some(cpus) = two_cpus() else { return };
        let seen: u64 = (0..50)
            .map(|_| to_and_fro(Clock::ThreadCpu, cpus, Duration::from_millis(5)).unwrap())
            .map(|[there, back]| there.violations + back.violations)
            .sum();
        assert!(seen > 0);
    }
}
