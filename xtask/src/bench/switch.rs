//! Fathom's pipe ping-pong beside `perf bench sched pipe`, and its count of switches beside the
//! kernel's.
//!
//! The first says whether the time is right, the second whether what is named a switch is one.

mod counts;
mod peer;
mod pipes;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use lab::{Case, Experiment, Request, Step};
use record::Machine;

use super::on_a_thread;
use crate::Outcome;

pub use counts::trial;

/// How much of it.
pub struct Size {
    pipes: pipes::Size,
    counts: counts::Size,
}

impl Size {
    /// What takes some three minutes.
    pub fn full() -> Self {
        Self {
            pipes: pipes::Size { starts: 5, rounds_per_start: 8, window_ms: 200 },
            counts: counts::Size { window_ms: 2000 },
        }
    }

    /// What shows that both parts still run, and nothing else.
    #[cfg(test)]
    pub fn tiny() -> Self {
        Self {
            pipes: pipes::Size { starts: 4, rounds_per_start: 1, window_ms: 5 },
            counts: counts::Size { window_ms: 5 },
        }
    }
}

/// Runs both parts, whatever becomes of each; what needs a missing peer says so, and does not fail.
pub fn run(root: &Path, size: &Size) -> Result<Outcome> {
    // Before any trial pins anything: after that fewer CPUs would be described.
    let machine = machine::describe();
    let cases = cases(&machine)?;
    let counts = counts::run(root, &cases, &size.counts)?;
    let pipes = on_a_thread(|| pipes::run(&machine.affinity, &cases, &size.pipes))?;
    let text = format!("{}\n{}", pipes.text, counts.text);
    Ok(Outcome { text, clean: pipes.clean && counts.clean })
}

/// The ping-pongs that the experiment itself plans here.
fn cases(machine: &Machine) -> Result<Vec<Case>> {
    let request = Request {
        budget: Duration::from_secs(1),
        cpus: machine.affinity.clone(),
        seed: 0,
        choices: Default::default(),
    };
    let context = lab::Context { machine: machine.clone(), request };
    let step = measure::Switch.next(&context, &context.request.blank());
    match step.map_err(|refusal| anyhow!("{refusal}"))? {
        Step::Rounds { cases, .. } => Ok(cases),
        Step::Done => bail!("the experiment plans nothing here"),
    }
}

/// The case of this id.
fn case<'a>(cases: &'a [Case], id: &str) -> Result<&'a Case> {
    cases.iter().find(|case| case.id == id).with_context(|| format!("no case {id} here"))
}
