//! What happened on all CPUs together, whoever caused it.
//!
//! The times move in ticks of USER_HZ, which is 100 on every architecture of today: what is less
//! than 10 ms per CPU may show as nothing, or as 10 ms. Inside a container the counts are
//! still the whole machine's, unless something (lxcfs) replaces the file.

use std::io::Read;

use super::{kept::Kept, stat};

/// Counts since the machine started, over all CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemCounters {
    /// A program, the kernel or an interrupt ran.
    pub busy_ns: u64,
    /// The hypervisor ran something else while a CPU wanted to run.
    pub steal_ns: u64,
    /// Nothing ran; waiting for a disk is that too.
    pub idle_ns: u64,
    /// Switches from one thread to another. Exact.
    pub context_switches: u64,
}

impl SystemCounters {
    /// What came since an earlier reading. A count that went back, as the kernel's waiting for
    /// disks can, gives zero.
    pub fn since(&self, earlier: &SystemCounters) -> SystemCounters {
        SystemCounters {
            busy_ns: self.busy_ns.saturating_sub(earlier.busy_ns),
            steal_ns: self.steal_ns.saturating_sub(earlier.steal_ns),
            idle_ns: self.idle_ns.saturating_sub(earlier.idle_ns),
            context_switches: self.context_switches.saturating_sub(earlier.context_switches),
        }
    }
}

/// Reads the counts of all CPUs.
pub struct SystemWatch {
    stat: Kept,
    ticks_per_second: u64,
}

impl SystemWatch {
    /// A watch on the machine.
    pub fn new() -> SystemWatch {
        let ticks_per_second = rustix::param::clock_ticks_per_second();
        SystemWatch { stat: Kept::open("/proc/stat"), ticks_per_second }
    }

    /// The counts, now; `None` where /proc/stat cannot be read. The kernel adds up all CPUs and
    /// interrupts for it: about 10 microseconds on two CPUs, far more on hundreds.
    pub fn read(&mut self) -> Option<SystemCounters> {
        parse(self.stat.read()?, self.ticks_per_second)
    }
}

impl Default for SystemWatch {
    fn default() -> SystemWatch {
        SystemWatch::new()
    }
}

/// The counts in a /proc/stat whose ticks come so many to the second.
pub(crate) fn parse(reader: impl Read, ticks_per_second: u64) -> Option<SystemCounters> {
    let stat = stat::parse(reader)?;
    let tick_ns = 1_000_000_000u64.checked_div(ticks_per_second)?;
    // Some sandboxes print the file with nothing in it; that is no quiet machine.
    if stat.busy == 0 && stat.idle == 0 {
        return None;
    }
    Some(SystemCounters {
        busy_ns: stat.busy.saturating_mul(tick_ns),
        steal_ns: stat.steal.saturating_mul(tick_ns),
        idle_ns: stat.idle.saturating_mul(tick_ns),
        context_switches: stat.context_switches,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{thread, time::Duration};

    #[test]
    fn ticks_become_nanoseconds() {
        let text = "cpu  3 0 0 10 2 0 0 1 0 0\nctxt 7\n";
        let expected = SystemCounters {
            busy_ns: 30_000_000,
            steal_ns: 10_000_000,
            idle_ns: 120_000_000,
            context_switches: 7,
        };
        assert_eq!(parse(text.as_bytes(), 100), Some(expected));
        assert_eq!(parse(text.as_bytes(), 0), None);
    }

    #[test]
    fn the_machine_switches_while_this_thread_sleeps() {
        let mut watch = SystemWatch::new();
        let Some(before) = watch.read() else {
            println!("skipped: needs /proc/stat");
            return;
        };
        thread::sleep(Duration::from_millis(30));
        let seen = watch.read().unwrap().since(&before);
        assert!(seen.context_switches >= 1, "{seen:?}");
    }

    #[test]
    fn a_count_that_went_back_is_no_negative_difference() {
        let earlier = SystemCounters { idle_ns: 10, ..SystemCounters::default() };
        assert_eq!(SystemCounters::default().since(&earlier).idle_ns, 0);
    }
}
