//! What happened to the calling thread.

use std::marker::PhantomData;

use super::{IoCalls, Usage, io, kept::Kept, sched, schedstat};
use crate::sys;

/// Counts over one thread's life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadCounters {
    /// Switches and page faults; `None` where the kernel refuses to say.
    pub usage: Option<Usage>,
    /// It was moved to another CPU; `None` where the kernel does not say.
    pub migrations: Option<u64>,
    /// It could have run and had to wait for a CPU; `None` where the kernel does not say.
    pub run_delay_ns: Option<u64>,
}

impl ThreadCounters {
    /// The counts of the calling thread, now. For repeated reading a [`ThreadWatch`] is cheaper.
    pub fn of_this_thread() -> ThreadCounters {
        ThreadWatch::new().read()
    }

    /// What came since an earlier reading of the same thread.
    pub fn since(&self, earlier: &ThreadCounters) -> ThreadCounters {
        let option = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        ThreadCounters {
            usage: self.usage.zip(earlier.usage).map(|(now, then)| now.since(&then)),
            migrations: option(self.migrations, earlier.migrations),
            run_delay_ns: option(self.run_delay_ns, earlier.run_delay_ns),
        }
    }
}

/// Reads the counts of the thread that made it.
///
/// It cannot be sent to another thread: /proc/thread-self means the thread that opens it, and
/// getrusage(2) the thread that calls, so that elsewhere the two would speak of different threads.
pub struct ThreadWatch {
    schedstat: Kept,
    sched: Kept,
    io: Kept,
    here: PhantomData<*const ()>,
}

impl ThreadWatch {
    /// A watch on the calling thread.
    pub fn new() -> ThreadWatch {
        ThreadWatch {
            schedstat: Kept::open("/proc/thread-self/schedstat"),
            sched: Kept::open("/proc/thread-self/sched"),
            io: Kept::open("/proc/thread-self/io"),
            here: PhantomData,
        }
    }

    /// The counts, now. Three system calls, of which the kernel's printing of `sched` takes the
    /// most time: some 10 microseconds in all.
    pub fn read(&mut self) -> ThreadCounters {
        ThreadCounters {
            usage: sys::thread_usage(),
            migrations: self.sched.read().and_then(sched::migrations),
            run_delay_ns: self.schedstat.read().and_then(schedstat::run_delay_ns),
        }
    }

    /// The reading and writing calls so far, without those of this watch itself; `None` where the
    /// kernel does not count them or forbids asking.
    pub fn io_calls(&mut self) -> Option<IoCalls> {
        // The kernel counts a call when it ends: this one is not yet in what it prints.
        let own_reads = self.schedstat.reads() + self.sched.reads() + self.io.reads();
        let calls = io::parse(self.io.read()?)?;
        Some(IoCalls { reads: calls.reads.saturating_sub(own_reads), ..calls })
    }
}

impl Default for ThreadWatch {
    fn default() -> ThreadWatch {
        ThreadWatch::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;
    use std::{fs::File, io::Read, thread, time::Duration};

    #[test]
    fn a_sleep_is_a_voluntary_switch_and_takes_no_cpu_time() {
        let mut watch = ThreadWatch::new();
        let before = watch.read();
        thread::sleep(Duration::from_millis(30));
        let seen = watch.read().since(&before);
        assert!(seen.usage.unwrap().voluntary_switches >= 1, "{seen:?}");
        assert!(seen.usage.unwrap().cpu_ns < 30_000_000, "{seen:?}");
    }

    #[test]
    fn work_takes_cpu_time() {
        let mut watch = ThreadWatch::new();
        let before = watch.read();
        let start_ns = clock::now_ns();
        while watch.read().since(&before).usage.unwrap().cpu_ns < 1_000_000 {}
        // One thread cannot run for longer than time passes; clocks of two kinds, hence a margin.
        let passed_ns = clock::now_ns() - start_ns;
        assert!(passed_ns > 900_000, "{passed_ns}");
    }

    #[test]
    fn threads_are_counted_apart() {
        let mut watch = ThreadWatch::new();
        while watch.read().usage.unwrap().cpu_ns < 3_000_000 {}
        let there = thread::spawn(ThreadCounters::of_this_thread).join().unwrap();
        let here = watch.read();
        // A new thread opens three files, some 50 microseconds; this one has run for 3 ms.
        assert!(there.usage.unwrap().cpu_ns < here.usage.unwrap().cpu_ns, "{there:?} {here:?}");
        assert_eq!(there.migrations.is_some(), here.migrations.is_some());
        assert_eq!(there.run_delay_ns.is_some(), here.run_delay_ns.is_some());
    }

    #[test]
    fn calls_are_counted_without_the_watchs_own() {
        let mut watch = ThreadWatch::new();
        let mut zeros = File::open("/dev/zero").unwrap();
        let Some(before) = watch.io_calls() else {
            println!("skipped: needs /proc/thread-self/io");
            return;
        };
        watch.read();
        for _ in 0..7 {
            zeros.read_exact(&mut [0]).unwrap();
        }
        watch.read();
        let seen = watch.io_calls().unwrap().since(&before);
        assert_eq!(seen, IoCalls { reads: 7, writes: 0 });
    }

    #[test]
    fn an_unknown_count_stays_unknown_in_a_difference() {
        let known = ThreadCounters { migrations: Some(3), ..ThreadCounters::default() };
        let unknown = ThreadCounters::default();
        assert_eq!(known.since(&unknown).migrations, None);
        assert_eq!(unknown.since(&known).migrations, None);
        assert_eq!(known.since(&known).migrations, Some(0));
    }
}
