//! Servers of several kinds: heavier ones get more items, and can hold more.

use super::bounds::{self, Part};
use super::families::{binomial, poisson};
use super::lattice::Lattice;
use super::load::{ITEMS_MAX, SERVERS_MAX};
use super::sum::Sum;
use crate::error::{share, within};
use crate::{Error, Method, Probability};

/// Above this many table entries in all, the transforms of many kinds would take minutes; the two
/// bounds are the answer then.
const WORK_MAX: u64 = 1 << 28;

/// Equal servers among others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// How many there are; 0 is allowed, and then none of them ever holds anything.
    pub servers: u64,
    /// What each of them gets, relative to the other kinds: any number of 0 or more.
    pub weight: f64,
    /// How many items each of them can hold.
    pub capacity: u64,
}

/// Items at random on servers of several kinds, exactly.
pub struct Weighted {
    kinds: Vec<Kind>,
    /// One server's load of each kind: when independent, and of the items there are.
    loads: Vec<(Lattice, Lattice)>,
    sum: Option<Sum>,
}

impl Weighted {
    /// `items` on servers of `kinds`.
    ///
    /// # Errors
    /// Counts of 0 or out of range in all; a weight that is negative, infinite or not a number, or
    /// makes the sum infinite (its index counts from 0); no weight above 0.
    pub fn new(items: u64, kinds: &[Kind]) -> Result<Self, Error> {
        within(items, ITEMS_MAX, Error::NoItems, Error::TooManyItems { max: ITEMS_MAX })?;
        let whole = whole(kinds)?;
        let mut loads = Vec::with_capacity(kinds.len());
        for (index, kind) in kinds.iter().enumerate() {
            if kind.servers == 0 || kind.weight == 0.0 {
                loads.push((Lattice::point(0), Lattice::point(0)));
                continue;
            }
            let share = kind.weight / whole;
            let others = match share < 0.5 {
                true => whole - kind.weight,
                // Summed, not subtracted, at most twice: 1 beside 1e18 must not vanish.
                false => {
                    kinds.iter().enumerate().map(|(at, other)| weight(other, at == index)).sum()
                }
            };
            let free = poisson(items as f64 * share)?;
            loads.push((free, binomial(items, others / kind.weight)?));
        }
        let length = loads.iter().map(|(free, _)| free.last() - free.first()).sum::<u64>();
        let total = poisson(items as f64)?;
        let work = (total.last() - total.first()).saturating_mul(kinds.len() as u64);
        let sum = match work.saturating_add(length) <= WORK_MAX {
            true => Some(Sum::new(items, &total)?),
            false => None,
        };
        Ok(Self { kinds: kinds.to_vec(), loads, sum })
    }

    /// The lowest load that one server of the kind at `index` does not exceed with at least the
    /// chance `share`; `None` where there is no such kind.
    ///
    /// # Errors
    /// A share that is not strictly between 0 and 1.
    pub fn quantile(&self, index: usize, share_of: f64) -> Result<Option<u64>, Error> {
        let wanted = share(share_of)?;
        Ok(self.loads.get(index).map(|(_, given)| given.quantile(wanted)))
    }

    /// The probability that one server of the kind at `index` holds more than it can; `None` where
    /// there is no such kind.
    pub fn over(&self, index: usize) -> Option<Probability> {
        let (_, given) = self.loads.get(index)?;
        let value = given.over(self.kinds.get(index)?.capacity);
        Some(Probability { value, error: given.error_of(value), method: Method::Sum })
    }

    /// The probability that any server holds more than it can.
    pub fn any_over(&self) -> Probability {
        let part = |(kind, (free, given)): (&Kind, _)| Part {
            servers: kind.servers,
            free,
            given,
            capacity: kind.capacity,
        };
        let pairs = self.kinds.iter().zip(self.loads.iter().map(|(a, b)| (a, b)));
        let parts: Vec<Part> = pairs.filter(|(kind, _)| kind.servers > 0).map(part).collect();
        match &self.sum {
            Some(sum) => sum.any_over(&parts),
            None => bounds::any_over(&parts),
        }
    }
}

/// What all servers of a kind weigh, or all but one.
fn weight(kind: &Kind, but_one: bool) -> f64 {
    kind.servers.saturating_sub(u64::from(but_one)) as f64 * kind.weight
}

/// The sum of all weights, once they are seen to be weights.
fn whole(kinds: &[Kind]) -> Result<f64, Error> {
    let bad = |kind: &Kind| !(kind.weight.is_finite() && kind.weight >= 0.0);
    if let Some(index) = kinds.iter().position(bad) {
        return Err(Error::WrongWeight { index });
    }
    let servers = kinds.iter().fold(0u64, |sum, kind| sum.saturating_add(kind.servers));
    let many = Error::TooManyServers { max: SERVERS_MAX };
    within(servers, SERVERS_MAX, Error::NoServers, many)?;
    let whole: f64 = kinds.iter().map(|kind| weight(kind, false)).sum();
    match kinds.iter().position(|kind| !weight(kind, false).is_finite()) {
        Some(index) => Err(Error::WrongWeight { index }),
        None if whole > 0.0 && whole.is_finite() => Ok(whole),
        None if whole > 0.0 => Err(Error::WrongWeight { index: kinds.len() - 1 }),
        None => Err(Error::NoWeight),
    }
}
