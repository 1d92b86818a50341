//! Real keys with their weights: how evenly they fall by hashing, and how they would by chance.
//!
//! Items of unequal weight fall less evenly than as many equal ones, and the heaviest alone may be
//! more than a server holds: no placement helps against that. What chance would do is the yardstick
//! for what the hash did.
//!
//! The hash is XXH64 with seed 0, modulo the servers: it is what Envoy's ring takes by default, it
//! is the same on every machine, and a million keys take a few milliseconds. Any good hash falls
//! like chance, which is what the comparison shows.

mod chance;
mod fall;

pub use chance::Chance;
pub use fall::{Fall, Heaviest};

use std::collections::HashMap;

use twox_hash::XxHash64;

use crate::Error;

/// The name of the hash, to be said beside what it did.
pub const HASH: &str = "XXH64";

/// Keys with their weights. Of each distinct key 32 bytes or so are kept, and not the key itself:
/// two that share all 64 bits of their hash count as one, which among a million keys happens once
/// in 37 million times.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    of_hash: HashMap<u64, Key>,
    added: u64,
    total: f64,
}

/// One distinct key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Key {
    pub weight: f64,
    pub first: u64,
}

impl Keys {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `weight` (requests, bytes, seconds) to what the key has; the same key may come often.
    ///
    /// # Errors
    /// A weight that is negative, infinite or not a number, or makes the sum infinite, with how
    /// many were added before; nothing is added then.
    pub fn add(&mut self, key: &[u8], weight: f64) -> Result<(), Error> {
        let total = self.total + weight;
        if !(weight >= 0.0 && total.is_finite()) {
            return Err(Error::WrongWeight { index: self.added as usize });
        }
        let fresh = Key { weight: 0.0, first: self.added };
        let key = self.of_hash.entry(XxHash64::oneshot(0, key)).or_insert(fresh);
        key.weight += weight;
        self.total = total;
        self.added += 1;
        Ok(())
    }

    /// How many distinct keys.
    pub fn len(&self) -> usize {
        self.of_hash.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.of_hash.is_empty()
    }

    /// The sum of all weights.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// By hash, so that sums are the same in every run.
    fn sorted(&self) -> Vec<(u64, Key)> {
        let mut keys: Vec<(u64, Key)> = self.of_hash.iter().map(|(&h, &key)| (h, key)).collect();
        keys.sort_unstable_by_key(|&(hash, _)| hash);
        keys
    }
}
