//! Runs read and compared: two sides, findings within one run, a survey with the one before it.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    slice,
};

use record::{Ended, Run, Section};

use crate::{
    ask,
    failure::{Failure, say},
    output,
    request::{Compared, Comparison},
};

/// The exit code where a threshold that the user asked for was crossed.
const SLOWER: u8 = 1;

/// Compares what was named; the run that comes of it has the machines of all.
///
/// # Errors
/// Where a file is no run, or there is nothing to compare.
pub fn compare(comparison: &Comparison) -> Result<ExitCode, Failure> {
    let run = match &comparison.what {
        Compared::Sides { before, after } => {
            let paths = [before.as_slice(), after].concat();
            let (before, after) = (read_all(before)?, read_all(after)?);
            refuse_copies(&paths, &before.iter().chain(&after).collect::<Vec<_>>())?;
            let section = report::compare(&before, &after).map_err(|error| {
                Failure::wrong(format!("{error}; give runs of the same question"))
            })?;
            ask::of_comparison(&before, &after, section)
        }
        Compared::Pairs { run: path, pairs } => {
            let run = read(path)?;
            let section = report::pairs(&run, pairs).map_err(|error| {
                let path = path.display();
                let all = format!("`fathom report {path} --json` has the ids of all");
                Failure::wrong(format!("{path}: {error}; {all}"))
            })?;
            ask::of_comparison(&[], slice::from_ref(&run), section)
        }
    };
    let is_over = |section: &Section, max: f64| !report::slower_than(section, max).is_empty();
    let slower = |max: f64| run.sections.iter().any(|section| is_over(section, max));
    let printed = output::save_and_print_now(&run, &comparison.shown)?;
    Ok(match comparison.slower_max.is_some_and(slower) {
        true => ExitCode::from(SLOWER),
        false => printed.code(),
    })
}

/// Adds to a survey what changed since the one whose place its file takes. The survey is what was
/// asked for, so whatever is wrong with the earlier file is said in a line and no more; and whoever
/// interrupted it is not kept waiting.
pub fn with_earlier(run: &mut Run, earlier: &Path) {
    if run.ended != Ended::Complete {
        return;
    }
    let compared = record::file::read(earlier)
        .map_err(|error| error.to_string())
        .and_then(|it| report::compare_survey(&it, run).map_err(|error| error.to_string()));
    match compared {
        Ok(section) => run.sections.push(section),
        Err(why) => {
            say(&format!("not compared with the survey before, {}: {why}", earlier.display()));
        }
    }
}

fn read_all(paths: &[PathBuf]) -> Result<Vec<Run>, Failure> {
    paths.iter().map(|path| read(path)).collect()
}

/// A copy of a run proves no more than the run held against itself.
fn refuse_copies(paths: &[PathBuf], runs: &[&Run]) -> Result<(), Failure> {
    for (place, run) in runs.iter().enumerate() {
        if let Some(first) = runs[..place].iter().position(|other| other == run) {
            let (one, other) = (paths[first].display(), paths[place].display());
            return Err(Failure::wrong(format!("{one} and {other} hold the same run")));
        }
    }
    Ok(())
}

/// Reads a run that there is something to compare in.
fn read(path: &Path) -> Result<Run, Failure> {
    let run = super::read(path)?;
    if report::has_trials(&run) {
        return Ok(run);
    }
    let why = report::NotCompared::NoTrials;
    Err(Failure::wrong(format!("{}: {why}", path.display())))
}
