//! What follows from trials of context switches: exact arithmetic on a made-up record.

use std::{collections::BTreeSet, time::Duration};

use lab::{Context, Experiment, Request, conclude};
use measure::{
    Switch,
    switch::{CHOOSE_PAIRS, CHOOSE_QUICK, CHOOSE_WORKING_SETS},
};
use record::{
    Choices, Conclusion, Finding, Machine, Observation, Outcome, Part, Reading, Recorded, Refusal,
    Start, Trial,
};

/// A case, what each of its trials read, and the proof of it.
type Made<'a> = (&'a str, Vec<(String, Reading)>, &'a [(&'a str, f64)]);

fn level<'a>(case: &'a str, metric: &str, value: f64) -> Made<'a> {
    (case, vec![(metric.to_owned(), Reading::Level(value))], &[("switches_per_round_trip", 2.0)])
}

fn switch(case: &str, cost_ns: f64) -> Made<'_> {
    level(case, "switch", cost_ns)
}

fn turn(case: &str, cost_ns: f64) -> Made<'_> {
    level(case, "turn", cost_ns)
}

/// Waits all of which last so long: in each trial 500, told by how many lie beyond ten thresholds
/// per decade from a microsecond on.
fn wait(case: &str, wait_ns: f64) -> Made<'_> {
    let beyond = |place: i32| {
        let threshold_ns = 1000.0 * 10f64.powf(f64::from(place) / 10.0);
        let events = if wait_ns > threshold_ns { 500 } else { 0 };
        // Three digits, as thresholds are named.
        let digit = 10f64.powf((threshold_ns.log10() + 1e-9).floor() - 2.0);
        let threshold_ns = (threshold_ns / digit).round() * digit;
        let name = format!("beyond_{threshold_ns}");
        (name, Reading::Share(Part { events, of: 500 }))
    };
    let longest = ("longest".to_owned(), Reading::Level(wait_ns));
    (case, (0..61).map(beyond).chain([longest]).collect(), &[("due", 500.0)])
}

/// Rounds in which every case yields what it is given.
fn made_up(cpus: usize, choices: Choices, cases: &[Made]) -> Recorded {
    let trial = |round: u32, place: usize, (case, readings, proof): &Made| Trial {
        start: round / 4,
        round,
        case: (*case).into(),
        at_ns: u64::from(round) * 100_000_000 + place as u64,
        result: Ok(Observation {
            readings: readings.iter().cloned().collect(),
            proof: proof.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        }),
    };
    let round = |round| cases.iter().enumerate().map(move |(place, it)| trial(round, place, it));
    let start = Start { at_ns: 0, wall_ns: 1, foreign_cpus: None, steal_cpus: None };
    Recorded {
        starts: vec![start; 5],
        trials: (0..20).flat_map(round).collect(),
        choices,
        ..Recorded::new(1, (0..cpus).collect(), 7)
    }
}

fn quick() -> Choices {
    [(CHOOSE_QUICK.to_owned(), Vec::new())].into()
}

fn conclusion(recorded: Recorded) -> Conclusion {
    let (cpus, choices) = (recorded.cpus.clone(), recorded.choices.clone());
    let request = Request { budget: Duration::from_secs(1), cpus, seed: 7, choices };
    let context = Context { machine: Machine::default(), request };
    conclude(&Switch, &context, recorded).conclusion
}

fn findings(recorded: Recorded) -> Vec<Finding> {
    conclusion(recorded).findings
}

fn by_id(findings: &[Finding], id: &str) -> Finding {
    let found = findings.iter().find(|finding| finding.id == id);
    found.unwrap_or_else(|| panic!("no finding {id}")).clone()
}

/// The value, which is also both ends of its interval: all rounds were the same.
#[track_caller]
fn value(findings: &[Finding], id: &str) -> f64 {
    let finding = by_id(findings, id);
    let it = finding.outcome.estimate().unwrap_or_else(|| panic!("{finding:?}")).clone();
    assert!((it.low - it.value).abs() < 1e-9 && (it.high - it.value).abs() < 1e-9, "{it:?}");
    it.value
}

