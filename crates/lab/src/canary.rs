//! The canary: a fixed loop of user-mode arithmetic, run once in every round.
//!
//! It enters no kernel and touches no memory, so it sees nothing but the speed at which the machine
//! itself ran just then. A host can change that by 1.4 times between two runs, and twins in the
//! same round can't see it.

use std::hint::black_box;

use estimate::{CANARY, CANARY_STEP};
use machine::counters::ThreadWatch;
use record::{Observation, Refusal};

use crate::{Case, Trial, timed};

pub(crate) fn case() -> Case {
    Case::new(CANARY, &[])
}

/// Runs the canary for a window.
///
/// # Errors
/// Where no window comes out long enough.
pub(crate) fn trial(watch: &mut ThreadWatch, trial: &Trial) -> Result<Observation, Refusal> {
    let timed = timed(watch, trial.window, |steps| {
        let mut state = black_box(1u64);
        for _ in 0..steps {
            // Shift, exclusive or, multiplication (the finaliser of SplitMix64): each waits for the
            // one before, nothing leaves the registers, and no compiler can fold two steps into
            // one, as it does with a multiplication and an addition.
            state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        }
        black_box(state);
    })?;
    Ok(timed.observe(CANARY_STEP, timed.cost_ns()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A compiler once folded several steps into one. A step is five dependent operations, the
    /// empty loop one: so a step must take well over twice as long, on any CPU of one operation a
    /// cycle.
    #[test]
    fn no_step_is_left_out() {
        let mut watch = ThreadWatch::new();
        let asked = Trial {
            case: case(),
            window: Duration::from_millis(5),
            cpus: vec![0],
            start: 0,
            seed: 0,
        };
        let step = trial(&mut watch, &asked).unwrap().readings[CANARY_STEP].level().unwrap();
        let nothing = |n| {
            for i in 0..n {
                black_box(i);
            }
        };
        let empty = timed(&mut watch, asked.window, nothing);
        let empty = empty.unwrap().cost_ns();
        assert!(step > 2.0 * empty, "a step {step} ns, an empty loop {empty} ns");
    }
}
