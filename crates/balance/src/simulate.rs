//! Where servers are chosen by their loads, there is no closed form: the placement is repeated, and
//! each number comes with its standard error.
//!
//! Each iteration has a stream of random numbers of its own, by its number alone, and what is added
//! up are whole numbers. So a seed gives the same bytes on any number of threads.

pub(crate) mod draws;
mod place;
mod simulated;
mod tally;
mod work;

pub use place::Policy;
pub use simulated::{Mean, Quantile, Simulated};
pub use work::{ITERATIONS_MAX, SERVERS_MAX, Simulation};
