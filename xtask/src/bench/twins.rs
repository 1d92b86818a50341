//! Do identical cases come out alike? Runs of the command as a user runs it, and of each its twins.
//!
//! Each pair is judged with the noise floor of the *other* pairs of its run: with its own it could
//! never be called different.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use record::Run;
use stats::Verdict;

use crate::Outcome;

/// How much of it.
pub struct Size {
    pub runs: u32,
    pub time: &'static str,
    pub release: bool,
}

/// The part of the pairs that may be called different.
const DIFFERENT_SHARE_MAX: f64 = 0.05;

const UNCLEAR_SHARE_MAX: f64 = 0.5;

/// Runs the bench.
pub fn run(root: &Path, size: &Size) -> Result<Outcome> {
    let fathom = build(root, size.release)?;
    let mut text = String::new();
    let (mut different, mut unclear, mut all) = (0, 0, 0);
    writeln!(text, "run  pair         ratio [95 %]             margin   verdict")?;
    for number in 1..=size.runs {
        let run = one_run(&fathom, size.time)?;
        let recorded = run.sections.iter().find_map(|section| section.recorded.as_ref());
        for pair in estimate::twins(recorded.context("the run has no trials")?) {
            let it = pair.comparison;
            let differs = matches!(it.verdict, Verdict::Higher | Verdict::Lower);
            different += u32::from(differs);
            unclear += u32::from(it.verdict == Verdict::Inconclusive);
            all += 1;
            writeln!(text, "{number:>3}  {:<12} {}", pair.case, super::judged(&it))?;
        }
    }
    writeln!(text, "{different} of {all} twin pairs were called different (at most 5 % may be)")?;
    writeln!(
        text,
        "{unclear} of {all} were inconclusive (at most 50 % may be, or nothing was shown)"
    )?;
    let part = |n: u32| f64::from(n) / f64::from(all);
    let clean = part(different) <= DIFFERENT_SHARE_MAX && part(unclear) <= UNCLEAR_SHARE_MAX;
    Ok(Outcome { text, clean })
}

/// Builds the command and says where it is.
fn build(root: &Path, release: bool) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["build", "--quiet", "--package", "fathom"]);
    command.args(release.then_some("--release"));
    if !command.status().context("cargo build")?.success() {
        bail!("fathom can't be built");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    Ok(root.join(target).join(if release { "release" } else { "debug" }).join("fathom"))
}

fn one_run(fathom: &Path, time: &str) -> Result<Run> {
    let output = Command::new(fathom)
        .args(["syscall", "--json", "--time", time])
        .output()
        .with_context(|| format!("{}", fathom.display()))?;
    if !output.status.success() {
        bail!("fathom ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    record::file::from_json(&output.stdout).context("fathom wrote no run")
}
