//! Runs the rounds of an experiment: start after start, round after round, trial after trial.
//!
//! Starts come in laps of five. How long one lasts follows from the time given: at most a second,
//! so that a longer run has more of them, spread over all of its time. After each lap the intervals
//! are looked at, and the rounds end if all are narrow enough.

mod round;

use std::time::Duration;

use estimate::CANARY;
use record::{Recorded, Refusal, Start, Stopped};

use crate::{Case, Context, Experiment, Instruments, Launcher, Step, canary, schedule};
use round::{RoundEnd, Rounds};

/// Five starts show how much a start matters; an interval is judged only after a whole lap.
const STARTS_PER_LAP: u32 = 5;
const START_MAX: Duration = Duration::from_secs(1);
/// Of long times starts are longer, so that there are never many more than this.
const STARTS_MAX: u32 = 250;
/// Rounds end early only after so many laps, if there is time for them: an interval that is narrow
/// after the first may be so by chance.
const LAPS_MIN: u32 = 4;
/// Fewer rounds than this are no basis, whatever the time given.
const ROUNDS_MIN: u32 = 10;
const ROUNDS_PER_START_MIN: u32 = ROUNDS_MIN / STARTS_PER_LAP;
/// A start of long rounds is for so many, the one that warms up among them.
const ROUNDS_PER_START_LONG: u32 = 4;

/// Is told of every trial, and may end the run. Called between trials only: whatever it draws, it
/// draws while nothing is timed.
pub trait Watch {
    /// A trial has ended.
    fn seen(&mut self, progress: &Progress) -> Go;
}

/// A watch that only lets things go on.
#[derive(Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn seen(&mut self, _progress: &Progress) -> Go {
        Go::On
    }
}

/// How far a section is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The experiment's name.
    pub experiment: &'a str,
    /// The case that just ran.
    pub case: &'a str,
    /// The round that it belongs to.
    pub round: u32,
    /// The part of the section's time that is used up, 0 to 1.
    pub share: f64,
    /// Whether this was the last trial of its round.
    pub round_ended: bool,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// Yes.
    On,
    /// No: keep the finished rounds and end.
    Stop,
}

/// Asks `experiment` to its end, and returns what its trials yielded.
///
/// # Errors
/// Where the experiment can't be asked on this machine at all.
pub fn conduct(
    experiment: &dyn Experiment,
    context: &Context,
    launcher: &dyn Launcher,
    instruments: &mut dyn Instruments,
    watch: &mut dyn Watch,
) -> Result<Recorded, Refusal> {
    let begun_ns = instruments.now_ns();
    let mut recorded = context.request.blank();
    loop {
        let step = experiment.next(context, &recorded)?;
        let Step::Rounds { mut cases, time, half_width_max, round_about } = step else {
            return Ok(recorded);
        };
        cases.push(canary::case());
        let starts = starts(time, round_about);
        let window =
            schedule::window(time, time / starts, cases.len(), instruments.clock_step_ns());
        if recorded.window_ns == 0 {
            recorded.window_ns = window.as_nanos() as u64;
        }
        let rounds = Rounds {
            experiment: experiment.about().name,
            schedule: schedule::Schedule::new(context.request.seed, cases.len(), window),
            cases: &cases,
            cpus: &context.request.cpus,
            begun_ns,
            step_begun_ns: instruments.now_ns(),
            time,
            starts,
            last_at_ns: recorded.trials.last().map_or(0, |trial| trial.at_ns),
            lost: Default::default(),
            barren: 0,
        };
        let stopped = run_laps(rounds, half_width_max, &mut recorded, launcher, instruments, watch);
        recorded.stopped = stopped;
        if matches!(stopped, Stopped::Interrupted | Stopped::Broken) {
            return Ok(recorded);
        }
    }
}

/// How many starts share this much time: whole laps. Where rounds are long, so are the starts, and
/// no lap more is begun than there is time for.
fn starts(time: Duration, round_about: Duration) -> u32 {
    let usual = START_MAX.max(time / STARTS_MAX);
    let start = usual.max(round_about * ROUNDS_PER_START_LONG);
    let lap = start * STARTS_PER_LAP;
    let laps = match start > usual {
        true => time.as_nanos() / lap.as_nanos(),
        false => time.as_nanos().div_ceil(lap.as_nanos()),
    };
    laps.max(1) as u32 * STARTS_PER_LAP
}

