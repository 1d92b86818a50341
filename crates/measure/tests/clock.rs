//! The clock experiment: a real run in this process, and exact arithmetic on a made-up record.

use std::time::Duration;

use lab::{Context, Experiment, Live, Local, Request, Unwatched, conclude, conduct};
use measure::Clocks;
use record::{
    Finding, Machine, Observation, Outcome, Part, Reading, Recorded, Refusal, Start, Trial,
};

fn context(cpus: Vec<usize>) -> Context {
    let budget = Duration::from_millis(500);
    let request = Request { budget, cpus, seed: 7, choices: Default::default() };
    Context { machine: Machine::default(), request }
}

type Made<'a> = (&'a str, &'a [(&'a str, Reading)], &'a [(&'a str, f64)]);

/// Rounds in which every case yields what it is given.
fn made_up(cpus: usize, cases: &[Made]) -> Recorded {
    let trial = |round: u32, place: usize, &(case, readings, proof): &Made| Trial {
        start: round / 4,
        round,
        case: case.into(),
        at_ns: u64::from(round) * 100_000_000 + place as u64,
        result: Ok(Observation {
            readings: readings.iter().map(|(name, it)| ((*name).to_owned(), *it)).collect(),
            proof: proof.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        }),
    };
    let round = |round| cases.iter().enumerate().map(move |(place, it)| trial(round, place, it));
    let start = Start { at_ns: 0, wall_ns: 1, foreign_cpus: None, steal_cpus: None };
    Recorded {
        starts: vec![start; 5],
        trials: (0..20).flat_map(round).collect(),
        ..Recorded::new(1, (0..cpus).collect(), 7)
    }
}

fn findings(recorded: Recorded) -> Vec<Finding> {
    let context = context(recorded.cpus.clone());
    conclude(&Clocks, &context, recorded).conclusion.findings
}

fn by_id(findings: &[Finding], id: &str) -> Finding {
    let found = findings.iter().find(|finding| finding.id == id);
    found.unwrap_or_else(|| panic!("no finding {id}")).clone()
}

fn part(events: u64, of: u64) -> Reading {
    Reading::Share(Part { events, of })
}

#[test]
fn a_real_run_concludes_to_the_same_section_when_it_is_read_back() {
    let cpus = machine::describe().affinity;
    let context = context(cpus);
    let local = Local::new(&Clocks);
    let mut live = Live::new(10);
    let recorded = conduct(&Clocks, &context, &local, &mut live, &mut Unwatched).unwrap();
    assert!(recorded.rounds() >= 10 && recorded.starts.len() == 5);
    let section = conclude(&Clocks, &context, recorded.clone());
    let read: Recorded = serde_json::from_str(&serde_json::to_string(&recorded).unwrap()).unwrap();
    assert_eq!(read, recorded);
    assert_eq!(conclude(&Clocks, &context, read), section);
}

#[test]
fn shares_are_all_events_over_all_readings() {
    let all = findings(made_up(
        2,
        &[
            ("walk.realtime", &[("step", Reading::Level(10.0))], &[]),
            (
                "collide.realtime.threads_2.jittered",
                &[
                    ("collided", part(60, 1000)),
                    ("by_chance", part(62, 1000)),
                    ("by_chance_at_random", part(58, 1000)),
                    ("gap", Reading::Level(40.0)),
                ],
                &[],
            ),
        ],
    ));
    let seen = by_id(&all, "clock.realtime.collisions.threads_2.jittered");
    let estimate = seen.outcome.estimate().unwrap();
    assert_eq!((estimate.value, estimate.low, estimate.high), (0.06, 0.06, 0.06));
    let expected = seen.expected.unwrap();
    assert_eq!((expected.low, expected.high), (0.058, 0.062));
    assert!(all[0].text.starts_with("A raw timestamp is no unique ID: of 2 threads"));
    let ceiling = by_id(&all, "clock.realtime.collisions.threads_2.ceiling");
    assert_eq!(ceiling.outcome.estimate().unwrap().value, 0.25);
    // Nothing was recorded of tight loops.
    let tight = by_id(&all, "clock.realtime.collisions.threads_2.tight");
    assert!(matches!(tight.outcome, Outcome::NotRun { .. }), "{tight:?}");
}

