//! How keys fall on servers by their hash.

use super::chance::{Chance, chance};
use super::{Key, Keys};
use crate::Error;
use crate::error::within;
use crate::simulate::{ITERATIONS_MAX, SERVERS_MAX};

/// Keys on servers.
#[derive(Clone, Debug, PartialEq)]
pub struct Fall {
    /// What each server holds by hashing, in the weights' unit.
    pub hashed: Vec<f64>,
    /// The sum of all weights.
    pub total: f64,
    /// What a server holds on average.
    pub mean: f64,
    /// The variance of one server's load if each distinct key fell at random: the sum of the
    /// squared weights, times 1/m (1 - 1/m) for m servers. Exact.
    pub variance: f64,
    /// As many equal keys would fall as evenly: the squared sum of the weights over the sum of
    /// their squares (Kish 1965).
    pub effective_keys: f64,
    /// The heaviest key: whatever the placement, one server holds at least this.
    pub heaviest: Heaviest,
    /// What chance would do.
    pub chance: Chance,
}

/// The heaviest key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heaviest {
    /// Its weight.
    pub weight: f64,
    /// How many weights had been added when it first came: its line, counted from 0.
    pub added: u64,
}

impl Keys {
    /// How the keys fall on `servers`, each of which holds `capacity` in the weights' unit, and how
    /// they would in `iterations` placements by chance. Memory grows with the servers, the
    /// iterations and the distinct keys.
    ///
    /// # Errors
    /// No keys, no weight above 0, a capacity that is not above 0, counts out of range.
    pub fn fall(
        &self,
        servers: u64,
        capacity: f64,
        iterations: u64,
        seed: u64,
    ) -> Result<Fall, Error> {
        self.check(servers, capacity, iterations)?;
        let keys = self.sorted();
        let mut hashed = vec![0.0; servers as usize];
        keys.iter().for_each(|(hash, key)| hashed[(hash % servers) as usize] += key.weight);
        let squares: f64 = keys.iter().map(|(_, key)| (key.weight / self.total).powi(2)).sum();
        let one = 1.0 / servers as f64;
        let weights: Vec<f64> = keys.iter().map(|(_, key)| key.weight).collect();
        Ok(Fall {
            chance: chance(&weights, &hashed, capacity, iterations, seed),
            hashed,
            total: self.total,
            mean: self.total / servers as f64,
            variance: squares * self.total * self.total * one * (1.0 - one),
            effective_keys: 1.0 / squares,
            heaviest: heaviest(&keys),
        })
    }

    fn check(&self, servers: u64, capacity: f64, iterations: u64) -> Result<(), Error> {
        let many = Error::TooManyServers { max: SERVERS_MAX };
        within(servers, SERVERS_MAX, Error::NoServers, many)?;
        let wrong = Error::WrongIterations { max: ITERATIONS_MAX };
        within(iterations, ITERATIONS_MAX, wrong.clone(), wrong)?;
        match () {
            () if self.is_empty() => Err(Error::NoItems),
            () if self.total <= 0.0 => Err(Error::NoWeight),
            () if capacity.is_nan() || capacity <= 0.0 => Err(Error::NoCapacity),
            () => Ok(()),
        }
    }
}

/// Of equals the one that came first.
fn heaviest(keys: &[(u64, Key)]) -> Heaviest {
    let mut best = Heaviest { weight: -1.0, added: 0 };
    for (_, key) in keys {
        if (key.weight, best.added) > (best.weight, key.first) {
            best = Heaviest { weight: key.weight, added: key.first };
        }
    }
    best
}

impl Fall {
    /// What the fullest server holds by hashing.
    pub fn fullest(&self) -> f64 {
        self.hashed.iter().copied().fold(0.0, f64::max)
    }

    /// How many servers hold more than `capacity` by hashing.
    pub fn over(&self, capacity: f64) -> usize {
        self.hashed.iter().filter(|&&load| load > capacity).count()
    }

    /// Fewer servers than this cannot hold the keys, however they are placed; `None` where no
    /// number can, because the heaviest key alone is more than `capacity`.
    pub fn least_servers(&self, capacity: f64) -> Option<u64> {
        (self.heaviest.weight <= capacity).then_some((self.total / capacity).ceil() as u64)
    }
}
