//! The facts that no file holds: what kernel, processor and C library answer when asked.

use std::env::{self, consts::ARCH};

use record::Locale;

use crate::{clock, cpuid, locale, sys};

/// Answers to the questions that only a running program can ask; `None` where there was none.
///
/// The default knows nothing: with it a captured machine is described from its files alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Called {
    /// The instruction set: `x86_64`.
    pub architecture: String,
    /// The CPUs that the calling thread may run on.
    pub affinity: Option<Vec<usize>>,
    /// Timer interrupts per second.
    pub tick_hz: Option<u32>,
    /// The step that CLOCK_MONOTONIC claims to have.
    pub clock_resolution_ns: Option<u64>,
    /// The step that CLOCK_MONOTONIC was seen to make.
    pub clock_step_ns: Option<u64>,
    /// What the hypervisor calls itself in CPUID.
    pub hypervisor_signature: Option<[u8; 12]>,
    /// The pages that each level of the data TLB holds.
    pub data_tlb_pages: Vec<u32>,
    /// The C library that this program is linked with.
    pub libc: Option<String>,
    /// The locale that the environment asks for.
    pub locale: Option<Locale>,
}

impl Called {
    /// Asks. Takes up to 20 ms, for [`clock::step_ns`].
    pub fn live() -> Called {
        Called {
            architecture: ARCH.to_owned(),
            affinity: affinity(),
            tick_hz: coarse_resolution_ns().and_then(tick_hz),
            clock_resolution_ns: clock::resolution_ns(),
            clock_step_ns: Some(clock::step_ns()),
            hypervisor_signature: cpuid::hypervisor_signature(),
            data_tlb_pages: cpuid::data_tlb_pages(),
            libc: sys::libc_name(),
            locale: Some(locale::locale(
                |name| env::var_os(name),
                Some(sys::character_locale_is_installed()),
            )),
        }
    }
}

/// `None` on machines beyond the 1024 CPUs that the call has room for.
fn affinity() -> Option<Vec<usize>> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let set = sched_getaffinity(None).ok()?;
    Some((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
}

fn coarse_resolution_ns() -> Option<u64> {
    clock::claimed_step_ns(libc::CLOCK_MONOTONIC_COARSE)
}

/// The coarse clock moves at timer interrupts only, so that its resolution is one tick (the
/// kernel's TICK_NSEC, rounded to whole nanoseconds: at 300 Hz it is 3333333).
fn tick_hz(resolution_ns: u64) -> Option<u32> {
    let hz = (1_000_000_000 + resolution_ns / 2).checked_div(resolution_ns)?;
    u32::try_from(hz).ok().filter(|&hz| hz > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks() {
        let rows = [
            (10_000_000, Some(100)),
            (4_000_000, Some(250)),
            (3_333_333, Some(300)),
            (1_000_000, Some(1000)),
            (976_563, Some(1024)),
            (0, None),
            (u64::MAX / 2, None),
        ];
        for (resolution_ns, expected) in rows {
            assert_eq!(tick_hz(resolution_ns), expected, "{resolution_ns}");
        }
    }

    #[test]
    fn a_running_program_gets_answers() {
        let called = Called::live();
        assert!(!called.architecture.is_empty());
        assert!(called.tick_hz.is_some_and(|hz| (24..=10_000).contains(&hz)), "{called:?}");
        assert!(called.affinity.is_none_or(|cpus| !cpus.is_empty()));
    }
}
