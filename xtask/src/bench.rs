//! Fathom's numbers held against other tools, and against themselves.
//!
//! Comparative, never absolute: whatever is compared runs in the same shuffled rounds. Each bench
//! also runs tiny in the tests, so that none rots.

mod aa;
#[path = "../../crates/fathom/tests/common/browser.rs"]
#[allow(dead_code, reason = "shared with the tests of the command, which use all of it")]
mod browser;
mod clock;
mod command;
mod handicap;
mod perf;
mod report;
mod switch;
mod twins;

use std::path::Path;

use anyhow::{Result, bail};
use clap::Subcommand;

use crate::Outcome;

/// What to hold Fathom against.
#[derive(Subcommand)]
pub enum Bench {
    /// Two threads with ten million readings each: time, memory, and what the loop costs
    Clock,
    /// getppid beside `perf bench syscall basic`
    Syscall,
    /// Pipe ping-pong beside `perf bench sched pipe`, and switches as the kernel counts them
    Switch,
    /// One long trial of a case, for whoever counts its switches from outside
    #[command(hide = true)]
    SwitchTrial {
        /// The case's id
        case: String,
        /// How long the window is
        window_ms: u64,
    },
    /// Is what is the same called so, and what differs found? Within runs and between them
    Aa,
    /// A report's size, and how soon its text and its figures are seen in headless Chromium
    Report,
    /// Twenty runs of the command: do identical cases come out alike?
    Twins,
    /// Twenty runs in which one twin is secretly 10 % slower: is it found?
    Handicap,
}

/// Runs a bench at its full size.
pub fn run(bench: &Bench, root: &Path) -> Result<Outcome> {
    match bench {
        Bench::Clock => {
            clock::run(&clock::Size { readings: 10_000_000, loops: 40, turns: 100_000 })
        }
        Bench::Syscall => perf::run(&perf::Size { starts: 5, rounds_per_start: 8, window_ms: 200 }),
        Bench::Switch => switch::run(root, &switch::Size::full()),
        Bench::SwitchTrial { case, window_ms } => switch::trial(case, *window_ms),
        Bench::Report => report::run(root, &report::Size { loads: 5, time: "2s", release: true }),
        Bench::Aa => aa::run(root, &aa::Size::full()),
        Bench::Twins => twins::run(root, &twins::Size { pairs: 60, time: "2s", release: true }),
        Bench::Handicap => handicap::run(&handicap::Size { runs: 20, time_ms: 2000 }),
    }
}

/// A ratio this near to 1 passes even where its interval does not reach it.
const MARGIN: f64 = 0.10;

/// Whether a peer measured the same as Fathom, and why.
fn agrees(ratio: &stats::Interval) -> (bool, &'static str) {
    // An interval that is wide enough reaches anything.
    if (ratio.high - ratio.low) / 2.0 > MARGIN {
        (false, "too noisy to tell")
    } else if ratio.low <= 1.0 && 1.0 <= ratio.high {
        (true, "ok, the interval reaches 1")
    } else if (ratio.value - 1.0).abs() <= MARGIN {
        (true, "ok, within 10 %")
    } else {
        (false, "differs")
    }
}

/// Trials in this process pin the thread that they run on, and whatever that starts afterwards
/// would be confined to the same CPU.
fn on_a_thread<T: Send>(run: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let ended = std::thread::scope(|scope| scope.spawn(run).join());
    ended.unwrap_or_else(|_| bail!("the bench panicked"))
}

/// A judged pair in one line, without its name.
fn judged(it: &stats::Comparison) -> String {
    let (value, low, high) = (it.ratio.value, it.ratio.low, it.ratio.high);
    format!("{value:.3} [{low:.3}, {high:.3}]   {:>5.1} %   {:?}", it.margin * 100.0, it.verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_agrees_where_the_ratio_says_so() {
        for (value, low, high, agreed) in [
            (1.02, 0.97, 1.07, true),
            (1.08, 1.06, 1.12, true),
            (1.12, 1.08, 1.16, false),
            (0.85, 0.80, 0.90, false),
            // It reaches 1, and would reach anything.
            (1.30, 0.90, 1.70, false),
        ] {
            let ratio = stats::Interval { value, low, high };
            assert_eq!(agrees(&ratio).0, agreed, "{ratio:?}");
        }
    }

    /// The verdict of so small a bench means nothing; that it runs and says something does.
    #[test]
    fn every_bench_runs_tiny() {
        let root = crate::checkout::root().unwrap();
        let perf = perf::Size { starts: 4, rounds_per_start: 1, window_ms: 5 };
        let twins = twins::Size { pairs: 3, time: "300ms", release: false };
        let handicap = handicap::Size { runs: 1, time_ms: 300 };
        let clock = clock::Size { readings: 10_000, loops: 2, turns: 1000 };
        let page = report::Size { loads: 1, time: "300ms", release: false };
        let two = machine::describe().affinity.len() > 1;
        for (outcome, says) in [
            (clock::run(&clock), if two { "the sampling loop" } else { "needs two CPUs" }),
            (switch::run(&root, &switch::Size::tiny()), "switches by fathom"),
            (perf::run(&perf), if perf::is_here() { "ratio fathom / perf" } else { "needs perf" }),
            (twins::run(&root, &twins), "twin pairs"),
            (report::run(&root, &page), if browser::is_here() { "figures ready" } else { "needs" }),
            (handicap::run(&handicap), "called slower"),
            (aa::run(&root, &aa::Size::tiny()), "planted between runs"),
        ] {
            let text = outcome.unwrap().text;
            assert!(text.contains(says), "{text}");
        }
    }
}
