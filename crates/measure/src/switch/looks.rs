//! Whether two sides that may run anywhere were seen on one CPU.

use std::{
    io,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
};

use rustix::thread::sched_getcpu;

use super::{channel::Side, sys::Shared};

/// A look costs some nanoseconds, so a side looks where it is only once in so many turns.
const LOOK_EVERY: u64 = 4;
const NOWHERE: u32 = u32::MAX;

/// How often the measuring side looked,
pub(super) const LOOKS: &str = "looks";
/// and how often it ran where its partner had last been seen.
pub(super) const TOGETHER: &str = "looks_on_one_cpu";

/// What was seen. Each side counts its own turns, so that both look; of the partner's only its CPU
/// is shared.
pub(super) struct Looks {
    partner: Shared,
    turns: [AtomicU64; 2],
    looks: AtomicU64,
    together: AtomicU64,
}

impl Looks {
    pub(super) fn new() -> io::Result<Self> {
        let partner = Shared::words(1)?;
        partner.word(0).store(NOWHERE, Ordering::Relaxed);
        Ok(Self {
            partner,
            turns: Default::default(),
            looks: AtomicU64::new(0),
            together: AtomicU64::new(0),
        })
    }

    /// The partner's turn.
    pub(super) fn there(&self) {
        if self.is_due(Side::There) {
            self.partner_cpu().store(sched_getcpu() as u32, Ordering::Relaxed);
        }
    }

    /// The measuring side's turn.
    pub(super) fn here(&self) {
        let theirs = self.partner_cpu().load(Ordering::Relaxed);
        if self.is_due(Side::Here) && theirs != NOWHERE {
            add(&self.looks, 1);
            add(&self.together, u64::from(sched_getcpu() as u32 == theirs));
        }
    }

    /// The looks so far, as counts that grow.
    pub(super) fn counts(&self) -> [(&'static str, f64); 2] {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64;
        [(LOOKS, count(&self.looks)), (TOGETHER, count(&self.together))]
    }

    fn partner_cpu(&self) -> &AtomicU32 {
        self.partner.word(0)
    }

    fn is_due(&self, side: Side) -> bool {
        add(&self.turns[side as usize], 1).is_multiple_of(LOOK_EVERY)
    }
}

/// Adds to a counter that nobody else writes, which a plain write does in a nanosecond; its value
/// before.
fn add(counter: &AtomicU64, by: u64) -> u64 {
    let before = counter.load(Ordering::Relaxed);
    counter.store(before + by, Ordering::Relaxed);
    before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_on_one_cpu_are_seen_there() {
        let cpus = machine::describe().affinity;
        let last = *cpus.last().unwrap();
        for (other, expected) in [(cpus[0], true), (last, last == cpus[0])] {
            let looks = Looks::new().unwrap();
            assert_eq!(looks.counts()[0].1, 0.0);
            for _ in 0..8 * LOOK_EVERY {
                machine::pin_to(other).unwrap();
                looks.partner_cpu().store(sched_getcpu() as u32, Ordering::Relaxed);
                machine::pin_to(cpus[0]).unwrap();
                looks.here();
            }
            let [(_, all), (_, together)] = looks.counts();
            assert_eq!((all, together), (8.0, if expected { 8.0 } else { 0.0 }));
        }
    }

    /// Threads share these counts: when they also shared their turns, only one of them ever looked.
    #[test]
    fn both_sides_look() {
        let looks = Looks::new().unwrap();
        for _ in 0..8 * LOOK_EVERY {
            looks.here();
            looks.there();
        }
        assert_eq!(looks.counts()[0].1, 7.0);
    }
}
