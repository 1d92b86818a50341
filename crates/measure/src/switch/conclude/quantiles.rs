//! Quantiles of waits from counts beyond fixed thresholds.
//!
//! The waits of all rounds are pooled: a median of the rounds' own 99th percentiles would be
//! another number. The interval comes from resampling starts and blocks of rounds, so it holds
//! however clustered long waits come. Between two thresholds, a quarter apart, waits are taken to
//! fall evenly along the logarithm.

use estimate::{pooled, series, total};
use record::{Outcome, Recorded, Refusal};

use super::super::wakeup::{LONGEST, THRESHOLDS, beyond, threshold_ns};

/// Fewer waits beyond it than this, and a quantile is one wait's whim.
const BEYOND_MIN: f64 = 5.0;

const HALF: f64 = 0.5;

/// The wait that all but this share stay within, in nanoseconds.
pub(super) fn quantile(recorded: &Recorded, case: &str, share: f64) -> Outcome {
    let waits = total(recorded, case, &beyond(0)).of;
    if waits > 0 && (waits as f64) * share < BEYOND_MIN {
        let what = format!("waits enough to tell ({waits} were seen); give more --time");
        return Outcome::Refused(Refusal::Missing { what });
    }
    let metrics: Vec<String> = (0..THRESHOLDS).map(beyond).collect();
    // Between two thresholds a quantile could come out above the longest wait of all.
    let longest = series(recorded, case, LONGEST).values().into_iter().reduce(f64::max);
    let longest = longest.unwrap_or(f64::INFINITY);
    let at = |share: f64| {
        pooled(recorded, case, &metrics, |counts| {
            crossing(&counts[..THRESHOLDS], share * counts[THRESHOLDS]).min(longest)
        })
    };
    let mut outcome = at(share);
    if let (Outcome::Measured(it), Some(half)) = (&mut outcome, at(HALF).estimate()) {
        // A few starts' spread is widened, but no further than where half of the waits are.
        it.low = it.low.max(half.value.min(it.value));
    }
    outcome
}

/// Where falling counts reach `level`, in nanoseconds; the first threshold where they begin below,
/// the last where they never do.
fn crossing(counts: &[f64], level: f64) -> f64 {
    let below = counts.partition_point(|count| *count > level);
    if below == 0 || below == counts.len() {
        return threshold_ns(below.min(counts.len() - 1));
    }
    let (before, after) = (counts[below - 1], counts[below]);
    let part = (before - level) / (before - after);
    let (low, high) = (threshold_ns(below - 1).ln(), threshold_ns(below).ln());
    (low + part * (high - low)).exp()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use record::{Observation, Part, Reading, Start, Trial};

    use super::*;

    /// A record of these waits, a hundred to a trial, in so many starts.
    fn recorded(waits: &[f64], starts: u32) -> Recorded {
        let mut recorded = Recorded::new(1, vec![0], 1);
        let each = waits.len() / starts as usize / 4;
        for start in 0..starts {
            recorded.starts.push(Start {
                at_ns: u64::from(start) * 1_000_000_000,
                wall_ns: 1_000_000_000,
                foreign_cpus: None,
                steal_cpus: None,
            });
        }
        for (round, waits) in waits.chunks(each).enumerate() {
            let of = waits.len() as u64;
            let part = |place: usize| {
                let late = waits.iter().filter(|wait| **wait > threshold_ns(place)).count() as u64;
                (beyond(place), Reading::Share(Part { events: late, of }))
            };
            recorded.trials.push(Trial {
                start: (round as u32 / 4).min(starts - 1),
                round: round as u32,
                case: "x".into(),
                at_ns: round as u64 * 250_000_000 + 1,
                result: Ok(Observation {
                    readings: (0..THRESHOLDS).map(part).collect(),
                    proof: Default::default(),
                }),
            });
        }
        recorded
    }

    /// Exponential waits, whose quantiles are known exactly.
    fn waits(mean_ns: f64, count: usize) -> Vec<f64> {
        let mut random = stats::Random::new(7);
        (0..count).map(|_| -mean_ns * (1.0 - random.unit()).ln()).collect()
    }

    #[test]
    fn quantiles_of_exponential_waits_are_found() {
        let recorded = recorded(&waits(50_000.0, 40_000), 5);
        for (share, exact) in [(0.5, 0.693), (0.01, 4.605), (0.001, 6.908)] {
            let outcome = quantile(&recorded, "x", share);
            let it = outcome.estimate().unwrap();
            let exact = exact * 50_000.0;
            // A twentieth for the even fall between thresholds; the rest is the sample's.
            assert!((it.value / exact - 1.0).abs() < 0.2, "{share} {it:?} {exact}");
            assert!(it.low <= exact * 1.1 && exact * 0.9 <= it.high, "{share} {it:?} {exact}");
        }
    }

    #[test]
    fn too_few_waits_have_no_far_quantile() {
        let recorded = recorded(&waits(50_000.0, 2000), 5);
        assert!(quantile(&recorded, "x", 0.01).estimate().is_some());
        let why = quantile(&recorded, "x", 0.001).why().unwrap();
        assert!(why.contains("2000 were seen"), "{why}");
        assert!(quantile(&recorded, "y", 0.01).estimate().is_none());
    }

    proptest! {
        #[test]
        fn a_crossing_lies_where_the_counts_fall(
            place in 1usize..THRESHOLDS, level in 0.001f64..0.9,
        ) {
            let counts: Vec<f64> =
                (0..THRESHOLDS).map(|at| if at < place { 1.0 } else { 0.0 }).collect();
            let found = crossing(&counts, level);
            prop_assert!(found >= threshold_ns(place - 1) && found <= threshold_ns(place) * 1.0001);
        }
    }
}
