//! What several tests share: exact counts, and the published table.

#![allow(dead_code, reason = "each test uses some of it")]

use num_bigint::BigUint;

/// Of `items` choose `few`.
pub fn ways(items: u64, few: u64) -> BigUint {
    let few = few.min(items - few);
    (0..few).fold(BigUint::from(1u32), |ways, k| ways * (items - k) / (k + 1))
}

/// In how many ways distinct items fall on distinct servers with none above the capacity.
pub fn none_over_ways(items: u64, servers: u64, capacity: u64) -> BigUint {
    let rows: Vec<Vec<BigUint>> =
        (0..=items).map(|of| (0..=of.min(capacity)).map(|few| ways(of, few)).collect()).collect();
    let mut so_far: Vec<BigUint> =
        (0..=items).map(|placed| BigUint::from(u32::from(placed == 0))).collect();
    for _ in 0..servers {
        let next = |placed: u64| {
            let row = rows[placed as usize].iter().enumerate();
            row.map(|(few, ways)| ways * &so_far[placed as usize - few]).sum()
        };
        so_far = (0..=items).map(next).collect();
    }
    so_far.swap_remove(items as usize)
}

/// `part / whole` to 300 decimals, then rounded.
pub fn fraction(part: &BigUint, whole: &BigUint) -> f64 {
    let digits = BigUint::from(10u32).pow(300);
    format!("{}e-300", part * digits / whole).parse().unwrap()
}

/// A row of the published table.
#[derive(Debug)]
pub struct Row {
    pub items: u64,
    pub servers: u64,
    shares: [f64; 4],
}

impl Row {
    /// Each quantile with the published load, in items.
    pub fn quantiles(&self) -> impl Iterator<Item = (f64, u64)> {
        let loads = self.shares.map(|share| (share * self.items as f64).round() as u64);
        [0.5, 0.95, 0.99, 0.999].into_iter().zip(loads)
    }
}

/// The rows of a strategy.
pub fn published(strategy: &str) -> Vec<Row> {
    let table = include_str!("../data/placement-published.csv");
    let rows = table.lines().filter(|line| line.split(',').next() == Some(strategy));
    rows.map(|line| {
        let cells: Vec<f64> = line.split(',').skip(1).map(|cell| cell.parse().unwrap()).collect();
        let shares = [cells[2], cells[3], cells[4], cells[5]];
        Row { items: cells[0] as u64, servers: cells[1] as u64, shares }
    })
    .collect()
}
