//! Threads that always want to run, on the CPU of one that has to wait for them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use machine::clock;
use record::Refusal;

use super::partner::no;

/// Longer than any thread takes to get to its place.
const PLACED_WITHIN_NS: u64 = 1_000_000_000;

/// The threads; they end when this is dropped.
pub(super) struct Rivals {
    told: Arc<Told>,
    threads: Vec<JoinHandle<()>>,
}

/// What the threads are told, and tell.
#[derive(Default)]
struct Told {
    begun: AtomicBool,
    ended: AtomicBool,
    placed: AtomicUsize,
    rounds: AtomicU64,
}

impl Rivals {
    /// So many on this CPU, all of which want to run from now on.
    ///
    /// They begin together: one after the other, each newcomer would wait for a whole turn of every
    /// rival that is there, and starting eight would take longer than the trial.
    ///
    /// # Errors
    /// Where one can't be started or placed.
    pub(super) fn start(cpu: usize, count: usize) -> Result<Self, Refusal> {
        let mut it = Self { told: Arc::default(), threads: Vec::new() };
        for _ in 0..count {
            let told = it.told.clone();
            let thread = thread::Builder::new().spawn(move || rival(cpu, &told));
            it.threads.push(thread.map_err(|error| no("another thread", &error))?);
        }
        let until_ns = clock::now_ns() + PLACED_WITHIN_NS;
        while it.told.placed.load(Ordering::Acquire) < count {
            if clock::now_ns() > until_ns {
                let seen = format!("not all of {count} rivals got to CPU {cpu}");
                return Err(Refusal::EventNotProven { seen });
            }
            thread::sleep(Duration::from_micros(50));
        }
        it.told.begun.store(true, Ordering::Release);
        it.threads.iter().for_each(|rival| rival.thread().unpark());
        Ok(it)
    }

    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        self.threads.len() as u64
    }

    /// How often they have gone round, all together.
    pub(super) fn rounds(&self) -> u64 {
        self.told.rounds.load(Ordering::Relaxed)
    }

    /// Refuses where there are any and none ran since they had gone round so often.
    pub(super) fn prove(&self, before: u64) -> Result<(), Refusal> {
        if self.threads.is_empty() || self.rounds() > before {
            return Ok(());
        }
        Err(Refusal::EventNotProven { seen: "the rivals did not run meanwhile".into() })
    }
}

fn rival(cpu: usize, told: &Told) {
    if machine::pin_to(cpu).is_err() {
        return;
    }
    told.placed.fetch_add(1, Ordering::AcqRel);
    while !told.begun.load(Ordering::Acquire) {
        if told.ended.load(Ordering::Relaxed) {
            return;
        }
        thread::park();
    }
    while !told.ended.load(Ordering::Relaxed) {
        told.rounds.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Rivals {
    fn drop(&mut self) {
        self.told.ended.store(true, Ordering::Relaxed);
        self.threads.iter().for_each(|rival| rival.thread().unpark());
        self.threads.drain(..).for_each(|rival| drop(rival.join()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_run_until_they_are_dropped() {
        let rivals = Rivals::start(machine::describe().affinity[0], 3).unwrap();
        while rivals.rounds() == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(rivals.prove(0).is_ok());
        assert!(rivals.prove(u64::MAX).is_err());
        let told = rivals.told.clone();
        drop(rivals);
        let after = told.rounds.load(Ordering::Relaxed);
        thread::sleep(Duration::from_millis(2));
        assert_eq!(told.rounds.load(Ordering::Relaxed), after);
    }

    #[test]
    fn none_are_proven_by_nothing() {
        assert!(Rivals::start(machine::describe().affinity[0], 0).unwrap().prove(0).is_ok());
    }

    #[test]
    fn a_cpu_that_is_not_there_is_a_refusal() {
        assert!(Rivals::start(1_000_000, 2).is_err());
    }
}
