//! What the page may do: run two scripts, apply one style sheet, and nothing else.
//!
//! - `script-src`: the page's own script and the charts', by their hashes. Nothing may be evaluated
//!   from text; the charts don't need it for the figures drawn here.
//! - `style-src`: the page's own style sheet. The charts set styles through the object model, which
//!   no policy forbids, and their rules go into the page's own style element. Only a heat map's
//!   scale sets a style attribute, to nothing, so the hash of nothing is admitted for attributes
//!   too (`'unsafe-hashes'` means no more). Labels have no bold or other markup, for which the
//!   charts would set more.
//! - `img-src data:`: the charts draw a heat map's cells into an image that is part of the page.
//!
//! All else falls under `default-src 'none'`: no request, no frame, no font, no worker.

use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

/// The hash of the charts' script.
pub(super) const CHARTS_SHA256: &str =
    include_str!(concat!(env!("OUT_DIR"), "/charts.sha256.base64"));

/// The policy of a page with this script and style of its own.
pub(super) fn policy(script: &str, style: &str) -> String {
    let (script, style) = (hash(script), hash(style));
    let nothing = hash("");
    format!(
        "default-src 'none'; script-src 'sha256-{script}' 'sha256-{CHARTS_SHA256}'; \
         style-src 'sha256-{style}' 'unsafe-hashes' 'sha256-{nothing}'; img-src data:; \
         base-uri 'none'; form-action 'none'"
    )
}

pub(super) fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text))
}
