//! Quantiles by linear interpolation between order statistics (Hyndman and Fan 1996, type 7: the
//! default of R and NumPy).

/// The quantile `q` in [0, 1] of values in ascending order; NaN where there are none.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = q.clamp(0.0, 1.0) * last as f64;
    let (below, part) = (position as usize, position.fract());
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * part
}

/// The median; the values' order is destroyed. NaN where there are none. Linear in their number.
pub fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    if values.is_empty() {
        return f64::NAN;
    }
    let odd = values.len() % 2 == 1;
    let (lower, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if odd {
        return upper;
    }
    let lower = lower.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    lower + (upper - lower) / 2.0
}

/// How values are spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The 5th percentile.
    pub p5: f64,
    /// The median.
    pub p50: f64,
    /// The 95th percentile.
    pub p95: f64,
}

/// How these values are spread; NaN where there are none.
pub fn summary(values: &[f64]) -> Summary {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Summary {
        p5: quantile(&sorted, 0.05),
        p50: quantile(&sorted, 0.5),
        p95: quantile(&sorted, 0.95),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `numpy.quantile([...], q)` of NumPy 2, which uses the same definition.
    #[test]
    fn agrees_with_numpy() {
        let sorted = [1.0, 2.5, 4.0, 8.0, 16.0, 40.0];
        for (q, expected) in
            [(0.0, 1.0), (0.05, 1.375), (0.25, 2.875), (0.5, 6.0), (0.95, 34.0), (1.0, 40.0)]
        {
            assert!((quantile(&sorted, q) - expected).abs() < 1e-12, "{q}");
        }
        assert!(quantile(&[], 0.5).is_nan() && median(&mut []).is_nan());
    }

    proptest! {
        #[test]
        fn the_fast_median_is_the_quantile(values in prop::collection::vec(-1e9f64..1e9, 1..60)) {
            let slow = summary(&values).p50;
            let fast = median(&mut values.clone());
            prop_assert!((slow - fast).abs() <= 1e-6 * slow.abs().max(1.0));
        }
    }
}
