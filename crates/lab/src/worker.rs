//! The worker's side: reads one trial per line, answers one line per trial, ends with its parent.

use std::{
    fmt,
    io::{self, BufRead, Write},
};

use estimate::CANARY;
use machine::counters::ThreadWatch;
use record::{Observation, Refusal};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, getppid, set_parent_process_death_signal, setrlimit,
};
use serde::{Deserialize, Serialize};

use crate::{Experiment, Trial, canary};

/// One line of a worker's output.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answer(pub Result<Observation, Refusal>);

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
        let Ok(mut text) = serde_json::to_vec(&Answer(result)) else { return Ok(()) };
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
    trial.pin_home()?;
    canary::trial(watch, trial)
}

/// Dies with the parent, and leaves no core file if a trial crashes.
fn outlive_nobody(parent: u32) -> Result<(), Orphaned> {
    // Where a filter forbids it the worker still ends with its parent, when its input does.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    // The parent may have ended before the line above: then another process is the parent now.
    if getppid().map(Pid::as_raw_nonzero).map(i32::from) != i32::try_from(parent).ok() {
        return Err(Orphaned);
    }
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    // Where even lowering a limit is forbidden, a core file is the lesser evil.
    let _ = setrlimit(Resource::Core, none);
    Ok(())
}
