//! A deterministic experiment on a machine that is not there: for tests of everything but trials.
//!
//! Its clock stands still between trials and moves by a trial's window during one. Its machine has
//! the vices of a shared virtual one: two speeds that last for seconds, and noise that resembles
//! itself from round to round.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use estimate::{outcome, proof_of};
use machine::counters::SystemCounters;
use record::{
    Better, Conclusion, Finding, Machine, Observation, Reading, Recorded, Refusal, RestsOn, Unit,
};
use stats::{Random, derive_seed};

use crate::{
    About, Case, Context, Experiment, Instruments, Local, Request, Step, Trial, Unwatched, Watch,
    conclude, conduct,
};

/// The slower of the machine's two speeds, as seen on a real one (245 ns against 180 ns).
const SLOW_MODE: f64 = 1.36;
const MODE_NS: u64 = 700_000_000;
const NOISE: f64 = 0.03;

static ABOUT: About = About {
    name: "fake",
    question: "What does nothing cost?",
    help: "A deterministic experiment for tests",
    workload_version: 1,
    survey_budget: Duration::from_secs(5),
    survey_choices: &[],
    budget: Duration::from_secs(5),
};

/// The experiment, its machine and its clock in one.
#[derive(Debug)]
pub struct Fake {
    now_ns: AtomicU64,
    seed: u64,
    costs_ns: BTreeMap<String, f64>,
    refusing: Option<(String, Refusal)>,
}

impl Fake {
    /// A machine of this seed, on which each case costs this much at the faster speed. A case whose
    /// id ends in `.twin` may be given a cost of its own: a twin that secretly differs.
    pub fn new(seed: u64, costs_ns: &[(&str, f64)]) -> Self {
        let costs_ns = costs_ns.iter().map(|(id, cost)| ((*id).to_owned(), *cost)).collect();
        Self { now_ns: AtomicU64::new(1_000_000_000), seed, costs_ns, refusing: None }
    }

    /// The same, but every trial of `case` is refused.
    pub fn refusing(mut self, case: &str, refusal: Refusal) -> Self {
        self.refusing = Some((case.to_owned(), refusal));
        self
    }

    /// The request and machine that tests use.
    pub fn context(&self, budget: Duration) -> Context {
        let machine = Machine { architecture: "fake".into(), ..Machine::default() };
        Context {
            machine,
            request: Request {
                budget,
                cpus: vec![0, 1],
                seed: self.seed,
                choices: Default::default(),
            },
        }
    }

    /// Conducts this experiment on its own clock, watched by `watch`.
    ///
    /// # Errors
    /// As [`conduct()`].
    pub fn conduct(&self, budget: Duration, watch: &mut dyn Watch) -> Result<Recorded, Refusal> {
        let canary = |trial: &Trial| self.observe(trial, 1.0, "step");
        let launcher = Local::with_canary(self, &canary);
        conduct(self, &self.context(budget), &launcher, &mut FakeInstruments(self), watch)
    }

    /// The section of a whole run.
    ///
    /// # Errors
    /// As [`conduct()`].
    pub fn section(&self, budget: Duration) -> Result<record::Section, Refusal> {
        let recorded = self.conduct(budget, &mut Unwatched)?;
        Ok(conclude(self, &self.context(budget), recorded))
    }

    /// What a case of this cost is seen to cost now; the clock moves on by the window.
    fn observe(&self, trial: &Trial, cost_ns: f64, metric: &str) -> Observation {
        let window_ns = trial.window.as_nanos() as u64;
        let now_ns = self.now_ns.fetch_add(window_ns, Ordering::Relaxed);
        let slow = Random::new(self.seed ^ (now_ns / MODE_NS)).unit() < 0.5;
        let speed = if slow { SLOW_MODE } else { 1.0 };
        let mut random = Random::new(derive_seed(self.seed ^ now_ns, &trial.case.id));
        let noise = 1.0 + NOISE * (2.0 * random.unit() - 1.0);
        Observation {
            readings: [(metric.to_owned(), Reading::Level(cost_ns * speed * noise))].into(),
            proof: [("calls".to_owned(), window_ns as f64 / cost_ns)].into(),
        }
    }
}

impl Experiment for Fake {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn next(&self, context: &Context, so_far: &Recorded) -> Result<Step, Refusal> {
        if so_far.rounds() > 0 {
            return Ok(Step::Done);
        }
        let cases = self.costs_ns.keys().map(|id| Case::new(id, &[("cost", id)])).collect();
        Ok(Step::Rounds {
            cases,
            time: context.request.budget,
            half_width_max: 0.02,
            round_about: Duration::ZERO,
        })
    }

    fn trial(&self, trial: &Trial) -> Result<Observation, Refusal> {
        if let Some((case, refusal)) = &self.refusing
            && *case == trial.case.id
        {
            return Err(refusal.clone());
        }
        let cost_ns = self.costs_ns.get(&trial.case.id);
        let missing = || Refusal::Missing { what: format!("case {}", trial.case.id) };
        Ok(self.observe(trial, *cost_ns.ok_or_else(missing)?, "cost"))
    }

    fn conclude(&self, _context: &Context, recorded: &Recorded) -> Conclusion {
        let finding = |case: &String| Finding {
            rests_on: Some(RestsOn { case: case.clone(), metric: "cost".into(), cpu_bound: true }),
            proof: proof_of(recorded, case),
            ..Finding::new(
                format!("fake.{case}.cost"),
                Unit::Nanoseconds,
                Better::Lower,
                outcome(recorded, case, "cost"),
                format!("{case} costs something."),
            )
        };
        let cases = self.costs_ns.keys().filter(|case| !case.ends_with(estimate::TWIN));
        Conclusion { findings: cases.map(finding).collect(), ..Conclusion::default() }
    }
}

/// The instruments of a machine that is not there.
struct FakeInstruments<'a>(&'a Fake);

impl Instruments for FakeInstruments<'_> {
    fn now_ns(&self) -> u64 {
        self.0.now_ns.load(Ordering::Relaxed)
    }

    fn system(&mut self) -> Option<SystemCounters> {
        None
    }

    fn own_cpu_ns(&self) -> u64 {
        0
    }

    fn clock_step_ns(&self) -> u64 {
        10
    }
}
