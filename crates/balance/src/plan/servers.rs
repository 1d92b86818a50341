//! Servers for a capacity, and the other way round, exactly.

use super::search;
use crate::error::share;
use crate::exact::{Load, Placement, SERVERS_MAX};
use crate::{Error, Probability};

/// What must hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// How many items there are.
    pub items: u64,
    /// How many of them one server can hold.
    pub capacity: u64,
    /// With what chance one server must not be over: 0.99 for its 99th percentile.
    pub share: f64,
    /// With what chance any server may be over.
    pub risk: f64,
}

impl Wanted {
    /// The same work in `parts` times as many items, each a part as large.
    pub fn split(self, parts: u64) -> Self {
        Self { capacity: self.capacity.saturating_mul(parts), ..self.times(parts) }
    }

    /// `factor` times the work for the same servers.
    pub fn times(self, factor: u64) -> Self {
        Self { items: self.items.saturating_mul(factor), ..self }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        share(self.share)?;
        share(self.risk)?;
        match (self.items, self.capacity) {
            (0, _) => Err(Error::NoItems),
            (_, 0) => Err(Error::NoCapacity),
            _ => Ok(()),
        }
    }
}

/// A number of servers, and what it means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fleet {
    /// How many servers.
    pub servers: u64,
    /// The share of their capacity that is not used, on average.
    pub idle: f64,
    /// The chance that one of them, chosen beforehand, is over.
    pub one_over: Probability,
    /// The chance that any of them is over.
    pub any_over: Probability,
}

/// The two readings, side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The fewest servers of which each, by itself, holds with the wanted chance.
    pub one: Fleet,
    /// The fewest servers of which none is over, but for the risk.
    pub all: Fleet,
}

/// What servers must be able to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacities {
    /// So that each, by itself, holds with the wanted chance; in items.
    pub one: u64,
    /// So that none is over, but for the risk; in items.
    pub all: u64,
}

/// The fewest servers that hold the items if they fall as evenly as can be.
///
/// # Errors
/// A capacity of 0.
pub fn least_servers(items: u64, capacity: u64) -> Result<u64, Error> {
    match capacity {
        0 => Err(Error::NoCapacity),
        _ => Ok(items.div_ceil(capacity)),
    }
}

/// The share of the servers' capacity that is not used, on average.
pub(crate) fn idle(wanted: &Wanted, servers: u64) -> f64 {
    1.0 - wanted.items as f64 / (wanted.capacity as f64 * servers as f64)
}

/// The fewest servers that do what is wanted. More servers are never worse: the chance that all of
/// several counts stay below a bound is greatest where the items' chances are equal (Marshall,
/// Olkin and Arnold 2011, section 11.E), and one server more evens them out.
///
/// # Errors
/// Counts of 0 or out of range, shares that are none; [`Error::TooManyServers`] where even
/// [`SERVERS_MAX`] are too few.
pub fn servers(wanted: &Wanted, placement: Placement) -> Result<Plan, Error> {
    wanted.check()?;
    let load = |servers| Load::new(wanted.items, servers, placement);
    let holds = |servers| Ok(load(servers)?.quantile(wanted.share)? <= wanted.capacity);
    let safe = |servers| Ok(load(servers)?.any_over(wanted.capacity)?.value <= wanted.risk);
    let fleet = |servers| {
        let load = load(servers)?;
        let (one_over, any_over) = (load.over(wanted.capacity), load.any_over(wanted.capacity)?);
        Ok(Fleet { servers, idle: idle(wanted, servers), one_over, any_over })
    };
    let most = Error::TooManyServers { max: SERVERS_MAX };
    let least = least_servers(wanted.items, wanted.capacity)?;
    let one = search::least(least, SERVERS_MAX, holds)?.ok_or(most.clone())?;
    let all = search::least(least, SERVERS_MAX, safe)?.ok_or(most)?;
    Ok(Plan { one: fleet(one)?, all: fleet(all)? })
}

/// What servers must hold, where their number is given.
///
/// # Errors
/// Counts of 0 or out of range, shares that are none.
pub fn capacities(
    items: u64,
    servers: u64,
    placement: Placement,
    share_of: f64,
    risk: f64,
) -> Result<Capacities, Error> {
    let load = Load::new(items, servers, placement)?;
    Ok(Capacities { one: load.quantile(share_of)?, all: load.capacity_for(risk)? })
}
