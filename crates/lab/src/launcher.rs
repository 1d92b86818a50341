//! Where trials run: in a worker process, or for tests in this one.

mod local;
mod reexec;

use std::time::Duration;

use record::{Observation, Refusal};

pub use local::Local;
pub use reexec::Reexec;

use crate::Trial;

/// Starts workers.
pub trait Launcher {
    /// Starts a worker for the experiment of this name.
    ///
    /// # Errors
    /// Where no process can be made.
    fn start(&self, experiment: &str) -> Result<Box<dyn Worker + '_>, Refusal>;
}

/// Runs trials, one after another. Dropped, it is gone, whatever it was doing.
pub trait Worker {
    /// Runs one trial, and waits for its answer for at most `deadline`.
    ///
    /// # Errors
    /// What the trial refused with; or what became of the worker, which then runs nothing more.
    fn run(&mut self, trial: &Trial, deadline: Duration) -> Result<Observation, Refusal>;
}
