//! The distributions of one server's load, each by the ratio of neighbouring terms.

use super::lattice::Lattice;
use crate::Error;

/// How many of `items` fall on a server that each of them misses `against` times as often as it
/// hits: binomial. For one of m equal servers `against` is m - 1, a whole number, so that nothing
/// is lost by dividing by m first.
pub(crate) fn binomial(items: u64, against: f64) -> Result<Lattice, Error> {
    if against <= 0.0 {
        return Ok(Lattice::point(items));
    }
    let ratio = |k: u64| (items - k) as f64 / ((k + 1) as f64 * against);
    Lattice::from_ratio(items, ratio)
}

/// Poisson with this mean: what independent servers would hold.
pub(crate) fn poisson(mean: f64) -> Result<Lattice, Error> {
    Lattice::from_ratio(u64::MAX, |k| mean / (k as f64 + 1.0))
}

/// Beta-binomial: how many of `items` fall on a server with `points` of the ring's points, where
/// all others have `others` together. The server's share of the ring is Beta(points, others).
pub(crate) fn beta_binomial(items: u64, points: f64, others: f64) -> Result<Lattice, Error> {
    if others <= 0.0 {
        return Ok(Lattice::point(items));
    }
    let ratio = |k: u64| {
        let (so_far, left) = (k as f64, (items - k) as f64);
        left * (so_far + points) / ((so_far + 1.0) * (left - 1.0 + others))
    };
    Lattice::from_ratio(items, ratio)
}

/// Negative binomial of this shape and mean: a Poisson whose mean is Gamma(shape). Given their sum,
/// independent ones are what servers on a ring hold.
pub(crate) fn negative_binomial(shape: f64, mean: f64) -> Result<Lattice, Error> {
    let success = mean / (shape + mean);
    Lattice::from_ratio(u64::MAX, |k| (k as f64 + shape) / (k as f64 + 1.0) * success)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(table: &Lattice) -> (f64, f64) {
        let mean: f64 = table.terms().map(|(k, mass)| k as f64 * mass).sum();
        (mean, table.terms().map(|(k, mass)| (k as f64 - mean).powi(2) * mass).sum())
    }

    #[track_caller]
    fn has(table: Result<Lattice, Error>, mean: f64, variance: f64) {
        let (m, v) = moments(&table.unwrap());
        assert!((m / mean - 1.0).abs() < 1e-11, "mean {m}, not {mean}");
        assert!((v / variance - 1.0).abs() < 1e-10, "variance {v}, not {variance}");
    }

    #[test]
    fn moments_are_those_of_the_textbook() {
        has(binomial(1000, 12.0), 1000.0 / 13.0, 1000.0 * 12.0 / 169.0);
        has(poisson(0.25), 0.25, 0.25);
        has(poisson(1e6), 1e6, 1e6);
        has(negative_binomial(40.0, 77.0), 77.0, 77.0 + 77.0 * 77.0 / 40.0);
        let (n, a, b) = (1000.0, 10.0, 120.0);
        let share = a / (a + b);
        let spread = n * share * (1.0 - share) * (a + b + n) / (a + b + 1.0);
        has(beta_binomial(1000, a, b), n * share, spread);
    }

    #[test]
    fn one_server_holds_everything() {
        for table in [binomial(7, 0.0).unwrap(), beta_binomial(7, 3.0, 0.0).unwrap()] {
            assert_eq!((table.first(), table.last(), table.mass(7)), (7, 7, 1.0));
        }
    }

    /// A ring of one point each is the broken stick of Bose and Einstein: all ways to spread the
    /// items are equally likely.
    #[test]
    fn one_point_each_makes_all_ways_equally_likely() {
        let two = beta_binomial(10, 1.0, 1.0).unwrap();
        assert!(two.terms().all(|(_, mass)| (mass - 1.0 / 11.0).abs() < 1e-15));
    }
}