/// A whole quick answer in round numbers.
fn a_quick_answer() -> Vec<Made<'static>> {
    vec![
        switch("futex.process.same_cpu", 2000.0),
        switch("futex.thread.same_cpu", 1600.0),
        switch("futex.process.two_cpus.idle", 9000.0),
        switch("futex.process.two_cpus.awake", 3500.0),
        level("loop.futex", "calls", 300.0),
        level("loop.pipe", "calls", 500.0),
        wait("wait.other.0", 45_000.0),
        wait("wait.other.1", 2_900_000.0),
        turn("work.own.switched.0", 1900.0),
        turn("work.own.switched.524288", 63_000.0),
        turn("work.own.alone.524288", 50_000.0),
        turn("work.own.alternating.524288", 58_000.0),
    ]
}

#[test]
fn derived_numbers_are_exact_arithmetic() {
    let all = findings(made_up(2, quick(), &a_quick_answer()));
    for (id, expected) in [
        ("switch.futex.process.same_cpu", 2000.0),
        ("switch.futex.thread.same_cpu", 1600.0),
        // A hundredth of a second's nanoseconds, and a tenth.
        ("switch.one_percent.rate", 1e7 / 2000.0),
        ("switch.ten_percent.rate", 1e8 / 2000.0),
        ("switch.process_over_thread", 1.25),
        ("switch.wake_up.idle", 9000.0 - 3500.0),
        ("switch.working_set.512kib.total", 63_000.0 - 50_000.0),
        ("switch.working_set.512kib.indirect", 63_000.0 - 50_000.0 - 1900.0),
        ("switch.working_set.512kib.without_switching", 58_000.0 - 50_000.0),
        ("switch.wakeup.max", 45_000.0),
    ] {
        let value = value(&all, id);
        assert!((value - expected).abs() < 1e-9, "{id}: {value}, not {expected}");
    }
    let rate = by_id(&all, "switch.one_percent.rate");
    assert!(rate.text.starts_with("1 % of one CPU goes into 5,000 switches"), "{rate:?}");
    assert!(rate.advice.is_some_and(|advice| advice.starts_with("Below 5,000 switches a second")));
    for id in ["switch.futex.process.same_cpu", "switch.working_set.512kib.indirect"] {
        assert_eq!(by_id(&all, id).proof["switches_per_round_trip"], 2.0, "{id}");
    }
}

/// A wait lies between the thresholds that all and none of the waits lie beyond: a quarter apart.
#[test]
fn quantiles_of_waits_lie_between_two_thresholds() {
    let all = findings(made_up(2, quick(), &a_quick_answer()));
    for id in ["switch.wakeup.p50", "switch.wakeup.p99", "switch.wakeup.p999"] {
        let value = value(&all, id);
        assert!((39_000.0..=51_000.0).contains(&value), "{id}: {value}");
    }
    let beside_one = value(&all, "switch.wakeup.other.rivals_1.p99");
    assert!((2_500_000.0..=3_200_000.0).contains(&beside_one), "{beside_one}");
}

/// Beside so many rivals 99 % of the waits are this long.
fn waits(of: [f64; 5]) -> Vec<Finding> {
    const CASES: [&str; 5] =
        ["wait.other.0", "wait.other.1", "wait.other.2", "wait.other.4", "wait.other.8"];
    let cases: Vec<Made> = CASES.into_iter().zip(of).map(|(case, ns)| wait(case, ns)).collect();
    findings(made_up(2, Choices::new(), &cases))
}

