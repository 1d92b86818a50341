//! The calls themselves, raw.

use std::{hint::black_box, io, os::fd::AsRawFd};

use libc::{c_int, c_long, syscall};
use machine::clock;

use super::calls::Call;

/// What the calls need, opened beforehand, and what their right answers are.
pub(super) struct Prepared {
    zero: std::fs::File,
    null: std::fs::File,
    parent: c_long,
    thread: c_long,
    yields_until_ns: u64,
}

/// Beside a rival each yield may cost a slice of milliseconds, and a window's worth of them
/// minutes: after so many the clock is looked at, which adds a third of a nanosecond to each.
const YIELDS_PER_LOOK: u64 = 64;
/// Longer than this no trial yields.
const YIELDS_NS_MAX: u64 = 200_000_000;

impl Prepared {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            zero: std::fs::File::open("/dev/zero")?,
            null: std::fs::OpenOptions::new().write(true).open("/dev/null")?,
            // 0 where the parent lives in another PID namespace.
            parent: rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get().into()),
            thread: thread_id()?,
            yields_until_ns: clock::now_ns() + YIELDS_NS_MAX,
        })
    }

    /// Does `call` so many times; how many of them answered wrongly. `syscall` enters the kernel
    /// each time, whatever the C library may know already.
    pub(super) fn repeat(&mut self, call: Call, calls: u64) -> u64 {
        let (zero, null) = (self.zero.as_raw_fd(), self.null.as_raw_fd());
        let (parent, thread) = (self.parent, self.thread);
        match call {
            // SAFETY: takes nothing, changes nothing.
            Call::Getppid => repeat(calls, parent, || unsafe { syscall(libc::SYS_getppid) }),
            // SAFETY: takes nothing, changes nothing.
            Call::Gettid => repeat(calls, thread, || unsafe { syscall(libc::SYS_gettid) }),
            // SAFETY: -1 is never a descriptor, so nothing is closed.
            Call::Close => repeat(calls, -1, || unsafe { syscall(libc::SYS_close, -1) }),
            Call::Read => {
                let mut byte = 0u8;
                // SAFETY: the kernel writes the one byte, which outlives the call.
                let read = || unsafe { syscall(libc::SYS_read, zero, &raw mut byte, 1usize) };
                repeat(calls, 1, read)
            }
            Call::Write => {
                let byte = 0u8;
                // SAFETY: the kernel reads the one byte, which outlives the call.
                repeat(calls, 1, || unsafe {
                    syscall(libc::SYS_write, null, &raw const byte, 1usize)
                })
            }
            Call::SchedYield => self.yields(calls),
            Call::FutexWake => {
                let word = 0u32;
                let wake = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
                // SAFETY: a wake reads nothing of the word but its address.
                repeat(calls, 0, || unsafe { syscall(libc::SYS_futex, &raw const word, wake, 1) })
            }
            Call::ClockKernel => repeat(calls, 0, clock_in_kernel),
            Call::ClockVdso => repeat(calls, 0, || clock_by_library().into()),
            Call::Loop => repeat(calls, 0, || 0),
        }
    }
}

impl Prepared {
    /// Whether yielding took so long that somebody else must have had the CPU.
    pub(super) fn yielded_too_long(&self) -> bool {
        clock::now_ns() >= self.yields_until_ns
    }

    fn yields(&self, calls: u64) -> u64 {
        let (mut left, mut wrong) = (calls, 0);
        while left > 0 && !self.yielded_too_long() {
            let some = left.min(YIELDS_PER_LOOK);
            // SAFETY: takes nothing, changes nothing.
            wrong += repeat(some, 0, || unsafe { syscall(libc::SYS_sched_yield) });
            left -= some;
        }
        wrong
    }
}

/// The thread's id from /proc, and not from the call that is to be checked against it: a filter
/// may answer in the kernel's place.
fn thread_id() -> io::Result<c_long> {
    let link = std::fs::read_link("/proc/thread-self")?;
    let id = link.file_name().and_then(|name| name.to_str()?.parse().ok());
    id.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))
}

/// The loop around every call, the empty one too: one comparison and one addition beside the call.
#[inline(always)]
fn repeat(calls: u64, right: c_long, mut call: impl FnMut() -> c_long) -> u64 {
    let mut wrong = 0;
    for _ in 0..calls {
        wrong += u64::from(black_box(call()) != right);
    }
    wrong
}

/// A time that no clock shows: an answer that wrote nothing leaves it as it is.
const UNWRITTEN: libc::timespec = libc::timespec { tv_sec: -1, tv_nsec: -1 };

fn clock_in_kernel() -> c_long {
    let mut now = UNWRITTEN;
    // SAFETY: the kernel writes the one timespec, which outlives the call.
    let done = unsafe { syscall(libc::SYS_clock_gettime, libc::CLOCK_MONOTONIC, &raw mut now) };
    done | c_long::from(now.tv_sec < 0)
}

fn clock_by_library() -> c_int {
    let mut now = UNWRITTEN;
    // SAFETY: the library writes the one timespec, which outlives the call.
    let done = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    done | c_int::from(now.tv_sec < 0)
}
