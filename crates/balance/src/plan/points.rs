//! Virtual nodes for a ratio of the fullest server to the mean.

use super::search;
use crate::Error;
use crate::error::share;
use crate::exact::{Load, POINTS_MAX, Placement};

/// The fewest virtual nodes per server with which the fullest holds at most `ratio` times the mean,
/// but for `risk`.
///
/// # Errors
/// Counts of 0 or out of range, a ratio that is not above 1, a risk that is none;
/// [`Error::Unreachable`] with the ratio that items placed at random would reach, where no ring
/// does better: the items' own chance is left however even the ring is.
pub fn points(items: u64, servers: u64, ratio: f64, risk: f64) -> Result<u32, Error> {
    let risk = share(risk)?;
    if !(ratio > 1.0 && ratio.is_finite()) {
        return Err(Error::NotAboveOne { value: ratio });
    }
    let random = Load::new(items, servers, Placement::Random)?;
    let capacity = (ratio * random.mean()).floor() as u64;
    let enough = |points: u64| {
        let placement = Placement::Ring { points: points as u32 };
        Ok(Load::new(items, servers, placement)?.any_over(capacity)?.value <= risk)
    };
    let unreachable = || -> Result<Error, Error> {
        Ok(Error::Unreachable { best: random.capacity_for(risk)? as f64 / random.mean() })
    };
    if random.any_over(capacity)?.value > risk {
        return Err(unreachable()?);
    }
    match search::least(1, u64::from(POINTS_MAX), enough)? {
        Some(points) => Ok(points as u32),
        None => Err(unreachable()?),
    }
}