#[test]
fn rivals_are_counted_up_to_the_first_that_are_too_many() {
    const MS: f64 = 1e6;
    let short = 0.05 * MS;
    for (of, within_1ms, within_10ms) in [
        ([short, short, short, 4.0 * MS, 9.0 * MS], Some(2.0), Some(8.0)),
        ([short, 3.0 * MS, 6.0 * MS, 12.0 * MS, 24.0 * MS], Some(0.0), Some(2.0)),
        // What is short again beside more of them is no reason to have more.
        ([short, 3.0 * MS, short, short, short], Some(0.0), Some(8.0)),
        ([2.0 * MS; 5], None, Some(8.0)),
        ([short; 5], Some(8.0), Some(8.0)),
    ] {
        let all = waits(of);
        for (id, expected) in [
            ("switch.wakeup.rivals_within_1ms", within_1ms),
            ("switch.wakeup.rivals_within_10ms", within_10ms),
        ] {
            let found = by_id(&all, id);
            let value = found.outcome.estimate().map(|it| it.value);
            assert_eq!(value, expected, "{of:?}: {found:?}");
            let all_fit = of.iter().all(|wait| *wait < if id.contains("10ms") { 1e7 } else { 1e6 });
            let advises = value.is_some() && !all_fit;
            assert_eq!(found.advice.is_some(), advises, "{of:?}: {found:?}");
        }
    }
}

#[test]
fn one_cpu_says_what_needs_two() {
    for choices in [quick(), Choices::new()] {
        let all = findings(made_up(1, choices, &[switch("futex.process.same_cpu", 2000.0)]));
        for id in ["switch.futex.process.two_cpus.idle", "switch.futex.process.two_cpus.awake"] {
            let found = by_id(&all, id);
            let Outcome::NotRun { why } = &found.outcome else { panic!("{found:?}") };
            assert!(why.starts_with("needs two CPUs"), "{why}");
            assert!(found.text.contains("needs two CPUs"), "{}", found.text);
        }
        assert_eq!(value(&all, "switch.one_percent.rate"), 5000.0);
        assert!(!all.iter().any(|it| it.id == "switch.wake_up.idle"));
    }
}

#[test]
fn without_trials_there_are_no_numbers() {
    for choices in [quick(), Choices::new()] {
        let nothing = Recorded { starts: vec![], ..made_up(2, choices, &[]) };
        for found in findings(nothing) {
            assert!(found.outcome.estimate().is_none(), "{found:?}");
            assert!(matches!(found.outcome, Outcome::NotRun { .. }), "{found:?}");
            assert!(found.text.contains("no number"), "{found:?}");
        }
    }
}

/// The record, with all trials of one case refused.
fn refused(mut recorded: Recorded, case: &str, refusal: &Refusal) -> Recorded {
    for trial in recorded.trials.iter_mut().filter(|trial| trial.case == case) {
        trial.result = Err(refusal.clone());
    }
    recorded
}

#[test]
fn what_rests_on_a_refused_case_is_refused() {
    let seen = "0.010 switches per round trip of 144 ns, where 2 make one".to_owned();
    let refusal = Refusal::EventNotProven { seen };
    for (case, ids) in [
        (
            "futex.process.same_cpu",
            &[
                "switch.futex.process.same_cpu",
                "switch.one_percent.rate",
                "switch.ten_percent.rate",
                "switch.process_over_thread",
            ][..],
        ),
        ("futex.process.two_cpus.awake", &["switch.wake_up.idle"]),
        ("futex.process.two_cpus.idle", &["switch.wake_up.idle"]),
        ("work.own.switched.0", &["switch.working_set.512kib.indirect"]),
        (
            "work.own.alone.524288",
            &["switch.working_set.512kib.indirect", "switch.working_set.512kib.total"],
        ),
        ("wait.other.0", &["switch.wakeup.p50", "switch.wakeup.p99", "switch.wakeup.max"]),
    ] {
        let all = findings(refused(made_up(2, quick(), &a_quick_answer()), case, &refusal));
        for id in ids {
            let found = by_id(&all, id);
            assert_eq!(found.outcome, Outcome::Refused(refusal.clone()), "{case}: {id}");
            assert!(found.text.contains("no number") && found.text.contains("144 ns"), "{found:?}");
        }
    }
}

