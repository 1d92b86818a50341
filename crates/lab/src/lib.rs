//! How an experiment is designed, scheduled, stopped and judged.
//!
//! The road of one answer: an [`Experiment`] names its cases; [`conduct()`] runs them in shuffled
//! rounds, in several worker processes spread over the time given, each trial with proof that what
//! it claims did happen; [`conclude`] turns what was recorded into a section, and adds what every
//! experiment owes its reader: the noise floor, the machine's own speed, and the caveats.
//!
//! Not here: no experiment. Nothing in this crate knows what is measured.
//!
//! Run: `cargo test -p lab`

mod canary;
mod caveats;
mod conduct;
mod experiment;
pub mod fake;
mod instruments;
mod judge;
mod launcher;
mod schedule;
mod timed;
mod worker;

pub use conduct::{Go, Progress, Unwatched, Watch, conduct};
pub use experiment::{About, Case, Context, Experiment, Request, Step, Trial, not_placed, pin};
pub use instruments::{Instruments, Live};
pub use judge::{conclude, is_about_measuring, refuse};
pub use launcher::{Launcher, Local, Reexec, Worker};
pub use timed::{Counted, Timed, timed};
pub use worker::{Orphaned, serve};
