//! The switches that a trial claims, beside those that the kernel counted of the whole process.
//!
//! A trial counts its window only; before that come round trips by which it guesses how many fill
//! the window. How many there were in all is known from the writes of its own side, one for each.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use lab::{Case, Experiment, Trial};
use machine::counters::{ThreadWatch, children_usage};
use serde::{Deserialize, Serialize};

use crate::Outcome;
use crate::bench::{command, perf};

/// How much of it.
pub struct Size {
    pub window_ms: u64,
}

/// How far the two counts may be apart.
const APART_MAX: f64 = 0.01;
const CASES: [&str; 4] = [
    "pipe.process.same_cpu",
    "pipe.thread.same_cpu",
    "pipe.process.two_cpus.idle",
    "pipe.thread.two_cpus.idle",
];

/// What a trial told whoever counted it from outside.
#[derive(Serialize, Deserialize)]
struct Told {
    /// Of both sides, within the window.
    switches: f64,
    round_trips: f64,
    /// Before the window, too.
    round_trips_in_all: f64,
}

/// Counts each case's switches twice.
pub fn run(root: &Path, cases: &[Case], size: &Size) -> Result<Outcome> {
    let xtask = command::build_package(root, "xtask", false)?;
    let mut text = String::from(
        "switches by fathom           window   round trips: window, all   all by kernel   apart\n",
    );
    let mut clean = true;
    for id in CASES.iter().filter(|id| super::case(cases, id).is_ok()) {
        write!(text, "{id:<26} ")?;
        match count(&xtask, id, size.window_ms) {
            Ok((told, kernel, by)) => {
                let all = told.switches * told.round_trips_in_all / told.round_trips;
                let apart = (all - kernel) / kernel;
                clean &= apart.abs() <= APART_MAX;
                writeln!(
                    text,
                    "{:>8}   {:>11}, {:>11}   {kernel:>13}   {:>+.3} %   {} ({by})",
                    told.switches,
                    told.round_trips,
                    told.round_trips_in_all,
                    apart * 100.0,
                    if apart.abs() <= APART_MAX { "ok" } else { "differs" },
                )?;
            }
            Err(error) => {
                clean = false;
                writeln!(text, "no count: {error:#}")?;
            }
        }
    }
    Ok(Outcome { text, clean })
}

/// One trial in a process of its own: what it told, what the kernel counted, and who read that.
fn count(xtask: &Path, id: &str, window_ms: u64) -> Result<(Told, f64, &'static str)> {
    let mut command = Command::new(if perf::is_here() { "perf".as_ref() } else { xtask });
    if perf::is_here() {
        command.args(["stat", "-x,", "-e", "context-switches", "--"]).arg(xtask);
    }
    command.args(["bench", "switch-trial", id, &window_ms.to_string()]);
    let before = children_usage();
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let ended = before.zip(children_usage()).map(|(before, after)| after.since(&before));
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("the trial ended with {}: {}", output.status, said.trim());
    }
    let told = serde_json::from_slice(&output.stdout).context("the trial told nothing")?;
    let (kernel, by) = match (counted_by_perf(&said), ended) {
        (Some(counted), _) => (counted, "perf stat"),
        (None, Some(it)) => ((it.voluntary_switches + it.involuntary_switches) as f64, "getrusage"),
        (None, None) => bail!("neither perf stat nor getrusage counts"),
    };
    Ok((told, kernel, by))
}

/// The count in `perf stat -x,`. Where only user mode may be counted the event has another name,
/// and its count is zero.
fn counted_by_perf(said: &str) -> Option<f64> {
    let mut lines = said.lines().map(|line| line.split(',').collect::<Vec<_>>());
    lines.find(|fields| fields.get(2) == Some(&"context-switches"))?[0].parse().ok()
}

/// One long trial in this very process, with its story as JSON.
pub fn trial(id: &str, window_ms: u64) -> Result<Outcome> {
    let machine = machine::describe();
    let trial = Trial {
        case: super::case(&super::cases(&machine)?, id)?.clone(),
        window: Duration::from_millis(window_ms),
        cpus: machine.affinity,
        start: 0,
        seed: 0,
    };
    let mut watch = ThreadWatch::new();
    let mut writes = || Some(watch.io_calls()?.writes as f64);
    let before = writes().context("skipped: needs /proc/thread-self/io")?;
    let seen = measure::Switch.trial(&trial).map_err(|refusal| anyhow!("{refusal}"))?;
    let after = writes().context("/proc/thread-self/io went away")?;
    let proof =
        |name: &str| seen.proof.get(name).with_context(|| format!("no {name} in the proof"));
    let told = Told {
        switches: proof("voluntary_switches")? + proof("involuntary_switches")?,
        round_trips: *proof("calls")?,
        round_trips_in_all: after - before,
    };
    Ok(Outcome { text: serde_json::to_string(&told)? + "\n", clean: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_count_of_everything_counts() {
        for (said, counted) in [
            ("395283,,context-switches,1234567,100.00,,\n", Some(395_283.0)),
            ("said by the trial\n12,,context-switches,1,100.00,,\n", Some(12.0)),
            ("0,,context-switches:u,1234567,100.00,,\n", None),
            ("<not supported>,,context-switches,0,100.00,,\n", None),
            ("", None),
        ] {
            assert_eq!(counted_by_perf(said), counted, "{said}");
        }
    }
}
