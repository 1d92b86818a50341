//! Trials in this process: for tests, and for benchmarks that watch over themselves.

use std::time::Duration;

use estimate::CANARY;
use machine::counters::ThreadWatch;
use record::{Observation, Refusal};

use super::{Launcher, Worker};
use crate::{Experiment, Trial, canary};

/// Runs the trials of one experiment here.
pub struct Local<'a> {
    experiment: &'a dyn Experiment,
    /// What answers for the canary; without it the real one sings.
    canary: Option<&'a (dyn Fn(&Trial) -> Observation + 'a)>,
}

impl<'a> Local<'a> {
    /// Runs the trials of `experiment`, and the real canary.
    pub fn new(experiment: &'a dyn Experiment) -> Self {
        Self { experiment, canary: None }
    }

    /// Runs the trials of `experiment`, and a canary that obeys a false clock.
    pub fn with_canary(
        experiment: &'a dyn Experiment,
        canary: &'a dyn Fn(&Trial) -> Observation,
    ) -> Self {
        Self { experiment, canary: Some(canary) }
    }
}

impl Launcher for Local<'_> {
    fn start(&self, _experiment: &str) -> Result<Box<dyn Worker + '_>, Refusal> {
        Ok(Box::new(LocalWorker { local: self, watch: ThreadWatch::new() }))
    }
}

struct LocalWorker<'a> {
    local: &'a Local<'a>,
    watch: ThreadWatch,
}

impl Worker for LocalWorker<'_> {
    fn run(&mut self, trial: &Trial, _deadline: Duration) -> Result<Observation, Refusal> {
        match self.local.canary {
            _ if trial.case.id != CANARY => self.local.experiment.trial(trial),
            Some(canary) => Ok(canary(trial)),
            None => canary::trial(&mut self.watch, trial),
        }
    }
}
