//! Run files that nobody meant well with, through the reader and every renderer: nothing panics,
//! nothing steers a terminal, nothing in Markdown acts, and no page grows beyond its file.
//!
//! Each is a real run, damaged by a seed: fields, numbers, texts, lists, nesting, bytes. A failure
//! prints its seed. For longer, or for one seed again (mutants of seeds 7, 8, 9, ...):
//!
//! ```text
//! FATHOM_HOSTILE_RUNS=100000 cargo test -p report --test hostile_runs
//! FATHOM_HOSTILE_SEED=7 FATHOM_HOSTILE_RUNS=1 cargo test -p report --test hostile_runs
//! ```

#[path = "hostile/mutate.rs"]
mod mutate;
#[path = "../src/markdown/reader.rs"]
#[allow(dead_code, reason = "the unit tests use the rest of it")]
mod reader;

use std::{env, thread};

use record::Run;
use report::Look;
use serde_json::Value;
use stats::Random;

/// A run of all questions, its longest section without the trials.
const REAL: &str = include_str!("data/run.json");

/// Few enough for every test run; each takes some milliseconds.
const RUNS: u64 = 250;

/// Below 60 columns a page is set as for 60.
const LOOKS: [Look; 4] = [
    Look { width: 0, colour: false },
    Look { width: 80, colour: false },
    Look { width: 133, colour: true },
    Look { width: 1000, colour: false },
];

/// The codes of our own colours.
const COLOURS: [&str; 6] = ["0", "1", "2", "33", "36", "1;36"];

/// Prints how to see a failure again.
struct Told(u64);

impl Drop for Told {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("again with FATHOM_HOSTILE_SEED={} FATHOM_HOSTILE_RUNS=1", self.0);
        }
    }
}

fn number_from(name: &str, otherwise: u64) -> u64 {
    let typed = env::var(name).ok();
    typed.map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name}: {text}")))
}

#[test]
fn no_damage_does_harm() {
    let good: Value = serde_json::from_str(REAL).expect("JSON");
    let first = number_from("FATHOM_HOSTILE_SEED", 0);
    let runs = number_from("FATHOM_HOSTILE_RUNS", RUNS);
    let mut shown = 0;
    for seed in first..first.saturating_add(runs) {
        let _told = Told(seed);
        let bytes = mutate::mutant(&good, &mut Random::new(seed));
        match record::file::from_json(&bytes) {
            Ok(run) => {
                check(&run, bytes.len());
                shown += 1;
            }
            // The command prints it on one line, as it prints all that is not its own.
            Err(error) => harmless(&report::one_line(&error.to_string())),
        }
    }
    println!("{shown} of {runs} mutants were read and rendered");
    // Mutants that are all refused would test the reader alone.
    assert!(runs < 100 || shown * 5 > runs, "{shown} of {runs}");
}

/// The undamaged run itself, and the size of what it becomes.
#[test]
fn the_real_run_is_rendered() {
    let run = record::file::from_json(REAL.as_bytes()).expect("a run");
    check(&run, REAL.len());
    // GitHub refuses what is longer than 65,536 characters.
    assert!(report::markdown(&run).chars().count() < 65_536);
}

/// The page's own, and beside the figures' data what it carries: the charts' script and the run.
const SCRIPTS_MAX: usize = 4;

fn check(run: &Run, bytes: usize) {
    for look in LOOKS {
        let mut text = report::text(run, look);
        assert!(text.len() < bytes_max(bytes), "{look:?}: {} of {bytes} bytes", text.len());
        if look.colour {
            COLOURS.iter().for_each(|code| text = text.replace(&format!("\x1b[{code}m"), ""));
        }
        harmless(&text);
    }
    let page = report::markdown(run);
    assert!(page.len() < bytes_max(bytes), "Markdown: {} of {bytes} bytes", page.len());
    harmless(&page);
    for text in reader::read(&page) {
        assert!(!text.contains('\u{202e}'), "{text:?}");
    }
    assert!(page == report::markdown(run), "the same run, the same text");
    check_html(run, bytes);
    let sections: String = run.sections.iter().map(report::markdown_section).collect();
    assert!(sections.len() < page.len(), "a page holds its sections");
}

/// The charts' script, packed, and the run itself, without which the page is as bounded as any.
const HTML_CARRIES_MAX: usize = 3_000_000;

fn check_html(run: &Run, bytes: usize) {
    let page = report::html(run);
    assert!(page.len() < HTML_CARRIES_MAX + 4 * bytes_max(bytes), "{} bytes", page.len());
    // Its own scripts, and no other; where there is no figure there is nothing to draw with.
    assert_eq!(page.matches("<script>").count(), 1);
    let figures: usize = run.sections.iter().map(|it| it.conclusion.figures.len()).sum();
    let carried = page.matches("<script").count();
    assert!(carried <= SCRIPTS_MAX + figures, "{carried} scripts of {figures} figures");
    harmless(&page);
}

/// What a page may have at most: an empty run has a few lines, a letter becomes twelve at the most
/// in Markdown, and a terminal's table pads what it wraps.
fn bytes_max(bytes: usize) -> usize {
    (64 << 10) + 32 * bytes
}

#[track_caller]
fn harmless(text: &str) {
    let treacherous = |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{200b}".contains(c);
    let line = text.lines().find(|line| line.contains(treacherous));
    assert!(line.is_none(), "{line:?}");
}
