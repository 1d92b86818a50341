//! Exact answers against exact fractions, a second algorithm, and published digits.
//!
//! Run: `cargo test -p balance --test exact`

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod common;

use balance::exact::{Kind, Load, Placement, Weighted};
use balance::{Error, Method, Probability};
use common::{fraction, none_over_ways, published, ways};
use num_bigint::BigUint;

#[track_caller]
fn close(found: f64, wanted: f64, within: f64) {
    assert!((found - wanted).abs() <= within, "{found}, not {wanted} within {within}");
}

fn random(items: u64, servers: u64) -> Load {
    Load::new(items, servers, Placement::Random).unwrap()
}

/// Of 4^20 equally likely placements of 20 items on 4 servers, how many keep within 7: counted
/// with whole numbers, and 0.60125872833305 of them.
#[test]
fn twenty_items_on_four_servers() {
    let within = none_over_ways(20, 4, 7);
    let wanted = fraction(&within, &BigUint::from(4u32).pow(20));
    close(wanted, 0.601_258_728_333_05, 5e-15);
    let found = random(20, 4).any_over(7).unwrap();
    assert_eq!(found.method, Method::Transform);
    close(1.0 - found.value, wanted, 1e-14);
    close(1.0 - found.value, wanted, found.error);
}

/// Every capacity of several small cases, in both roads, never further off than is said.
#[test]
fn every_capacity_lies_within_the_stated_error() {
    for (items, servers) in [(1, 1), (5, 2), (20, 4), (30, 100), (60, 3), (200, 7), (150, 40)] {
        let load = random(items, servers);
        let all = BigUint::from(servers).pow(items as u32);
        for capacity in 0..=items {
            let over = &all - none_over_ways(items, servers, capacity);
            let wanted = fraction(&over, &all);
            let found = load.any_over(capacity).unwrap();
            close(found.value, wanted, found.error);
            assert!(found.error < 1e-11 || found.method == Method::Bounds, "{found:?}");
            let (hits, trials) = one_over_ways(items, servers, capacity);
            let wanted = fraction(&hits, &trials);
            close(load.over(capacity).value, wanted, load.over(capacity).error + 1e-40);
        }
    }
}

fn one_over_ways(items: u64, servers: u64, capacity: u64) -> (BigUint, BigUint) {
    let on_one = |k: u64| ways(items, k) * BigUint::from(servers - 1).pow((items - k) as u32);
    let hits = (capacity + 1..=items).map(on_one).sum();
    (hits, BigUint::from(servers).pow(items as u32))
}

/// Far out in a tail the relative error stays small: one in 10^40 by exact fractions.
#[test]
fn a_far_tail_keeps_its_digits() {
    let (items, servers) = (1000, 13);
    for capacity in [100, 130, 200, 230] {
        let (hits, trials) = one_over_ways(items, servers, capacity);
        let wanted = fraction(&hits, &trials);
        close(random(items, servers).over(capacity).value / wanted, 1.0, 1e-11);
    }
    let far = random(items, servers).any_over(200).unwrap();
    assert_eq!(far.method, Method::Bounds);
    assert!(far.value > 0.0 && far.error < far.value * 1e-9, "{far:?}");
}

/// The numerator again by multiplying polynomials one by one, without a transform or logarithms.
fn any_over_by_table(items: usize, shares: &[(f64, usize)]) -> f64 {
    let mut sum = vec![0.0; items + 1];
    sum[0] = 1.0;
    let mut free = vec![0.0; items + 1];
    free[0] = 1.0;
    for &(share, capacity) in shares {
        let mean = items as f64 * share;
        let mut terms = vec![f64::exp(-mean)];
        (1..=items).for_each(|k| terms.push(terms[k - 1] * mean / k as f64));
        sum = times(&sum, &terms[..=capacity.min(items)]);
        free = times(&free, &terms);
    }
    1.0 - sum[items] / free[items]
}

fn times(one: &[f64], other: &[f64]) -> Vec<f64> {
    let term = |at: usize| (0..other.len().min(at + 1)).map(|k| other[k] * one[at - k]).sum();
    (0..one.len()).map(term).collect()
}

