//! Questions that are answered by timing: one folder each.
//!
//! Not here: how trials are scheduled, stopped and judged (`lab`), and how answers are printed
//! (`report`). No experiment here knows of another.
//!
//! Run: `cargo test -p measure`

pub mod clock;
pub mod switch;
mod syscall;

pub use clock::Clocks;
pub use switch::Switch;
pub use syscall::Syscall;
