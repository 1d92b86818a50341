//! A finding: a stable id, an outcome, a sentence, and advice where there is some.

mod flat;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use flat::WrongFinding;

use crate::{Quantity, Refusal, Unit};

/// One thing that was found out, or was refused to be named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "flat::Flat", into = "flat::Flat")]
pub struct Finding {
    /// Stable, dotted, unique in a run: `syscall.getppid.cost`.
    pub id: String,
    /// What value, low and high are counted in.
    pub unit: Unit,
    /// Which direction a user wants it to go.
    pub better: Better,
    /// The number with its interval, or why there is none.
    pub outcome: Outcome,
    /// The trials that the number is the median, or the share, of, where it is one.
    pub rests_on: Option<RestsOn>,
    /// What a comparison of two sides says.
    pub verdict: Option<Verdict>,
    /// What a model predicts; never the estimate's own interval.
    pub expected: Option<Expected>,
    /// What others measured.
    pub references: Vec<Reference>,
    /// Medians over the trials of what was counted to show that the event happened.
    pub proof: BTreeMap<String, f64>,
    /// The finding as a sentence.
    pub text: String,
    /// Whether it stands in a table, and needs no sentence of its own beside it.
    pub tabled: bool,
    /// What to do about it.
    pub advice: Option<String>,
}

impl Finding {
    /// A finding with nothing beside its outcome and its sentence.
    pub fn new(
        id: impl Into<String>,
        unit: Unit,
        better: Better,
        outcome: Outcome,
        text: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            unit,
            better,
            outcome,
            rests_on: None,
            verdict: None,
            expected: None,
            references: Vec::new(),
            proof: BTreeMap::new(),
            text: text.into(),
            tabled: false,
            advice: None,
        }
    }
}

impl Finding {
    /// The number and its 95 % interval as the cells of a table; in place of a number, why there is
    /// none, in a word.
    pub fn cells(&self) -> [String; 2] {
        match (&self.outcome, self.outcome.estimate()) {
            (_, Some(it)) => {
                let interval = match it.basis {
                    Basis::Rounds { .. } | Basis::Share { .. } => {
                        Quantity::range(it.low, it.high, self.unit)
                    }
                    _ => "none".to_owned(),
                };
                [Quantity::new(it.value, self.unit).to_string(), interval]
            }
            (Outcome::Refused(_), None) => ["refused".to_owned(), String::new()],
            (_, None) => ["not run".to_owned(), String::new()],
        }
    }
}

/// Which of the recorded trials a number is the median of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestsOn {
    /// The case.
    pub case: String,
    /// The metric.
    pub metric: String,
    /// Whether it is CPU work, so that a faster or slower CPU changes it in proportion.
    pub cpu_bound: bool,
}

/// What a comparison of two sides says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The later side is better, beyond the margin.
    Faster,
    /// The later side is worse, beyond the margin.
    Slower,
    /// They are equal within the margin.
    Same,
    /// Neither can be said.
    Inconclusive,
    /// They are not of the same thing.
    NotComparable,
}

/// Which direction is an improvement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Less is better: a cost.
    Lower,
    /// More is better: a throughput.
    Higher,
    /// Neither: a fact.
    Neither,
}

/// The number with its interval, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// From trials of this run.
    Measured(Estimate),
    /// By arithmetic from measured values.
    Derived(Estimate),
    /// It did not happen within the time given.
    Never {
        /// How long was waited.
        within_ns: u64,
    },
    /// It was not tried.
    NotRun {
        /// Why not.
        why: String,
    },
    /// It was tried, and no number can be named.
    Refused(Refusal),
}

impl Outcome {
    /// Why there is no number, where there is none.
    pub fn why(&self) -> Option<String> {
        match self {
            Self::Measured(_) | Self::Derived(_) => None,
            Self::Never { within_ns } => {
                Some(format!("did not happen within {} s", *within_ns as f64 / 1e9))
            }
            Self::NotRun { why } => Some(why.clone()),
            Self::Refused(refusal) => Some(refusal.to_string()),
        }
    }

    /// The number, where there is one.
    pub fn estimate(&self) -> Option<&Estimate> {
        match self {
            Self::Measured(estimate) | Self::Derived(estimate) => Some(estimate),
            Self::Never { .. } | Self::NotRun { .. } | Self::Refused(_) => None,
        }
    }
}

/// A value with the interval that it is known to: finite, `low <= value <= high`.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The best guess.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// What the interval rests on.
    pub basis: Basis,
}

impl Estimate {
    /// The interval with the name that its basis earns: `95 %: 99.5 to 103 ns`.
    pub fn interval(&self, unit: Unit) -> String {
        let range = Quantity::range(self.low, self.high, unit);
        match self.basis {
            Basis::Rounds { .. } | Basis::Share { .. } => format!("95 %: {range}"),
            Basis::Spread { rounds: 1 } => "one round, no interval".to_owned(),
            Basis::Spread { .. } => {
                format!("too few starts for an interval; 9 in 10 rounds: {range}")
            }
            Basis::Count { .. } | Basis::Extreme { .. } | Basis::Exact => "no interval".to_owned(),
        }
    }

    /// Half the interval's width, relative to the value; of a share, whose value may be zero, as it
    /// is.
    pub fn relative_half_width(&self) -> f64 {
        let half = (self.high - self.low) / 2.0;
        match self.basis {
            _ if half == 0.0 => 0.0,
            Basis::Share { .. } => half,
            _ => half / self.value.abs(),
        }
    }
}

/// What an interval rests on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Basis {
    /// The median over rounds; 95 % by bootstrap over starts, then blocks of rounds within them.
    Rounds {
        /// How many rounds.
        rounds: u32,
        /// In how many worker processes.
        starts: u32,
    },
    /// The median over the rounds of too few starts to say anything about others: low and high are
    /// the 5th and 95th percentile of the rounds, and no interval is claimed.
    Spread {
        /// How many rounds.
        rounds: u32,
    },
    /// A share of events that come in clusters: all of them over all that could have been; 95 % by
    /// bootstrap of that ratio over starts, then blocks of rounds. Where none was seen, or nothing
    /// else, the other end is Clopper and Pearson's over the starts. Or a quantile of what all
    /// rounds counted together, resampled alike.
    Share {
        /// How many rounds.
        rounds: u32,
        /// In how many worker processes.
        starts: u32,
    },
    /// A count of all that was seen: no interval is claimed, low = value = high.
    Count {
        /// Among how many.
        of: u64,
    },
    /// A maximum: no interval is claimed, low = value = high.
    Extreme {
        /// Over how many.
        of: u32,
    },
    /// Exact mathematics.
    Exact,
}

/// The interval that a model predicts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The model, and where it is written down.
    pub source: String,
}

/// What somebody else measured, in the finding's unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// On what machine: `Xeon E5-2620`.
    pub machine: String,
    /// In which year.
    pub year: u16,
    /// The number, in the finding's unit.
    pub value: f64,
    /// Who published it.
    pub source: String,
}
