//! What the page carries compressed: the charts' script, and the run itself.

use std::io::Write;

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, GzBuilder};
use record::Run;

use super::markup::Markup;

/// The charts' script as `build.rs` compressed it: gzip, base64.
const CHARTS: &str = include_str!(concat!(env!("OUT_DIR"), "/charts.gz.base64"));

/// Whoever sends a page around, or attaches it to an issue, has this much. The charts take 1.9 MB
/// of it; all the rest but the run stays below that by bounds of its own.
const PAGE_BYTES_MAX: usize = 2_900_000;
/// No longer document compresses to that much.
const JSON_BYTES_MAX: usize = 64 << 20;

/// What goes along.
pub(super) struct Carried {
    /// The run's JSON.
    pub(super) run: Option<Packed>,
    charts: bool,
}

/// A document, compressed.
pub(super) struct Packed {
    base64: String,
    /// How long it is when it is unpacked.
    pub(super) bytes: usize,
}

impl Carried {
    /// `charts`: whether any figure is drawn; `said`: how many bytes all the rest of the page
    /// takes. The run goes along where it fits beside them.
    pub(super) fn of(run: &Run, charts: bool, said: usize) -> Self {
        let taken = said + if charts { CHARTS.len() } else { 0 };
        let json = record::file::to_json(run).ok().filter(|json| json.len() <= JSON_BYTES_MAX);
        let packed = json.and_then(|json| pack(&json));
        let run = packed.filter(|packed| taken + packed.base64.len() <= PAGE_BYTES_MAX);
        Self { run, charts }
    }

    /// The charts last: the text above them can be read before they have been.
    pub(super) fn put(&self, page: &mut Markup) {
        if let Some(run) = &self.run {
            page.script(&[("type", "application/gzip"), ("data-run", "")], &run.base64);
        }
        if self.charts {
            page.script(&[("type", "application/gzip"), ("data-charts", "")], CHARTS);
        }
    }
}

fn pack(json: &str) -> Option<Packed> {
    // No time and no name: the same run yields the same page.
    let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::default());
    gzip.write_all(json.as_bytes()).ok()?;
    let base64 = STANDARD.encode(gzip.finish().ok()?);
    Some(Packed { base64, bytes: json.len() })
}
