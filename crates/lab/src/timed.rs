//! A timed window: how often something was done in it, how long that took, and what the kernel
//! counted meanwhile.

use std::time::Duration;

use machine::{clock, counters::ThreadWatch};
use record::{Observation, Reading, Refusal};

/// The first guess of the cost may take this part of the window, and warms caches as it goes.
const GUESS_SHARE: u32 = 16;
/// A window that came out shorter than this part of what was wanted is none. The
/// schedule leaves room for it.
pub(crate) const WINDOW_SHARE_MIN: f64 = 0.8;
/// After so many windows that were too short the cost can't be guessed here.
const TRIES_MAX: u32 = 8;

/// What is read before and after a window: counts that only grow, by their names.
pub trait Counted {
    /// The counts, now; a name is left out where its count can't be read.
    fn read(&mut self) -> Vec<(&'static str, f64)>;
}

/// One timed window.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    /// How often it was done.
    pub calls: u64,
    /// How long all of that took.
    pub elapsed_ns: u64,
    /// What the kernel counted meanwhile, by counter.
    pub counted: Vec<(&'static str, f64)>,
}

/// Does `run(n)`, which is to do its work n times, for about `window`, with two clock readings.
///
/// The cost is guessed beforehand in growing steps, untimed. A guess that was disturbed (one
/// preemption makes a call look a thousand times dearer) yields a window that is too short; then
/// the guess is mended by what that window showed, and the window repeated. The counters are read
/// outside the two clock readings.
///
/// # Errors
/// Where no window comes out long enough.
pub fn timed(
    watch: &mut impl Counted,
    window: Duration,
    mut run: impl FnMut(u64),
) -> Result<Timed, Refusal> {
    let window_ns = window.as_nanos() as u64;
    let mut calls = first_guess(window_ns, |calls| elapsed_ns(&mut run, calls));
    let mut elapsed = 0;
    for _ in 0..TRIES_MAX {
        let before = watch.read();
        elapsed = elapsed_ns(&mut run, calls);
        let after = watch.read();
        if elapsed as f64 >= WINDOW_SHARE_MIN * window_ns as f64 {
            return Ok(Timed { calls, elapsed_ns: elapsed, counted: since(&after, &before) });
        }
        calls = filling(window_ns, calls, elapsed);
    }
    let seen = format!("a window of {window_ns} ns came out as {elapsed} ns, {TRIES_MAX} times");
    Err(Refusal::EventNotProven { seen })
}

/// What came between two readings, of all that both hold.
fn since(
    after: &[(&'static str, f64)],
    before: &[(&'static str, f64)],
) -> Vec<(&'static str, f64)> {
    let then = |name| before.iter().find(|(earlier, _)| *earlier == name).map(|it| it.1);
    after.iter().filter_map(|&(name, now)| Some((name, (now - then(name)?).max(0.0)))).collect()
}

impl Counted for ThreadWatch {
    fn read(&mut self) -> Vec<(&'static str, f64)> {
        let seen = self.read();
        let mut counted = Vec::new();
        if let Some(usage) = seen.usage {
            counted.push(("voluntary_switches", usage.voluntary_switches as f64));
            counted.push(("involuntary_switches", usage.involuntary_switches as f64));
            counted.push(("minor_faults", usage.minor_faults as f64));
            counted.push(("major_faults", usage.major_faults as f64));
        }
        counted.extend(seen.migrations.map(|n| ("migrations", n as f64)));
        counted.extend(seen.run_delay_ns.map(|n| ("run_delay_ns", n as f64)));
        if let Some(io) = self.io_calls() {
            counted.push(("kernel_reads", io.reads as f64));
            counted.push(("kernel_writes", io.writes as f64));
        }
        counted
    }
}

impl Timed {
    /// Nanoseconds per call.
    pub fn cost_ns(&self) -> f64 {
        self.elapsed_ns as f64 / self.calls as f64
    }

    /// What the kernel counted under this name; none where it can't be read.
    pub fn counter(&self, name: &str) -> Option<f64> {
        self.counted.iter().find(|(counter, _)| *counter == name).map(|(_, value)| *value)
    }

    /// The observation of one level, `metric`, with everything that was counted as its proof.
    pub fn observe(&self, metric: &str, value: f64) -> Observation {
        let ours = [("calls", self.calls as f64), ("elapsed_ns", self.elapsed_ns as f64)];
        let counted = self.counted.iter().chain(&ours);
        Observation {
            readings: [(metric.to_owned(), Reading::Level(value))].into(),
            proof: counted.map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        }
    }
}

fn elapsed_ns(run: &mut impl FnMut(u64), calls: u64) -> u64 {
    let begin = clock::now_ns();
    run(calls);
    clock::now_ns() - begin
}

/// How many calls fill the window, by doing them in growing numbers until a guess is good enough.
fn first_guess(window_ns: u64, mut elapsed_ns: impl FnMut(u64) -> u64) -> u64 {
    let mut calls = 1u64;
    loop {
        let took_ns = elapsed_ns(calls);
        if took_ns >= window_ns / u64::from(GUESS_SHARE) || calls > u64::from(u32::MAX) {
            return filling(window_ns, calls, took_ns);
        }
        calls *= 2;
    }
}

/// How many calls fill the window if so many took so long.
fn filling(window_ns: u64, calls: u64, took_ns: u64) -> u64 {
    let fill = window_ns as f64 / took_ns.max(1) as f64 * calls as f64;
    (fill as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_filled_whatever_a_call_costs() {
        for cost_ns in [1, 10, 193, 65_000, 900_000, 5_000_000] {
            let calls = first_guess(2_000_000, |calls| calls * cost_ns);
            let fills = calls * cost_ns;
            assert!(calls == 1 || (2_000_000 - cost_ns..=2_000_000).contains(&fills), "{cost_ns}");
        }
    }

    #[test]
    fn work_that_takes_no_time_at_all_still_ends() {
        assert!(first_guess(1_000_000, |_| 0) >= 1);
    }

    /// Some trials were microseconds long, and passed as measurements.
    #[test]
    fn a_disturbed_guess_is_mended() {
        let spin = |ns: u64| {
            let end = clock::now_ns() + ns;
            while clock::now_ns() < end {}
        };
        let mut disturbed = false;
        let timed = timed(&mut ThreadWatch::new(), Duration::from_millis(2), |calls| {
            if !disturbed {
                disturbed = true;
                spin(4_000_000);
            }
            (0..calls).for_each(|_| spin(1000));
        });
        let timed = timed.unwrap();
        assert!(timed.elapsed_ns >= 1_600_000 && timed.calls > 100, "{timed:?}");
    }

    #[test]
    fn reads_of_a_device_are_counted_by_the_kernel() {
        use std::io::Read;
        let mut zero = std::fs::File::open("/dev/zero").unwrap();
        let mut byte = [0];
        let mut read = |n| (0..n).for_each(|_| zero.read_exact(&mut byte).unwrap());
        let timed = timed(&mut ThreadWatch::new(), Duration::from_millis(1), &mut read).unwrap();
        // Kernels without task accounting say nothing; those that do say exactly this much.
        assert!(timed.counter("kernel_reads").is_none_or(|reads| reads == timed.calls as f64));
    }
}
