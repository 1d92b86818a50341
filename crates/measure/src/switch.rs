//! What does a context switch cost, directly and through the caches?
//!
//! Two sides hand the turn to each other (by futex, pipe and others; as threads and as processes;
//! on one CPU, across two, and wherever the scheduler likes), and a number is named only where the
//! kernel counted the switches. Beside them: how long a thread that is due waits for its CPU among
//! others, what a switch costs sides that have memory to work on, and a cache line that goes to and
//! fro without the kernel.
//!
//! Not here: what the scheduler's settings are, and what other settings would change.

mod awake;
mod channel;
mod conclude;
mod line;
mod looks;
mod partner;
mod pingpong;
mod plan;
mod references;
mod rivals;
mod sys;
mod wakeup;
mod working_set;

use std::time::Duration;

use lab::{About, Context, Experiment, Step, Trial, timed};
use machine::counters::ThreadWatch;
use record::{Conclusion, Observation, Recorded, Refusal};

pub use plan::{CHOOSE_PAIRS, CHOOSE_QUICK, CHOOSE_WORKING_SETS, SET_BYTES_MAX};
pub use working_set::{PAGE_BYTES, memory_bytes};

use channel::{Channel, MEDIA, Medium};
use partner::KINDS;
use pingpong::PLACEMENTS;
use plan::Plan;
use wakeup::CLASSES;
use working_set::{ACCESSES, HOWS};

/// Nanoseconds that a turn's calls take where they don't block.
const CALLS: &str = "calls";

static ABOUT: About = About {
    name: "switch",
    question: "What does a context switch cost, directly and through the caches?",
    help: "What a context switch costs, directly and through the caches",
    workload_version: 1,
    survey_budget: Duration::from_secs(12),
    survey_choices: &[(CHOOSE_QUICK, &[])],
    budget: Duration::from_secs(20),
};

/// The experiment.
#[derive(Clone, Copy, Debug)]
pub struct Switch;

impl Experiment for Switch {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn next(&self, context: &Context, so_far: &Recorded) -> Result<Step, Refusal> {
        Ok(Plan::of(context).next(context.request.budget, so_far))
    }

    fn trial(&self, trial: &Trial) -> Result<Observation, Refusal> {
        match trial.case.level(plan::DO) {
            plan::PING_PONG => ping_pong(trial),
            plan::LOOP => calls(named(&MEDIA, Medium::name, trial, "medium")?, trial),
            plan::LINE => {
                let pair = plan::pair(trial.case.level("pair")).ok_or_else(|| unknown(trial))?;
                line::trial(pair, trial)
            }
            plan::WAIT => {
                let (class, _) = named(&CLASSES, |(_, name)| name, trial, "class")?;
                wakeup::trial(class, number(trial, "rivals")?, trial)
            }
            plan::WORK => {
                let access = named(&ACCESSES, |it| it.name(), trial, "access")?;
                let how = named(&HOWS, |it| it.name(), trial, "how")?;
                working_set::trial(access, how, number(trial, "bytes")?, trial)
            }
            _ => Err(unknown(trial)),
        }
    }

    fn conclude(&self, context: &Context, recorded: &Recorded) -> Conclusion {
        conclude::conclude(context, recorded)
    }
}

fn ping_pong(trial: &Trial) -> Result<Observation, Refusal> {
    let medium = named(&MEDIA, Medium::name, trial, "medium")?;
    let kind = named(&KINDS, |it| it.name(), trial, "partner")?;
    let placement = named(&PLACEMENTS, |it| it.name(), trial, "placement")?;
    let pairs: Vec<[usize; 2]> =
        trial.case.level("pairs").split(',').filter_map(plan::pair).collect();
    let places = placement.places(trial, pingpong::draw(&pairs, trial.seed));
    let places = places.ok_or_else(|| unknown(trial))?;
    pingpong::trial(medium, kind, placement, &places, trial)
}

/// The calls of a turn, made by one thread that never has to wait: what remains of a round trip
/// when nothing switches.
fn calls(medium: Medium, trial: &Trial) -> Result<Observation, Refusal> {
    trial.pin_home()?;
    let channel = Channel::new(medium, false)
        .map_err(|error| partner::no("a channel between two sides", &error))?;
    let mut broken = Ok(());
    let timed = timed(&mut ThreadWatch::new(), trial.window, |count| {
        for _ in 0..count {
            broken = broken.and(channel.calls());
        }
    })?;
    broken.map_err(|error| Refusal::Broken { seen: format!("a call that can't fail: {error}") })?;
    Ok(timed.observe(CALLS, timed.cost_ns()))
}

/// The one that bears the name of the case's level.
fn named<T: Copy>(
    all: &[T],
    name: impl Fn(T) -> &'static str,
    trial: &Trial,
    factor: &str,
) -> Result<T, Refusal> {
    let level = trial.case.level(factor);
    all.iter().copied().find(|it| name(*it) == level).ok_or_else(|| unknown(trial))
}

fn number(trial: &Trial, factor: &str) -> Result<usize, Refusal> {
    trial.case.level(factor).parse().map_err(|_| unknown(trial))
}

fn unknown(trial: &Trial) -> Refusal {
    Refusal::Missing { what: format!("a case named {:?}", trial.case.id) }
}
