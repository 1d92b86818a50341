//! Do identical cases come out alike? Runs of the command as a user runs it, and of each its twins.
//!
//! Each pair is judged with the noise floor of the *other* pairs of its run: with its own it could
//! never be called different.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use stats::Verdict;

use super::command;
use crate::Outcome;

/// How much of it.
pub struct Size {
    /// How many pairs are judged; a run has several.
    pub pairs: u32,
    pub time: &'static str,
    pub release: bool,
}

/// The part of the pairs that may be called different.
const DIFFERENT_SHARE_MAX: f64 = 0.05;

const UNCLEAR_SHARE_MAX: f64 = 0.5;

/// Runs the bench.
pub fn run(root: &Path, size: &Size) -> Result<Outcome> {
    let fathom = command::build(root, size.release)?;
    let mut text = String::new();
    let (mut different, mut unclear, mut all) = (0, 0, 0);
    writeln!(text, "run  pair         ratio [95 %]             margin   verdict")?;
    for number in 1.. {
        let run = command::syscall(&fathom, size.time)?;
        let recorded = run.sections.iter().find_map(|section| section.recorded.as_ref());
        let pairs = estimate::twins(recorded.context("the run has no trials")?);
        if pairs.is_empty() {
            bail!("the run has no twins");
        }
        for pair in pairs.into_iter().take((size.pairs - all) as usize) {
            let it = pair.comparison;
            let differs = matches!(it.verdict, Verdict::Higher | Verdict::Lower);
            different += u32::from(differs);
            unclear += u32::from(it.verdict == Verdict::Inconclusive);
            all += 1;
            writeln!(text, "{number:>3}  {:<12} {}", pair.case, super::judged(&it))?;
        }
        if all == size.pairs {
            break;
        }
    }
    let most = (DIFFERENT_SHARE_MAX * f64::from(all)).floor() as u32;
    writeln!(
        text,
        "{different} of {all} twin pairs were called different (at most {most} may be)"
    )?;
    writeln!(
        text,
        "{unclear} of {all} were inconclusive (at most 50 % may be, or nothing was shown)"
    )?;
    let part = |n: u32| f64::from(n) / f64::from(all);
    let clean = different <= most && part(unclear) <= UNCLEAR_SHARE_MAX;
    Ok(Outcome { text, clean })
}