/// Laps of starts until the intervals are narrow, the time is over, or something ends it.
fn run_laps(
    mut rounds: Rounds,
    half_width_max: f64,
    recorded: &mut Recorded,
    launcher: &dyn Launcher,
    instruments: &mut dyn Instruments,
    watch: &mut dyn Watch,
) -> Stopped {
    let starts = rounds.starts;
    let mut next_judged = LAPS_MIN.min(starts / STARTS_PER_LAP);
    for start in 1..=starts {
        // Each start ends at its place in the whole time, so that one that began late is shorter
        // and the whole is not late.
        let until_ns = rounds.step_begun_ns + (rounds.time / starts * start).as_nanos() as u64;
        match run_start(&mut rounds, until_ns, recorded, launcher, instruments, watch) {
            RoundEnd::Finished => {}
            RoundEnd::Stopped => return Stopped::Interrupted,
            RoundEnd::Broken => return Stopped::Broken,
        }
        let lap = start / STARTS_PER_LAP;
        if start % STARTS_PER_LAP == 0 && lap >= next_judged {
            if precise(recorded, rounds.cases, half_width_max) {
                return Stopped::Precise;
            }
            // Judging takes longer the more there is; a quarter more has to come in between.
            next_judged = lap + (lap / 4).max(1);
        }
    }
    Stopped::Budget
}

/// One worker process: a warm-up round, then rounds until its time is over.
fn run_start(
    rounds: &mut Rounds,
    until_ns: u64,
    recorded: &mut Recorded,
    launcher: &dyn Launcher,
    instruments: &mut dyn Instruments,
    watch: &mut dyn Watch,
) -> RoundEnd {
    let began_ns = instruments.now_ns();
    let before = (instruments.system(), instruments.own_cpu_ns());
    let first_round = recorded.rounds();
    let place = recorded.starts.len();
    recorded.starts.push(Start {
        at_ns: began_ns - rounds.begun_ns,
        wall_ns: 0,
        foreign_cpus: None,
        steal_cpus: None,
    });
    let mut run = rounds.start(launcher, place as u32);
    let mut warm_up = Vec::new();
    let mut end = run.round(first_round, &mut warm_up, instruments, watch);
    if end == RoundEnd::Broken {
        // All of its trials were refused, and say why; nothing else will.
        recorded.trials.append(&mut warm_up);
    }
    let mut round = first_round;
    let enough =
        |round: u32, now_ns: u64| round - first_round >= ROUNDS_PER_START_MIN && now_ns >= until_ns;
    while end == RoundEnd::Finished && !enough(round, instruments.now_ns()) {
        let mut trials = Vec::new();
        end = run.round(round, &mut trials, instruments, watch);
        if end != RoundEnd::Stopped {
            recorded.trials.append(&mut trials);
            round += 1;
        }
    }
    // The worker's CPU time is counted when it has ended.
    drop(run);
    let start = &mut recorded.starts[place];
    start.wall_ns = instruments.now_ns() - began_ns;
    if let (Some(before_system), Some(after)) = (before.0, instruments.system()) {
        let seen = after.since(&before_system);
        let ours_ns = instruments.own_cpu_ns().saturating_sub(before.1);
        let wall_ns = start.wall_ns.max(1) as f64;
        // Below zero where a tick fell just before: only the sum over all starts has a meaning.
        start.foreign_cpus = Some((seen.busy_ns as f64 - ours_ns as f64) / wall_ns);
        start.steal_cpus = Some(seen.steal_ns as f64 / wall_ns);
    }
    end
}

/// Whether every interval of every case is narrow enough; cases that only refuse have none.
fn precise(recorded: &Recorded, cases: &[Case], half_width_max: f64) -> bool {
    let narrow = |case: &&Case| {
        estimate::metrics_of(recorded, &case.id).iter().all(|metric| {
            let outcome = estimate::outcome(recorded, &case.id, metric);
            outcome.estimate().is_none_or(|it| it.relative_half_width() <= half_width_max)
        })
    };
    cases.iter().filter(|case| case.id != CANARY).all(|case| narrow(&case))
}
