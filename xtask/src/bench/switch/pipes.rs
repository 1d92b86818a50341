//! The pipe ping-pong by Fathom's own trial, beside `perf bench sched pipe` in the same places.
//!
//! All contenders run once per round, in shuffled order, but the two of a ratio one after the
//! other: what else the machine does changes within a round. What is judged is the ratio per round.
//! perf hands over four bytes, Fathom one.

use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use lab::{Case, Experiment, Trial};
use stats::{Point, Random, Series, ratios};

use super::peer::{self, Place};
use crate::Outcome;
use crate::bench::{agrees, perf};

/// How much of it.
pub struct Size {
    pub starts: u32,
    pub rounds_per_start: u32,
    pub window_ms: u64,
}

/// What perf takes for a round trip is guessed before Fathom has measured one.
const ROUND_TRIP_NS_ASSUMED: f64 = 10e3;
const KINDS: [&str; 2] = ["process", "thread"];
const PLACEMENTS: [&str; 3] = ["same_cpu", "two_cpus.idle", "free"];
/// What is said below the table.
const PLACED: &str = "\
perf: perf bench sched pipe, for threads with -T, pinned by taskset; across two CPUs one of its
sides is moved as soon as it is there. Free is not judged: perf counts the milliseconds, too,
that pass before the scheduler has parted its sides.
";
/// Where the sides run wherever the scheduler likes. Seen, not judged: perf's sides begin on one
/// CPU and are parted some milliseconds later, which it counts and Fathom, being warm, does not.
const FREE: &str = "free";

/// Runs the bench; without perf it says so, and does not fail.
pub fn run(cpus: &[usize], cases: &[Case], size: &Size) -> Result<Outcome> {
    if !perf::is_here() {
        return Ok(Outcome { text: perf::SKIPPED.into(), clean: true });
    }
    let mut duels: Vec<Duel> = KINDS
        .iter()
        .flat_map(|kind| PLACEMENTS.map(|placement| format!("pipe.{kind}.{placement}")))
        // With a single CPU there is no case across two.
        .filter_map(|id| super::case(cases, &id).ok().map(Duel::of))
        .collect();
    let mut random = Random::new(1);
    for start in 0..size.starts {
        duels.iter_mut().for_each(Duel::begin);
        for round in 0..size.rounds_per_start {
            let round = start * size.rounds_per_start + round;
            random.shuffle(&mut duels);
            for duel in &mut duels {
                let trial = duel.trial(start, random.next_u64(), cpus, size.window_ms);
                let mut order = [true, false];
                random.shuffle(&mut order);
                order.into_iter().for_each(|is_ours| duel.run(is_ours, round, &trial));
            }
        }
    }
    // Back in the order in which they are shown.
    duels.sort_by(|one, other| one.case.id.cmp(&other.case.id));
    Ok(table(&duels))
}

fn table(duels: &[Duel]) -> Outcome {
    let mut text = String::from(
        "ns a round trip by pipe      fathom      perf   fathom / perf [95 %]   rounds\n",
    );
    let mut clean = true;
    for duel in duels {
        let (row, agreed) = duel.row();
        let failed =
            duel.failed.iter().map(|(times, why)| format!("; failed {times} times: {why}"));
        text += &format!("{:<26} {row}{}\n", duel.case.id, failed.collect::<String>());
        clean &= agreed;
    }
    Outcome { text: text + PLACED, clean }
}

/// A case and its peer.
struct Duel {
    case: Case,
    ours: Vec<Vec<Point>>,
    theirs: Vec<Vec<Point>>,
    /// As Fathom measured it last.
    round_trip_ns: f64,
    /// How often one of them yielded no number, and why at last.
    failed: Option<(u32, String)>,
}

impl Duel {
    fn of(case: &Case) -> Self {
        Self {
            case: case.clone(),
            ours: Vec::new(),
            theirs: Vec::new(),
            round_trip_ns: ROUND_TRIP_NS_ASSUMED,
            failed: None,
        }
    }

    fn begin(&mut self) {
        self.ours.push(Vec::new());
        self.theirs.push(Vec::new());
    }

    /// Both medians and their ratio, and whether it passes.
    fn row(&self) -> (String, bool) {
        let (ours, theirs) = (Series::new(self.ours.clone()), Series::new(self.theirs.clone()));
        let ratios = ratios(&ours, &theirs);
        let Some(ratio) = ratios.median_interval(1) else {
            return ("not enough rounds".to_owned(), false);
        };
        let (agreed, words) = match self.case.level("placement") {
            FREE => (true, "not judged"),
            _ => agrees(&ratio),
        };
        let row = format!(
            "{:>8.0}  {:>8.0}   {:.3} [{:.3}, {:.3}]   {:>6}   {words}",
            ours.median(),
            theirs.median(),
            ratio.value,
            ratio.low,
            ratio.high,
            ratios.len(),
        );
        (row, agreed)
    }

    /// The trial of a start, of which each takes the next pair of CPUs.
    fn trial(&self, start: u32, seed: u64, cpus: &[usize], window_ms: u64) -> Trial {
        let mut case = self.case.clone();
        if let Some(pairs) = case.levels.get_mut("pairs") {
            let one = pairs.split(',').nth(start as usize % pairs.split(',').count());
            *pairs = one.unwrap_or_default().to_owned();
        }
        let window = Duration::from_millis(window_ms);
        Trial { case, window, cpus: cpus.to_vec(), start, seed }
    }

    /// Runs one of the two; one that yields no number is left out of this round.
    fn run(&mut self, is_ours: bool, round: u32, trial: &Trial) {
        let at_ns = machine::clock::now_ns();
        let measured = if is_ours { fathom_ns(trial) } else { self.perf_ns(trial) };
        let value = match measured {
            Ok(value) => value,
            Err(error) => {
                let times = self.failed.take().map_or(0, |failed| failed.0);
                self.failed = Some((times + 1, format!("{error:#}")));
                return;
            }
        };
        if is_ours {
            self.round_trip_ns = value;
        }
        let series = if is_ours { &mut self.ours } else { &mut self.theirs };
        series.iter_mut().last().into_iter().for_each(|start| {
            start.push(Point { round, at_ns, value });
        });
    }

    fn perf_ns(&self, trial: &Trial) -> Result<f64> {
        let place = match (self.case.level("placement"), self.case.level("pairs")) {
            (FREE, _) => Place::Any(trial.cpus.clone()),
            (_, "") => Place::One(trial.home_cpu()),
            _ => Place::Two(pair(trial)?),
        };
        let trips = trial.window.as_nanos() as f64 / self.round_trip_ns;
        peer::round_trip_ns(self.case.level("partner") == "thread", &place, trips as u64 + 1)
    }
}

/// The trial's pair of CPUs, in one of its directions.
fn pair(trial: &Trial) -> Result<[usize; 2]> {
    let level = trial.case.level("pairs");
    let pair = level
        .split_once('-')
        .and_then(|(one, other)| Some([one.parse().ok()?, other.parse().ok()?]));
    let [one, other] = pair.with_context(|| format!("no pair: {level:?}"))?;
    Ok(if trial.seed.is_multiple_of(2) { [one, other] } else { [other, one] })
}

/// One trial of the product's own experiment, in this process.
fn fathom_ns(trial: &Trial) -> Result<f64> {
    let seen = measure::Switch.trial(trial).map_err(|refusal| anyhow!("{refusal}"))?;
    seen.proof.get("round_trip_ns").copied().context("the trial proves no round trip")
}
