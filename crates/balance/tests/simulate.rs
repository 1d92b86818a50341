//! Simulation against exact answers, a chain of states, published digits, and itself on other
//! numbers of threads.
//!
//! Run: `cargo test -p balance --test simulate`

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod common;

use balance::exact::{Load, Placement};
use balance::simulate::{Policy, Simulated, Simulation};
use balance::{Error, Method};
use common::published;
use stats::Random;

const TWO: Policy = Policy::Choices { choices: 2, replacement: true };
const TWO_DISTINCT: Policy = Policy::Choices { choices: 2, replacement: false };

fn run(items: u64, servers: u64, policy: Policy, iterations: u64) -> Simulated {
    Simulation::new(items, servers, policy, iterations, 1).run(2).unwrap()
}

/// At most this load: the share, within `errors` standard errors of what is wanted.
#[track_caller]
fn up_to(run: &Simulated, load: u64, wanted: f64, slack: f64) {
    let over = run.over(load);
    let off = (1.0 - over.value - wanted).abs();
    assert!(off <= 4.0 * over.error + slack, "{load}: {over:?}, not {}", 1.0 - wanted);
}

/// Notes, part C: a Markov chain over profiles of loads, whose gap is capped (hence the slack of
/// 1e-4), for 1000 items on 13 servers. With replacement p99 is 79, without it is 78.
#[test]
fn two_choices_follow_the_chain() {
    let with = run(1000, 13, TWO, 20_000);
    for (load, wanted) in [(77, 0.743_363), (78, 0.981_589), (79, 0.999_628)] {
        up_to(&with, load, wanted, 1e-4);
    }
    let without = run(1000, 13, TWO_DISTINCT, 20_000);
    for (load, wanted) in [(77, 0.761_238), (78, 0.991_096), (79, 0.999_985)] {
        up_to(&without, load, wanted, 1e-4);
    }
    let p99 = |run: &Simulated| run.quantile(0.99).unwrap();
    assert_eq!([p99(&with).low, p99(&with).value, p99(&with).high], [79; 3]);
    assert_eq!([p99(&without).low, p99(&without).value, p99(&without).high], [78; 3]);
}

/// The published rows rest on 10,000 iterations, ours on fewer: where the two differ, the share at
/// or below the lower of them is the wanted one within five standard errors of both together.
#[test]
fn published_percentiles_of_two_choices() {
    let (mut equal, mut all) = (0, 0);
    for row in published("two-choices") {
        let iterations = (20_000_000 / row.items / row.servers.max(10)).clamp(100, 2000);
        let ours = run(row.items, row.servers, TWO, iterations);
        for (share, published) in row.quantiles() {
            let found = ours.quantile(share).unwrap();
            (equal, all) = (equal + u32::from(found.value == published), all + 1);
            let at = ours.over(found.value.min(published));
            let trials = 10_000.0 * row.servers as f64;
            let error = at.error.hypot((share * (1.0 - share) / trials).sqrt());
            let off = (1.0 - at.value - share).abs();
            let same = found.value == published || off < 5.0 * error;
            assert!(same, "{row:?} {share}: {found:?}, published {published}");
        }
    }
    assert!(all == 88 && equal >= 80, "{equal} of {all}");
}

/// 200 configurations drawn at random; three probabilities of each, 600 in all.
#[test]
fn exact_and_simulated_agree_within_four_standard_errors() {
    let mut random = Random::new(20);
    let mut far = Vec::new();
    for configuration in 0..200 {
        let (items, servers) = (1 + random.below(600) as u64, 1 + random.below(60) as u64);
        let (iterations, seed) = (1000, random.next_u64());
        let ours = Simulation::new(items, servers, Policy::Random, iterations, seed);
        let ours = ours.run(2).unwrap();
        let exact = Load::new(items, servers, Placement::Random).unwrap();
        let at = exact.quantile(0.9).unwrap();
        let fullest = exact.capacity_for(0.3).unwrap();
        // The exact chance gives the deviation: an unlucky simulation must not widen its own.
        let one = ours.over(at).value - exact.over(at).value;
        let spread = exact.over(at).value * (1.0 - exact.over(at).value);
        far.push((configuration, one / (spread / (iterations * servers) as f64).sqrt()));
        let chance = exact.any_over(fullest).unwrap().value;
        let any = ours.any_over(fullest).value - chance;
        far.push((configuration, any / (chance * (1.0 - chance) / iterations as f64).sqrt()));
        let mean = exact.expected_maximum().unwrap();
        let maximum = ours.maximum();
        far.push((configuration, (maximum.value - mean.value) / maximum.standard_error));
    }
    // One server of one holds all, always: 0 of 0.
    far.retain(|(_, errors)| errors.is_finite());
    assert!(far.len() > 550 && far.iter().all(|(_, errors)| errors.abs() < 4.0), "{far:?}");
}

