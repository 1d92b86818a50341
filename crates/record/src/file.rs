//! The run file: read with distrust, written whole or not at all.

mod read;
mod whole;

pub use read::{ReadError, SIZE_BYTES_MAX, from_json, read};
pub use whole::{Placed, WholeFile};

use std::fmt;

use crate::Run;

/// A finding holds a number that is not finite.
#[derive(Debug)]
pub struct NotFinite(String);

impl fmt::Display for NotFinite {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: not a finite number", self.0)
    }
}

impl std::error::Error for NotFinite {}

/// The run as one JSON document, ending in a newline.
///
/// # Errors
/// Where the run holds what JSON can't: a number that is not finite would be written as null, and
/// not be read again.
pub fn to_json(run: &Run) -> Result<String, NotFinite> {
    let findings = run.sections.iter().flat_map(|section| &section.conclusion.findings);
    for finding in findings {
        let estimate = finding.outcome.estimate();
        let numbers = estimate.map(|it| [it.low, it.value, it.high]).unwrap_or_default();
        if !numbers.iter().chain(finding.proof.values()).all(|number| number.is_finite()) {
            return Err(NotFinite(finding.id.clone()));
        }
    }
    let mut text = serde_json::to_string(run).map_err(|error| NotFinite(error.to_string()))?;
    text.push('\n');
    Ok(text)
}
