//! What a run says, to a person.
//!
//! Renderers know sections only: whatever an experiment wants said is in its findings, tables,
//! figures and caveats. They trust nothing in them, because anybody can write a run file.
//!
//! Not here: no experiment's name, no statistics, no files.
//!
//! Run: `cargo test -p report`

mod clean;
mod compare;
mod html;
mod markdown;
mod said;
#[cfg(test)]
mod samples;
mod text;

pub use clean::one_line;
pub use compare::{NotCompared, changed, compare, compare_survey, has_trials, pairs, slower_than};
pub use html::html;
pub use markdown::{markdown, section as markdown_section};
pub use text::{Look, text};
