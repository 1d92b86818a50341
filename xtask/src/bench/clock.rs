//! Two threads that take ten million readings each of one clock: how long taking and counting them
//! lasts, in how much memory; and what the sampling loop adds to the readings.
//!
//! The published program took 3.3 s and 690 MB for as many on a machine like the one this was
//! written on. It can't be had everywhere, so what is compared here is its way to count: a set of
//! everything that was read, in the same run.

use std::collections::HashSet;
use std::fmt::Write;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use measure::clock::{collide_once, loops};
use stats::summary;

use crate::Outcome;

/// How much of it.
pub struct Size {
    pub readings: usize,
    pub loops: usize,
    pub turns: usize,
}

/// So many times as fast as a set of everything.
const FASTER_MIN: f64 = 3.0;
/// For ten million readings in each of two threads, of which the readings alone are 160 MB.
const BYTES_PER_READING_MAX: f64 = 400e6 / 20e6;
/// What the sampling loop may cost, of a bare reading and a store of a constant together.
const LOOP_SHARE_MAX: f64 = 1.15;

/// Runs the bench.
pub fn run(size: &Size) -> Result<Outcome> {
    let cpus = machine::describe().affinity;
    let Some(cpus) = cpus.get(..2) else {
        return Ok(Outcome { text: "skipped: needs two CPUs\n".into(), clean: true });
    };
    let mut text = String::new();
    forget_peak();
    let before = resident_bytes("VmRSS:");
    let begun = Instant::now();
    let seen = collide_once(cpus, size.readings).map_err(|refusal| anyhow!("{refusal}"))?;
    let took = begun.elapsed();
    let peak = resident_bytes("VmHWM:").zip(before).map(|(peak, before)| peak - before);
    writeln!(text, "2 x {} readings of CLOCK_REALTIME, taken and counted:", size.readings)?;
    writeln!(text, "  time           {:.3} s", took.as_secs_f64())?;
    writeln!(text, "  collided       {} of {} compared", seen.collided, seen.compared)?;
    let by_set = count_by_set(size.readings);
    let faster = by_set.as_secs_f64() / took.as_secs_f64();
    writeln!(text, "  by a set       {:.3} s, {faster:.1} times as long", by_set.as_secs_f64())?;
    writeln!(
        text,
        "  published      3.3 s and 690 MB, by the article's program on such a machine"
    )?;
    let lean = match peak {
        Some(bytes) => {
            writeln!(text, "  memory         {:.0} MB at the peak", bytes / 1e6)?;
            bytes <= BYTES_PER_READING_MAX * 2.0 * size.readings as f64
        }
        None => true,
    };
    let share = loop_share(size, &mut text)?;
    let clean = faster >= FASTER_MIN && lean && share <= LOOP_SHARE_MAX;
    Ok(Outcome { text, clean })
}

/// The same readings by one thread after another, each looked up in a set of the other's.
fn count_by_set(readings: usize) -> Duration {
    let begun = Instant::now();
    let take = || (0..readings).map(|_| machine::clock::now_ns());
    let one: HashSet<u64> = take().collect();
    let equal = take().filter(|reading| one.contains(reading)).count();
    std::hint::black_box(equal);
    begun.elapsed()
}

/// The median over rounds of the sampling loop's cost over that of a bare reading and a store.
fn loop_share(size: &Size, text: &mut String) -> Result<f64> {
    loops(size.turns);
    let rounds: Vec<_> = (0..size.loops).map(|_| loops(size.turns)).collect();
    let shares: Vec<f64> = rounds.iter().map(|it| it.sampling / (it.bare + it.storing)).collect();
    let middle = |of: fn(&measure::clock::Loops) -> f64| {
        summary(&rounds.iter().map(of).collect::<Vec<_>>()).p50
    };
    let share = summary(&shares);
    writeln!(
        text,
        "the sampling loop: {:.2} ns a turn; a bare reading {:.2} ns, a constant stored {:.2} ns: \
         {:.3} times both (9 in 10 rounds {:.3} to {:.3}; at most {LOOP_SHARE_MAX})",
        middle(|it| it.sampling),
        middle(|it| it.bare),
        middle(|it| it.storing),
        share.p50,
        share.p5,
        share.p95,
    )?;
    Ok(share.p50)
}

/// Lets the kernel begin anew with the most memory that this process had (proc(5), clear_refs).
fn forget_peak() {
    // Where that is forbidden the peak is too high, and the bench too strict.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// A line of /proc/self/status in bytes.
fn resident_bytes(line: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let value = status.lines().find_map(|it| it.strip_prefix(line))?;
    value.trim().strip_suffix(" kB")?.parse::<f64>().ok().map(|kib| kib * 1024.0)
}
