//! The canary: a fixed loop of user-mode arithmetic, run once in every round.
//!
//! It enters no kernel and touches no memory, so it sees nothing but the speed at which the machine
//! itself ran just then. A host can change that by 1.4 times between two runs, and twins in the
//! same round can't see it.

use std::hint::black_box;

use machine::counters::ThreadWatch;
use record::{Observation, Refusal};

use crate::{Case, Trial, timed};

/// The canary's case id and metric.
pub const CANARY: &str = "canary";
/// Nanoseconds per step.
pub(crate) const METRIC: &str = "step";

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
            // One dependent multiplication and addition (Knuth's MMIX constants): nothing to
            // overlap, nothing to leave out, and nothing that leaves the registers.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
        }
        black_box(state);
    })?;
    Ok(timed.observe(METRIC, timed.cost_ns()))
}
