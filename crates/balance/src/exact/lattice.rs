//! A distribution of whole numbers as a table, built from the ratio of neighbours alone.
//!
//! No gamma function is needed: terms are products of ratios outwards from the mode, and their sum
//! is what they are divided by. So a term far out in a tail has nearly the relative accuracy of one
//! in the middle, where differences of logarithms of gamma functions lose digits with the items.

use crate::Error;

/// Terms below this share of the highest are not tabled; about 16.6 deviations out.
const CUT: f64 = 1e-60;

/// All terms beyond the table together. They fall at least as fast as a geometric series whose
/// ratio reached `CUT` within `TABLE_MAX` terms.
pub(crate) const BEYOND: f64 = 1e-50;

/// 16 million values: 400 MB while it is in use.
pub(crate) const TABLE_MAX: usize = 1 << 24;

/// The probabilities of `first`, `first + 1`, and so on; log-concave, so with one mode.
#[derive(Clone, Debug)]
pub(crate) struct Lattice {
    first: u64,
    mode: usize,
    /// Of each value.
    mass: Vec<f64>,
    /// Of each value and all below, summed from below.
    up_to: Vec<f64>,
    /// Of all above each value, summed from above.
    over: Vec<f64>,
}

impl Lattice {
    /// All of it on one value.
    pub fn point(value: u64) -> Self {
        Self { first: value, mode: 0, mass: vec![1.0], up_to: vec![1.0], over: vec![0.0] }
    }

    /// From `ratio(k)`, the probability of `k + 1` over that of `k`, which must not increase with
    /// `k`, for values 0 to `last`.
    pub fn from_ratio(last: u64, ratio: impl Fn(u64) -> f64) -> Result<Self, Error> {
        let mode = mode(last, &ratio);
        let down = fall(mode, |step| 1.0 / ratio(mode - 1 - step))?;
        let up = fall(last - mode, |step| ratio(mode + step))?;
        let at = down.len();
        let mut mass: Vec<f64> = down.into_iter().rev().collect();
        mass.push(1.0);
        mass.extend(up);
        Ok(Self::normalised(mode - at as u64, at, mass))
    }

    fn normalised(first: u64, mode: usize, mut mass: Vec<f64>) -> Self {
        // From both ends towards the mode: small terms first, so that none is lost.
        let total: f64 =
            mass[..=mode].iter().sum::<f64>() + mass[mode + 1..].iter().rev().sum::<f64>();
        mass.iter_mut().for_each(|term| *term /= total);
        let mut sum = 0.0;
        let mut add = |term: &f64| {
            sum += term;
            sum
        };
        let up_to = mass.iter().map(&mut add).collect();
        sum = 0.0;
        let mut over: Vec<f64> = mass
            .iter()
            .rev()
            .map(|term| {
                let above = sum;
                sum += term;
                above
            })
            .collect();
        over.reverse();
        Self { first, mode, mass, up_to, over }
    }

    /// The lowest value of the table.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The highest value of the table.
    pub fn last(&self) -> u64 {
        self.first + (self.mass.len() as u64 - 1)
    }

    /// The likeliest value.
    pub fn mode(&self) -> u64 {
        self.first + self.mode as u64
    }

    /// The probability of `value`.
    pub fn mass(&self, value: u64) -> f64 {
        self.index(value).map_or(0.0, |index| self.mass[index])
    }

    /// Each value that is tabled, with its probability.
    pub fn terms(&self) -> impl Iterator<Item = (u64, f64)> {
        (self.first..).zip(self.mass.iter().copied())
    }

    /// The probability of anything but the mode, without the loss of a difference from 1.
    pub fn off_mode(&self) -> f64 {
        let below = self.mode.checked_sub(1).map_or(0.0, |index| self.up_to[index]);
        self.over[self.mode] + below
    }

    /// The probability of more than `value`, by whichever tail is the short one.
    pub fn over(&self, value: u64) -> f64 {
        match self.index(value) {
            None if value < self.first => 1.0,
            None => 0.0,
            Some(index) if index < self.mode => 1.0 - self.up_to[index],
            Some(index) => self.over[index],
        }
    }

    /// The probability of at most `value`.
    pub fn up_to(&self, value: u64) -> f64 {
        match self.index(value) {
            None if value < self.first => 0.0,
            None => 1.0,
            Some(index) if index < self.mode => self.up_to[index],
            Some(index) => 1.0 - self.over[index],
        }
    }

    /// The lowest value with at least the share `share` of the distribution at or below it.
    pub fn quantile(&self, share: f64) -> u64 {
        let (mut low, mut high) = (self.first, self.last());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.up_to(middle) >= share {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        low
    }

    /// How far a probability `value` from this table may be off: products and sums of at most as
    /// many factors and terms as there are, each rounded a few times, and what is not tabled.
    pub fn error_of(&self, value: f64) -> f64 {
        value * 4.0 * f64::EPSILON * (self.mass.len() as f64 + 1.0) + BEYOND
    }

    fn index(&self, value: u64) -> Option<usize> {
        let index = value.checked_sub(self.first)?;
        usize::try_from(index).ok().filter(|&index| index < self.mass.len())
    }
}

/// The lowest value after which terms do not rise.
fn mode(last: u64, ratio: &impl Fn(u64) -> f64) -> u64 {
    let (mut low, mut high) = (0, last);
    while low < high {
        let middle = low + (high - low) / 2;
        match ratio(middle) > 1.0 {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

/// Products of factors, from the first on, until they are not worth tabling.
fn fall(steps: u64, factor: impl Fn(u64) -> f64) -> Result<Vec<f64>, Error> {
    let mut mass = Vec::new();
    let mut term = 1.0;
    for step in 0..steps {
        term *= factor(step);
        // Also where it is not a number: 0 times infinity, beyond anything that is asked.
        if term.is_nan() || term < CUT {
            break;
        }
        if mass.len() == TABLE_MAX {
            return Err(Error::TooWide { max: TABLE_MAX });
        }
        mass.push(term);
    }
    Ok(mass)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coin_thrown_four_times() {
        let coin = Lattice::from_ratio(4, |k| (4 - k) as f64 / (k + 1) as f64).unwrap();
        let masses: Vec<f64> = coin.terms().map(|(_, mass)| mass * 16.0).collect();
        assert_eq!(masses, [1.0, 4.0, 6.0, 4.0, 1.0]);
        let row = |value| (coin.up_to(value) * 16.0, coin.over(value) * 16.0);
        assert_eq!([row(0), row(2), row(4), row(9)], [(1., 15.), (11., 5.), (16., 0.), (16., 0.)]);
        assert_eq!([0.01, 0.0625, 0.0626, 0.5, 0.999].map(|q| coin.quantile(q)), [0, 0, 1, 2, 4]);
        assert_eq!(coin.off_mode(), 10.0 / 16.0);
    }

    #[test]
    fn a_table_has_an_end() {
        assert_eq!(
            Lattice::from_ratio(u64::MAX, |_| 1.0).unwrap_err(),
            Error::TooWide { max: TABLE_MAX }
        );
    }
}
