//! Why there is no number. A refusal is a result: it says what stands in the way, and what to do.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a trial, or a finding that rests on trials, yields no number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Refusal {
    /// The event that the number would have claimed was not seen to happen.
    EventNotProven {
        /// What happened instead.
        seen: String,
    },
    /// The system forbids it.
    NotPermitted {
        /// What is set now.
        now: String,
        /// What would allow it.
        fix: String,
    },
    /// Something the question needs is not on this machine.
    Missing {
        /// What is missing.
        what: String,
    },
    /// No answer came before the deadline; the worker was stopped.
    TimedOut {
        /// How long was waited.
        waited_ms: u64,
    },
    /// The worker was ended by a signal.
    Crashed {
        /// The signal's number.
        signal: i32,
    },
    /// The worker ended, or answered in words that are none of ours.
    Broken {
        /// What was seen of it.
        seen: String,
    },
}

impl Refusal {
    /// Whether the worker that gave this refusal can be asked again; if not it is gone.
    pub fn worker_survives(&self) -> bool {
        match self {
            Self::EventNotProven { .. } | Self::NotPermitted { .. } | Self::Missing { .. } => true,
            Self::TimedOut { .. } | Self::Crashed { .. } | Self::Broken { .. } => false,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EventNotProven { seen } => write!(out, "the event did not happen: {seen}"),
            Self::NotPermitted { now, fix } => write!(out, "not permitted: {now}; {fix}"),
            Self::Missing { what } => write!(out, "missing: {what}"),
            Self::TimedOut { waited_ms } => write!(out, "no answer within {waited_ms} ms"),
            Self::Crashed { signal } => write!(out, "the worker was ended by signal {signal}"),
            Self::Broken { seen } => write!(out, "the worker broke: {seen}"),
        }
    }
}
