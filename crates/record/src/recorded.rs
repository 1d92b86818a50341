//! What the trials of one section yielded, complete enough to conclude again without the machine.

mod columns;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Refusal;

/// Every trial of one section, and what bounded them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// How much time the section was given.
    pub budget_ns: u64,
    /// How long each trial was to last, before its jitter of +-20 %.
    pub window_ns: u64,
    /// The CPUs that trials could be placed on.
    pub cpus: Vec<usize>,
    /// The section's own seed: what its shuffles and resamplings descend from.
    pub seed: u64,
    /// What was chosen of what the question lets one choose, by the choice's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub choices: Choices,
    /// What ended the rounds.
    pub stopped: Stopped,
    /// The worker processes, in order, with what else the machine did beside each.
    pub starts: Vec<Start>,
    /// The trials of every finished round, in the order in which they ran; no warm-up among them.
    #[serde(with = "columns")]
    pub trials: Vec<Trial>,
}

/// What was chosen of what a question lets one choose: `threads` -> `2`, `8`.
pub type Choices = BTreeMap<String, Vec<String>>;

/// What ended the rounds of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// Every interval was as narrow as was wanted.
    Precise,
    /// The time given was used up.
    Budget,
    /// A signal came.
    Interrupted,
    /// No worker could be started, or every trial was refused: going on would bring no more.
    Broken,
}

/// One worker process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// When it began, since the section's beginning.
    pub at_ns: u64,
    /// How long it lived.
    pub wall_ns: u64,
    /// CPU time that other processes used meanwhile, in CPUs; absent where it can't be read.
    pub foreign_cpus: Option<f64>,
    /// CPU time that the hypervisor withheld meanwhile, in CPUs; absent where it can't be read.
    pub steal_cpus: Option<f64>,
}

/// One timed window of one case.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The worker process, as an index into [`Recorded::starts`].
    pub start: u32,
    /// The round, counted over the whole section.
    pub round: u32,
    /// The case's id.
    pub case: String,
    /// When it was asked for, since the section's beginning.
    pub at_ns: u64,
    /// What it yielded.
    pub result: Result<Observation, Refusal>,
}

/// What one trial yielded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// What was measured, by metric.
    pub readings: BTreeMap<String, Reading>,
    /// What was counted in the same window, to show that the event claimed did happen.
    pub proof: BTreeMap<String, f64>,
}

/// One measured value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// A number whose median over the rounds is of interest.
    Level(f64),
    /// So many of so many: of interest is the share over all rounds, not the median of shares.
    Share(Part),
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct Part {
    /// How many it happened to.
    pub events: u64,
    /// Of how many.
    pub of: u64,
}

impl From<(u64, u64)> for Part {
    fn from((events, of): (u64, u64)) -> Self {
        Self { events, of }
    }
}

impl From<Part> for (u64, u64) {
    fn from(part: Part) -> Self {
        (part.events, part.of)
    }
}

impl Reading {
    /// The number, for a reading that is one.
    pub fn level(self) -> Option<f64> {
        match self {
            Self::Level(value) => Some(value),
            Self::Share(_) => None,
        }
    }

    /// So many of so many, for a reading that is that.
    pub fn share(self) -> Option<Part> {
        match self {
            Self::Level(_) => None,
            Self::Share(part) => Some(part),
        }
    }
}

impl Recorded {
    /// A record of nothing yet.
    pub fn new(budget_ns: u64, cpus: Vec<usize>, seed: u64) -> Self {
        Self {
            budget_ns,
            window_ns: 0,
            cpus,
            seed,
            choices: Choices::new(),
            stopped: Stopped::Precise,
            starts: Vec::new(),
            trials: Vec::new(),
        }
    }

    /// How many rounds were finished.
    pub fn rounds(&self) -> u32 {
        self.trials.iter().map(|trial| trial.round + 1).max().unwrap_or(0)
    }

    /// The trials of one case, in order.
    pub fn of_case<'a>(&'a self, case: &'a str) -> impl Iterator<Item = &'a Trial> {
        self.trials.iter().filter(move |trial| trial.case == case)
    }
}
