//! The clock that trials are timed with, CLOCK_MONOTONIC, and how finely it can tell.
//!
//! A read goes through the vDSO (rustix calls it directly; strace shows no clock_gettime), so that
//! it costs no system call where the clock source allows that.
//! Not here: what a read costs, which is an experiment's question.

mod step;
mod sys;

use rustix::time::{ClockId, Timespec, clock_gettime};

pub use step::{READS, SAMPLE_NS_MAX, step_ns, step_of};
pub use sys::{Served, claimed_step_ns, served};

/// Nanoseconds since some moment that stays the same until the machine restarts.
pub fn now_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// The step that the clock claims to have (clock_getres(2)): 1 ns almost everywhere, whatever the
/// hardware beneath it does. [`step_ns`] is the truth.
///
/// None where the kernel, or a filter before it, does not say.
pub fn resolution_ns() -> Option<u64> {
    claimed_step_ns(libc::CLOCK_MONOTONIC)
}

/// A span or moment of the kernel in nanoseconds; they reach 584 years.
pub(crate) fn nanoseconds(time: Timespec) -> u64 {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanoseconds = u64::try_from(time.tv_nsec).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_does_not_go_back() {
        let mut before = now_ns();
        for _ in 0..1000 {
            let now = now_ns();
            assert!(now >= before);
            before = now;
        }
    }

    #[test]
    fn the_clock_runs_with_the_standard_librarys() {
        let (start_ns, start) = (now_ns(), std::time::Instant::now());
        std::thread::sleep(std::time::Duration::from_millis(5));
        let inner = start.elapsed().as_nanos() as u64;
        let outer_ns = now_ns() - start_ns;
        // The same clock, and this span encloses the other; reads are truncated to whole ns.
        assert!(outer_ns + 1 >= inner, "{outer_ns} {inner}");
    }
}
