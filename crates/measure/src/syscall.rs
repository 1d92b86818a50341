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
use machine::counters::ThreadWatch;
use record::{Conclusion, Observation, Recorded, Refusal};

use calls::{CALLS, Call, by_name};
use sys::{Prepared, Served, clock_is_served_by_vdso};

/// The metric of every case: nanoseconds per call, gross.
pub(crate) const COST: &str = "cost";
/// The cases that run under two labels: the cheapest call, one with a descriptor, and one without.
const TWINS: [Call; 3] = [Call::Getppid, Call::Read, Call::FutexWake];
/// How narrow the intervals are to be.
const HALF_WIDTH_MAX: f64 = 0.02;
/// Reading the counters costs the kernel a few reads of its own between the two looks at them.
const KERNEL_READS_EXTRA_MAX: f64 = 8.0;
/// More switches per call than this, and sched_yield is no longer a call that finds nobody.
const SWITCHES_PER_YIELD_MAX: f64 = 0.01;

static ABOUT: About = About {
    name: "syscall",
    question: "What does entering the kernel cost?",
    help: "What entering the kernel costs, call by call",
    workload_version: 1,
    survey_budget: Duration::from_secs(5),
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
        Ok(Step::Rounds { cases, time, half_width_max: HALF_WIDTH_MAX })
    }

    fn trial(&self, trial: &Trial) -> Result<Observation, Refusal> {
        let name = trial.case.level("call");
        let call = by_name(name)
            .ok_or_else(|| Refusal::Missing { what: format!("a call named {name:?}") })?;
        let cpu = trial.home_cpu();
        machine::pin_to(cpu).map_err(|error| Refusal::NotPermitted {
            now: format!("CPU {cpu} can't be chosen ({error})"),
            fix: "name other CPUs with --cpus".into(),
        })?;
        run(call, trial.window)
    }

    fn conclude(&self, context: &Context, recorded: &Recorded) -> Conclusion {
        conclude::conclude(context, recorded)
    }
}

/// One window of one call, on the CPU that the thread is pinned to.
fn run(call: Call, window: Duration) -> Result<Observation, Refusal> {
    let mut prepared = Prepared::new().map_err(|error| Refusal::Missing {
        what: format!("a device to read or write ({error})"),
    })?;
    let mut wrong = 0;
    let timed = timed(&mut ThreadWatch::new(), window, |calls| {
        wrong += prepared.repeat(call, calls);
    });
    prove(call, &timed, wrong)?;
    let mut observation = timed.observe(COST, timed.cost_ns());
    observation.proof.insert("wrong_answers".to_owned(), wrong as f64);
    if call == Call::ClockVdso {
        observation.proof.extend(proof_of_vdso()?.map(|value| ("vdso_served".to_owned(), value)));
    }
    Ok(observation)
}

/// Refuses where the calls did not do what their number would claim.
fn prove(call: Call, timed: &lab::Timed, wrong: u64) -> Result<(), Refusal> {
    let not = |seen: String| Err(Refusal::EventNotProven { seen });
    let calls = timed.calls as f64;
    if wrong > 0 {
        return not(format!("{wrong} calls answered otherwise than {} does", call.shown()));
    }
    // The kernel keeps its own count of reads and writes.
    let counted = match call {
        Call::Read => timed.counter("kernel_reads"),
        Call::Write => timed.counter("kernel_writes"),
        _ => None,
    };
    if let Some(counted) = counted
        && !(calls..=calls + KERNEL_READS_EXTRA_MAX).contains(&counted)
    {
        return not(format!("the kernel counted {counted} of {calls} calls"));
    }
    let switches = ["voluntary_switches", "involuntary_switches"].map(|name| timed.counter(name));
    let switches: f64 = switches.into_iter().flatten().sum();
    if call == Call::SchedYield && switches / calls > SWITCHES_PER_YIELD_MAX {
        return not(format!(
            "{:.2} context switches per call: another thread shared the CPU",
            switches / calls
        ));
    }
    Ok(())
}

/// 1 where the clock was seen to be read without the kernel, nothing where that can't be seen.
fn proof_of_vdso() -> Result<Option<f64>, Refusal> {
    match clock_is_served_by_vdso() {
        Served::ByVdso => Ok(Some(1.0)),
        Served::ByKernel => Err(Refusal::EventNotProven {
            seen: "clock_gettime of this C library enters the kernel on this machine".into(),
        }),
        Served::Unknown => Ok(None),
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
            if matches!((call, &seen), (Call::SchedYield | Call::ClockVdso, Err(_))) {
                continue;
            }
            let seen = seen.unwrap_or_else(|refusal| panic!("{}: {refusal}", call.id()));
            assert!(seen.readings[COST].level().unwrap() > 0.0);
            assert!(seen.proof["calls"] >= 1.0 && seen.proof["wrong_answers"] == 0.0);
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
        assert!(prove(Call::Read, &timed("kernel_reads", 1004.0), 0).is_ok());
        assert!(prove(Call::Read, &timed("kernel_reads", 12.0), 0).is_err());
        assert!(prove(Call::Write, &timed("kernel_writes", 2000.0), 0).is_err());
        assert!(prove(Call::SchedYield, &timed("voluntary_switches", 900.0), 0).is_err());
        assert!(prove(Call::SchedYield, &timed("involuntary_switches", 2.0), 0).is_ok());
    }
}
