//! Is a difference that is there found? One twin of the real experiment is secretly 10 % slower.

use std::fmt::Write;
use std::time::Duration;

use anyhow::{Result, anyhow};
use lab::{About, Context, Experiment, Live, Local, Request, Step, Trial};
use record::{Conclusion, Observation, Reading, Recorded, Refusal};
use stats::Verdict;

use crate::Outcome;

/// How much of it.
pub struct Size {
    pub runs: u64,
    pub time_ms: u64,
}

/// Of so many runs the slower twin must be called slower.
const FOUND_SHARE_MIN: f64 = 0.9;
const SLOWER: &str = "getppid";
const HANDICAP: f64 = 1.10;

/// Makes whatever was measured seem slower by the handicap; the proof stays what it is.
pub fn slow_down(seen: &mut Observation) {
    for reading in seen.readings.values_mut() {
        if let Some(value) = reading.level() {
            *reading = Reading::Level(value * HANDICAP);
        }
    }
}

/// Runs the bench.
pub fn run(size: &Size) -> Result<Outcome> {
    // Once: the trials pin this very thread, and after that fewer CPUs would be described.
    let machine = machine::describe();
    let context = |seed| Context {
        machine: machine.clone(),
        request: Request {
            budget: Duration::from_millis(size.time_ms),
            cpus: machine.affinity.clone(),
            seed,
            choices: Default::default(),
        },
    };
    let mut text = String::from("run  ratio [95 %]             margin   verdict\n");
    let mut found = 0;
    for seed in 0..size.runs {
        let context = context(seed);
        let mut live = Live::new(context.machine.clock_step_ns.unwrap_or(1));
        let local = Local::new(&Handicapped);
        let watch = &mut lab::Unwatched;
        let recorded = lab::conduct(&Handicapped, &context, &local, &mut live, watch)
            .map_err(|refusal| anyhow!("{refusal}"))?;
        let pairs = estimate::twins(&recorded);
        let pair = pairs.iter().find(|pair| pair.case == SLOWER);
        let it = pair.ok_or_else(|| anyhow!("no pair of {SLOWER}"))?.comparison;
        found += u64::from(it.verdict == Verdict::Higher);
        writeln!(text, "{seed:>3}  {}", super::judged(&it))?;
    }
    let least = (FOUND_SHARE_MIN * size.runs as f64).ceil() as u64;
    writeln!(
        text,
        "the slower twin was called slower in {found} of {} runs (at least {least} must be)",
        size.runs
    )?;
    let clean = found >= least;
    Ok(Outcome { text, clean })
}

/// The real experiment, in which eleven calls of one twin are counted as ten.
struct Handicapped;

impl Experiment for Handicapped {
    fn about(&self) -> &'static About {
        measure::Syscall.about()
    }

    fn next(&self, context: &Context, so_far: &Recorded) -> Result<Step, Refusal> {
        measure::Syscall.next(context, so_far)
    }

    fn trial(&self, trial: &Trial) -> Result<Observation, Refusal> {
        let mut seen = measure::Syscall.trial(trial)?;
        if trial.case.id == format!("{SLOWER}{}", estimate::TWIN) {
            slow_down(&mut seen);
        }
        Ok(seen)
    }

    fn conclude(&self, context: &Context, recorded: &Recorded) -> Conclusion {
        measure::Syscall.conclude(context, recorded)
    }
}
