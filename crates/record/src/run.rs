//! One invocation of Fathom: what it ran on, and a section per question.

use serde::{Deserialize, Serialize};

use crate::{Figure, Finding, Machine, Recorded, Table};

/// The version of the run file that this Fathom writes. It grows by one whenever an older Fathom
/// could misread what a newer one wrote; every older schema stays readable.
pub const SCHEMA: u32 = 1;

/// The largest seed: every reader of JSON, JavaScript too, can hold whole numbers up to it.
pub const SEED_MAX: u64 = (1 << 53) - 1;

/// Machines and sections of one invocation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The version of this layout; see [`SCHEMA`].
    pub schema: u32,
    /// The version of the Fathom that wrote the run.
    pub fathom: String,
    /// When the run began: RFC 3339, UTC, whole seconds.
    pub started_at: String,
    /// What every shuffle and resampling of the run descends from.
    pub seed: u64,
    /// How the run ended.
    pub ended: Ended,
    /// The machines that took part; the first is the one that Fathom ran on.
    pub machines: Vec<Machine>,
    /// One section per question, in the order in which they were asked.
    pub sections: Vec<Section>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// Every question was asked to its end.
    Complete,
    /// A signal ended the run early; the rounds finished by then are kept.
    Interrupted,
    /// Something outside the questions failed; the reason is given.
    Failed(String),
}

/// What one question yielded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// The question's name, as typed on the command line: `syscall`.
    pub name: String,
    /// What the section answers, in one sentence.
    pub question: String,
    /// Grows whenever what a trial does changes, so that results of different work are never
    /// compared.
    pub workload_version: u32,
    /// The trials behind the conclusion; absent where an answer rests on none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    /// What follows from the trials.
    #[serde(flatten)]
    pub conclusion: Conclusion,
}

/// What follows from what was recorded. Pure: the same record always yields the same conclusion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conclusion {
    /// Findings, the most important first; the first one's text is the section's headline.
    pub findings: Vec<Finding>,
    /// Tables behind the findings.
    pub tables: Vec<Table>,
    /// Figures behind the findings.
    pub figures: Vec<Figure>,
    /// Why the findings deserve less trust here.
    pub caveats: Vec<Caveat>,
}

/// Why findings deserve less trust on this machine or in this run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caveat {
    /// A stable word for machines to match: `noisy`, `two_modes`, `drifting`, `virtualised`.
    pub kind: String,
    /// One sentence for a person: what was seen, and what it does to the numbers.
    pub text: String,
}

impl Caveat {
    /// A caveat of this kind, said in this sentence.
    pub fn new(kind: &str, text: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), text: text.into() }
    }
}
