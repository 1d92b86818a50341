//! Servers for a capacity where they are chosen by their loads: by simulation.

use super::search;
use super::servers::{Fleet, Plan, Wanted, idle, least_servers};
use crate::Error;
use crate::simulate::{Policy, SERVERS_MAX, Simulated, Simulation};

/// How much to simulate for each number of servers that is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How often all items are placed. Risks far below 1 over it cannot be told from none.
    pub iterations: u64,
    /// On how many threads; the answer does not depend on it.
    pub threads: usize,
    /// The same for every number of servers, so that neighbours are compared on like numbers.
    pub seed: u64,
}

/// The fewest servers that do what is wanted under `policy`, with loads looked at anew every
/// `refresh_every` items. Where the chance of the number below lies within a few standard errors
/// of what was wanted, other seeds may say one more or less.
///
/// # Errors
/// As for [`Simulation::run`]; shares that are none; [`Error::TooManyServers`].
pub fn servers_by_choice(
    wanted: &Wanted,
    policy: Policy,
    refresh_every: u64,
    effort: Effort,
) -> Result<Plan, Error> {
    wanted.check()?;
    let Effort { iterations, threads, seed } = effort;
    let run = |servers| {
        let items = wanted.items;
        Simulation { items, servers, policy, refresh_every, iterations, seed }.run(threads)
    };
    let holds = |run: &Simulated| Ok(run.quantile(wanted.share)?.value <= wanted.capacity);
    let safe = |run: &Simulated| Ok(run.any_over(wanted.capacity).value <= wanted.risk);
    let fleet = |servers| {
        let run = run(servers)?;
        let (one_over, any_over) = (run.over(wanted.capacity), run.any_over(wanted.capacity));
        Ok(Fleet { servers, idle: idle(wanted, servers), one_over, any_over })
    };
    let most = Error::TooManyServers { max: SERVERS_MAX };
    // Fewer servers than distinct choices cannot be asked about.
    let least = least_servers(wanted.items, wanted.capacity)?.max(distinct(policy));
    let one = search::least(least, SERVERS_MAX, |at| holds(&run(at)?))?.ok_or(most.clone())?;
    let all = search::least(least, SERVERS_MAX, |at| safe(&run(at)?))?.ok_or(most)?;
    Ok(Plan { one: fleet(one)?, all: fleet(all)? })
}

fn distinct(policy: Policy) -> u64 {
    match policy {
        Policy::Choices { choices, replacement: false } => u64::from(choices),
        _ => 1,
    }
}
