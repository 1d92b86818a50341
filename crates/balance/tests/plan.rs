//! Plans against the article and the notes, and what must hold of any plan.
//!
//! Run: `cargo test -p balance --test plan`

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use balance::Error;
use balance::exact::{Load, Placement};
use balance::plan::{
    Effort, Wanted, capacities, least_servers, points, servers, servers_by_choice,
};
use balance::simulate::{Policy, Simulation};
use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};

const TWO: Policy = Policy::Choices { choices: 2, replacement: true };
const WANTED: Wanted = Wanted { items: 1000, capacity: 100, share: 0.99, risk: 0.01 };
const EFFORT: Effort = Effort { iterations: 1000, threads: 2, seed: 5 };

fn both(wanted: &Wanted, placement: Placement) -> (u64, u64) {
    let plan = servers(wanted, placement).unwrap();
    (plan.one.servers, plan.all.servers)
}

/// The article: 13 servers for 1000 items, 28 for twice as many, 11 where items are ten times as
/// fine; two choices: 11 and 21.
#[test]
fn the_articles_servers() {
    let plan = servers(&WANTED, Placement::Random).unwrap();
    assert_eq!((plan.one.servers, plan.all.servers), (13, 14));
    assert!((plan.one.any_over.value - 0.0450).abs() < 1e-4, "{plan:?}");
    assert!((plan.one.idle - 0.2308).abs() < 1e-4 && plan.all.any_over.value <= 0.01, "{plan:?}");
    assert_eq!(both(&WANTED.split(10), Placement::Random), (11, 11));
    let p999 = |items| Wanted { items, share: 0.999, ..WANTED };
    assert_eq!(both(&p999(1000), Placement::Random).0, 14);
    assert_eq!(both(&WANTED.times(2), Placement::Random), (26, 29));
    assert_eq!(both(&p999(2000), Placement::Random).0, 28);
    let two = |wanted: &Wanted| servers_by_choice(wanted, TWO, 1, EFFORT).unwrap();
    assert_eq!((two(&WANTED).one.servers, two(&WANTED).all.servers), (11, 11));
    let doubled = two(&p999(2000));
    assert_eq!((doubled.one.servers, doubled.all.servers), (21, 21));
}

#[test]
fn what_given_servers_must_hold() {
    let found = capacities(1000, 13, Placement::Random, 0.99, 0.01).unwrap();
    assert_eq!((found.one, found.all), (97, 105));
    assert_eq!(least_servers(1000, 100), Ok(10));
    assert_eq!(least_servers(1000, 0), Err(Error::NoCapacity));
}

/// One more than the answer does, one less does not.
#[test]
fn virtual_nodes_for_a_ratio() {
    let over = |points| {
        let load = Load::new(100_000, 10, Placement::Ring { points }).unwrap();
        load.any_over(11_000).unwrap().value
    };
    let found = points(100_000, 10, 1.1, 0.01).unwrap();
    assert!(over(found) <= 0.01 && over(found - 1) > 0.01, "{found}");
    // However even the ring is, 1000 items on 13 servers are not.
    match points(1000, 13, 1.1, 0.01) {
        Err(Error::Unreachable { best }) => assert!((best - 105.0 * 0.013).abs() < 1e-9, "{best}"),
        other => panic!("{other:?}"),
    }
    assert!(matches!(points(1000, 13, f64::NAN, 0.01), Err(Error::NotAboveOne { .. })));
    assert!(matches!(points(1000, 13, 1.0, 0.01), Err(Error::NotAboveOne { .. })));
}

#[test]
fn few_points_need_more_servers() {
    let at = |points| both(&WANTED, Placement::Ring { points });
    assert!(at(10) > at(100) && at(100) > at(1000) && at(1000) >= (13, 14));
    assert_eq!(at(1_000_000), (13, 14));
}

#[test]
fn the_ends_of_the_range() {
    let of = |items, capacity| both(&Wanted { items, capacity, ..WANTED }, Placement::Random);
    assert_eq!(of(1, 1), (1, 1));
    assert_eq!(of(100, 100), (1, 1));
    // Two items of capacity one: on one server with chance 1 in m. By itself a server has both
    // with 1 in m².
    assert_eq!(of(2, 1), (10, 100));
    // Birthdays: 23 among 365 days meet with 50.7 %, so 365 are too few for half; 372 are, by
    // 0.06 %.
    let birthdays = Wanted { items: 23, capacity: 1, share: 0.5, risk: 0.5 };
    assert_eq!(both(&birthdays, Placement::Random).1, 373);
    let wrong = |wanted: Wanted| servers(&wanted, Placement::Random).unwrap_err();
    assert_eq!(wrong(Wanted { items: 0, ..WANTED }), Error::NoItems);
    assert_eq!(wrong(Wanted { capacity: 0, ..WANTED }), Error::NoCapacity);
    assert_eq!(wrong(Wanted { risk: 1.0, ..WANTED }), Error::NotAShare { value: 1.0 });
    let million = Wanted { items: 1_000_000_000, capacity: 1, ..WANTED };
    assert!(matches!(wrong(million), Error::TooManyServers { .. }));
    assert!(matches!(wrong(WANTED.times(u64::MAX)), Error::TooManyItems { .. }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Neither one server's quantile nor the chance of any over rises with a server more.
    #[test]
    fn more_servers_are_never_worse(
        items in 1u64..3000, few in 1u64..60, more in 1u64..20, points in 0u32..50,
    ) {
        let placement = if points == 0 { Placement::Random } else { Placement::Ring { points } };
        let load = |servers| Load::new(items, servers, placement).unwrap();
        let (few, many) = (load(few), load(few + more));
        let p99 = few.quantile(0.99).unwrap();
        prop_assert!(many.quantile(0.99).unwrap() <= p99);
        let any = |load: &Load| load.any_over(p99).unwrap();
        prop_assert!(any(&many).low() <= any(&few).high() + 1e-12);
    }

    /// Two choices are never worse than one, nor distinct ones worse than two draws, beyond noise.
    #[test]
    fn choices_never_harm(items in 1u64..2000, servers in 2u64..40, seed in any::<u64>()) {
        let p99 = |policy| {
            let run = Simulation::new(items, servers, policy, 200, seed).run(1).unwrap();
            run.quantile(0.99).unwrap()
        };
        let one = Load::new(items, servers, Placement::Random).unwrap().quantile(0.99).unwrap();
        let two = p99(TWO);
        prop_assert!(two.low <= one);
        let distinct = p99(Policy::Choices { choices: 2, replacement: false });
        prop_assert!(distinct.low <= two.high);
    }

    /// A plan holds what it promises, and one server fewer would not.
    #[test]
    fn a_plan_is_least(items in 1u64..2000, capacity in 5u64..200) {
        let wanted = Wanted { items, capacity, ..WANTED };
        let plan = servers(&wanted, Placement::Random).unwrap();
        prop_assert!(plan.one.one_over.value <= 0.01 + 1e-12);
        prop_assert!(plan.all.any_over.value <= 0.01 && plan.all.servers >= plan.one.servers);
        if plan.all.servers > least_servers(items, capacity).unwrap() {
            let fewer = Load::new(items, plan.all.servers - 1, Placement::Random).unwrap();
            prop_assert!(fewer.any_over(capacity).unwrap().value > 0.01);
        }
    }
}