#[test]
fn the_transform_agrees_with_a_dynamic_programme() {
    for (items, servers, capacity) in [(1000, 13, 100), (1000, 13, 90), (400, 50, 14), (64, 2, 40)]
    {
        let wanted = any_over_by_table(items, &vec![(1.0 / servers as f64, capacity); servers]);
        let found = random(items as u64, servers as u64).any_over(capacity as u64).unwrap();
        close(found.value, wanted, 1e-10);
    }
}

/// The case of the notes: four servers of weight 2 that hold 160, nine of weight 1 that hold 80.
#[test]
fn heavier_servers_get_more() {
    let kinds = [
        Kind { servers: 4, weight: 2.0, capacity: 160 },
        Kind { servers: 9, weight: 1.0, capacity: 80 },
    ];
    let load = Weighted::new(1000, &kinds).unwrap();
    let mut shares = vec![(2.0 / 17.0, 160); 4];
    shares.extend(vec![(1.0 / 17.0, 80); 9]);
    let found = load.any_over();
    close(found.value, any_over_by_table(1000, &shares), 1e-10);
    close(found.value, 0.02400, 1e-5);
    // The same servers as kinds of their own.
    let single: Vec<Kind> = kinds
        .iter()
        .flat_map(|kind| vec![Kind { servers: 1, ..*kind }; kind.servers as usize])
        .collect();
    close(Weighted::new(1000, &single).unwrap().any_over().value, found.value, 1e-12);
    // One that weighs all, and one that weighs nothing.
    let lone = Kind { servers: 1, weight: 5.0, capacity: 9 };
    let none = Kind { servers: 3, weight: 0.0, capacity: 0 };
    let load = Weighted::new(10, &[lone, none]).unwrap();
    assert_eq!((load.any_over().value, load.quantile(1, 0.9)), (1.0, Ok(Some(0))));
    let load = Weighted::new(9, &[lone, none]).unwrap();
    assert_eq!((load.any_over().value, load.quantile(2, 0.9)), (0.0, Ok(None)));
}

/// Notes, part C: P(any over), and capacities for a risk.
#[test]
fn the_notes_table_of_maxima() {
    let row = |items, servers, capacity, wanted: f64, within| {
        close(random(items, servers).any_over(capacity).unwrap().value, wanted, within);
    };
    row(1000, 13, 100, 0.045_027_04, 5e-9);
    row(1000, 13, 97, 0.113, 5e-4);
    row(1000, 13, 104, 0.0113, 5e-5);
    row(1000, 100, 18, 0.512, 5e-4);
    row(10_000, 11, 977, 0.099, 5e-4);
    row(100_000, 1000, 124, 0.9999, 5e-5);
    row(100_000, 1000, 132, 0.608, 5e-4);
    let capacities = |items, servers| {
        let load = random(items, servers);
        [0.1, 0.01, 0.001, 1e-6].map(|risk| load.capacity_for(risk).unwrap())
    };
    assert_eq!(capacities(1000, 13), [98, 105, 111, 125]);
    assert_eq!(capacities(1000, 100), [21, 24, 26, 32]);
    assert_eq!(capacities(10_000, 11), [977, 1000, 1018, 1063]);
    assert_eq!(capacities(100_000, 1000), [139, 145, 151, 165]);
}

/// The published digits are quantiles of 10,000 iterations: each lies where the exact chance of
/// being at or below it is the wanted one, within five standard errors of so many servers, or is
/// the exact quantile.
#[test]
fn published_percentiles_of_random_placement() {
    let mut equal = 0;
    for row in published("random") {
        let load = random(row.items, row.servers);
        for (share, published) in row.quantiles() {
            let exact = load.quantile(share).unwrap();
            equal += u32::from(exact == published);
            let error = (share * (1.0 - share) / (10_000.0 * row.servers as f64)).sqrt();
            let low = load.quantile(share - 5.0 * error).unwrap();
            let high = load.quantile(share + 5.0 * error).unwrap();
            assert!((low..=high).contains(&published), "{row:?} {share}: {low} to {high}");
        }
    }
    // Of 88; most of the others are one item apart, as their sampling error allows.
    assert_eq!(equal, 77);
}

