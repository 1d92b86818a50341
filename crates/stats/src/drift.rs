//! Did values change steadily over a run, as a machine that heats up or is throttled makes them?

use crate::median;

/// A trend weaker than this is not called one.
const CORRELATION_MIN: f64 = 0.5;
/// A change smaller than this is within what is called the same.
const CHANGE_MIN: f64 = 0.03;
const VALUES_MIN: usize = 20;

/// The relative change from the first third's median to the last third's, where the values rise or
/// fall with time throughout; values in order of time.
pub fn drift(values: &[f64]) -> Option<f64> {
    if values.len() < VALUES_MIN || spearman(values).abs() < CORRELATION_MIN {
        return None;
    }
    let third = values.len() / 3;
    let first = median(&mut values[..third].to_vec());
    let last = median(&mut values[values.len() - third..].to_vec());
    let change = last / first - 1.0;
    (change.abs() >= CHANGE_MIN).then_some(change)
}

/// Spearman's rank correlation of values with their place in the order; equal values share the mean
/// of their ranks. 0 where all are equal.
pub fn spearman(values: &[f64]) -> f64 {
    let ranks = ranks(values);
    let mean = (values.len() as f64 - 1.0) / 2.0;
    let (mut both, mut places, mut theirs) = (0.0, 0.0, 0.0);
    for (place, rank) in ranks.iter().enumerate() {
        let (x, y) = (place as f64 - mean, rank - mean);
        both += x * y;
        places += x * x;
        theirs += y * y;
    }
    if theirs == 0.0 { 0.0 } else { both / (places * theirs).sqrt() }
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut begin = 0;
    for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = begin as f64 + (group.len() as f64 - 1.0) / 2.0;
        group.iter().for_each(|&place| ranks[place] = rank);
        begin += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.stats.spearmanr(range(n), values).statistic` of SciPy 1.
    #[test]
    fn agrees_with_scipy() {
        for (values, expected) in [
            (vec![1.0, 2.0, 3.0, 4.0], 1.0),
            (vec![3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0], 0.503_003_030_0),
            (vec![2.0, 2.0, 1.0, 1.0], -0.894_427_191_0),
            (vec![5.0, 5.0, 5.0], 0.0),
        ] {
            assert!(
                (spearman(&values) - expected).abs() < 1e-9,
                "{values:?} {}",
                spearman(&values)
            );
        }
    }

    #[test]
    fn a_steady_rise_is_a_drift_and_noise_is_not() {
        let rise: Vec<f64> = (0..60).map(|i| 100.0 + f64::from(i) * 0.5).collect();
        let change = drift(&rise).unwrap();
        assert!((0.15..0.25).contains(&change), "{change}");
        let slight: Vec<f64> = (0..60).map(|i| 100.0 + f64::from(i) * 0.01).collect();
        let there_and_back: Vec<f64> = (0..60).map(|i| f64::from(100 + (i % 7))).collect();
        assert_eq!((drift(&slight), drift(&there_and_back), drift(&rise[..5])), (None, None, None));
    }
}
