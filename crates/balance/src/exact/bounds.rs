//! Two proven bounds of the probability that any server holds more than it can.
//!
//! Loads of a fixed number of items are negatively associated, both at random (multinomial) and on
//! a ring with at least one point per server (Dirichlet-multinomial): independent log-concave
//! variables given their sum (Joag-Dev and Proschan 1983, theorem 2.8). So all servers stay within
//! their capacities at most as often as independent ones would; and, whatever the dependence, the
//! probabilities of single servers add up to at least that of any.

use super::lattice::Lattice;
use crate::Probability;

/// Equal servers within a sum.
pub(crate) struct Part<'a> {
    /// How many there are.
    pub servers: u64,
    /// What one of them holds when they are independent: Poisson or negative binomial.
    pub free: &'a Lattice,
    /// What one of them holds of the items there are: binomial or beta-binomial.
    pub given: &'a Lattice,
    /// What one of them can hold.
    pub capacity: u64,
}

/// Between independence and the union bound.
pub(crate) fn any_over(parts: &[Part]) -> Probability {
    let (mut none_ln, mut sum, mut error) = (0.0, 0.0, 0.0);
    for part in parts {
        let (servers, over) = (part.servers as f64, part.given.over(part.capacity));
        none_ln += servers * (-over).ln_1p();
        sum += servers * over;
        error += servers * part.given.error_of(over);
    }
    let (low, high) = (-f64::exp_m1(none_ln), f64::min(sum, 1.0));
    // Rounding matters only where the probability is not yet certain.
    let rounding = error.min(f64::exp(none_ln) + f64::EPSILON);
    Probability::between(low.min(high), high, rounding)
}