/// Notes, part C: quantiles on a ring by the beta-binomial.
#[test]
fn the_notes_table_of_rings() {
    let row = |points, wanted: [u64; 4]| {
        let load = Load::new(1000, 13, Placement::Ring { points }).unwrap();
        assert_eq!([0.5, 0.95, 0.99, 0.999].map(|q| load.quantile(q).unwrap()), wanted, "{points}");
    };
    row(1, [56, 222, 320, 440]);
    row(100, [77, 96, 105, 115]);
    row(160, [77, 94, 102, 111]);
}

/// On a ring of one point each every way to spread the items is equally likely: count them.
#[test]
fn a_ring_of_one_point_each_can_be_counted() {
    let (items, servers, capacity) = (30u64, 5u64, 12);
    let mut spread = vec![BigUint::from(0u32); items as usize + 1];
    spread[0] = BigUint::from(1u32);
    for _ in 0..servers {
        let sum = |at: usize| (at.saturating_sub(capacity)..=at).map(|k| &spread[k]).sum();
        spread = (0..spread.len()).map(sum).collect();
    }
    let all = ways(items + servers - 1, servers - 1);
    let load = Load::new(items, servers, Placement::Ring { points: 1 }).unwrap();
    let found = load.any_over(capacity as u64).unwrap();
    close(1.0 - found.value, fraction(&spread[items as usize], &all), found.error);
    assert!(found.error < 1e-11, "{found:?}");
}

/// With very many points each a ring is as even as chance.
#[test]
fn a_ring_of_many_points_is_random() {
    let ring = Load::new(1000, 13, Placement::Ring { points: 1_000_000 }).unwrap();
    close(ring.any_over(100).unwrap().value, random(1000, 13).any_over(100).unwrap().value, 1e-4);
}

/// The expected maximum as the mean over all maxima, counted; and where not every load is looked
/// at, within the stated error of looking at each.
#[test]
fn the_expected_maximum() {
    let (items, servers) = (60, 3);
    let all = BigUint::from(servers).pow(items as u32);
    let over = |capacity| fraction(&(&all - none_over_ways(items, servers, capacity)), &all);
    let wanted: f64 = (0..items).map(over).sum();
    let found = random(items, servers).expected_maximum().unwrap();
    close(found.value, wanted, 1e-9);
    let load = random(1_000_000, 10);
    let found = load.expected_maximum().unwrap();
    let wanted: f64 = (0..102_800).map(|c| load.any_over(c).unwrap().value).sum();
    close(found.value, wanted, found.error);
    assert!(found.error < 0.1, "{found:?}");
}

#[test]
fn wrong_questions_are_told() {
    let error = |items, servers, placement| Load::new(items, servers, placement).err().unwrap();
    assert_eq!(error(0, 1, Placement::Random), Error::NoItems);
    assert_eq!(error(1, 0, Placement::Random), Error::NoServers);
    assert!(matches!(error(u64::MAX, 1, Placement::Random), Error::TooManyItems { .. }));
    assert!(matches!(error(1, u64::MAX, Placement::Random), Error::TooManyServers { .. }));
    assert!(matches!(error(1, 1, Placement::Ring { points: 0 }), Error::WrongPoints { .. }));
    for share in [0.0, 1.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(random(9, 3).quantile(share), Err(Error::NotAShare { .. })));
        assert!(matches!(random(9, 3).capacity_for(share), Err(Error::NotAShare { .. })));
    }
    let kind = |servers, weight| Kind { servers, weight, capacity: 1 };
    let weighted = |kinds: &[Kind]| Weighted::new(9, kinds).err().unwrap();
    for weight in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(weighted(&[kind(1, 1.0), kind(1, weight)]), Error::WrongWeight { index: 1 });
    }
    assert_eq!(weighted(&[kind(3, 0.0)]), Error::NoWeight);
    assert_eq!(weighted(&[]), Error::NoServers);
    assert_eq!(weighted(&[kind(0, 1.0)]), Error::NoServers);
}

/// Birthdays: the chance that any two of 1000 items meet is a plain product, also on so many
/// servers that a power of a rounded number would be noise.
#[test]
fn millions_of_servers_keep_their_digits() {
    for servers in [10_000u64, 1_000_000, 100_000_000, 1 << 40] {
        let none_ln: f64 = (0..1000).map(|k| f64::ln_1p(-(f64::from(k)) / servers as f64)).sum();
        let found = random(1000, servers).any_over(1).unwrap();
        close(found.value, -none_ln.exp_m1(), found.error);
        assert!(found.error < 1e-10, "{servers}: {found:?}");
    }
}

