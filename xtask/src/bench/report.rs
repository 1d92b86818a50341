//! How large a report is and how soon it is seen: text and figures, in headless Chromium.
//!
//! The page is opened again and again in one browser, as a reader does who comes back to it; the
//! first opening is not counted.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};

use super::browser::{Browser, is_here};
use super::command::{build, syscall};
use crate::Outcome;

/// How much of it.
pub struct Size {
    pub loads: usize,
    pub time: &'static str,
    pub release: bool,
}

/// A page that can be sent by mail.
const PAGE_BYTES_MAX: usize = 3_000_000;

/// When the text was there, and when the last figure was, in milliseconds since the opening.
const TIMES: &str = "[performance.getEntriesByName('first-contentful-paint')[0].startTime, \
                     performance.getEntriesByName('fathom-figures')[0].startTime]";

/// Runs the bench; without a browser it says so, and does not fail.
pub fn run(root: &Path, size: &Size) -> Result<Outcome> {
    if !is_here() {
        let text = "skipped: needs Chromium (Debian: apt-get install chromium)\n";
        return Ok(Outcome { text: text.into(), clean: true });
    }
    let run = syscall(&build(root, size.release)?, size.time)?;
    let page = ::report::html(&run);
    let folder = tempfile::tempdir().context("a temporary folder")?;
    let path = folder.path().join("report.html");
    std::fs::write(&path, &page).context("a temporary file")?;
    let mut browser = Browser::start();
    browser.look(1600, "light");
    let (mut text_ms, mut figures_ms) = (Vec::new(), Vec::new());
    for load in 0..=size.loads {
        browser.open(&path);
        browser.until("performance.getEntriesByName('first-contentful-paint').length > 0");
        let times = browser.value(TIMES);
        if load > 0 {
            text_ms.extend(times[0].as_f64());
            figures_ms.extend(times[1].as_f64());
        }
    }
    let mut text = format!("page: {:.2} MB, {} figures\n", page.len() as f64 / 1e6, figures(&run));
    for (what, times) in [("text ready", &mut text_ms), ("figures ready", &mut figures_ms)] {
        times.sort_by(f64::total_cmp);
        let middle = times.get(times.len() / 2).context("no load was timed")?;
        let (least, most) = (times[0], times[times.len() - 1]);
        writeln!(
            text,
            "{what}: {middle:.0} ms ({least:.0} to {most:.0} in {} loads)",
            times.len()
        )?;
    }
    Ok(Outcome { text, clean: page.len() < PAGE_BYTES_MAX })
}

fn figures(run: &record::Run) -> usize {
    run.sections.iter().map(|section| section.conclusion.figures.len()).sum()
}
