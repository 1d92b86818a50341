//! What chance does with keys of unequal weight: by simulation.

use crate::simulate::draws::{Bound, Streams, one, two};
use crate::{Method, Probability};

/// Placements by chance.
#[derive(Clone, Debug, PartialEq)]
pub struct Chance {
    /// The chance that one server, chosen beforehand, holds more than the capacity.
    pub over: Probability,
    /// The chance that any server does.
    pub any_over: Probability,
    /// What the fullest server held in each placement, in ascending order.
    pub fullest: Vec<f64>,
    /// The share of placements in which the fullest held at least as much as by hashing. Near 0 the
    /// hash fell less evenly than chance would, near 1 more evenly.
    pub as_uneven: Probability,
}

impl Chance {
    /// What the fullest server does not exceed in at least this share of the placements.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let index = (share * self.fullest.len() as f64).ceil().max(1.0) as usize;
        self.fullest.get(index - 1).copied()
    }
}

/// Each of `iterations` places all weights anew.
pub(crate) fn chance(
    weights: &[f64],
    hashed: &[f64],
    capacity: f64,
    iterations: u64,
    seed: u64,
) -> Chance {
    let streams = Streams::new(seed, "balance.keys");
    let mut loads = vec![0.0; hashed.len()];
    let (mut fullest, mut overs) = (Vec::new(), Vec::new());
    for iteration in 0..iterations {
        place(weights, &mut loads, &streams, iteration);
        fullest.push(loads.iter().copied().fold(0.0, f64::max));
        let over = loads.iter().filter(|&&load| load > capacity).count();
        overs.push(over as f64 / loads.len() as f64);
    }
    let share = |holds: &dyn Fn(f64) -> bool| {
        mean(&fullest.iter().map(|&load| f64::from(u8::from(holds(load)))).collect::<Vec<_>>())
    };
    let most = hashed.iter().copied().fold(0.0, f64::max);
    let any_over = share(&|load| load > capacity);
    let as_uneven = share(&|load| load >= most);
    fullest.sort_by(f64::total_cmp);
    Chance { over: mean(&overs), any_over, as_uneven, fullest }
}

fn place(weights: &[f64], loads: &mut [f64], streams: &Streams, iteration: u64) {
    loads.fill(0.0);
    let mut random = streams.of(iteration);
    let bound = Bound::new(loads.len() as u32);
    let (pairs, odd) = weights.as_chunks::<2>();
    for [a, b] in pairs {
        let (first, second) = two(&mut random, bound, bound);
        loads[first] += a;
        loads[second] += b;
    }
    if let [weight] = odd {
        loads[one(&mut random, bound)] += weight;
    }
}

/// With its standard error.
fn mean(values: &[f64]) -> Probability {
    let count = values.len() as f64;
    let value = values.iter().sum::<f64>() / count;
    let spread: f64 = values.iter().map(|other| (other - value).powi(2)).sum();
    let error = (spread / (count - 1.0).max(1.0) / count).sqrt();
    Probability { value, error, method: Method::Simulated { iterations: values.len() as u64 } }
}
