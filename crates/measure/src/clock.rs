//! Do timestamps collide, and which clock should be read?
//!
//! Each clock is read by one thread (what a reading costs, the step it really makes, whether it
//! ever goes back), by several threads at once (how many of their readings are equal), and in turn
//! on each CPU (whether the CPUs agree on the order of events). Beside them, ways to make an ID
//! that need no luck.
//!
//! Not here: what the kernel does to keep time, and how far it is from the true one.

mod clocks;
mod collide;
mod conclude;
mod ids;
mod loops;
mod order;
mod plan;
mod references;
mod sys;
mod together;
mod tsc;
mod walk;

use std::time::Duration;

use lab::{About, Context, Experiment, Step, Trial};
use record::{Conclusion, Observation, Recorded, Refusal};
use stats::Random;

pub use clocks::CLOCK_NAMES;
pub use collide::{Collisions, collide_once};
pub use loops::{Loops, loops};
pub use plan::{CHOOSE_CLOCKS, CHOOSE_THREADS};

use clocks::Clock;
use plan::Plan;

/// How narrow the intervals are to be: of costs relative to them, of shares as they are.
const HALF_WIDTH_MAX: f64 = 0.02;

static ABOUT: About = About {
    name: "clock",
    question: "Do timestamps collide, and which clock should be read?",
    help: "Whether timestamps collide, and what each clock costs and can tell apart",
    workload_version: 1,
    survey_budget: Duration::from_secs(8),
    survey_choices: &[],
    budget: Duration::from_secs(8),
};

/// The experiment.
#[derive(Clone, Copy, Debug)]
pub struct Clocks;

impl Experiment for Clocks {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn next(&self, context: &Context, so_far: &Recorded) -> Result<Step, Refusal> {
        if so_far.rounds() > 0 || !so_far.starts.is_empty() {
            return Ok(Step::Done);
        }
        let plan = Plan::of(context.request.cpus.len(), &context.request.choices);
        let time = context.request.budget;
        Ok(Step::Rounds {
            cases: plan.cases(),
            time,
            half_width_max: HALF_WIDTH_MAX,
            round_about: Duration::ZERO,
        })
    }

    fn trial(&self, trial: &Trial) -> Result<Observation, Refusal> {
        let what = trial.case.level(plan::DO);
        if what == plan::ID {
            let scheme = ids::by_name(trial.case.level("scheme")).ok_or_else(|| unknown(trial))?;
            return ids::trial(scheme, &side_by_side(trial)?, trial.window);
        }
        let clock = clocks::by_name(trial.case.level("clock")).ok_or_else(|| unknown(trial))?;
        match what {
            plan::READ => alone(trial, || walk::read(clock, trial.window)),
            plan::WALK => alone(trial, || walk::walk(clock, trial.window)),
            plan::ORDER => order::trial(clock, trial),
            plan::COLLIDE => {
                let name = trial.case.level("arrival");
                let arrival = collide::ARRIVALS.into_iter().find(|it| it.name() == name);
                let arrival = arrival.ok_or_else(|| unknown(trial))?;
                collide::trial(clock, arrival, &side_by_side(trial)?, trial)
            }
            _ => Err(unknown(trial)),
        }
    }

    fn conclude(&self, context: &Context, recorded: &Recorded) -> Conclusion {
        conclude::conclude(context, recorded)
    }
}

fn unknown(trial: &Trial) -> Refusal {
    Refusal::Missing { what: format!("a case named {:?}", trial.case.id) }
}

/// Runs a trial of one thread on this start's home CPU.
fn alone(
    trial: &Trial,
    run: impl FnOnce() -> Result<Observation, Refusal>,
) -> Result<Observation, Refusal> {
    trial.pin_home()?;
    run()
}

/// The CPUs of a trial of several threads, drawn anew for each: over a run threads of one core have
/// been neighbours, and of two sockets.
fn side_by_side(trial: &Trial) -> Result<Vec<usize>, Refusal> {
    let threads: usize = trial.case.level("threads").parse().map_err(|_| unknown(trial))?;
    let cpus = trial.cpus.len();
    if threads > cpus {
        let what = format!("{threads} CPUs for {threads} threads; there are {cpus}");
        return Err(Refusal::Missing { what });
    }
    let mut drawn = trial.cpus.clone();
    Random::new(trial.seed).shuffle(&mut drawn);
    drawn.truncate(threads);
    Ok(drawn)
}
