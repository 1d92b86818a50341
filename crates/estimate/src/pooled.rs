//! What follows from the counts of all rounds together, as a quantile does.

use record::{Basis, Estimate, Outcome, Part, Recorded};
use stats::{Point, derive_seed, pooled_interval};

use crate::trials::usual_refusal;

/// What `statistic` makes of the events of several share metrics of one case, summed over all
/// rounds in the metrics' order, and after them of how many the first was; or why most of its
/// trials refused.
pub fn pooled(
    recorded: &Recorded,
    case: &str,
    metrics: &[String],
    statistic: impl Fn(&[f64]) -> f64,
) -> Outcome {
    if let Some(refusal) = usual_refusal(recorded, case) {
        return Outcome::Refused(refusal);
    }
    let mut counts: Vec<Vec<Point<Vec<f64>>>> = recorded.starts.iter().map(|_| vec![]).collect();
    for trial in recorded.of_case(case) {
        let Ok(seen) = &trial.result else { continue };
        let part = |metric: &String| seen.readings.get(metric).and_then(|it| it.share());
        let parts: Option<Vec<Part>> = metrics.iter().map(part).collect();
        let Some(parts) = parts.filter(|parts| !parts.is_empty()) else { continue };
        let events = parts.iter().map(|part| part.events as f64);
        let value = events.chain([parts[0].of as f64]).collect();
        let (round, at_ns) = (trial.round, trial.at_ns);
        counts[trial.start as usize].push(Point { round, at_ns, value });
    }
    counts.retain(|start| !start.is_empty());
    let rounds = counts.iter().map(Vec::len).sum::<usize>() as u32;
    let mut points: Vec<Vec<Point<&[f64]>>> = Vec::new();
    for start in &counts {
        let lent =
            start.iter().map(|it| Point { round: it.round, at_ns: it.at_ns, value: &*it.value });
        points.push(lent.collect());
    }
    let seed = derive_seed(recorded.seed, &format!("{case}/{}", metrics.join("/")));
    match pooled_interval(&points, seed, statistic) {
        Some(it) => {
            let basis = Basis::Share { rounds, starts: points.len() as u32 };
            Outcome::Measured(Estimate { value: it.value, low: it.low, high: it.high, basis })
        }
        None => Outcome::NotRun { why: "too few rounds were finished for an interval".into() },
    }
}
