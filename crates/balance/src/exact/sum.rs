//! The probability that no server holds more than it can, by the distribution of a sum.
//!
//! Independent Poisson loads with means proportional to the servers' weights, given that they sum
//! to the items, are multinomial; independent negative binomial ones are what a ring does. So
//!
//! P(no load > c) = P(loads cut off at c sum to n) / P(loads sum to n)
//!
//! (for Poisson: Levin 1981, "A representation for multinomial cumulative distribution functions").
//! The numerator is a convolution power: one Fourier transform, powers of its values, and the one
//! coefficient that is asked for. Scaling by the Poisson with the right mean is the exponential
//! tilt that puts the bulk of the sum on the items; a plain power of 1 + x + x²/2 + ... would
//! overflow.

use std::sync::Arc;

use realfft::{RealFftPlanner, RealToComplex, num_complex::Complex};

use super::bounds::{self, Part};
use super::lattice::{Lattice, TABLE_MAX};
use crate::{Error, Method, Probability};

/// What is below this adds nothing to a sum of at most `TABLE_MAX` terms.
const NEGLIGIBLE_LN: f64 = -60.0;

/// Everything that does not depend on the capacities.
pub(crate) struct Sum {
    items: u64,
    /// The probability that the loads sum to the items.
    at_items: f64,
    transform: Arc<dyn RealToComplex<f64>>,
}

impl Sum {
    /// `total` is the distribution of the sum of the loads as they are before they are cut off.
    pub fn new(items: u64, total: &Lattice) -> Result<Self, Error> {
        // Whatever is cut off is less likely than the whole, value by value; so beyond the whole's
        // table nothing can fold back onto the items, on either side.
        let side = (total.last() - items.min(total.last())).max(items - total.first().min(items));
        let length = usize::try_from(side + 2).map_err(|_| Error::TooWide { max: TABLE_MAX })?;
        if length > TABLE_MAX {
            return Err(Error::TooWide { max: TABLE_MAX });
        }
        let transform = RealFftPlanner::new().plan_fft_forward(quick(length));
        Ok(Self { items, at_items: total.mass(items), transform })
    }

    /// The probability that any server holds more than it can, by whichever road is the more
    /// accurate.
    pub fn any_over(&self, parts: &[Part]) -> Probability {
        let bounds = bounds::any_over(parts);
        let error = self.error(parts);
        if bounds.error <= error {
            return bounds;
        }
        match self.none_over(parts) {
            Some(none) => Probability {
                value: (1.0 - none).clamp(0.0, 1.0),
                error,
                method: Method::Transform,
            },
            None => bounds,
        }
    }

    /// What rounding may do, from above: each value of a transform is off by the rounding of its
    /// steps times what was transformed, and a power multiplies that by the servers; then the
    /// tables. Tests hold it against exact fractions.
    fn error(&self, parts: &[Part]) -> f64 {
        let length = self.transform.len() as f64;
        let mass: f64 = parts.iter().map(|part| part.servers as f64 * part.free.off_mode()).sum();
        4.0 * f64::EPSILON * (1.0 + length.log2() * mass.max(1.0) + length.sqrt())
    }

    /// `None` where the transform refuses its buffers, which it does not.
    fn none_over(&self, parts: &[Part]) -> Option<f64> {
        let length = self.transform.len();
        let mut power_ln = vec![Complex::new(0.0, 0.0); length / 2 + 1];
        let mut input = self.transform.make_input_vec();
        let mut output = self.transform.make_output_vec();
        let mut at = i128::from(self.items);
        for part in parts {
            fill(&mut input, part);
            self.transform.process(&mut input, &mut output).ok()?;
            let servers = part.servers as f64;
            for (power, &value) in power_ln.iter_mut().zip(&output) {
                *power += power_of(value, servers);
            }
            at -= i128::from(part.servers) * i128::from(part.free.mode());
        }
        Some(coefficient(&power_ln, at, length) / self.at_items)
    }
}

/// A part's distribution up to its capacity, less 1 at the mode, which comes first: so the
/// transform is that of the difference from a certain load, and small where loads are nearly
/// certain. Without that, millions of servers with few items each would lose their digits.
fn fill(input: &mut [f64], part: &Part) {
    let (length, mode) = (input.len() as i128, part.free.mode());
    input.fill(0.0);
    for (value, mass) in part.free.terms().take_while(|&(value, _)| value <= part.capacity) {
        let index = (i128::from(value) - i128::from(mode)).rem_euclid(length);
        if value != mode {
            input[index as usize] += mass;
        }
    }
    input[0] -= match mode <= part.capacity {
        true => part.free.off_mode(),
        false => 1.0,
    };
}

/// The logarithm of (1 + z)^servers. The angle is left out where the modulus already says that it
/// will not matter: no other part has a modulus above 1.
fn power_of(z: Complex<f64>, servers: f64) -> Complex<f64> {
    let modulus = servers * 0.5 * (2.0 * z.re + z.norm_sqr()).max(-1.0).ln_1p();
    match modulus < NEGLIGIBLE_LN {
        true => Complex::new(modulus, 0.0),
        false => Complex::new(modulus, servers * z.im.atan2(1.0 + z.re)),
    }
}

/// The coefficient at `at` of the real sequence of `length` whose transform's logarithms are these.
fn coefficient(power_ln: &[Complex<f64>], at: i128, length: usize) -> f64 {
    let at = at.rem_euclid(length as i128);
    let turn = std::f64::consts::TAU / length as f64;
    let term = |(index, ln): (usize, &Complex<f64>)| {
        if ln.re < NEGLIGIBLE_LN {
            return 0.0;
        }
        // Whole turns are taken off before anything is rounded.
        let angle = (at * index as i128).rem_euclid(length as i128) as f64 * turn;
        // All but the first and the last stand for two values that mirror each other.
        let twice = if index == 0 || index * 2 == length { 1.0 } else { 2.0 };
        twice * ln.re.exp() * (ln.im + angle).cos()
    };
    power_ln.iter().enumerate().map(term).sum::<f64>() / length as f64
}

/// The next even length of the form 2^a or 3 * 2^a: quick to transform.
fn quick(length: usize) -> usize {
    let power = length.next_power_of_two().max(4);
    let three = power / 4 * 3;
    if three >= length && three >= 4 { three } else { power }
}

#[test]
fn lengths_are_even_and_long_enough() {
    for length in 1..2000 {
        let quick = quick(length);
        assert!(quick >= length && quick.is_multiple_of(2), "{length}: {quick}");
        assert!(quick < 2 * length + 4, "{length}: {quick}");
    }
}
