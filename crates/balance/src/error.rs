//! What is wrong with a question, in words that a person can act on.

use std::fmt;

/// Why there is no answer. Nothing in this crate panics on a number that it is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// There is nothing to place.
    NoItems,
    /// More items than the tables are made for.
    TooManyItems {
        /// The most that are answered.
        max: u64,
    },
    /// There is nothing to place on.
    NoServers,
    /// More servers than the arithmetic, or the memory, is made for.
    TooManyServers {
        /// The most that are answered.
        max: u64,
    },
    /// A server that can hold nothing.
    NoCapacity,
    /// A quantile or a risk that is not strictly between 0 and 1.
    NotAShare {
        /// What was given.
        value: f64,
    },
    /// A ratio of the fullest server to the mean that is not a number above 1.
    NotAboveOne {
        /// What was given.
        value: f64,
    },
    /// A server with no virtual nodes on the ring, or more than are answered.
    WrongPoints {
        /// The most that are answered.
        max: u32,
    },
    /// No choice at all, or more distinct servers to look at than there are.
    WrongChoices {
        /// How many were to be looked at.
        choices: u32,
        /// How many there are.
        servers: u64,
    },
    /// Information that is refreshed every 0 items.
    NoRefresh,
    /// No iteration, or more than the sums are made for.
    WrongIterations {
        /// The most that are answered.
        max: u64,
    },
    /// A weight that is negative, infinite or not a number.
    WrongWeight {
        /// Which, counted from 0.
        index: usize,
    },
    /// No weight above zero.
    NoWeight,
    /// The load is spread over more values than fit a table (one server may hold all, or nothing).
    TooWide {
        /// The most values that are tabled.
        max: usize,
    },
    /// No number does what is asked, and why.
    Unreachable {
        /// The best that can be had, in the unit of what was asked.
        best: f64,
    },
    /// The caller stopped it.
    Stopped,
    /// A thread of the simulation ended without a result.
    WorkerLost,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoItems => write!(f, "there are no items, give at least 1"),
            Self::TooManyItems { max } => write!(f, "too many items, at most {max}"),
            Self::NoServers => write!(f, "there are no servers, give at least 1"),
            Self::TooManyServers { max } => write!(f, "too many servers, at most {max}"),
            Self::NoCapacity => write!(f, "a capacity of 0 holds nothing, give at least 1"),
            Self::NotAShare { value } => {
                write!(f, "{value} is not a share, give a number between 0 and 1")
            }
            Self::NotAboveOne { value } => {
                write!(f, "{value} is not a ratio to the mean, give a number above 1")
            }
            Self::WrongPoints { max } => write!(f, "virtual nodes must be 1 to {max}"),
            Self::WrongChoices { choices, servers } => {
                write!(f, "cannot look at {choices} of {servers} servers, give 1 to {servers}")
            }
            Self::NoRefresh => write!(f, "loads cannot be refreshed every 0 items, give 1 or more"),
            Self::WrongIterations { max } => write!(f, "iterations must be 1 to {max}"),
            Self::WrongWeight { index } => {
                write!(f, "weight {} is not a number of 0 or more", index.saturating_add(1))
            }
            Self::NoWeight => write!(f, "no weight is above 0"),
            Self::TooWide { max } => {
                write!(f, "the load of a server is spread over more than {max} values")
            }
            Self::Unreachable { best } => write!(f, "cannot be reached, the best is {best}"),
            Self::Stopped => write!(f, "stopped"),
            Self::WorkerLost => write!(f, "a thread of the simulation was lost"),
        }
    }
}

impl std::error::Error for Error {}

/// Strictly between 0 and 1, so not NaN either.
pub(crate) fn share(value: f64) -> Result<f64, Error> {
    match value > 0.0 && value < 1.0 {
        true => Ok(value),
        false => Err(Error::NotAShare { value }),
    }
}

/// At least 1 and at most `max`, or the two errors given.
pub(crate) fn within(value: u64, max: u64, none: Error, many: Error) -> Result<u64, Error> {
    match value {
        0 => Err(none),
        _ if value > max => Err(many),
        _ => Ok(value),
    }
}
