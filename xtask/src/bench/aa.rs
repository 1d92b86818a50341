//! Is what is the same called so, and is what differs found? Four tables, each with its bound.
//!
//! Within runs and between them, because they go wrong in different ways: cases of one round share
//! their machine, runs have each another hour of it. Takes about twelve minutes and wants a quiet
//! machine.

mod neighbours;
mod planted;

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;

use super::{command, handicap, on_a_thread, twins};
use crate::Outcome;

/// How much of each part.
pub struct Size {
    twins: twins::Size,
    neighbours: neighbours::Size,
    handicap: handicap::Size,
    planted: planted::Size,
}

impl Size {
    /// What the bounds were chosen for.
    pub fn full() -> Self {
        Self {
            twins: twins::Size { pairs: 40, time: "2s", release: true },
            neighbours: neighbours::Size { runs: 8, time: "5s" },
            handicap: handicap::Size { runs: 20, time_ms: 2000 },
            // A hundred runs: of five seconds they stay within ten minutes.
            planted: planted::Size { comparisons: 10, runs_a_side: 5, time: "5s" },
        }
    }

    /// What shows that every part still runs, and nothing else.
    #[cfg(test)]
    pub fn tiny() -> Self {
        Self {
            twins: twins::Size { pairs: 3, time: "300ms", release: false },
            neighbours: neighbours::Size { runs: 2, time: "300ms" },
            handicap: handicap::Size { runs: 1, time_ms: 300 },
            planted: planted::Size { comparisons: 1, runs_a_side: 2, time: "300ms" },
        }
    }
}

/// Runs all parts, whatever becomes of each.
pub fn run(root: &Path, size: &Size) -> Result<Outcome> {
    let fathom = command::build(root, size.twins.release)?;
    let twins = || twins::run(root, &size.twins);
    let neighbours = || neighbours::run(&fathom, &size.neighbours);
    let handicap = || on_a_thread(|| handicap::run(&size.handicap));
    let planted = || planted::run(&fathom, &size.planted);
    let parts: [(&str, &dyn Fn() -> Result<Outcome>); 4] = [
        ("a. twins within runs", &twins),
        ("b. neighbouring runs", &neighbours),
        ("c. planted within runs", &handicap),
        ("d. planted between runs", &planted),
    ];
    let (mut text, mut clean) = (String::new(), true);
    for (name, part) in parts {
        eprintln!("aa: {name}");
        let outcome = part()?;
        let held = if outcome.clean { "held" } else { "broken" };
        writeln!(text, "{name}\n{}bound {held}\n", outcome.text)?;
        clean &= outcome.clean;
    }
    Ok(Outcome { text, clean })
}
