//! Whether the C library reads a clock without entering the kernel, found out by forbidding it to.

use std::{io, sync::OnceLock};

use libc::{c_int, c_long, c_ulong, syscall};

/// Clocks whose answer is remembered: the kernel's fixed ones have small numbers.
const CLOCKS: usize = 16;

/// A time that no clock shows: an answer that wrote nothing leaves it as it is.
const UNWRITTEN: libc::timespec = libc::timespec { tv_sec: -1, tv_nsec: -1 };

fn in_kernel(clock: libc::clockid_t) -> c_long {
    let mut now = UNWRITTEN;
    // SAFETY: the kernel writes the one timespec, which outlives the call.
    let done = unsafe { syscall(libc::SYS_clock_gettime, clock, &raw mut now) };
    done | c_long::from(now.tv_sec < 0)
}

fn by_library(clock: libc::clockid_t) -> c_int {
    let mut now = UNWRITTEN;
    // SAFETY: the library writes the one timespec, which outlives the call.
    let done = unsafe { libc::clock_gettime(clock, &raw mut now) };
    done | c_int::from(now.tv_sec < 0)
}

/// What a clock claims its step to be, in nanoseconds; none where the kernel does not know it, or a
/// filter refuses the question. (rustix takes this call for one that can't fail.)
pub fn claimed_step_ns(clock: libc::clockid_t) -> Option<u64> {
    let mut step = UNWRITTEN;
    // SAFETY: the library writes the one timespec, which outlives the call.
    let done = unsafe { libc::clock_getres(clock, &raw mut step) };
    let seconds = u64::try_from(step.tv_sec).ok().filter(|_| done == 0)?;
    seconds.checked_mul(1_000_000_000)?.checked_add(u64::try_from(step.tv_nsec).ok()?)
}

/// Who answers the C library's clock_gettime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    /// The vDSO, within the program.
    ByVdso,
    /// The kernel, by a system call.
    ByKernel,
    /// Can't be told: the probe is not permitted here.
    Unknown,
}

/// Who answers the C library's clock_gettime for this clock here, seen once per process and clock:
/// a child forbids itself the system call, and asks for the time.
pub fn served(clock: libc::clockid_t) -> Served {
    static SEEN: [OnceLock<Served>; CLOCKS] = [const { OnceLock::new() }; CLOCKS];
    match usize::try_from(clock).ok().and_then(|place| SEEN.get(place)) {
        Some(seen) => *seen.get_or_init(|| probe(clock)),
        None => probe(clock),
    }
}

const SERVED: c_int = 0;
const NOT_SERVED: c_int = 1;
const NOT_PERMITTED: c_int = 2;

fn probe(clock: libc::clockid_t) -> Served {
    // There the library may ask by another call, for times of 64 bits, than the one forbidden here.
    if cfg!(target_pointer_width = "32") {
        return Served::Unknown;
    }
    // SAFETY: the child calls only what is async-signal-safe, and ends by _exit.
    let child = unsafe { libc::fork() };
    match child {
        -1 => return Served::Unknown,
        0 => {
            let code = ask_without_kernel(clock);
            // SAFETY: ends the child without running anything of the parent's.
            unsafe { libc::_exit(code) }
        }
        _ => {}
    }
    let mut status: c_int = 0;
    let waited = loop {
        // SAFETY: writes the one status; the child is ours and is waited for until it has ended.
        let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
        let interrupted = io::Error::last_os_error().kind() == io::ErrorKind::Interrupted;
        if waited != -1 || !interrupted {
            break waited;
        }
    };
    match (waited == child && libc::WIFEXITED(status)).then(|| libc::WEXITSTATUS(status)) {
        Some(SERVED) => Served::ByVdso,
        Some(NOT_SERVED) => Served::ByKernel,
        _ => Served::Unknown,
    }
}

/// In the child: forbids itself clock_gettime, makes sure that this works, and asks the library.
fn ask_without_kernel(clock: libc::clockid_t) -> c_int {
    let load_number = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    let jump_equal = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    let ret = (libc::BPF_RET | libc::BPF_K) as u16;
    let number = libc::SYS_clock_gettime as u32;
    let refuse = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    let step = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let mut filter = [
        step(load_number, 0, 0, 0),
        step(jump_equal, 0, 1, number),
        step(ret, 0, 0, refuse),
        step(ret, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    // The library reads longs here; a bare 0 would be an int, and half of it whatever lies beside.
    let (yes, no): (c_ulong, c_ulong) = (1, 0);
    let filters = c_ulong::from(libc::SECCOMP_MODE_FILTER);
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: both calls change only this child; the program outlives them, and the kernel copies
    // it.
    let filtered = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, yes, no, no, no) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, filters, &raw const program) == 0
    };
    if !filtered || in_kernel(clock) == 0 {
        return NOT_PERMITTED;
    }
    if by_library(clock) == 0 { SERVED } else { NOT_SERVED }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vDSO of every kernel that this was tried on serves the clock when it runs from the TSC.
    #[test]
    fn the_probe_agrees_with_the_clocksource() {
        let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        let source = std::fs::read_to_string(path).unwrap_or_default();
        let served = served(libc::CLOCK_MONOTONIC);
        match source.trim() {
            "tsc" | "kvm-clock" | "arch_sys_counter" => assert_ne!(served, Served::ByKernel),
            "hpet" | "acpi_pm" | "jiffies" => assert_ne!(served, Served::ByVdso),
            _ => {}
        }
    }

    /// What a process used of the CPU is known to the kernel alone.
    #[test]
    fn cpu_time_is_never_served_by_the_vdso() {
        assert_ne!(served(libc::CLOCK_PROCESS_CPUTIME_ID), Served::ByVdso);
        assert_ne!(served(libc::CLOCK_THREAD_CPUTIME_ID), Served::ByVdso);
    }
}
