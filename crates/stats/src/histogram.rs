//! Counting values into bins for a picture of how they fell.

/// Counts of `values` over `bins` equal bins from `low` to `high`, and how many lay below and
/// above. Where `low` equals `high`, all values in range fall into the first bin.
pub fn histogram(values: &[f64], low: f64, high: f64, bins: usize) -> (Vec<u64>, u64, u64) {
    let mut counts = vec![0; bins.max(1)];
    let (mut below, mut above) = (0, 0);
    let last = counts.len() - 1;
    for &value in values {
        if value < low {
            below += 1;
        } else if value > high {
            above += 1;
        } else {
            let place = (value - low) / (high - low) * counts.len() as f64;
            counts[(place as usize).min(last)] += 1;
        }
    }
    (counts, below, above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_counted_once() {
        let values = [0.0, 0.5, 1.0, 1.5, 2.0, -1.0, 3.0, 4.0];
        assert_eq!(histogram(&values, 0.0, 2.0, 4), (vec![1, 1, 1, 2], 1, 2));
        assert_eq!(histogram(&[5.0, 5.0], 5.0, 5.0, 3), (vec![2, 0, 0], 0, 0));
    }
}
