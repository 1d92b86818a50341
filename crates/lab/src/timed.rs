//! A timed window: how often something was done in it, how long that took, and what the kernel
//! counted meanwhile.

use std::time::Duration;

use machine::{clock, counters::ThreadWatch};
use record::{Observation, Reading};

/// The first guess of the cost may take this part of the window, and warms caches as it goes.
const GUESS_SHARE: u32 = 16;

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
/// The cost is guessed beforehand in growing steps, untimed. The counters are read outside the two
/// clock readings.
pub fn timed(watch: &mut ThreadWatch, window: Duration, mut run: impl FnMut(u64)) -> Timed {
    let calls = calls_for(window, |calls| elapsed_ns(&mut run, calls));
    let before = watch.read();
    let io_before = watch.io_calls();
    let elapsed_ns = elapsed_ns(&mut run, calls);
    let io_after = watch.io_calls();
    let seen = watch.read().since(&before);
    let mut counted = vec![
        ("voluntary_switches", seen.voluntary_switches as f64),
        ("involuntary_switches", seen.involuntary_switches as f64),
        ("minor_faults", seen.minor_faults as f64),
        ("major_faults", seen.major_faults as f64),
    ];
    counted.extend(seen.migrations.map(|n| ("migrations", n as f64)));
    counted.extend(seen.run_delay_ns.map(|n| ("run_delay_ns", n as f64)));
    if let (Some(before), Some(after)) = (io_before, io_after) {
        counted.push(("kernel_reads", after.reads.saturating_sub(before.reads) as f64));
        counted.push(("kernel_writes", after.writes.saturating_sub(before.writes) as f64));
    }
    Timed { calls, elapsed_ns, counted }
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
        let counted = self.counted.iter().map(|(name, value)| ((*name).to_owned(), *value));
        Observation {
            readings: [(metric.to_owned(), Reading::Level(value))].into(),
            proof: counted.chain([("calls".to_owned(), self.calls as f64)]).collect(),
        }
    }
}

fn elapsed_ns(run: &mut impl FnMut(u64), calls: u64) -> u64 {
    let begin = clock::now_ns();
    run(calls);
    clock::now_ns() - begin
}

/// How many calls fill the window, by doing them in growing numbers until a guess is good enough.
fn calls_for(window: Duration, mut elapsed_ns: impl FnMut(u64) -> u64) -> u64 {
    let window_ns = window.as_nanos() as u64;
    let mut calls = 1u64;
    loop {
        let took_ns = elapsed_ns(calls);
        if took_ns >= window_ns / u64::from(GUESS_SHARE) || calls > u64::from(u32::MAX) {
            let fill = window_ns as f64 / took_ns.max(1) as f64 * calls as f64;
            return (fill as u64).max(1);
        }
        calls *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_filled_whatever_a_call_costs() {
        for cost_ns in [1, 10, 193, 65_000, 900_000, 5_000_000] {
            let window = Duration::from_millis(2);
            let calls = calls_for(window, |calls| calls * cost_ns);
            let fills = calls * cost_ns;
            assert!(calls == 1 || (2_000_000 - cost_ns..=2_000_000).contains(&fills), "{cost_ns}");
        }
    }

    #[test]
    fn work_that_takes_no_time_at_all_still_ends() {
        assert!(calls_for(Duration::from_millis(1), |_| 0) >= 1);
    }

    #[test]
    fn reads_of_a_device_are_counted_by_the_kernel() {
        use std::io::Read;
        let mut zero = std::fs::File::open("/dev/zero").unwrap();
        let mut byte = [0];
        let mut read = |n| (0..n).for_each(|_| zero.read_exact(&mut byte).unwrap());
        let timed = timed(&mut ThreadWatch::new(), Duration::from_millis(1), &mut read);
        // Kernels without task accounting say nothing; those that do say exactly this much, and one
        // read more for reading the counters.
        if let Some(reads) = timed.counter("kernel_reads") {
            let extra = reads - timed.calls as f64;
            assert!((0.0..=4.0).contains(&extra), "{reads} for {}", timed.calls);
        }
    }
}
