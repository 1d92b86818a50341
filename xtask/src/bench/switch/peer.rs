//! `perf bench sched pipe`, with its two sides where they are wanted.
//!
//! perf knows no placement of its own. Both sides start where taskset puts them, and across two
//! CPUs one of them is moved from outside as soon as it is there.

use std::fs;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use machine::counters::TaskWatch;
use rustix::thread::{CpuSet, Pid, sched_setaffinity};

use crate::bench::perf::ns_per_op;

/// Where the two sides run.
#[derive(Clone, Debug)]
pub enum Place {
    /// On the same CPU.
    One(usize),
    /// One on each.
    Two([usize; 2]),
    /// Wherever among these the scheduler likes.
    Any(Vec<usize>),
}

/// So many of the round trips may be over before the sides are where they belong.
const LATE_SHARE_MAX: f64 = 0.01;

/// On a busy machine whoever moves them may itself have to wait.
const TRIES_MAX: u32 = 5;

/// Nanoseconds per round trip, of so many.
pub fn round_trip_ns(threads: bool, place: &Place, trips: u64) -> Result<f64> {
    for _ in 0..TRIES_MAX {
        let (ns, before) = run(threads, place, trips)?;
        if before as f64 <= trips as f64 * LATE_SHARE_MAX {
            return Ok(ns);
        }
    }
    bail!("perf's sides were apart too late, {TRIES_MAX} times")
}

/// One run: nanoseconds per round trip, and how many were over before the sides were in place.
fn run(threads: bool, place: &Place, trips: u64) -> Result<(f64, u64)> {
    let cpus = match place {
        Place::One(cpu) | Place::Two([cpu, _]) => vec![*cpu],
        Place::Any(cpus) => cpus.clone(),
    };
    let list = cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    let mut perf = Command::new("taskset")
        .args(["-c", &list, "perf", "bench", "sched", "pipe", "-l", &trips.to_string()])
        .args(threads.then_some("-T"))
        .stdout(Stdio::piped())
        .spawn()
        .context("taskset")?;
    let moved = match place {
        Place::Two([_, there]) => move_a_side(&mut perf, threads, *there),
        _ => Ok(0),
    };
    let output = perf.wait_with_output().context("perf")?;
    Ok((ns_per_op(&output.stdout)?, moved?))
}

/// Moves one side to `cpu` as soon as there are two; how often it had waited for its turn by then,
/// or endlessly often where perf had ended.
///
/// What they do until then on one CPU is much quicker than across, so this looks without a pause,
/// on the CPU that is still free: within some ten microseconds.
fn move_a_side(perf: &mut Child, threads: bool, cpu: usize) -> Result<u64> {
    machine::pin_to(cpu)?;
    let mut there = CpuSet::new();
    there.set(cpu);
    loop {
        if let Some(side) = a_side(perf.id(), threads) {
            let id = Pid::from_raw(i32::try_from(side)?).context("perf's side has no id")?;
            // Fails where it ended meanwhile.
            let moved = sched_setaffinity(Some(id), &there);
            let pid = if threads { perf.id() } else { side };
            let seen = moved.ok().and_then(|()| TaskWatch::of(pid, side).read());
            return Ok(seen.map_or(u64::MAX, |seen| seen.voluntary_switches));
        }
        if perf.try_wait()?.is_some() {
            return Ok(u64::MAX);
        }
    }
}

/// Its only child process, or a thread that is not its first: that one only waits for the others.
fn a_side(pid: u32, threads: bool) -> Option<u32> {
    if threads {
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
        let tids = tasks.filter_map(|task| task.ok()?.file_name().to_str()?.parse().ok());
        tids.filter(|tid| *tid != pid).last()
    } else {
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
        children.split_whitespace().next()?.parse().ok()
    }
}
