//! Is a slowdown between runs found? One finding of the later side is secretly 10 % slower.
//!
//! The sides take turns in time, so that the machine's own drift is on both. That makes it a test
//! of what a comparison can see, and not of what an hour between the sides would add.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use lab::{Context, Request};
use record::{Run, Verdict};

use crate::Outcome;
use crate::bench::{command, handicap};

/// How much of it.
pub struct Size {
    pub comparisons: u32,
    pub runs_a_side: u32,
    pub time: &'static str,
}

/// Of so many comparisons it must be found.
const FOUND_SHARE_MIN: f64 = 0.8;
/// A case without a twin: of two twins one slower than the other would widen the margin.
const SLOWER: &str = "gettid";
const FINDING: &str = "compare.syscall.gettid.cost";

/// Runs the bench.
pub fn run(fathom: &Path, size: &Size) -> Result<Outcome> {
    let mut text = format!(
        "the sides' runs take turns (before, after, after, before, ...), so that the machine's \
         drift is on both\n\
         {:>2}  ratio [95 %]           margin  verdict       other changes\n",
        "no"
    );
    let mut found = 0;
    for number in 1..=size.comparisons {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for turn in 0..2 * size.runs_a_side {
            let run = command::syscall(fathom, size.time)?;
            // Pairs of neighbours, each in the other order than the pair before it.
            if matches!(turn % 4, 0 | 3) {
                before.push(run);
            } else {
                after.push(slowed_down(run)?);
            }
        }
        let section = report::compare(&before, &after)?;
        let planted = section.conclusion.findings.iter().find(|it| it.id == FINDING);
        let planted = planted.with_context(|| format!("no {FINDING}"))?;
        let Some(it) = planted.outcome.estimate() else { bail!("{}", planted.text) };
        let verdict = planted.verdict.context("a finding without a verdict")?;
        found += u32::from(verdict == Verdict::Slower);
        let margin = planted.proof.get("margin").map_or(f64::NAN, |margin| margin * 100.0);
        let others: Vec<&str> =
            report::changed(&section).into_iter().filter(|id| *id != FINDING).collect();
        writeln!(
            text,
            "{number:>2}  {:.3} [{:.3}, {:.3}]   {margin:>5.1} %  {:<12}  {}",
            it.value,
            it.low,
            it.high,
            format!("{verdict:?}"),
            if others.is_empty() { "none".to_owned() } else { others.join(" ") }
        )?;
    }
    let least = (FOUND_SHARE_MIN * f64::from(size.comparisons)).ceil() as u32;
    writeln!(
        text,
        "10 % between {0} and {0} runs of {1} was called slower in {found} of {2} comparisons \
         (at least {least} must be)",
        size.runs_a_side, size.time, size.comparisons
    )?;
    Ok(Outcome { text, clean: found >= least })
}

/// The run as it would have been concluded if the case had been slower in every round.
fn slowed_down(mut run: Run) -> Result<Run> {
    let machine = run.machines.first().cloned().context("the run has no machine")?;
    for section in &mut run.sections {
        let Some(mut recorded) = section.recorded.take() else { continue };
        let of_case = recorded.trials.iter_mut().filter(|trial| trial.case == SLOWER);
        of_case.filter_map(|trial| trial.result.as_mut().ok()).for_each(handicap::slow_down);
        let request = Request {
            budget: std::time::Duration::from_nanos(recorded.budget_ns),
            cpus: recorded.cpus.clone(),
            seed: recorded.seed,
            choices: recorded.choices.clone(),
        };
        let context = Context { machine: machine.clone(), request };
        *section = lab::conclude(&measure::Syscall, &context, recorded);
    }
    Ok(run)
}
