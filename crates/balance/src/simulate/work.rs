//! How much to simulate, and on how many threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use super::draws::Streams;
use super::place::{Policy, Room};
use super::simulated::Simulated;
use super::tally::Tally;
use crate::Error;
use crate::error::within;

/// 134 million: some 1.6 GB for each thread.
pub const SERVERS_MAX: u64 = 1 << 27;
/// The sums of squares are exact up to here.
pub const ITERATIONS_MAX: u64 = 1 << 32;
/// Loads are counted in 32 bits.
const ITEMS_MAX: u64 = u32::MAX as u64;

/// What to place how, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// Items in each iteration.
    pub items: u64,
    /// Servers that they fall on.
    pub servers: u64,
    /// How a server is chosen.
    pub policy: Policy,
    /// After how many items loads are looked at anew: 1 is always fresh, the items or more never.
    pub refresh_every: u64,
    /// How often all items are placed.
    pub iterations: u64,
    /// The same seed gives the same result on any number of threads.
    pub seed: u64,
}

impl Simulation {
    /// With fresh loads.
    pub fn new(items: u64, servers: u64, policy: Policy, iterations: u64, seed: u64) -> Self {
        Self { items, servers, policy, refresh_every: 1, iterations, seed }
    }

    /// Runs it on `threads` (0 counts as 1). Memory grows with the servers and the spread of loads.
    ///
    /// # Errors
    /// Counts of 0 or out of range; more choices than there are servers, without replacement; a
    /// spread of loads too wide for a table.
    pub fn run(&self, threads: usize) -> Result<Simulated, Error> {
        self.run_watched(threads, &|_| true)
    }

    /// As [`Self::run`]. `go_on` is told before each iteration how many were begun, by the thread
    /// that takes it; once it says no, the answer is [`Error::Stopped`].
    ///
    /// # Errors
    /// As for [`Self::run`], and [`Error::Stopped`].
    pub fn run_watched(
        &self,
        threads: usize,
        go_on: &(dyn Fn(u64) -> bool + Sync),
    ) -> Result<Simulated, Error> {
        self.check()?;
        let shared = Shared { next: AtomicU64::new(0), stop: AtomicBool::new(false), go_on };
        let threads = threads.clamp(1, usize::try_from(self.iterations).unwrap_or(usize::MAX));
        let tallies = thread::scope(|scope| {
            let workers: Vec<_> =
                (1..threads).map(|_| scope.spawn(|| self.work(&shared))).collect();
            let mut tallies = vec![self.work(&shared)];
            tallies.extend(workers.into_iter().map(|w| w.join().unwrap_or(Err(Error::WorkerLost))));
            tallies
        });
        let mut whole = Tally::default();
        for tally in tallies {
            whole.join(&tally?)?;
        }
        Ok(Simulated::new(self.servers, whole))
    }

    fn check(&self) -> Result<(), Error> {
        within(self.items, ITEMS_MAX, Error::NoItems, Error::TooManyItems { max: ITEMS_MAX })?;
        let many = Error::TooManyServers { max: SERVERS_MAX };
        within(self.servers, SERVERS_MAX, Error::NoServers, many)?;
        let wrong = Error::WrongIterations { max: ITERATIONS_MAX };
        within(self.iterations, ITERATIONS_MAX, wrong.clone(), wrong)?;
        match self.policy {
            _ if self.refresh_every == 0 => Err(Error::NoRefresh),
            Policy::Choices { choices, replacement }
                if choices == 0 || (!replacement && u64::from(choices) > self.servers) =>
            {
                Err(Error::WrongChoices { choices, servers: self.servers })
            }
            _ => Ok(()),
        }
    }

    /// Takes iterations until none is left: which thread does which does not matter.
    fn work(&self, shared: &Shared) -> Result<Tally, Error> {
        let mut room = Room::new(self.servers as u32);
        let mut tally = Tally::default();
        let streams = Streams::new(self.seed, "balance.simulate");
        let refresh = self.refresh_every.min(ITEMS_MAX) as u32;
        while let Some(iteration) = shared.take(self.iterations)? {
            let mut random = streams.of(iteration);
            tally.add(room.place(self.items as u32, self.policy, refresh, &mut random))?;
        }
        Ok(tally)
    }
}

/// What the threads of one simulation have in common.
struct Shared<'a> {
    next: AtomicU64,
    stop: AtomicBool,
    go_on: &'a (dyn Fn(u64) -> bool + Sync),
}

impl Shared<'_> {
    /// The next iteration that nobody has taken, if any is left.
    fn take(&self, of: u64) -> Result<Option<u64>, Error> {
        let iteration = self.next.fetch_add(1, Ordering::Relaxed);
        if !(self.go_on)(iteration.min(of)) {
            self.stop.store(true, Ordering::Relaxed);
        }
        match self.stop.load(Ordering::Relaxed) {
            true => Err(Error::Stopped),
            false => Ok((iteration < of).then_some(iteration)),
        }
    }
}
