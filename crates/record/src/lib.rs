//! The words of Fathom as plain types, and the run file that holds them.
//!
//! Every answer, however it arose, becomes a [`Section`] of a [`Run`]: findings, tables, figures
//! and caveats. Renderers know nothing else. The types make a wrong record impossible rather than
//! unlikely: a finding that was not measured has nowhere to keep a number, and an interval that
//! does not hold its own value cannot be read back from a file.
//!
//! Not here: no measuring, no statistics, no rendering.
//!
//! Run: `cargo test -p record`

pub mod figure;
pub mod file;
mod finding;
mod machine;
mod quantity;
mod recorded;
mod refusal;
mod run;
mod table;

pub use figure::{Axis, Bar, Figure, Histogram, Labels, Line, Point, Scale};
pub use finding::{
    Basis, Better, Estimate, Expected, Finding, Outcome, Reference, RestsOn, Verdict, WrongFinding,
};
pub use machine::{
    Cache, CacheKind, Container, CpuQuota, Frequency, HugePages, Hypervisor, Limit, Locale,
    LogicalCpu, Machine, Memory, NumaNode, Seccomp, Smt,
};
pub use quantity::{Quantity, Unit, grouped, percent};
pub use recorded::{Choices, Observation, Part, Reading, Recorded, Start, Stopped, Trial};
pub use refusal::Refusal;
pub use run::{Caveat, Conclusion, Ended, Run, SCHEMA, SEED_MAX, Section};
pub use table::{Align, Column, Table};
