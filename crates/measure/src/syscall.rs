//! What does entering the kernel cost?
//!
//! A handful of calls that do next to nothing, each in a loop of its own: what is left is the way
//! in and out. Beside them an empty loop (the overhead) and the clock by way of the vDSO, which
//! answers without entering the kernel at all.
//!
//! Not here: calls that block or move data, whose cost is their work; see `switch` and `buffer`.

mod calls;
mod caveats;
mod conclude;
mod references;
mod sys;

use std::time::Duration;

use lab::{About, Case, Context, Experiment, Step, Trial, timed};
use machine::{
    clock::{self, Served},
    counters::{ThreadCounters, ThreadWatch},
};
use record::{Conclusion, Observation, Recorded, Refusal};

use calls::{CALLS, Call, by_name};
use sys::Prepared;

/// The metric of every case: nanoseconds per call, gross.
pub(crate) const COST: &str = "cost";
/// The cases that run under two labels: a bare call, one with a descriptor, one with an address.
const TWINS: [Call; 3] = [Call::Getppid, Call::Read, Call::FutexWake];
/// How narrow the intervals are to be.
const HALF_WIDTH_MAX: f64 = 0.02;
/// More than a tick at 250 Hz (4 ms) and a slice (1.4 ms on two CPUs, as /proc/self/sched has it).
const RIVAL_SHOWS_WITHIN: Duration = Duration::from_millis(6);
const YIELDS_BETWEEN_LOOKS: u64 = 64;

static ABOUT: About = About {
    name: "syscall",
    question: "What does entering the kernel cost?",
    help: "What entering the kernel costs, call by call",
    workload_version: 1,
    survey_budget: Duration::from_secs(5),
    survey_choices: &[],
    budget: Duration::from_secs(5),
};

/// The experiment.
#[derive(Clone, Copy, Debug)]
pub struct Syscall;

impl Experiment for Syscall {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn next(&self, context: &Context, so_far: &Recorded) -> Result<Step, Refusal> {
        if so_far.rounds() > 0 || !so_far.starts.is_empty() {
            return Ok(Step::Done);
        }
        let case = |call: Call| Case::new(call.id(), &[("call", call.id())]);
        let mut cases: Vec<Case> = CALLS.iter().map(|call| case(*call)).collect();
        cases.extend(TWINS.iter().map(|call| case(*call).twin()));
        let time = context.request.budget;
        Ok(Step::Rounds {
            cases,
            time,
            half_width_max: HALF_WIDTH_MAX,
            round_about: Duration::ZERO,
        })
    }

    fn trial(&self, trial: &Trial) -> Result<Observation, Refusal> {
        let name = trial.case.level("call");
        let call = by_name(name)
            .ok_or_else(|| Refusal::Missing { what: format!("a call named {name:?}") })?;
        trial.pin_home()?;
        run(call, trial.window)
    }

    fn conclude(&self, context: &Context, recorded: &Recorded) -> Conclusion {
        conclude::conclude(context, recorded)
    }
}

/// One window of one call, on the CPU that the thread is pinned to.
fn run(call: Call, window: Duration) -> Result<Observation, Refusal> {
    let mut prepared = Prepared::new().map_err(|error| Refusal::Missing {
        what: format!("a device to read or write, or this thread's id ({error})"),
    })?;
    let mut watch = ThreadWatch::new();
    let begun = watch.read();
    let mut wrong = 0;
    let timed = timed(&mut watch, window, |calls| {
        wrong += prepared.repeat(call, calls);
    });
    if call == Call::SchedYield {
        // First, because beside a rival no window comes out as it should.
        prove_nobody_else(&mut prepared, &mut watch, &begun)?;
    }
    let timed = timed?;
    prove(call, &timed, wrong)?;
    if call == Call::ClockVdso {
        prove_vdso()?;
    }
    let mut observation = timed.observe(COST, timed.cost_ns());
    let traced = machine::is_traced();
    observation.proof.extend(traced.map(|yes| ("traced".to_owned(), f64::from(u8::from(yes)))));
    Ok(observation)
}

/// Refuses where the calls did not do what their number would claim.
fn prove(call: Call, timed: &lab::Timed, wrong: u64) -> Result<(), Refusal> {
    let not = |seen: String| Err(Refusal::EventNotProven { seen });
    if wrong > 0 {
        return not(format!("{wrong} calls answered otherwise than {} does", call.shown()));
    }
    // The kernel keeps its own count of reads and writes.
    let counted = match call {
        Call::Read => timed.counter("kernel_reads"),
        Call::Write => timed.counter("kernel_writes"),
        _ => None,
    };
    match counted {
        Some(counted) if counted != timed.calls as f64 => {
            not(format!("the kernel counted {counted} of {} calls", timed.calls))
        }
        _ => Ok(()),
    }
}

