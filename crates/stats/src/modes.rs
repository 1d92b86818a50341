//! Do values fall into two groups? A median between two modes is a number that never happened.

/// Two groups of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modes {
    /// The median of the lower group.
    pub lower: f64,
    /// The median of the upper group.
    pub upper: f64,
    /// The part of all values that lies in the upper group.
    pub upper_share: f64,
}

/// A group smaller than this part of the values is a tail, not a mode.
const SHARE_MIN: f64 = 0.1;
/// Groups nearer to each other than this are one, however sharp.
const DISTANCE_MIN: f64 = 0.08;
/// How much of the spread the split must explain. One normal group explains 0.64, one uniform 0.75,
/// two groups of equal size four deviations apart 0.87.
const EXPLAINED_MIN: f64 = 0.86;
const VALUES_MIN: usize = 20;

/// Two modes, where there are any: the split that explains most of the variance (Otsu 1979) of the
/// values within the 1st to 99th percentile, if it explains enough.
pub fn two_modes(values: &[f64]) -> Option<Modes> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = sorted.len() / 100;
    let sorted = &sorted[cut..sorted.len() - cut];
    if sorted.len() < VALUES_MIN {
        return None;
    }
    let (split, explained) = best_split(sorted);
    let (lower, upper) = sorted.split_at(split);
    let upper_share = upper.len() as f64 / sorted.len() as f64;
    let (lower, upper) = (crate::quantile(lower, 0.5), crate::quantile(upper, 0.5));
    let large_enough = (SHARE_MIN..=1.0 - SHARE_MIN).contains(&upper_share);
    let far_enough = upper - lower >= DISTANCE_MIN * lower.abs();
    (explained >= EXPLAINED_MIN && large_enough && far_enough).then_some(Modes {
        lower,
        upper,
        upper_share,
    })
}

/// Where to cut ascending values so that the groups' means explain most of the variance, and how
/// much they explain.
fn best_split(sorted: &[f64]) -> (usize, f64) {
    let n = sorted.len() as f64;
    let mean = sorted.iter().sum::<f64>() / n;
    let total: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
    let mut best = (1, 0.0);
    let mut sum = 0.0;
    for (i, value) in sorted.iter().enumerate().take(sorted.len() - 1) {
        sum += value - mean;
        let below = (i + 1) as f64;
        let between = sum * sum * n / (below * (n - below));
        if between > best.1 {
            best = (i + 1, between);
        }
    }
    (best.0, if total > 0.0 { best.1 / total } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    fn around(centre: f64, width: f64, n: usize, random: &mut Random) -> Vec<f64> {
        (0..n)
            .map(|_| {
                let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
                centre + width * normal
            })
            .collect()
    }

    #[test]
    fn two_host_modes_are_seen_and_one_mode_is_not_split() {
        let mut random = Random::new(2);
        // The two modes of getppid that were measured on a shared virtual machine.
        let both = [around(180.0, 5.0, 100, &mut random), around(245.0, 6.0, 200, &mut random)];
        let modes = two_modes(&both.concat()).unwrap();
        assert!((modes.lower - 180.0).abs() < 3.0 && (modes.upper - 245.0).abs() < 3.0);
        assert!((modes.upper_share - 0.67).abs() < 0.02);

        for seed in 0..200 {
            let mut random = Random::new(seed);
            assert_eq!(two_modes(&around(200.0, 15.0, 60, &mut random)), None, "normal {seed}");
            let uniform: Vec<f64> = (0..60).map(|_| 100.0 + 40.0 * random.unit()).collect();
            assert_eq!(two_modes(&uniform), None, "uniform {seed}");
        }
    }

    #[test]
    fn tails_near_groups_and_constants_are_no_modes() {
        let mut random = Random::new(3);
        let tail = [around(100.0, 1.0, 95, &mut random), around(300.0, 5.0, 5, &mut random)];
        let near = [around(100.0, 0.5, 50, &mut random), around(104.0, 0.5, 50, &mut random)];
        for values in [tail.concat(), near.concat(), vec![7.0; 50], vec![1.0, 2.0], vec![]] {
            assert_eq!(two_modes(&values), None);
        }
    }
}
