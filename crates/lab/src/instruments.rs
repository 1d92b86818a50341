//! What the lab itself reads: the clock that budgets the time, and what else the machine did.

use machine::{
    clock,
    counters::{SystemCounters, SystemWatch, children_usage, own_usage},
};

/// The clock and the counters of a section; tests have false ones.
pub trait Instruments {
    /// Nanoseconds since some fixed moment; never goes backwards.
    fn now_ns(&self) -> u64;
    /// What the whole machine did since it was started; none where that can't be read.
    fn system(&mut self) -> Option<SystemCounters>;
    /// The CPU time that this process used since it began, and its children that have ended.
    fn own_cpu_ns(&self) -> u64;
    /// The smallest step that the clock of the trials makes.
    fn clock_step_ns(&self) -> u64;
}

/// The real ones.
pub struct Live {
    watch: SystemWatch,
    clock_step_ns: u64,
}

impl Live {
    /// The real instruments, on a machine whose clock makes steps of this size.
    pub fn new(clock_step_ns: u64) -> Self {
        Self { watch: SystemWatch::new(), clock_step_ns }
    }
}

impl Instruments for Live {
    fn now_ns(&self) -> u64 {
        clock::now_ns()
    }

    fn system(&mut self) -> Option<SystemCounters> {
        self.watch.read()
    }

    fn own_cpu_ns(&self) -> u64 {
        [own_usage(), children_usage()].into_iter().flatten().map(|usage| usage.cpu_ns).sum()
    }

    fn clock_step_ns(&self) -> u64 {
        self.clock_step_ns
    }
}
