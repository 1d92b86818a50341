//! A cache line that two CPUs hand to each other, without the kernel: the floor under every switch
//! between them.

use std::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
};

use lab::{Trial, timed};
use machine::counters::ThreadWatch;
use record::{Observation, Refusal};

use super::{partner::no, sys::Shared};

/// Nanoseconds for one way.
pub(super) const ONE_WAY: &str = "one_way";
/// Spins between two looks at whether to end.
const SPINS: u32 = 1 << 12;

/// One window of round trips between two CPUs.
pub(super) fn trial([here, there]: [usize; 2], trial: &Trial) -> Result<Observation, Refusal> {
    lab::pin(&[here])?;
    let words = Shared::words(2).map_err(|error| no("memory to share", &error))?;
    let (to, from) = (words.word(0), words.word(1));
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let echo = || {
            lab::pin(&[there])?;
            from.store(READY, Ordering::Release);
            echo(to, from, &ended);
            Ok(())
        };
        let spawned = thread::Builder::new().spawn_scoped(scope, echo);
        let echoing = spawned.map_err(|error| no("another thread", &error))?;
        let timed = wait_for(from, READY, || echoing.is_finished()).then(|| {
            let mut turn = READY;
            timed(&mut ThreadWatch::new(), trial.window, |count| {
                for _ in 0..count {
                    turn = turn.wrapping_add(1);
                    to.store(turn, Ordering::Release);
                    wait_for(from, turn, || false);
                }
            })
        });
        ended.store(true, Ordering::Relaxed);
        let echoed: Result<(), Refusal> = echoing
            .join()
            .unwrap_or_else(|_| Err(Refusal::Broken { seen: "a thread panicked".into() }));
        echoed?;
        let timed = timed.unwrap_or_else(|| {
            Err(Refusal::EventNotProven { seen: "the other side was never ready".into() })
        })?;
        Ok(timed.observe(ONE_WAY, timed.cost_ns() / 2.0))
    })
}

const READY: u32 = 1;

/// Sends back whatever comes, until told to end.
fn echo(from: &AtomicU32, to: &AtomicU32, ended: &AtomicBool) {
    let mut seen = 0;
    while !ended.load(Ordering::Relaxed) {
        for _ in 0..SPINS {
            let now = from.load(Ordering::Acquire);
            if now != seen {
                to.store(now, Ordering::Release);
                seen = now;
            }
            spin_loop();
        }
    }
}

/// Waits, spinning, for a value; whether it came.
fn wait_for(word: &AtomicU32, value: u32, given_up: impl Fn() -> bool) -> bool {
    loop {
        for _ in 0..SPINS {
            if word.load(Ordering::Acquire) == value {
                return true;
            }
            spin_loop();
        }
        if given_up() {
            return false;
        }
        // The other side may have been preempted by nobody but this one.
        thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use lab::Case;

    use super::*;

    fn asked(cpus: &[usize]) -> Trial {
        let (case, window) = (Case::new("x", &[]), Duration::from_millis(2));
        Trial { case, window, cpus: cpus.to_vec(), start: 0, seed: 3 }
    }

    #[test]
    fn a_line_goes_there_and_back() {
        let cpus = machine::describe().affinity;
        let Some([one, other]) = cpus.first_chunk().copied() else {
            return println!("skipped: needs two CPUs");
        };
        let seen = trial([one, other], &asked(&cpus)).unwrap();
        let one_way = seen.readings[ONE_WAY].level().unwrap();
        let trips = seen.proof["elapsed_ns"] / seen.proof["calls"];
        assert!((trips / one_way - 2.0).abs() < 1e-9, "{seen:?}");
    }

    #[test]
    fn a_cpu_that_is_not_there_is_a_refusal() {
        let cpu = machine::describe().affinity[0];
        for pair in [[cpu, 1_000_000], [1_000_000, cpu]] {
            let said = trial(pair, &asked(&[cpu])).unwrap_err().to_string();
            assert!(said.contains("CPU 1000000"), "{said}");
        }
    }
}