/// The stated interval of a quantile holds the exact one.
#[test]
fn intervals_hold_what_is_exact() {
    let exact = Load::new(1000, 13, Placement::Random).unwrap();
    let held = |seed| {
        let ours = Simulation::new(1000, 13, Policy::Random, 400, seed).run(1).unwrap();
        let found = ours.quantile(0.99).unwrap();
        (found.low..=found.high).contains(&exact.quantile(0.99).unwrap())
    };
    // Of 100 at least 89: 95 % less three deviations of a binomial.
    assert!((0..100).filter(|&seed| held(seed)).count() >= 89);
}

#[test]
fn a_seed_gives_the_same_on_any_number_of_threads() {
    for policy in [Policy::Random, TWO, TWO_DISTINCT, Policy::LeastLoaded] {
        for refresh_every in [1, 20] {
            let of = Simulation { refresh_every, ..Simulation::new(300, 17, policy, 101, 7) };
            let bytes = [1, 2, 7].map(|threads| format!("{:?}", of.run(threads).unwrap()));
            assert!(bytes.iter().all(|other| *other == bytes[0]), "{policy:?}");
            let other = Simulation { seed: 8, ..of }.run(2).unwrap();
            let moves = policy != Policy::LeastLoaded || refresh_every > 1;
            assert_eq!(format!("{other:?}") != bytes[0], moves, "{policy:?}");
        }
    }
}

/// Notes, part C: the less often loads are looked at, the worse; and looking at all of them is then
/// worse than looking at two, and worse than chance.
#[test]
fn stale_loads_follow_the_notes() {
    let p99 = |policy, refresh_every| {
        let of = Simulation { refresh_every, ..Simulation::new(1000, 13, policy, 2000, 3) };
        let run = of.run(2).unwrap();
        (run.quantile(0.99).unwrap().value, run.any_over(100).value)
    };
    #[track_caller]
    fn near(found: (u64, f64), p99: u64, within: u64, over: f64) {
        assert!(found.0.abs_diff(p99) <= within, "{found:?}");
        assert!((found.1 - over).abs() < 0.05, "{found:?}");
    }
    for (refresh, wanted) in [(1, 79), (13, 80), (65, 82), (130, 85), (260, 93)] {
        near(p99(TWO, refresh), wanted, 1, 0.0);
    }
    near(p99(TWO, 1000), 97, 1, 0.05);
    let three = Policy::Choices { choices: 3, replacement: true };
    for (refresh, wanted, over) in [(1, 78, 0.), (65, 84, 0.), (130, 89, 0.), (260, 101, 0.14)] {
        near(p99(three, refresh), wanted, 1, over);
    }
    // Whoever sees all sends a whole batch to the few that looked emptiest.
    for (refresh, wanted, over) in [
        (1, 77, 0.0),
        (13, 85, 0.0),
        (65, 107, 0.67),
        (130, 143, 1.0),
        (260, 276, 1.0),
        (1000, 97, 0.05),
    ] {
        near(p99(Policy::LeastLoaded, refresh), wanted, 2, over);
    }
}

#[test]
fn nothing_seen_is_not_nothing() {
    let run = run(1000, 13, TWO, 1000);
    let none = run.any_over(100);
    assert_eq!((none.value, none.method), (0.0, Method::Simulated { iterations: 1000 }));
    let (low, high) = run.any_over_interval(100).unwrap();
    assert!(low == 0.0 && (0.003..0.004).contains(&high), "{low} {high}");
    assert_eq!(run.over(0).value, 1.0);
    assert_eq!(run.over(u64::MAX).value, 0.0);
    assert_eq!(run.any_over(u64::MAX).value, 0.0);
    assert_eq!(run.loads().map(|(_, servers)| servers).sum::<u64>(), 13_000);
}

#[test]
fn wrong_questions_are_told() {
    let good = Simulation::new(10, 3, TWO, 5, 1);
    let error = |simulation: Simulation| simulation.run(1).unwrap_err();
    assert_eq!(error(Simulation { items: 0, ..good }), Error::NoItems);
    assert!(matches!(error(Simulation { items: 1 << 33, ..good }), Error::TooManyItems { .. }));
    assert_eq!(error(Simulation { servers: 0, ..good }), Error::NoServers);
    assert!(matches!(error(Simulation { servers: 1 << 40, ..good }), Error::TooManyServers { .. }));
    assert!(matches!(error(Simulation { iterations: 0, ..good }), Error::WrongIterations { .. }));
    assert_eq!(error(Simulation { refresh_every: 0, ..good }), Error::NoRefresh);
    let policy = Policy::Choices { choices: 4, replacement: false };
    let wrong = Error::WrongChoices { choices: 4, servers: 3 };
    assert_eq!(error(Simulation { policy, ..good }), wrong);
    let policy = Policy::Choices { choices: 0, replacement: true };
    assert!(matches!(error(Simulation { policy, ..good }), Error::WrongChoices { .. }));
    assert_eq!(good.run_watched(2, &|begun| begun < 3), Err(Error::Stopped));
    assert_eq!(good.run(0), good.run(64), "threads are no part of the question");
    let all_on_one = Simulation { items: 1 << 23, servers: 2, refresh_every: 1 << 23, ..good };
    let policy = Policy::Choices { choices: 2, replacement: true };
    assert!(Simulation { policy, iterations: 1, ..all_on_one }.run(1).is_ok());
}
