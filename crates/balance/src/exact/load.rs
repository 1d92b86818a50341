//! Equal servers: what one of them holds, and what the fullest does.

use std::sync::OnceLock;

use super::bounds::{self, Part};
use super::families::{beta_binomial, binomial, negative_binomial, poisson};
use super::lattice::Lattice;
use super::maximum;
use super::sum::Sum;
use crate::error::{share, within};
use crate::{Error, Expected, Method, Probability};

/// The most items that are placed: the sum of all loads then still fits a table.
pub const ITEMS_MAX: u64 = 10_000_000_000;
/// The most servers: counts stay exact in the arithmetic.
pub const SERVERS_MAX: u64 = 1 << 40;
/// The most virtual nodes of one server.
pub const POINTS_MAX: u32 = 1_000_000;

/// How items find their servers where nothing looks at loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Each item on any server with equal chances, independent of the others.
    Random,
    /// Consistent hashing: each server has this many points on a ring, at random; an item belongs
    /// to the point that follows it.
    Ring {
        /// Virtual nodes per server.
        points: u32,
    },
}

/// Items on equal servers, exactly.
pub struct Load {
    items: u64,
    servers: u64,
    placement: Placement,
    one: Lattice,
    /// Made when the first probability of any server is asked for.
    free: OnceLock<Result<(Lattice, Sum), Error>>,
}

impl Load {
    /// `items` on `servers`. Time and memory grow with the deviation of one server's load: about
    /// the square root of items per server at random, and items per server on a ring of few points.
    ///
    /// # Errors
    /// Counts of 0 or beyond [`ITEMS_MAX`], [`SERVERS_MAX`], [`POINTS_MAX`]; a load that is spread
    /// too wide for a table (a ring of few points and thousands of millions of items).
    pub fn new(items: u64, servers: u64, placement: Placement) -> Result<Self, Error> {
        within(items, ITEMS_MAX, Error::NoItems, Error::TooManyItems { max: ITEMS_MAX })?;
        let many = Error::TooManyServers { max: SERVERS_MAX };
        within(servers, SERVERS_MAX, Error::NoServers, many)?;
        let others = (servers - 1) as f64;
        let one = match placement {
            Placement::Random => binomial(items, others)?,
            Placement::Ring { points } if (1..=POINTS_MAX).contains(&points) => {
                beta_binomial(items, f64::from(points), f64::from(points) * others)?
            }
            Placement::Ring { .. } => return Err(Error::WrongPoints { max: POINTS_MAX }),
        };
        Ok(Self { items, servers, placement, one, free: OnceLock::new() })
    }

    /// How many items.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// How many servers.
    pub fn servers(&self) -> u64 {
        self.servers
    }

    /// Items per server.
    pub fn mean(&self) -> f64 {
        self.items as f64 / self.servers as f64
    }

    /// The lowest load that one server does not exceed with at least the chance `share`.
    ///
    /// # Errors
    /// A share that is not strictly between 0 and 1.
    pub fn quantile(&self, share_of: f64) -> Result<u64, Error> {
        Ok(self.one.quantile(share(share_of)?))
    }

    /// The probability that one server, chosen beforehand, holds just `load`.
    pub fn just(&self, load: u64) -> Probability {
        self.summed(self.one.mass(load))
    }

    /// The probability that one server, chosen beforehand, holds more than `capacity`.
    pub fn over(&self, capacity: u64) -> Probability {
        self.summed(self.one.over(capacity))
    }

    /// The least and the most that one server holds with a chance above 1e-60: what to draw.
    pub fn range(&self) -> (u64, u64) {
        (self.one.first(), self.one.last())
    }

    /// The probability that any of the servers holds more than `capacity`.
    ///
    /// # Errors
    /// None for [`Placement::Random`]; where the sum of the loads on a ring does not fit a table,
    /// the bounds are the answer.
    pub fn any_over(&self, capacity: u64) -> Result<Probability, Error> {
        if capacity >= self.items {
            return Ok(Probability::certain(0.0));
        }
        if u128::from(capacity) * u128::from(self.servers) < u128::from(self.items) {
            return Ok(Probability::certain(1.0));
        }
        let (free, sum) = match self.free.get_or_init(|| self.free()) {
            Ok((free, sum)) => (free, Some(sum)),
            Err(Error::TooWide { .. }) => (&self.one, None),
            Err(error) => return Err(error.clone()),
        };
        let part = [Part { servers: self.servers, free, given: &self.one, capacity }];
        Ok(sum.map_or_else(|| bounds::any_over(&part), |sum| sum.any_over(&part)))
    }

    /// What the fullest server holds on average.
    ///
    /// # Errors
    /// As for [`Self::any_over`].
    pub fn expected_maximum(&self) -> Result<Expected, Error> {
        maximum::expected(self.least_maximum(), self.step(), |load| self.any_over(load))
    }

    /// The least capacity that is exceeded anywhere with at most the chance `risk`.
    ///
    /// # Errors
    /// A risk that is not strictly between 0 and 1; as for [`Self::any_over`].
    pub fn capacity_for(&self, risk: f64) -> Result<u64, Error> {
        let risk = share(risk)?;
        // One server alone needs as much; and if each exceeds it with a chance of risk / servers,
        // the union bound says that it is enough.
        let enough = self.one.quantile(1.0 - risk / self.servers as f64).saturating_add(1);
        let (mut low, mut high) = (self.least_maximum(), enough.max(self.least_maximum()));
        // The table may end below where a tiny risk would need it.
        while self.any_over(high)?.value > risk {
            high = high.saturating_mul(2).min(self.items);
        }
        while low < high {
            let middle = low + (high - low) / 2;
            match self.any_over(middle)?.value <= risk {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        Ok(low)
    }

    /// However evenly they fall, one server holds this.
    fn least_maximum(&self) -> u64 {
        self.items.div_ceil(self.servers)
    }

    /// The distance over which the fullest server's distribution falls, cut in four: 1 over the
    /// hazard of one server's load where one in `servers` is above.
    fn step(&self) -> u64 {
        let at = self.one.quantile(1.0 - 0.5 / self.servers as f64);
        let scale = self.one.over(at) / self.one.mass(at + 1);
        if scale.is_finite() { (scale / 4.0) as u64 } else { 1 }
    }

    fn free(&self) -> Result<(Lattice, Sum), Error> {
        let (items, servers) = (self.items as f64, self.servers as f64);
        let (free, total) = match self.placement {
            Placement::Random => (poisson(items / servers)?, poisson(items)?),
            Placement::Ring { points } => {
                let points = f64::from(points);
                let total = negative_binomial(points * servers, items)?;
                (negative_binomial(points, items / servers)?, total)
            }
        };
        let sum = Sum::new(self.items, &total)?;
        Ok((free, sum))
    }

    fn summed(&self, value: f64) -> Probability {
        Probability { value, error: self.one.error_of(value), method: Method::Sum }
    }
}
