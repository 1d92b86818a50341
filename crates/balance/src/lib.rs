//! How unevenly items fall on servers, and how many servers that takes: numbers in, numbers out.
//!
//! Exact where there is a closed form, simulated with standard errors where there is none; each
//! number says which. `docs/balance.md` has the formulas, their sources and their errors.
//!
//! ```
//! use balance::exact::{Load, Placement};
//!
//! let load = Load::new(1000, 13, Placement::Random)?;
//! // 99 times of 100 one server holds at most 97 of the 1000 items ...
//! assert_eq!(load.quantile(0.99)?, 97);
//! // ... and yet one placement in 22 puts more than 100 on some server.
//! assert!((load.any_over(100)?.value - 0.0450).abs() < 1e-4);
//! # Ok::<(), balance::Error>(())
//! ```
//!
//! Not here: no input or output, no clock, no words for a person beyond those of [`Error`].
//!
//! Run: `cargo test -p balance`

mod error;
pub mod exact;
pub mod keys;
pub mod plan;
mod probability;
pub mod simulate;

pub use error::Error;
pub use exact::Expected;
pub use probability::{Method, Probability};
