//! CPUs that are kept from going idle by threads that run only where no other wants to.

use std::{
    hint::spin_loop,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
};

use machine::clock;
use record::Refusal;

use super::{partner::no, sys::Class};

/// Spins between two looks at whether to end.
const SPINS: u64 = 1000;
/// Longer than a thread takes to get onto a CPU that nobody else uses.
const BEGUN_WITHIN_NS: u64 = 1_000_000_000;

/// The threads; they end when this is dropped.
pub(super) struct Awake {
    ended: Arc<AtomicBool>,
    spins: Arc<AtomicU64>,
    threads: Vec<JoinHandle<()>>,
}

impl Awake {
    /// One thread on each of these CPUs, all of which have run when this returns.
    ///
    /// # Errors
    /// Where one can't be started, placed or made unimportant.
    pub(super) fn keep(cpus: &[usize]) -> Result<Self, Refusal> {
        let (ended, spins) = (Arc::default(), Arc::default());
        let mut it = Self { ended, spins, threads: Vec::new() };
        for &cpu in cpus {
            it.start(cpu)?;
        }
        Ok(it)
    }

    fn start(&mut self, cpu: usize) -> Result<(), Refusal> {
        let begun = Arc::new(AtomicU64::new(0));
        let (ended, spins, tell) = (self.ended.clone(), self.spins.clone(), begun.clone());
        let run = move || {
            if Class::Idle.enter().and_then(|()| machine::pin_to(cpu)).is_err() {
                return;
            }
            while !ended.load(Ordering::Relaxed) {
                (0..SPINS).for_each(|_| spin_loop());
                spins.fetch_add(SPINS, Ordering::Relaxed);
                tell.store(1, Ordering::Relaxed);
            }
        };
        let thread = thread::Builder::new().spawn(run);
        self.threads.push(thread.map_err(|error| no("another thread", &error))?);
        let until_ns = clock::now_ns() + BEGUN_WITHIN_NS;
        while begun.load(Ordering::Relaxed) == 0 {
            if clock::now_ns() > until_ns {
                let seen = format!("a thread of the idle class got no time on CPU {cpu}");
                return Err(Refusal::EventNotProven { seen });
            }
            // It may have to run on the CPU that this thread runs on.
            thread::sleep(std::time::Duration::from_micros(50));
        }
        Ok(())
    }

    /// How often all of them have spun so far.
    pub(super) fn spins(&self) -> u64 {
        self.spins.load(Ordering::Relaxed)
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_spin_until_they_are_dropped() {
        let awake = Awake::keep(&machine::describe().affinity).unwrap();
        let before = awake.spins();
        while awake.spins() == before {
            thread::sleep(std::time::Duration::from_millis(1));
        }
        let threads = |name: &str| std::fs::read_dir(name).unwrap().count();
        let spins = awake.spins.clone();
        drop(awake);
        let after = spins.load(Ordering::Relaxed);
        assert!(threads("/proc/self/task") >= 1);
        thread::sleep(std::time::Duration::from_millis(2));
        assert_eq!(spins.load(Ordering::Relaxed), after);
    }

    #[test]
    fn a_cpu_that_is_not_there_is_a_refusal() {
        assert!(Awake::keep(&[1_000_000]).is_err());
    }
}
