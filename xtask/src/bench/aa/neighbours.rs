//! Runs of nothing but the same, one after the other, and each compared with the one before it.

use std::fmt::Write;
use std::path::Path;
use std::slice;

use anyhow::{Result, bail};
use record::Verdict;

use crate::Outcome;
use crate::bench::command;

/// How much of it.
pub struct Size {
    pub runs: usize,
    pub time: &'static str,
}

/// Of all verdicts of all comparisons so many may be of a change.
const CHANGED_MAX: usize = 3;

/// The verdicts that a finding can get, and what a table calls them.
const VERDICTS: [(Verdict, &str); 5] = [
    (Verdict::Slower, "slower"),
    (Verdict::Faster, "faster"),
    (Verdict::Inconclusive, "inconclusive"),
    (Verdict::Same, "same"),
    (Verdict::NotComparable, "not comparable"),
];

/// Runs the bench.
pub fn run(fathom: &Path, size: &Size) -> Result<Outcome> {
    let mut runs = Vec::new();
    for _ in 0..size.runs {
        runs.push(command::syscall(fathom, size.time)?);
    }
    let mut text = String::from("runs   ");
    for (_, word) in VERDICTS {
        write!(text, "  {word}")?;
    }
    text.push_str("  changed\n");
    let (mut changed, mut all) = (0, 0);
    for (place, pair) in runs.windows(2).enumerate() {
        let section = report::compare(slice::from_ref(&pair[0]), slice::from_ref(&pair[1]))?;
        let findings = &section.conclusion.findings;
        let count = |verdict| findings.iter().filter(|it| it.verdict == Some(verdict)).count();
        write!(text, "{:>2}, {:>2} ", place + 1, place + 2)?;
        for (verdict, word) in VERDICTS {
            write!(text, "  {:>width$}", count(verdict), width = word.len())?;
        }
        let ids = report::changed(&section);
        writeln!(text, "  {}", if ids.is_empty() { "none".to_owned() } else { ids.join(" ") })?;
        changed += ids.len();
        all += VERDICTS[..4].iter().map(|(verdict, _)| count(*verdict)).sum::<usize>();
    }
    if all == 0 {
        bail!("nothing could be compared:\n{text}");
    }
    writeln!(
        text,
        "{changed} of {all} verdicts on neighbouring runs were of a change \
         (at most {CHANGED_MAX} may be)"
    )?;
    Ok(Outcome { text, clean: changed <= CHANGED_MAX })
}
