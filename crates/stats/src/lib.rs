//! The statistics that decide: numbers in, numbers out.
//!
//! They are few, and made for what a shared virtual machine does to measurements: values that come
//! in modes, stay in one for seconds, and follow one another closely. So nothing here takes single
//! rounds for independent: an interval resamples worker starts, then blocks of rounds within them.
//!
//! Not here: no clock, no input or output, no knowledge of what is measured.
//!
//! Run: `cargo test -p stats`

mod bootstrap;
mod compare;
mod drift;
mod histogram;
mod modes;
mod quantile;
mod random;

pub use bootstrap::{
    BLOCK_NS, Counted, Interval, Point, Series, pooled_interval, ratio_of_medians, share_interval,
};
pub use compare::{
    Comparison, MARGIN_MAX, MARGIN_MIN, Verdict, combined, noise_floor, ratios, within,
};
pub use drift::{drift, spearman};
pub use histogram::histogram;
pub use modes::{Modes, two_modes};
pub use quantile::{Summary, median, quantile, summary};
pub use random::{Random, derive_seed};
