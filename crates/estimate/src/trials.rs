//! From trials to a number with its interval, or to the reason why there is none.

use std::collections::{BTreeMap, BTreeSet};

use record::{Basis, Estimate, Outcome, Part, Reading, Recorded, Refusal, Trial};
use stats::{
    Counted, Point, Series, Summary, combined, derive_seed, median, share_interval, summary,
};

/// The id of the case that shows the machine's own speed, once in every round.
pub const CANARY: &str = "canary";
/// Its metric: nanoseconds per step.
pub const CANARY_STEP: &str = "step";

/// Where more of a case's trials than this were refused, the case is.
const REFUSED_SHARE_MAX: f64 = 0.5;

/// One metric of one case, start by start; empty where it is no level.
pub fn series(recorded: &Recorded, case: &str, metric: &str) -> Series {
    Series::new(points(recorded, case, metric, Reading::level))
}

/// The points of one metric of one case, start by start, as far as they are of this kind.
fn points<V>(
    recorded: &Recorded,
    case: &str,
    metric: &str,
    kind: impl Fn(Reading) -> Option<V>,
) -> Vec<Vec<Point<V>>> {
    let mut starts: Vec<Vec<Point<V>>> = recorded.starts.iter().map(|_| Vec::new()).collect();
    for trial in recorded.of_case(case) {
        let reading = trial.result.as_ref().ok().and_then(|seen| seen.readings.get(metric));
        if let Some(value) = reading.and_then(|reading| kind(*reading)) {
            let (round, at_ns) = (trial.round, trial.at_ns);
            starts[trial.start as usize].push(Point { round, at_ns, value });
        }
    }
    starts
}

/// The median of one metric of one case, or its share, with its interval; or why most of its trials
/// refused.
pub fn outcome(recorded: &Recorded, case: &str, metric: &str) -> Outcome {
    if let Some(refusal) = usual_refusal(recorded, case) {
        return Outcome::Refused(refusal);
    }
    let shares = points(recorded, case, metric, Reading::share);
    let names = [case, metric];
    let estimate = if shares.iter().any(|start| !start.is_empty()) {
        share_of(&shares, recorded.seed, &names)
    } else {
        estimate_of(&series(recorded, case, metric), recorded.seed, &names)
    };
    match estimate {
        Some(estimate) => Outcome::Measured(estimate),
        None => Outcome::NotRun { why: "no round was finished".into() },
    }
}

/// All events of one metric of one case, over all rounds.
pub fn total(recorded: &Recorded, case: &str, metric: &str) -> Part {
    let parts = points(recorded, case, metric, Reading::share);
    parts.iter().flatten().fold(Part::default(), |sum, point| Part {
        events: sum.events + point.value.events,
        of: sum.of + point.value.of,
    })
}

/// The ratio of two cases' metric, round by round; refused where either case is.
pub fn derived_ratio(recorded: &Recorded, of: &str, to: &str, metric: &str) -> Outcome {
    derived(recorded, &[of, to], metric, |values| values[0] / values[1])
}

/// What `make` makes of the same metric of several cases, in their order, round by round; refused
/// where any of them is.
pub fn derived(
    recorded: &Recorded,
    cases: &[&str],
    metric: &str,
    make: impl Fn(&[f64]) -> f64,
) -> Outcome {
    if let Some(refusal) = cases.iter().find_map(|case| usual_refusal(recorded, case)) {
        return Outcome::Refused(refusal);
    }
    let all: Vec<Series> = cases.iter().map(|case| series(recorded, case, metric)).collect();
    let made = all.split_first().map(|(first, others)| {
        let others: Vec<&Series> = others.iter().collect();
        combined(first, &others, make)
    });
    let names = [cases, &[metric]].concat();
    match made.and_then(|made| estimate_of(&made, recorded.seed, &names)) {
        Some(estimate) => Outcome::Derived(estimate),
        None => Outcome::NotRun { why: "no round was finished".into() },
    }
}

/// How one metric of one case was spread over its rounds.
pub fn spread(recorded: &Recorded, case: &str, metric: &str) -> Summary {
    summary(&series(recorded, case, metric).values())
}

