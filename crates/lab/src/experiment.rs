//! What an experiment is: cases, a trial, and what follows from the trials.

use std::{
    collections::BTreeMap,
    io::{self, ErrorKind},
    time::Duration,
};

use estimate::TWIN;
use record::{Choices, Conclusion, Machine, Observation, Recorded, Refusal};
use serde::{Deserialize, Serialize};

/// A question with its method.
pub trait Experiment: Sync {
    /// Name, question and what else never changes.
    fn about(&self) -> &'static About;

    /// The next step, given what was recorded so far. Pure; asked until it answers [`Step::Done`].
    ///
    /// # Errors
    /// Where the question can't be asked on this machine.
    fn next(&self, context: &Context, so_far: &Recorded) -> Result<Step, Refusal>;

    /// Runs one trial. Called in a worker process, which it may place and bend as it likes.
    ///
    /// # Errors
    /// Where no number can be named, which is a result like any other.
    fn trial(&self, trial: &Trial) -> Result<Observation, Refusal>;

    /// What follows from the trials. Pure: a stored run can be concluded again.
    fn conclude(&self, context: &Context, recorded: &Recorded) -> Conclusion;
}

/// What of an experiment never changes.
#[derive(Debug)]
pub struct About {
    /// Its name on the command line, and the first word of its findings' ids.
    pub name: &'static str,
    /// What it answers, in one sentence.
    pub question: &'static str,
    /// One line for the command's help.
    pub help: &'static str,
    /// To be raised whenever what a trial does changes.
    pub workload_version: u32,
    /// Its share of the survey's time.
    pub survey_budget: Duration,
    /// What a survey chooses of what it lets one choose, by the choice's name.
    pub survey_choices: &'static [(&'static str, &'static [&'static str])],
    /// How long it takes when it is asked alone, and no time is given.
    pub budget: Duration,
}

/// What there is to know before the first trial.
#[derive(Clone, Debug)]
pub struct Context {
    /// The machine that the trials run on.
    pub machine: Machine,
    /// What the user asked for.
    pub request: Request,
}

/// What the user asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// How long the experiment may take.
    pub budget: Duration,
    /// The CPUs that trials may be placed on; never empty.
    pub cpus: Vec<usize>,
    /// The section's own seed.
    pub seed: u64,
    /// What was chosen of what the question lets one choose.
    pub choices: Choices,
}

impl Request {
    /// The record of an experiment that nothing was asked of yet.
    pub fn blank(&self) -> Recorded {
        Recorded {
            choices: self.choices.clone(),
            ..Recorded::new(self.budget.as_nanos() as u64, self.cpus.clone(), self.seed)
        }
    }
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Run every case once per round, in shuffled order, until all intervals are narrow enough or
    /// the time is used up.
    Rounds {
        /// The cases; their ids are unique.
        cases: Vec<Case>,
        /// How long it may take.
        time: Duration,
        /// The half-width, relative to the value, at which an interval is narrow enough.
        half_width_max: f64,
        /// About how long a round takes where some trials last longer than their window, so that
        /// a worker lives for several of them; zero otherwise.
        round_about: Duration,
    },
    /// There is nothing left to do.
    Done,
}

/// One combination of levels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Unique within the experiment.
    pub id: String,
    /// The level of each factor.
    pub levels: BTreeMap<String, String>,
}

impl Case {
    /// The case of these levels.
    pub fn new(id: &str, levels: &[(&str, &str)]) -> Self {
        let level = |(factor, level): &(&str, &str)| ((*factor).to_owned(), (*level).to_owned());
        Self { id: id.to_owned(), levels: levels.iter().map(level).collect() }
    }

    /// The same case under a second label: whatever differs between the two is noise.
    pub fn twin(&self) -> Self {
        Self { id: format!("{}{TWIN}", self.id), levels: self.levels.clone() }
    }

    /// The level of `factor`; empty where the case has no such factor.
    pub fn level(&self, factor: &str) -> &str {
        self.levels.get(factor).map_or("", String::as_str)
    }
}

/// One timed window of one case, as a worker is asked for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// What to run.
    pub case: Case,
    /// For how long, about.
    pub window: Duration,
    /// The CPUs that it may be placed on; never empty.
    pub cpus: Vec<usize>,
    /// Which worker process of the section this is.
    pub start: u32,
    /// This trial's own seed, for whatever it does at random.
    pub seed: u64,
}

impl Trial {
    /// The CPU for a trial that needs only one: each start takes the next, so that no single CPU
    /// speaks for the machine.
    pub fn home_cpu(&self) -> usize {
        self.cpus[self.start as usize % self.cpus.len()]
    }

    /// Lets the calling thread run on its [home CPU](Self::home_cpu) only.
    ///
    /// # Errors
    /// Where that is refused.
    pub fn pin_home(&self) -> Result<(), Refusal> {
        pin(&[self.home_cpu()])
    }
}

/// Lets the calling thread run on these CPUs only.
///
/// # Errors
/// Where that is refused.
pub fn pin(cpus: &[usize]) -> Result<(), Refusal> {
    machine::pin_to_any(cpus).map_err(|error| not_placed(cpus, &error))
}

/// The refusal of a thread that may not run on these CPUs.
pub fn not_placed(cpus: &[usize], error: &io::Error) -> Refusal {
    Refusal::NotPermitted {
        now: format!("sched_setaffinity to CPU {}: {error}", words(cpus)),
        fix: match error.kind() {
            ErrorKind::PermissionDenied => "let the filter allow sched_setaffinity".into(),
            _ => "name other CPUs with --cpus".into(),
        },
    }
}

fn words(cpus: &[usize]) -> String {
    cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}