/// The two roads agree wherever both can be taken: a transform never leaves the bounds, which are
/// computed here from one server's chance.
#[test]
fn the_transform_lies_between_the_bounds() {
    for (items, servers) in [(300, 3), (1000, 13), (5000, 700), (100_000, 1000)] {
        for points in [0, 1, 7, 300] {
            let placement =
                if points == 0 { Placement::Random } else { Placement::Ring { points } };
            let load = Load::new(items, servers, placement).unwrap();
            for share in [0.6, 0.9, 0.99, 0.999, 0.999_999] {
                let capacity = load.quantile(share).unwrap();
                let one = load.over(capacity).value;
                let low = -f64::exp_m1(servers as f64 * f64::ln_1p(-one));
                let high = f64::min(1.0, servers as f64 * one);
                let found = load.any_over(capacity).unwrap();
                let holds = found.high() >= low && found.low() <= high;
                assert!(holds, "{items} {servers} {placement:?} {capacity}: {found:?}");
            }
        }
    }
}

/// A ring of points is simulated as a ring: points drawn, sorted, items to the next.
#[test]
fn a_ring_that_is_built_agrees() {
    let (items, servers, points, rings) = (200, 5, 3, 4000);
    let load = Load::new(items, servers, Placement::Ring { points }).unwrap();
    let capacity = load.quantile(0.95).unwrap();
    let mut random = stats::Random::new(9);
    let (mut any, mut one) = (0.0, 0.0);
    for _ in 0..rings {
        let mut ring: Vec<(u64, usize)> = (0..servers * u64::from(points))
            .map(|p| (random.next_u64(), (p % servers) as usize))
            .collect();
        ring.sort_unstable();
        let mut loads = [0; 5];
        for _ in 0..items {
            let at = random.next_u64();
            let next = ring.partition_point(|&(point, _)| point < at) % ring.len();
            loads[ring[next].1] += 1;
        }
        any += f64::from(u8::from(loads.iter().any(|&held| held > capacity)));
        one += f64::from(u8::from(loads[0] > capacity));
    }
    let rings = f64::from(rings);
    for (seen, exact) in [(any, load.any_over(capacity).unwrap()), (one, load.over(capacity))] {
        let error = (exact.value * (1.0 - exact.value) / rings).sqrt();
        close(seen / rings, exact.value, 4.0 * error);
    }
}

/// Whatever is asked, there is an answer or an error: no panic, no overflow, and no answer that is
/// not a probability.
#[test]
fn any_numbers_are_answered() {
    let sane = |found: Probability| {
        assert!((0.0..=1.0).contains(&found.value) && found.error >= 0.0, "{found:?}");
    };
    let placements =
        [0, 1, 1_000_000, u32::MAX].map(|points| Placement::Ring { points }).into_iter();
    for placement in placements.chain([Placement::Random]) {
        for items in [0, 1, 2, 1000, u64::MAX] {
            for servers in [0, 1, 2, 1000, 1 << 40, u64::MAX] {
                let Ok(load) = Load::new(items, servers, placement) else { continue };
                for capacity in [0, 1, 999, 1000, u64::MAX] {
                    sane(load.any_over(capacity).unwrap());
                    sane(load.over(capacity));
                }
                let fullest = load.expected_maximum().unwrap();
                assert!(
                    fullest.value >= load.mean().min(1.0) && fullest.value <= items as f64 + 1e-6
                );
                let sure = load.capacity_for(1e-300).unwrap();
                assert!(sure <= items && load.capacity_for(0.999).unwrap() <= sure);
            }
        }
    }
    let edges = [0.0, 1e-320, 1.0, 1e300, f64::MAX, f64::INFINITY, f64::NAN, -1.0];
    for (one, other) in edges.iter().flat_map(|one| edges.map(|other| (*one, other))) {
        for servers in [0, 1, 5, u64::MAX] {
            let kinds = [(1, one, 0), (servers, other, u64::MAX), (2, 1.0, 7)];
            let kinds = kinds.map(|(servers, weight, capacity)| Kind { servers, weight, capacity });
            let Ok(load) = Weighted::new(100, &kinds) else { continue };
            sane(load.any_over());
            (0..3).filter_map(|index| load.over(index)).for_each(sane);
        }
    }
}
