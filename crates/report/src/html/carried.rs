//! What the page carries compressed: the charts' script, and the run itself.

use std::io::Write;

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, GzBuilder};
use record::{Figure, Run, Section};

use super::markup::Markup;

/// The charts' script as `build.rs` compressed it: gzip, base64.
const CHARTS: &str = include_str!(concat!(env!("OUT_DIR"), "/charts.gz.base64"));

/// A page is to stay below 3 MB, of which the charts take 1.9: an hour's run has to stay beside it.
const RUN_CHARS_MAX: usize = 700_000;
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
    pub(super) fn of(run: &Run) -> Self {
        let json = record::file::to_json(run).ok().filter(|json| json.len() <= JSON_BYTES_MAX);
        let packed = json.and_then(|json| pack(&json));
        let drawn = |section: &Section| section.conclusion.figures.iter().any(is_drawn);
        Self {
            run: packed.filter(|packed| packed.base64.len() <= RUN_CHARS_MAX),
            charts: run.sections.iter().any(drawn),
        }
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

/// Whether anything is to be seen in it.
pub(super) fn is_drawn(figure: &Figure) -> bool {
    match figure {
        Figure::Bars { bars, .. } => !bars.is_empty(),
        Figure::Distribution { histogram, .. } => !histogram.counts.is_empty(),
        Figure::Lines { lines, .. } => lines.iter().any(|line| !line.points.is_empty()),
        Figure::HeatMap { cells, .. } => cells.iter().flatten().any(Option::is_some),
    }
}

fn pack(json: &str) -> Option<Packed> {
    // No time and no name: the same run yields the same page.
    let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::default());
    gzip.write_all(json.as_bytes()).ok()?;
    let base64 = STANDARD.encode(gzip.finish().ok()?);
    Some(Packed { base64, bytes: json.len() })
}
