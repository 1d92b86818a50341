//! What a count of hits among independent trials says about their chance.

use super::families::binomial;
use crate::Error;

/// Halvings of an interval until its ends are neighbours.
const HALVINGS: u32 = 60;

/// The 95 % interval of a chance of which `hits` of `trials` came true (Clopper and Pearson 1934):
/// each end is the chance at which so many, or so few, would be seen 1 time in 40. It never holds
/// the truth less often than it says; none of `trials` has an upper end too.
///
/// # Errors
/// No trials, or so many that the table does not hold them.
pub fn interval(hits: u64, trials: u64) -> Result<(f64, f64), Error> {
    if trials == 0 {
        return Err(Error::WrongIterations { max: super::ITEMS_MAX });
    }
    let at = |chance: f64| binomial(trials, (1.0 - chance) / chance);
    let low = match hits.min(trials) {
        0 => 0.0,
        hits => halve(|chance| Ok(at(chance)?.over(hits - 1) < 0.025))?,
    };
    let high = match hits < trials {
        false => 1.0,
        true => halve(|chance| Ok(at(chance)?.up_to(hits) > 0.025))?,
    };
    Ok((low, high))
}

/// Where `below` turns false, between 0 and 1.
fn halve(below: impl Fn(f64) -> Result<bool, Error>) -> Result<f64, Error> {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        match below(middle)? {
            true => low = middle,
            false => high = middle,
        }
    }
    Ok(f64::midpoint(low, high))
}

#[test]
fn ends_have_closed_forms_where_all_or_none_came_true() {
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a}, not {b}");
    let (low, high) = interval(0, 100).unwrap();
    close(low, 0.0);
    close(high, 1.0 - f64::powf(0.025, 0.01));
    let (low, high) = interval(100, 100).unwrap();
    close(low, f64::powf(0.025, 0.01));
    close(high, 1.0);
    assert!(interval(1, 0).is_err());
}
