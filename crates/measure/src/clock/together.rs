//! Several threads that run at once: each on a CPU of its own, all let go at the same moment.

use std::{
    hint::spin_loop,
    io,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
};

use record::Refusal;

/// Spins before the CPU is offered to others: the thread that starts the last ones may need it.
const SPINS_PER_YIELD: u32 = 256;

/// Where all wait for each other.
pub(super) struct Gate {
    threads: usize,
    arrived: AtomicUsize,
    broken: AtomicBool,
}

/// One of the threads could not take its place, so that none may go.
#[derive(Debug)]
pub(super) struct Broken;

impl Gate {
    fn new(threads: usize) -> Self {
        Self { threads, arrived: AtomicUsize::new(0), broken: AtomicBool::new(false) }
    }

    /// Waits, spinning, until every thread is here: all leave within the time that a cache line
    /// takes to reach them.
    pub(super) fn wait(&self) -> Result<(), Broken> {
        self.arrived.fetch_add(1, Ordering::AcqRel);
        let mut spins = 0u32;
        while self.arrived.load(Ordering::Acquire) < self.threads {
            if self.broken.load(Ordering::Relaxed) {
                return Err(Broken);
            }
            spins += 1;
            if spins.is_multiple_of(SPINS_PER_YIELD) {
                thread::yield_now();
            }
            spin_loop();
        }
        Ok(())
    }
}

/// Runs `work` in one thread per CPU, each pinned there before it begins, and returns what they
/// yield, in the order of `cpus`. Each must wait at the gate exactly once, when it is prepared.
///
/// # Errors
/// Where a thread can't be started or pinned, or the first refusal of `work` itself.
pub(super) fn together<T: Send>(
    cpus: &[usize],
    work: impl Fn(usize, &Gate) -> Result<T, Refusal> + Sync,
) -> Result<Vec<T>, Refusal> {
    let gate = Gate::new(cpus.len());
    let one = |place: usize, cpu: usize| {
        let done = lab::pin(&[cpu]).and_then(|()| work(place, &gate));
        if done.is_err() {
            // Whoever waits for this thread waits in vain.
            gate.broken.store(true, Ordering::Relaxed);
        }
        done
    };
    thread::scope(|scope| {
        let mut running = Vec::new();
        let mut failed: Option<io::Error> = None;
        for (place, &cpu) in cpus.iter().enumerate() {
            match thread::Builder::new().spawn_scoped(scope, move || one(place, cpu)) {
                Ok(thread) => running.push(thread),
                Err(error) => {
                    gate.broken.store(true, Ordering::Relaxed);
                    failed = Some(error);
                    break;
                }
            }
        }
        let mut yielded = Vec::new();
        let mut refused: Option<Refusal> = None;
        for thread in running {
            match thread.join() {
                Ok(Ok(value)) => yielded.push(value),
                Ok(Err(refusal)) => refused = Some(first(refused, refusal)),
                Err(_) => refused = Some(Refusal::Broken { seen: "a thread panicked".into() }),
            }
        }
        if let Some(error) = failed {
            let what = format!("a thread of {} ({error})", cpus.len());
            return Err(Refusal::Missing { what });
        }
        refused.map_or(Ok(yielded), Err)
    })
}

/// The one that says why, and not the ones that only gave up waiting.
fn first(so_far: Option<Refusal>, refusal: Refusal) -> Refusal {
    match so_far {
        Some(reason) if reason != Refusal::from(Broken) => reason,
        _ => refusal,
    }
}

impl From<Broken> for Refusal {
    fn from(_: Broken) -> Self {
        Self::EventNotProven { seen: "the threads did not start together".into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_goes_before_all_are_there() {
        let cpus = machine::describe().affinity;
        let ready = AtomicUsize::new(0);
        let seen = together(&cpus, |place, gate| {
            ready.fetch_add(1, Ordering::SeqCst);
            gate.wait()?;
            Ok((place, ready.load(Ordering::SeqCst)))
        });
        let expected: Vec<_> = (0..cpus.len()).map(|place| (place, cpus.len())).collect();
        assert_eq!(seen.unwrap(), expected);
    }

    #[test]
    fn a_thread_that_fails_holds_up_nobody() {
        let cpu = machine::describe().affinity[0];
        let missing = Refusal::Missing { what: "memory".into() };
        // All on one CPU: that is slow, and no less correct.
        for failing in 0..3 {
            let seen = together(&[cpu; 3], |place, gate| {
                if place == failing {
                    return Err(missing.clone());
                }
                Ok(gate.wait()?)
            });
            assert_eq!(seen, Err(missing.clone()));
        }
    }

    #[test]
    fn a_cpu_that_is_not_there_is_a_refusal() {
        let refusal = together(&[1_000_000], |_, gate| Ok(gate.wait()?)).unwrap_err();
        assert!(refusal.to_string().contains("CPU 1000000"), "{refusal}");
    }
}
