//! A probability that says where it comes from: the source of a number is part of the answer.

/// A probability, how far it may be off, and by which road it was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probability {
    /// Between 0 and 1.
    pub value: f64,
    /// How far the truth may lie from `value`, either way. For [`Method::Simulated`] it is one
    /// standard error; for the others the truth lies within.
    pub error: f64,
    /// Where the number comes from.
    pub method: Method,
}

/// By which road a probability was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A sum of the terms of the distribution: one server's load. `error` bounds the rounding.
    Sum,
    /// Exact but for rounding: the distribution of independent loads, given their sum, by a Fourier
    /// transform. `error` estimates the rounding from above (`docs/balance.md`).
    Transform,
    /// The middle between two bounds that are proven: what independent servers would do (never
    /// more) and the union bound (never less). `error` is half their distance.
    Bounds,
    /// The share of a simulation's iterations. `error` is one standard error.
    Simulated {
        /// How many.
        iterations: u64,
    },
}

impl Probability {
    /// Nothing to round: it must be so.
    pub(crate) fn certain(value: f64) -> Self {
        Self { value, error: 0.0, method: Method::Sum }
    }

    /// The middle of two bounds.
    pub(crate) fn between(low: f64, high: f64, error: f64) -> Self {
        let value = low + (high - low) / 2.0;
        Self { value, error: error + (high - low) / 2.0, method: Method::Bounds }
    }

    /// The lowest that the truth can be.
    pub fn low(&self) -> f64 {
        (self.value - self.error).max(0.0)
    }

    /// The highest that the truth can be.
    pub fn high(&self) -> f64 {
        (self.value + self.error).min(1.0)
    }
}
