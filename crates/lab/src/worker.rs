//! The worker's side: reads one trial per line, answers one line per trial, ends with its parent.

use std::{
    fmt,
    io::{self, BufRead, Write},
};

use machine::counters::ThreadWatch;
use record::{Observation, Refusal};
use rustix::{
    process::{Pid, Resource, Rlimit, Signal, getppid, set_parent_process_death_signal, setrlimit},
    time::{ClockId, clock_gettime},
};
use serde::{Deserialize, Serialize};

use crate::{CANARY, Experiment, Trial, canary};

/// One line of a worker's output.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The CPU time that the worker has used since it began.
    pub cpu_ns: u64,
    pub result: Result<Observation, Refusal>,
}

/// The parent that started this worker is gone, or is not who it should be.
#[derive(Debug)]
pub struct Orphaned;

impl fmt::Display for Orphaned {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a worker runs only beneath the command that started it")
    }
}

impl std::error::Error for Orphaned {}

/// Runs trials of `experiment` as they are asked for on standard input, until that is closed.
///
/// # Errors
/// [`Orphaned`] where the process `parent` is not this one's parent.
pub fn serve(experiment: &dyn Experiment, parent: u32) -> Result<(), Orphaned> {
    outlive_nobody(parent)?;
    let mut watch = ThreadWatch::new();
    let mut answers = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        // A pipe that can't be read or written is a parent that is gone.
        let Ok(line) = line else { return Ok(()) };
        let result = match serde_json::from_str::<Trial>(&line) {
            Ok(trial) => run(experiment, &mut watch, &trial),
            Err(error) => Err(Refusal::Broken { seen: format!("was asked {error}") }),
        };
        let answer = Answer { cpu_ns: own_cpu_ns(), result };
        let Ok(mut text) = serde_json::to_vec(&answer) else { return Ok(()) };
        text.push(b'\n');
        if answers.write_all(&text).and_then(|()| answers.flush()).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

fn run(
    experiment: &dyn Experiment,
    watch: &mut ThreadWatch,
    trial: &Trial,
) -> Result<Observation, Refusal> {
    if trial.case.id != CANARY {
        return experiment.trial(trial);
    }
    machine::pin_to(trial.home_cpu()).map_err(|error| Refusal::NotPermitted {
        now: format!("CPU {} can't be chosen ({error})", trial.home_cpu()),
        fix: "name other CPUs with --cpus".into(),
    })?;
    Ok(canary::trial(watch, trial))
}

/// Dies with the parent, and leaves no core file if a trial crashes.
fn outlive_nobody(parent: u32) -> Result<(), Orphaned> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|_| Orphaned)?;
    // The parent may have ended before the line above: then another process is the parent now.
    if getppid().map(Pid::as_raw_nonzero).map(i32::from) != i32::try_from(parent).ok() {
        return Err(Orphaned);
    }
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    // Where even lowering a limit is forbidden, a core file is the lesser evil.
    let _ = setrlimit(Resource::Core, none);
    Ok(())
}

fn own_cpu_ns() -> u64 {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    spent.tv_sec as u64 * 1_000_000_000 + spent.tv_nsec as u64
}
