//! The counters that tell how quiet a trial was: what happened to a thread, and to all CPUs.
//!
//! Read before and after a trial, subtract with `since`. The watches keep their files open, because
//! opening costs more than reading.
//! Not here: what is too noisy; that is the lab's judgement.

mod io;
mod kept;
mod sched;
mod schedstat;
mod stat;
mod system;
mod task;
mod thread;

pub use crate::sys::{Usage, children_usage, own_usage, thread_usage};
pub use io::IoCalls;
pub use system::{SystemCounters, SystemWatch};
pub use task::{TaskCounters, TaskWatch};
pub use thread::{ThreadCounters, ThreadWatch};

#[cfg(test)]
pub(crate) use {
    io::parse as io, sched::migrations, schedstat::run_delay_ns, system::parse as system,
};
