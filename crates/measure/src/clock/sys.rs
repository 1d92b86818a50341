//! The readings themselves: by the C library, and of the TSC by its instruction.

use std::{hint::black_box, io, mem::MaybeUninit};

use super::clocks::Clock;

/// Reads `clock` once: nanoseconds, or ticks of the TSC. An unreadable clock is 0: it is refused
/// before it gets here.
#[inline(always)]
pub(super) fn read(clock: Clock) -> u64 {
    match clock.id() {
        Some(id) => gettime(id),
        None => tsc(),
    }
}

/// Reads `clock` so many times and keeps nothing.
pub(super) fn read_repeatedly(clock: Clock, times: u64) {
    match clock.id() {
        Some(id) => (0..times).for_each(|_| _ = black_box(gettime(id))),
        None => (0..times).for_each(|_| _ = black_box(tsc())),
    }
}

/// Fills `samples` with successive readings of `clock`, as fast as they come.
pub(super) fn sample(clock: Clock, samples: &mut [u64]) {
    match clock.id() {
        Some(id) => samples.iter_mut().for_each(|sample| *sample = gettime(id)),
        None => samples.iter_mut().for_each(|sample| *sample = tsc()),
    }
}

/// The same, with work of random length before each reading: up to [`JITTER_STEPS`] dependent
/// multiplications. `state` is a seed, and must not be 0.
pub(super) fn sample_jittered(clock: Clock, samples: &mut [u64], mut state: u64) {
    for sample in samples {
        // Marsaglia's xorshift (2003): quick, and random enough to be out of step.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let mut work = state;
        for _ in 0..state % JITTER_STEPS {
            work = black_box(work.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
        *sample = read(clock);
    }
}

/// A multiplication and its way through memory take one to two nanoseconds, so that the work is
/// spread over several steps of any clock that is not coarse.
const JITTER_STEPS: u64 = 64;

#[inline(always)]
fn gettime(clock: libc::clockid_t) -> u64 {
    let mut now = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the library writes the one timespec; where it can't, it stays zeroed, which is one.
    let now = unsafe {
        libc::clock_gettime(clock, now.as_mut_ptr());
        now.assume_init()
    };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Reads `clock` once, and says how that failed.
pub(super) fn known(clock: libc::clockid_t) -> io::Result<()> {
    let mut now = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the library writes the one timespec, which outlives the call.
    let done = unsafe { libc::clock_gettime(clock, now.as_mut_ptr()) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The time stamp counter, read when every instruction before it has been done: without the fence a
/// reading may be taken before what it is to come after.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn tsc() -> u64 {
    // SAFETY: neither touches memory; whether the counter may be read at all is asked beforehand.
    unsafe {
        core::arch::x86_64::_mm_lfence();
        core::arch::x86_64::_rdtsc()
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn tsc() -> u64 {
    0
}

/// What the CPU says of its counter: whether it has one that runs at one rate whatever the CPU's
/// own speed and sleep (CPUID leaf 0x8000_0007, EDX bit 8; Intel SDM volume 3, 19.17.1).
#[cfg(target_arch = "x86_64")]
pub(super) fn tsc_is_invariant() -> bool {
    use core::arch::x86_64::__cpuid;
    const POWER: u32 = 0x8000_0007;
    __cpuid(0x8000_0000).eax >= POWER && __cpuid(POWER).edx & (1 << 8) != 0
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn tsc_is_invariant() -> bool {
    false
}

/// Whether reading the counter ends the process by a signal (prctl(2), PR_SET_TSC); none where the
/// kernel does not say.
pub(super) fn tsc_read_is_fatal() -> Option<bool> {
    let mut state: libc::c_int = 0;
    // SAFETY: the kernel writes the one int, which outlives the call.
    let done = unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut state) };
    (done == 0).then_some(state == libc::PR_TSC_SIGSEGV)
}
