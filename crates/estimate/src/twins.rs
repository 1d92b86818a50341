//! The same case under two labels: whatever differs between the two is noise.

use record::Recorded;
use stats::{Comparison, Interval, derive_seed, noise_floor, ratios, within};

use crate::{metrics_of, series};

/// What a twin's id ends in.
pub const TWIN: &str = ".twin";
/// No experiment has more; a hostile run file may, and each takes a while to judge.
const PAIRS_MAX: usize = 64;

/// The same case under two labels, compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Twins {
    /// The case.
    pub case: String,
    /// The metric.
    pub metric: String,
    /// The twin against the case, judged with the noise floor of all *other* twins: with its own
    /// it could never be called different.
    pub comparison: Comparison,
}

/// Every pair of twins, judged.
pub fn twins(recorded: &Recorded) -> Vec<Twins> {
    let mut pairs = Vec::new();
    for (case, twin) in twin_cases(recorded) {
        for metric in metrics_of(recorded, &case) {
            let ratios =
                ratios(&series(recorded, &twin, &metric), &series(recorded, &case, &metric));
            let seed = derive_seed(recorded.seed, &format!("{twin}/{metric}"));
            if let Some(ratio) = ratios.median_interval(seed) {
                pairs.push((case.clone(), metric, ratios, ratio, seed));
            }
        }
    }
    let judge = |place: usize| {
        let (case, metric, series, _, seed) = &pairs[place];
        let others =
            pairs.iter().enumerate().filter(|(other, it)| *other != place && it.1 == *metric);
        let others: Vec<Interval> = others.map(|(_, it)| it.3).collect();
        let comparison = within(series, noise_floor(&others).unwrap_or(0.0), *seed)?;
        Some(Twins { case: case.clone(), metric: metric.clone(), comparison })
    };
    (0..pairs.len()).filter_map(judge).collect()
}

/// Cases that ran under two labels, with both.
fn twin_cases(recorded: &Recorded) -> Vec<(String, String)> {
    let mut twins: Vec<_> = recorded
        .trials
        .iter()
        .map(|trial| &trial.case)
        .filter(|case| case.ends_with(TWIN))
        .collect();
    twins.sort();
    twins.dedup();
    twins.truncate(PAIRS_MAX);
    let case = |twin: &String| twin.strip_suffix(TWIN).unwrap_or(twin).to_owned();
    twins.into_iter().map(|twin| (case(twin), twin.clone())).collect()
}

/// The noise floor of all twins.
pub fn floor_of(twins: &[Twins]) -> Option<f64> {
    noise_floor(&twins.iter().map(|pair| pair.comparison.ratio).collect::<Vec<_>>())
}
