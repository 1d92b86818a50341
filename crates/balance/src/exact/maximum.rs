//! The mean of the fullest server's load: the sum of P(any server over c) over all c.

use crate::{Error, Probability};

/// A mean, and how far it may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// In items.
    pub value: f64,
    /// In items, either way: rounding, and where loads are so many that not every one was looked
    /// at, the difference that half as many make.
    pub error: f64,
}

/// Where the tail adds nothing any more.
const TAIL: f64 = 1e-13;

/// From `least`, which the fullest server always holds, in steps of at most `step`: a trapezium
/// rule is accurate far beyond its order where the function is smooth and flat at both ends.
pub(crate) fn expected(
    least: u64,
    step: u64,
    any_over: impl Fn(u64) -> Result<Probability, Error>,
) -> Result<Expected, Error> {
    let step = step.max(1);
    let (mut values, mut error) = (Vec::new(), 0.0);
    let mut at = least.saturating_sub(1);
    loop {
        let probability = any_over(at)?;
        values.push(probability.value);
        error += probability.error * step as f64;
        if probability.value < TAIL {
            break;
        }
        at = at.saturating_add(step);
    }
    let below = least.saturating_sub(1) as f64;
    let value = below + sum(values.iter().copied(), step);
    if step > 1 {
        error += (value - below - sum(values.iter().copied().step_by(2), 2 * step)).abs();
    }
    Ok(Expected { value, error })
}

/// The sum over every whole number from values `step` apart, the last of them nothing: the ends
/// count by half, and then the first whole number is made up for.
fn sum(values: impl Iterator<Item = f64>, step: u64) -> f64 {
    let mut first = None;
    let all: f64 = values.inspect(|&value| first = first.or(Some(value))).sum();
    let first = first.unwrap_or(0.0);
    step as f64 * (all - first / 2.0) + first / 2.0
}

#[test]
fn steps_do_not_change_a_smooth_sum() {
    // A logistic function of scale 40 around 1000: by symmetry its sum is 1000.5.
    let any_over = |load: u64| {
        let value = 1.0 / (1.0 + f64::exp((load as f64 - 1000.0) / 40.0));
        Ok(Probability::certain(value))
    };
    for step in [1, 3, 10] {
        let found = expected(1, step, any_over).unwrap();
        assert!((found.value - 1000.5).abs() < 1e-7, "{step}: {found:?}");
        assert!(found.error < 1e-6, "{step}: {found:?}");
    }
}
