//! How many servers it takes, how large they must be, and how many virtual nodes.
//!
//! There are two readings of "one per cent", and they are far apart, so every answer has both: one
//! server that was chosen beforehand is over, or any of them is.

mod choices;
mod points;
mod search;
mod servers;

pub use choices::{Effort, servers_by_choice};
pub use points::points;
pub use servers::{Capacities, Fleet, Plan, Wanted, capacities, least_servers, servers};