#[test]
fn what_was_never_seen_is_no_promise() {
    let all = findings(made_up(
        2,
        &[
            ("walk.realtime", &[("step", Reading::Level(1.0))], &[]),
            (
                "collide.realtime.threads_2.jittered",
                &[("collided", part(0, 1000)), ("gap", Reading::Level(40.0))],
                &[],
            ),
        ],
    ));
    assert!(all[0].text.contains("none equalled another thread's; that is no promise"));
    let it = all[0].outcome.estimate().unwrap();
    // Clopper and Pearson's far end for none of five starts.
    assert!(it.value == 0.0 && it.low == 0.0 && (it.high - 0.521_824).abs() < 1e-6, "{it:?}");
    // Steps too short to tell apart: predicted from step and gap alone.
    let expected = all[0].expected.clone().unwrap();
    assert!((expected.low - 0.025).abs() < 1e-12, "{expected:?}");
}

#[test]
fn what_goes_backwards_is_a_count_and_a_caveat() {
    let recorded = made_up(
        2,
        &[
            (
                "walk.monotonic",
                &[
                    ("step", Reading::Level(1.0)),
                    ("equal", part(0, 999)),
                    ("backwards", part(2, 999)),
                ],
                &[("backwards_ns_max", 70.0), ("claimed_step_ns", 1.0)],
            ),
            ("order.monotonic", &[("violations", part(1, 500))], &[("violation_ns_max", 90.0)]),
        ],
    );
    let section = conclude(&Clocks, &context(vec![0, 1]), recorded);
    let all = section.conclusion.findings;
    let back = by_id(&all, "clock.monotonic.backwards").outcome.estimate().unwrap().value;
    assert_eq!(back, 40.0);
    let order = by_id(&all, "clock.cpus.order_violations");
    assert_eq!(order.outcome.estimate().unwrap().value, 20.0);
    assert!(order.text.contains("of 10,000 messages 20 arrived") && order.text.contains("90.0 ns"));
    let caveat = |kind: &str| {
        let found = section.conclusion.caveats.iter().find(|caveat| caveat.kind == kind);
        found.unwrap_or_else(|| panic!("no caveat {kind}")).text.clone()
    };
    assert!(caveat("backwards").contains("CLOCK_MONOTONIC (40 times, by up to 70.0 ns)"));
    assert!(caveat("order_violations").contains("can't be put in order"));
}

#[test]
fn a_clock_that_can_not_be_read_says_why() {
    let mut recorded = made_up(1, &[("read.tsc", &[("cost", Reading::Level(9.0))], &[])]);
    let refusal = Refusal::Missing { what: "an invariant TSC".into() };
    recorded.trials.iter_mut().for_each(|trial| trial.result = Err(refusal.clone()));
    let tsc = by_id(&findings(recorded), "clock.tsc.read_cost");
    assert_eq!(tsc.outcome, Outcome::Refused(refusal));
    assert!(tsc.text.contains("no number; missing: an invariant TSC"), "{}", tsc.text);
}

#[test]
fn the_cheapest_that_never_collides_is_advised() {
    let cost = |ns| Reading::Level(ns);
    let all = findings(made_up(
        1,
        &[
            ("id.timestamp.threads_1", &[("cost", cost(1.0)), ("equal", part(3, 100))], &[]),
            ("id.atomic_counter.threads_1", &[("cost", cost(5.0)), ("equal", part(0, 100))], &[]),
            ("id.thread_counter.threads_1", &[("cost", cost(2.0)), ("equal", part(0, 100))], &[]),
        ],
    ));
    let advice = all[0].advice.clone().unwrap();
    assert!(advice.contains("thread number + own counter: 2.00 ns each"), "{advice}");
    assert!(advice.contains("on one CPU") && !advice.contains("UUID"), "{advice}");
    assert!(all[0].text.contains("needs two CPUs"), "{}", all[0].text);
}

#[test]
fn every_name_is_unique() {
    let ids: Vec<String> = findings(made_up(64, &[])).into_iter().map(|it| it.id).collect();
    let unique: std::collections::BTreeSet<&String> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len());
    assert!(ids.contains(&"clock.realtime.collisions.threads_64.tight".into()));
    assert_eq!(Clocks.about().name, "clock");
}
