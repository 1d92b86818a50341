//! getppid by Fathom's own trial, beside the same call by `perf bench syscall basic`.
//!
//! Both are pinned to the same CPU and run in shuffled order in each round; what is judged is the
//! ratio per round. perf calls getppid(3), Fathom enters the kernel through syscall(2), which adds
//! a nanosecond or two.

use std::fmt::Write;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use lab::{Case, Experiment, Trial};
use stats::{Point, Random, Series, ratios, summary};

use crate::Outcome;

/// How much of it.
pub struct Size {
    pub starts: u32,
    pub rounds_per_start: u32,
    pub window_ms: u64,
}

/// What is said without a peer.
pub const SKIPPED: &str = "skipped: needs perf (Debian: apt-get install linux-perf)\n";

/// Runs the bench; without perf it says so, and does not fail.
pub fn run(size: &Size) -> Result<Outcome> {
    if !is_here() {
        return Ok(Outcome { text: SKIPPED.into(), clean: true });
    }
    let cpus = machine::describe().affinity;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut random = Random::new(1);
    let mut calls = 10_000;
    for start in 0..size.starts {
        let cpu = cpus[start as usize % cpus.len()];
        let (mut our_points, mut their_points) = (Vec::new(), Vec::new());
        for round in 0..size.rounds_per_start {
            let round = start * size.rounds_per_start + round;
            let mut order = [true, false];
            random.shuffle(&mut order);
            for is_ours in order {
                let at_ns = machine::clock::now_ns();
                let point = |value| Point { round, at_ns, value };
                if is_ours {
                    let cost_ns = fathom_getppid_ns(cpu, size.window_ms)?;
                    calls = (size.window_ms as f64 * 1e6 / cost_ns) as u64;
                    our_points.push(point(cost_ns));
                } else {
                    their_points.push(point(perf_getppid_ns(cpu, calls)?));
                }
            }
        }
        ours.push(our_points);
        theirs.push(their_points);
    }
    judge(&Series::new(ours), &Series::new(theirs))
}

fn judge(ours: &Series, theirs: &Series) -> Result<Outcome> {
    let ratios = ratios(ours, theirs);
    let ratio = ratios.median_interval(1).context("no round was finished")?;
    let mut text = String::new();
    for (who, series) in [("fathom, getppid", ours), ("perf bench syscall basic", theirs)] {
        let spread = summary(&series.values());
        writeln!(
            text,
            "{who:<26} {:>6.1} ns a call (9 in 10 rounds: {:.1} to {:.1})",
            spread.p50, spread.p5, spread.p95
        )?;
    }
    let (clean, words) = super::agrees(&ratio);
    writeln!(
        text,
        "ratio fathom / perf {:.3} [{:.3}, {:.3}] over {} shuffled rounds: {words}",
        ratio.value,
        ratio.low,
        ratio.high,
        ratios.len(),
    )?;
    Ok(Outcome { text, clean })
}

/// Whether there is a perf to compare with.
pub fn is_here() -> bool {
    Command::new("perf").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// One trial of the product's own experiment, in this process.
fn fathom_getppid_ns(cpu: usize, window_ms: u64) -> Result<f64> {
    let trial = Trial {
        case: Case::new("getppid", &[("call", "getppid")]),
        window: Duration::from_millis(window_ms),
        cpus: vec![cpu],
        start: 0,
        seed: 0,
    };
    let seen = measure::Syscall.trial(&trial).map_err(|refusal| anyhow!("{refusal}"))?;
    let cost = seen.readings.get("cost").and_then(|reading| reading.level());
    cost.context("the trial has no cost")
}

/// One run of the peer, in nanoseconds a call.
fn perf_getppid_ns(cpu: usize, calls: u64) -> Result<f64> {
    let output = Command::new("taskset")
        .args(["-c", &cpu.to_string(), "perf", "bench", "syscall", "basic", "-l"])
        .arg(calls.to_string())
        .output()
        .context("taskset")?;
    ns_per_op(&output.stdout)
}

/// The `usecs/op` line of a report of `perf bench`, in nanoseconds.
pub fn ns_per_op(report: &[u8]) -> Result<f64> {
    let text = String::from_utf8_lossy(report);
    let line = text.lines().find_map(|line| line.trim().strip_suffix(" usecs/op"));
    let Some(line) = line else { bail!("perf said no usecs/op: {text}") };
    Ok(line.trim().parse::<f64>().with_context(|| format!("perf said {line:?}"))? * 1e3)
}
