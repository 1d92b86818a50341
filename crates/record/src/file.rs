//! The run file: read with distrust, written whole or not at all.

mod read;
mod whole;

pub use read::{ReadError, SIZE_BYTES_MAX, from_json, read};
pub use whole::{Placed, WholeFile};

use crate::Run;

/// The run as one JSON document, ending in a newline.
///
/// # Errors
/// Where the run holds what JSON can't: a number that is not finite, outside of any finding.
pub fn to_json(run: &Run) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string(run)?;
    text.push('\n');
    Ok(text)
}