/// Refuses a yield that somebody may have taken up. A rival who waits need not get the CPU at the
/// first yield, nor within the window, but the scheduler owes it a turn within a few slices: so the
/// yielding goes on for a while, and a single switch since the trial began refuses all of it.
fn prove_nobody_else(
    prepared: &mut Prepared,
    watch: &mut ThreadWatch,
    begun: &ThreadCounters,
) -> Result<(), Refusal> {
    let until_ns = clock::now_ns() + RIVAL_SHOWS_WITHIN.as_nanos() as u64;
    loop {
        let Some(seen) = watch.read().since(begun).usage else {
            return Err(Refusal::NotPermitted {
                now: "context switches can't be counted (getrusage)".into(),
                fix: "let the filter allow getrusage".into(),
            });
        };
        let switches = seen.voluntary_switches + seen.involuntary_switches;
        if switches > 0 || prepared.yielded_too_long() {
            return Err(Refusal::EventNotProven { seen: "another thread got the CPU".into() });
        }
        if clock::now_ns() >= until_ns {
            return Ok(());
        }
        prepared.repeat(Call::SchedYield, YIELDS_BETWEEN_LOOKS);
    }
}

/// Refuses where the C library's clock was not seen to work without the kernel.
fn prove_vdso() -> Result<(), Refusal> {
    match clock::served(libc::CLOCK_MONOTONIC) {
        Served::ByVdso => Ok(()),
        Served::ByKernel => Err(Refusal::EventNotProven {
            seen: "clock_gettime of this C library enters the kernel on this machine".into(),
        }),
        Served::Unknown => Err(Refusal::NotPermitted {
            now: "whether the kernel is entered can't be seen (seccomp is refused)".into(),
            fix: "let the filter allow prctl(PR_SET_SECCOMP)".into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every call runs, tiny, and proves itself.
    #[test]
    fn every_call_happens() {
        for call in CALLS {
            let seen = run(call, Duration::from_millis(1));
            // Other tests share the CPUs, and on some kernels the clock has no vDSO.
            if let (Call::SchedYield | Call::ClockVdso, Err(refusal)) = (call, &seen) {
                let told = refusal.to_string();
                assert!(told.contains("got the CPU") || told.contains("kernel"), "{told}");
                continue;
            }
            let seen = seen.unwrap_or_else(|refusal| panic!("{}: {refusal}", call.id()));
            assert!(seen.readings[COST].level().unwrap() > 0.0);
            assert!(seen.proof["calls"] >= 1.0 && seen.proof["elapsed_ns"] >= 800_000.0);
        }
    }

    #[test]
    fn a_wrong_answer_is_no_measurement() {
        let timed = lab::Timed { calls: 1000, elapsed_ns: 1, counted: vec![] };
        let refusal = prove(Call::Getppid, &timed, 3).unwrap_err();
        assert!(refusal.to_string().contains("3 calls answered otherwise"), "{refusal}");
    }

    #[test]
    fn calls_that_the_kernel_did_not_count_are_no_measurement() {
        let timed =
            |counter, n| lab::Timed { calls: 1000, elapsed_ns: 1, counted: vec![(counter, n)] };
        assert!(prove(Call::Read, &timed("kernel_reads", 1000.0), 0).is_ok());
        assert!(prove(Call::Read, &timed("kernel_reads", 12.0), 0).is_err());
        assert!(prove(Call::Write, &timed("kernel_writes", 1001.0), 0).is_err());
        let silent = lab::Timed { calls: 1000, elapsed_ns: 1, counted: vec![] };
        assert!(prove(Call::Read, &silent, 0).is_ok(), "not every kernel counts");
    }

    /// With a busy rival on the same CPU, windows of one call passed as "nobody" at twice the cost.
    #[test]
    fn a_yield_beside_a_rival_is_no_yield_to_nobody() {
        use std::sync::atomic::{AtomicBool, Ordering};
        let done = AtomicBool::new(false);
        let cpu = machine::describe().affinity[0];
        std::thread::scope(|scope| {
            scope.spawn(|| {
                machine::pin_to(cpu).unwrap();
                while !done.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
            machine::pin_to(cpu).unwrap();
            let seen: Vec<_> =
                (0..20).map(|_| run(Call::SchedYield, Duration::from_millis(2))).collect();
            done.store(true, Ordering::Relaxed);
            let passed = seen.iter().filter(|seen| seen.is_ok()).count();
            assert_eq!(passed, 0, "{seen:?}");
        });
    }
}