#[test]
fn a_class_that_is_not_permitted_is_a_caveat_once() {
    let refusal = Refusal::NotPermitted {
        now: "SCHED_FIFO: EPERM; this user's limit of priorities (ulimit -r) is 0".into(),
        fix: "run as root".into(),
    };
    let mut recorded = made_up(2, Choices::new(), &[]);
    for rivals in [0, 1, 2, 4, 8] {
        let case = format!("wait.fifo.{rivals}");
        let more = made_up(2, Choices::new(), &[wait(&case, 1000.0)]);
        recorded.trials.extend(refused(more, &case, &refusal).trials);
    }
    let conclusion = conclusion(recorded);
    let told = conclusion.caveats.iter().filter(|caveat| caveat.kind == "class_refused");
    let told: Vec<&str> = told.map(|caveat| caveat.text.as_str()).collect();
    assert!(told.len() == 1 && told[0].starts_with("SCHED_FIFO: no waits; "), "{told:?}");
    assert!(told[0].contains("ulimit -r"), "{told:?}");
    for what in ["p50", "p99", "p999", "max"] {
        let found = by_id(&conclusion.findings, &format!("switch.wakeup.fifo.rivals_8.{what}"));
        assert_eq!(found.outcome, Outcome::Refused(refusal.clone()), "{found:?}");
    }
}

#[test]
fn a_socket_that_wakes_twice_is_a_caveat() {
    let case = "socketpair.process.same_cpu";
    for (per_trip, tells) in [(2.0, false), (3.9, true)] {
        let proof = [("switches_per_round_trip", per_trip)];
        let cases = [(case, switch(case, 1000.0).1, &proof[..])];
        let caveats = conclusion(made_up(2, Choices::new(), &cases)).caveats;
        let told = caveats.iter().find(|caveat| caveat.kind == "socketpair_wakes_twice");
        assert_eq!(told.is_some(), tells, "{caveats:?}");
        assert!(told.is_none_or(|caveat| caveat.text.contains("takes 3.9 switches")));
    }
}

#[test]
fn what_was_chosen_is_what_is_found() {
    let words = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let choices: Choices = [
        (CHOOSE_PAIRS.to_owned(), words(&["3-1"])),
        (CHOOSE_WORKING_SETS.to_owned(), words(&["8192"])),
    ]
    .into();
    let cases = [
        level("line.3-1", "one_way", 60.0),
        switch("pair.3-1", 4000.0),
        turn("work.shared.switched.8192", 3000.0),
        turn("work.shared.alone.8192", 900.0),
        turn("work.own.switched.0", 1900.0),
    ];
    let conclusion = conclusion(made_up(4, choices, &cases));
    let all = &conclusion.findings;
    assert_eq!((value(all, "switch.line.3_1"), value(all, "switch.pair.3_1")), (60.0, 4000.0));
    assert!((value(all, "switch.working_set.shared.8kib.indirect") - 200.0).abs() < 1e-9);
    assert!((value(all, "switch.page_write.8kib") - 450.0).abs() < 1e-9);
    let sets: BTreeSet<&str> = all
        .iter()
        .filter(|it| it.id.starts_with("switch.working_set."))
        .filter_map(|it| it.id.split('.').find(|word| word.ends_with("kib")))
        .collect();
    assert_eq!(sets, BTreeSet::from(["8kib"]));
}

/// A run whose names its own reader refused could be neither shown again nor compared.
#[test]
fn what_is_found_can_be_read_back() {
    let quick = findings(made_up(2, quick(), &a_quick_answer()));
    for found in quick.into_iter().chain(findings(made_up(64, Choices::new(), &[]))) {
        let json = serde_json::to_string(&found).unwrap();
        let read: Result<Finding, _> = serde_json::from_str(&json);
        assert_eq!(read.map_err(|error| error.to_string()), Ok(found));
    }
}

#[test]
fn every_name_is_unique() {
    for cpus in [1, 2, 16, 64] {
        let ids: Vec<String> =
            findings(made_up(cpus, Choices::new(), &[])).into_iter().map(|it| it.id).collect();
        let unique: BTreeSet<&String> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len());
        assert!(ids.iter().all(|id| id.starts_with("switch.")), "{ids:?}");
        assert_eq!(ids[0], "switch.futex.process.same_cpu");
    }
    assert_eq!(Switch.about().name, "switch");
}
