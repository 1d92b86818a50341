//! What has no safe wrapper: a forked child, memory that it shares, and the scheduler's classes.

use std::{
    io,
    ptr::{self, NonNull},
    slice,
    sync::atomic::AtomicU32,
};

use rustix::{
    mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap},
    process::{
        Pid, Signal, WaitOptions, getpid, getppid, kill_process, set_parent_process_death_signal,
        waitpid,
    },
};

/// As far apart as words must be so that no two CPUs fight over one line: two lines of 64 bytes,
/// because some CPUs fetch them in pairs.
const WORD_BYTES: usize = 128;

/// Memory, full of zeros, that a forked child shares. It has no name, so it ends with the last
/// process that maps it.
pub(super) struct Shared {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: plain memory, reached through atomics, or through pointers whose users take turns.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// So many bytes, none of which takes memory before it is written to.
    pub(super) fn new(bytes: usize) -> io::Result<Self> {
        let bytes = bytes.max(1);
        let rw = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let base = unsafe { mmap_anonymous(ptr::null_mut(), bytes, rw, MapFlags::SHARED)? };
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { base, bytes })
    }

    /// So many words, each on lines of its own.
    pub(super) fn words(count: usize) -> io::Result<Self> {
        Self::new(count * WORD_BYTES)
    }

    /// One of the words.
    pub(super) fn word(&self, place: usize) -> &AtomicU32 {
        assert!((place + 1) * WORD_BYTES <= self.bytes, "word {place}");
        // SAFETY: within the mapping, which lives as long as the reference, is aligned, and is
        // zero at first, which is an AtomicU32.
        unsafe { self.base.add(place * WORD_BYTES).cast().as_ref() }
    }

    /// Writes `byte` all over a part of it. The volatile end keeps the compiler from leaving it
    /// out.
    pub(super) fn fill(&self, from: usize, bytes: usize, byte: u8) {
        assert!(from.checked_add(bytes).is_some_and(|end| end <= self.bytes), "{from} + {bytes}");
        if bytes == 0 {
            return;
        }
        // SAFETY: within the mapping; whoever else uses it waits for its turn.
        unsafe {
            let base = self.base.add(from).as_ptr();
            ptr::write_bytes(base, byte, bytes);
            ptr::read_volatile(base.add(bytes - 1));
        }
    }

    /// Gives this process a writable page for each of a part, before they are needed.
    pub(super) fn populate(&self, from: usize, bytes: usize) {
        assert!(from.checked_add(bytes).is_some_and(|end| end <= self.bytes), "{from} + {bytes}");
        if bytes == 0 {
            return;
        }
        // SAFETY: within the mapping; the pages' contents stay as they are.
        let populated = unsafe {
            let base = self.base.add(from).as_ptr().cast();
            madvise(base, bytes, Advice::LinuxPopulateWrite)
        };
        // Kernels before 5.14 don't know it; writing does the same, page by page.
        if populated.is_err() {
            self.fill(from, bytes, 1);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Reads one byte of each of these lines.
    pub(super) fn read_lines(&self, lines: impl Iterator<Item = usize>) -> u64 {
        // SAFETY: the whole mapping, whose bytes are all readable; whoever else uses it waits for
        // its turn.
        let all = unsafe { slice::from_raw_parts(self.base.as_ptr(), self.bytes) };
        lines.map(|line| u64::from(all[line * LINE_BYTES])).sum()
    }
}

/// What a cache fetches at once, on every CPU that this runs on in practice.
pub(super) const LINE_BYTES: usize = 64;

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: mapped above with this size; no reference outlives `self`.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}

/// A forked child; ended and waited for when dropped.
pub(super) struct Child {
    pid: Pid,
}

impl Child {
    /// Forks a child that runs `body` and ends; it also ends with the calling thread.
    ///
    /// Other threads may hold locks that nobody will open in the child. So `body` may only make
    /// system calls and touch memory that is there: no allocation, no printing, no panic.
    pub(super) fn fork(body: impl FnOnce()) -> io::Result<Self> {
        let parent = getpid();
        // SAFETY: the child does nothing but what may be done after a fork: system calls, by `body`
        // as agreed, and it leaves by `_exit`, which runs nobody's destructors.
        let pid = unsafe { libc::fork() };
        match pid {
            0 => {
                let _ended = AlwaysEnds;
                let _ = set_parent_process_death_signal(Some(Signal::KILL));
                // The parent may have ended before the line above.
                if getppid() == Some(parent) {
                    body();
                }
                drop(_ended);
                unreachable!("a child that has ended")
            }
            _ => match Pid::from_raw(pid) {
                Some(pid) if pid.as_raw_nonzero().get() > 0 => Ok(Self { pid }),
                _ => Err(io::Error::last_os_error()),
            },
        }
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get() as u32
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Ours, and not yet waited for: the number can be nobody else's. A child that is stopped
        // ends too.
        let _ = kill_process(self.pid, Signal::KILL);
        while matches!(waitpid(Some(self.pid), WaitOptions::empty()), Err(rustix::io::Errno::INTR))
        {
        }
    }
}

/// Ends the process whichever way it is left: a child that unwound into its parent's code would be
/// a second parent.
struct AlwaysEnds;

impl Drop for AlwaysEnds {
    fn drop(&mut self) {
        // SAFETY: ends this process, and runs nothing first.
        unsafe { libc::_exit(0) }
    }
}

/// How the scheduler treats a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// As most threads.
    Other,
    /// As one that computes much and need not be quick to answer.
    Batch,
    /// Only where no other wants to run.
    Idle,
    /// Before all others, until it gives the CPU up.
    Fifo,
}

impl Class {
    /// Puts the calling thread into this class.
    pub(super) fn enter(self) -> io::Result<()> {
        let (policy, priority) = match self {
            Self::Other => (libc::SCHED_OTHER, 0),
            Self::Batch => (libc::SCHED_BATCH, 0),
            Self::Idle => (libc::SCHED_IDLE, 0),
            // The lowest of its priorities is above all ordinary threads.
            Self::Fifo => (libc::SCHED_FIFO, 1),
        };
        let parameters = libc::sched_param { sched_priority: priority };
        // SAFETY: reads the parameters, which outlive the call; 0 is the calling thread. A raw
        // call, because musl's wrapper only refuses.
        let done = unsafe {
            libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const parameters)
        };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn a_child_writes_into_shared_memory_and_is_gone_when_dropped() {
        let shared = Shared::words(2).unwrap();
        let child = Child::fork(|| {
            shared.word(1).store(7, Ordering::Release);
            loop {
                std::thread::yield_now();
            }
        })
        .unwrap();
        let pid = child.pid();
        while shared.word(1).load(Ordering::Acquire) != 7 {
            std::thread::yield_now();
        }
        assert!(std::path::Path::new(&format!("/proc/{pid}")).exists());
        drop(child);
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
        assert_eq!(shared.word(0).load(Ordering::Relaxed), 0);
    }

    #[test]
    fn memory_is_filled_and_read_by_lines() {
        let shared = Shared::new(4096).unwrap();
        shared.fill(64, 128, 3);
        assert_eq!(shared.read_lines([0, 1, 2, 3].into_iter()), 6);
        shared.fill(4096, 0, 9);
    }

    #[test]
    fn a_thread_may_always_become_less_important() {
        std::thread::spawn(|| {
            Class::Batch.enter().unwrap();
            Class::Idle.enter().unwrap();
        })
        .join()
        .unwrap();
    }
}
