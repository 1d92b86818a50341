//! What a simulation says, with standard errors.

use super::tally::Tally;
use crate::error::share;
use crate::exact::interval;
use crate::{Error, Method, Probability};

/// Half the width of a 95 % interval, in standard errors.
const WIDTH: f64 = 1.959_963_984_540_054;

/// The result of [`super::Simulation::run`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulated {
    servers: u64,
    tally: Tally,
}

/// A load that a share of all servers, over all iterations, does not exceed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantile {
    /// In items: the lowest load with at least the wanted share at or below it.
    pub value: u64,
    /// Lower end of the 95 % interval, in items.
    pub low: u64,
    /// Upper end of it.
    pub high: u64,
    /// The share at or below `value`.
    pub share: f64,
    /// The standard error of `share`.
    pub standard_error: f64,
}

/// A mean over iterations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// In items.
    pub value: f64,
    /// In items.
    pub standard_error: f64,
}

impl Simulated {
    pub(crate) fn new(servers: u64, tally: Tally) -> Self {
        Self { servers, tally }
    }

    /// How many iterations it rests on.
    pub fn iterations(&self) -> u64 {
        self.tally.iterations
    }

    /// Each load that a server held, and how many did, over all iterations.
    pub fn loads(&self) -> impl Iterator<Item = (u64, u64)> {
        (u64::from(self.tally.first)..).zip(self.tally.held.iter().copied())
    }

    /// The load that one server does not exceed with at least the chance `share`. Its interval is
    /// Woodruff's (1952): the loads at which the share, give or take its error, passes the wanted
    /// one.
    ///
    /// # Errors
    /// A share that is not strictly between 0 and 1.
    pub fn quantile(&self, share_of: f64) -> Result<Quantile, Error> {
        let wanted = share(share_of)?;
        // Where all servers lie at or below a load, their share has no spread to be seen; it is at
        // least that of servers drawn one by one.
        let all = (self.tally.iterations * self.servers) as f64;
        let least_error = (wanted * (1.0 - wanted) / all).sqrt();
        let shares: Vec<(f64, f64)> = self.shares().collect();
        let at = |widths: f64| {
            let passes = |&(share, error): &(f64, f64)| {
                share + widths * f64::max(error, least_error) >= wanted
            };
            shares.iter().position(passes).unwrap_or(shares.len().saturating_sub(1))
        };
        let load = |index: usize| u64::from(self.tally.first) + index as u64;
        let index = at(0.0);
        let (value, error) = shares.get(index).copied().unwrap_or_default();
        Ok(Quantile {
            value: load(index),
            low: load(at(WIDTH)),
            high: load(at(-WIDTH)),
            share: value,
            standard_error: error,
        })
    }

    /// The probability that one server holds more than `capacity`. The error is over iterations:
    /// servers of one iteration are not independent.
    pub fn over(&self, capacity: u64) -> Probability {
        let index = capacity.checked_sub(u64::from(self.tally.first));
        let (up_to, error) = match index {
            None => (0.0, 0.0),
            Some(index) => self.shares().nth(index as usize).unwrap_or((1.0, 0.0)),
        };
        self.probability(1.0 - up_to, error)
    }

    /// The probability that any server holds more than `capacity`.
    pub fn any_over(&self, capacity: u64) -> Probability {
        let value = self.iterations_over(capacity) as f64 / self.tally.iterations as f64;
        let error = (value * (1.0 - value) / self.tally.iterations as f64).sqrt();
        self.probability(value, error)
    }

    /// The 95 % interval of [`Self::any_over`] by Clopper and Pearson: its upper end is above 0
    /// also where no iteration was over.
    ///
    /// # Errors
    /// None for the iterations that a simulation takes.
    pub fn any_over_interval(&self, capacity: u64) -> Result<(f64, f64), Error> {
        interval(self.iterations_over(capacity), self.tally.iterations)
    }

    /// What the fullest server holds on average.
    pub fn maximum(&self) -> Mean {
        let count = self.tally.iterations as f64;
        let all = || (u64::from(self.tally.first)..).zip(&self.tally.fullest);
        let value = all().map(|(load, &times)| load as f64 * times as f64).sum::<f64>() / count;
        let square = |(load, &times): (u64, &u64)| (load as f64 - value).powi(2) * times as f64;
        let variance = all().map(square).sum::<f64>() / (count - 1.0).max(1.0);
        Mean { value, standard_error: (variance / count).sqrt() }
    }

    /// The load that the fullest server does not exceed with at least the chance `share`.
    ///
    /// # Errors
    /// A share that is not strictly between 0 and 1.
    pub fn fullest(&self, share_of: f64) -> Result<u64, Error> {
        let wanted = share(share_of)? * self.tally.iterations as f64;
        let mut seen = 0;
        let passes = |&count: &u64| {
            seen += count;
            seen as f64 >= wanted
        };
        let index = self.tally.fullest.iter().position(passes).unwrap_or(0);
        Ok(u64::from(self.tally.first) + index as u64)
    }

    fn iterations_over(&self, capacity: u64) -> u64 {
        let up_to = capacity.saturating_add(1).saturating_sub(u64::from(self.tally.first));
        let start = usize::try_from(up_to).unwrap_or(usize::MAX).min(self.tally.fullest.len());
        self.tally.fullest[start..].iter().sum()
    }

    /// For each load from the first on, the share of servers at or below it, and its standard error
    /// over iterations.
    fn shares(&self) -> impl Iterator<Item = (f64, f64)> {
        let (mut held, mut done) = (0, 0);
        let (count, servers) = (u128::from(self.tally.iterations), u128::from(self.servers));
        (0..self.tally.held.len()).map(move |index| {
            held += u128::from(self.tally.held[index]);
            done += u128::from(self.tally.fullest[index]);
            let squares = self.tally.squares[index] + done * servers * servers;
            let whole = (count * servers) as f64;
            // Whole numbers, so that nothing is lost in the difference.
            let spread = (count * squares).saturating_sub(held * held) as f64;
            let degrees = (count as f64 - 1.0).max(1.0);
            (held as f64 / whole, (spread / degrees).sqrt() / whole)
        })
    }

    fn probability(&self, value: f64, error: f64) -> Probability {
        let method = Method::Simulated { iterations: self.tally.iterations };
        Probability { value, error, method }
    }
}
