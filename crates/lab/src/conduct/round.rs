//! One round: every case once, in the schedule's order, with a fresh worker where one was lost.

use std::{collections::BTreeMap, time::Duration};

use estimate::CANARY;
use record::{Refusal, Trial as TrialRecord};

use super::{Go, Progress, Watch};
use crate::{Case, Instruments, Launcher, Trial, Worker, schedule::Schedule};

/// A case that ended this many workers, with no trial that went well in between, is not run again.
const WORKERS_LOST_MAX: u32 = 2;
/// ... until this long after the last one: what took its workers may be gone by then, and one more
/// loss, of some two seconds, is a tenth of that.
const TRIED_AGAIN_AFTER_NS: u64 = 20_000_000_000;
/// After this many failures in a row to start any worker, there is no point in going on.
const STARTS_FAILED_MAX: u32 = 3;
const BEFORE_NEXT_START: Duration = Duration::from_millis(50);
/// After this many rounds in a row of nothing but refusals, no round is going to be better. They
/// take almost no time, so without a bound they would fill the memory.
const BARREN_ROUNDS_MAX: u32 = 10;
/// An answer is overdue after ten windows and this.
const GRACE: Duration = Duration::from_secs(2);

/// What stays the same over all rounds of a step, and which cases were given up.
pub(super) struct Rounds<'a> {
    pub experiment: &'a str,
    pub schedule: Schedule,
    pub cases: &'a [Case],
    pub cpus: &'a [usize],
    /// When the section began.
    pub begun_ns: u64,
    /// When this step began.
    pub step_begun_ns: u64,
    /// How long this step may take.
    pub time: Duration,
    /// How many worker processes share that time.
    pub starts: u32,
    /// When the last trial was asked for, since the section's beginning.
    pub last_at_ns: u64,
    /// Workers lost, by case: how many, and how and when the last one was.
    pub lost: BTreeMap<usize, (u32, Refusal, u64)>,
    /// Rounds in a row in which every case refused.
    pub barren: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoundEnd {
    Finished,
    /// The watch said so.
    Stopped,
    /// No worker can be started, or all that comes is refusals.
    Broken,
}

/// The rounds of one worker process, and of those that replace it if it is lost.
pub(super) struct StartRun<'a, 'b> {
    rounds: &'a mut Rounds<'b>,
    launcher: &'a dyn Launcher,
    worker: Option<Box<dyn Worker + 'a>>,
    start: u32,
    /// Failures in a row to start a worker, and how the last one was.
    starts_failed: (u32, Option<Refusal>),
}

impl<'b> Rounds<'b> {
    pub(super) fn start<'a>(
        &'a mut self,
        launcher: &'a dyn Launcher,
        start: u32,
    ) -> StartRun<'a, 'b> {
        StartRun { rounds: self, launcher, worker: None, start, starts_failed: (0, None) }
    }

    fn share(&self, now_ns: u64) -> f64 {
        ((now_ns - self.step_begun_ns) as f64 / self.time.as_nanos().max(1) as f64).min(1.0)
    }
}

impl StartRun<'_, '_> {
    /// Runs one round and appends its trials.
    pub(super) fn round(
        &mut self,
        round: u32,
        trials: &mut Vec<TrialRecord>,
        instruments: &mut dyn Instruments,
        watch: &mut dyn Watch,
    ) -> RoundEnd {
        let plan = self.rounds.schedule.round(round);
        let last = plan.len() - 1;
        let mut barren = true;
        for (place, planned) in plan.into_iter().enumerate() {
            // Refusals can come faster than the clock steps; the order is to be kept all the same.
            let now_ns = instruments.now_ns() - self.rounds.begun_ns;
            let at_ns = now_ns.max(self.rounds.last_at_ns + 1);
            self.rounds.last_at_ns = at_ns;
            let result = self.trial(round, planned.case, planned.window);
            let case = &self.rounds.cases[planned.case].id;
            barren &= result.is_err() || case == CANARY;
            let progress = Progress {
                experiment: self.rounds.experiment,
                case,
                round,
                share: self.rounds.share(instruments.now_ns()),
                round_ended: place == last,
            };
            trials.push(TrialRecord {
                start: self.start,
                round,
                case: case.clone(),
                at_ns,
                result,
            });
            if watch.seen(&progress) == Go::Stop {
                return RoundEnd::Stopped;
            }
        }
        self.rounds.barren = if barren { self.rounds.barren + 1 } else { 0 };
        let hopeless = self.rounds.barren >= BARREN_ROUNDS_MAX;
        if hopeless || self.starts_failed.0 >= STARTS_FAILED_MAX {
            RoundEnd::Broken
        } else {
            RoundEnd::Finished
        }
    }

    fn trial(
        &mut self,
        round: u32,
        case: usize,
        window: Duration,
    ) -> Result<record::Observation, Refusal> {
        let now_ns = self.rounds.last_at_ns;
        if let Some((count, refusal, at_ns)) = self.rounds.lost.get(&case)
            && *count >= WORKERS_LOST_MAX
            && now_ns - at_ns < TRIED_AGAIN_AFTER_NS
        {
            return Err(Refusal::Broken { seen: format!("not tried again after: {refusal}") });
        }
        let trial = Trial {
            case: self.rounds.cases[case].clone(),
            window,
            cpus: self.rounds.cpus.to_vec(),
            start: self.start,
            seed: self.rounds.schedule.seed_of(round, case),
        };
        let deadline = window * 10 + GRACE;
        let result = self.worker()?.run(&trial, deadline);
        if result.is_ok() {
            self.rounds.lost.remove(&case);
        }
        if let Err(refusal) = &result
            && !refusal.worker_survives()
        {
            self.worker = None;
            let count = self.rounds.lost.get(&case).map_or(0, |lost| lost.0);
            self.rounds.lost.insert(case, (count + 1, refusal.clone(), now_ns));
        }
        result
    }

    fn worker(&mut self) -> Result<&mut (dyn Worker + '_), Refusal> {
        if self.worker.is_none() {
            if let (STARTS_FAILED_MAX.., Some(refusal)) = &self.starts_failed {
                return Err(refusal.clone());
            }
            match self.launcher.start(self.rounds.experiment) {
                Ok(worker) => {
                    self.worker = Some(worker);
                    self.starts_failed = (0, None);
                }
                Err(refusal) => {
                    // A system that has no process left may have one soon.
                    std::thread::sleep(BEFORE_NEXT_START);
                    self.starts_failed = (self.starts_failed.0 + 1, Some(refusal.clone()));
                    return Err(refusal);
                }
            }
        }
        match &mut self.worker {
            Some(worker) => Ok(&mut **worker),
            None => Err(Refusal::Broken { seen: "no worker".into() }),
        }
    }
}
