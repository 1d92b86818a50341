//! From recorded trials to numbers with their intervals, and to verdicts on two of them.
//!
//! Both who concludes a run (`lab`) and who compares runs (`report`) judge by what is here, so that
//! the same trials never yield two answers. Pure: a stored run yields the same again.
//!
//! Not here: no statistics of their own (`stats`), no experiment, no words for a person.
//!
//! Run: `cargo test -p estimate`

mod between;
mod pair;
mod pooled;
mod trials;
mod twins;

pub use between::{Between, Margin, Side, between};
pub use pair::pair;
pub use pooled::pooled;
pub use trials::{
    CANARY, CANARY_STEP, derived, derived_ratio, metrics_of, outcome, proof_of, refused_of, series,
    spread, total,
};
pub use twins::{TWIN, Twins, floor_of, twins};