/// The median over one case's trials of each thing that was counted; and where some of them were
/// refused, how many.
pub fn proof_of(recorded: &Recorded, case: &str) -> BTreeMap<String, f64> {
    let mut counted: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for seen in recorded.of_case(case).filter_map(|trial| trial.result.as_ref().ok()) {
        for (counter, value) in &seen.proof {
            counted.entry(counter).or_default().push(*value);
        }
    }
    let medians = counted.into_iter().map(|(name, mut all)| (name.to_owned(), median(&mut all)));
    let (refused, all) = refused_of(recorded, case);
    let refused = (refused > 0).then_some(("refused_trials", refused));
    let counts = refused.into_iter().chain([("trials", all)]);
    medians.chain(counts.map(|(name, n)| (name.to_owned(), f64::from(n)))).collect()
}

/// How many trials of a case were refused, of how many.
pub fn refused_of(recorded: &Recorded, case: &str) -> (u32, u32) {
    let refused = |trial: &Trial| u32::from(trial.result.is_err());
    recorded.of_case(case).fold((0, 0), |(sum, all), trial| (sum + refused(trial), all + 1))
}

/// The metrics that a case was seen to have.
pub fn metrics_of(recorded: &Recorded, case: &str) -> BTreeSet<String> {
    let seen = recorded.of_case(case).filter_map(|trial| trial.result.as_ref().ok());
    seen.flat_map(|seen| seen.readings.keys().cloned()).collect()
}

/// The median of a series with its interval, by a seed that belongs to `names` alone; with one
/// start only, how the rounds were spread.
fn estimate_of(series: &Series, seed: u64, names: &[&str]) -> Option<Estimate> {
    if series.is_empty() {
        return None;
    }
    let rounds = series.len() as u32;
    let Some(it) = series.median_interval(derive_seed(seed, &names.join("/"))) else {
        let spread = summary(&series.values());
        let (value, low, high) = (spread.p50, spread.p5, spread.p95);
        return Some(Estimate { value, low, high, basis: Basis::Spread { rounds } });
    };
    let basis = Basis::Rounds { rounds, starts: series.starts().len() as u32 };
    Some(Estimate { value: it.value, low: it.low, high: it.high, basis })
}

/// The share of all events, by a seed that belongs to `names` alone; with too few starts, how the
/// shares of the rounds were spread.
fn share_of(starts: &[Vec<Point<Part>>], seed: u64, names: &[&str]) -> Option<Estimate> {
    let counted = |part: Part| Counted { events: part.events as f64, of: part.of as f64 };
    let starts: Vec<Vec<Point<Counted>>> = starts
        .iter()
        .map(|start| start.iter().filter(|point| point.value.of > 0))
        .map(|start| {
            start
                .map(|&Point { round, at_ns, value }| Point { round, at_ns, value: counted(value) })
                .collect()
        })
        .filter(|start: &Vec<_>| !start.is_empty())
        .collect();
    let each: Vec<f64> =
        starts.iter().flatten().map(|point| point.value.events / point.value.of).collect();
    let rounds = each.len() as u32;
    match share_interval(&starts, derive_seed(seed, &names.join("/"))) {
        Some(it) => {
            let basis = Basis::Share { rounds, starts: starts.len() as u32 };
            Some(Estimate { value: it.value, low: it.low, high: it.high, basis })
        }
        None if each.is_empty() => None,
        None => {
            let spread = summary(&each);
            let (value, low, high) = (spread.p50, spread.p5, spread.p95);
            Some(Estimate { value, low, high, basis: Basis::Spread { rounds } })
        }
    }
}

/// The most frequent refusal of a case, where most of its trials were refused.
pub(crate) fn usual_refusal(recorded: &Recorded, case: &str) -> Option<Refusal> {
    let mut refusals: BTreeMap<String, (u32, &Refusal)> = BTreeMap::new();
    let (mut refused, mut all) = (0u32, 0u32);
    for trial in recorded.of_case(case) {
        all += 1;
        if let Err(refusal) = &trial.result {
            refused += 1;
            refusals.entry(refusal.to_string()).or_insert((0, refusal)).0 += 1;
        }
    }
    let most = refusals.into_values().max_by_key(|(count, _)| *count);
    most.filter(|_| f64::from(refused) > REFUSED_SHARE_MAX * f64::from(all))
        .map(|(_, refusal)| refusal.clone())
}
