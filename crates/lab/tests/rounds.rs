//! Scheduling, stopping, cancelling and judging, on the fake machine whose clock stands still.

use std::{collections::BTreeMap, time::Duration};

use estimate::twins;
use lab::{
    Context, Go, Launcher, Progress, Unwatched, Watch, Worker, conclude, conduct, fake::Fake,
};
use record::{Ended, Outcome, Recorded, Refusal, Run, SCHEMA, Section, Stopped};
use stats::Verdict;

const CASES: [(&str, f64); 4] = [("a", 100.0), ("a.twin", 100.0), ("b", 250.0), ("b.twin", 250.0)];

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn order(recorded: &Recorded) -> Vec<(u32, String)> {
    recorded.trials.iter().map(|trial| (trial.round, trial.case.clone())).collect()
}

#[test]
fn a_shorter_run_is_a_prefix_of_a_longer_one() {
    let run = |time| Fake::new(42, &CASES).conduct(time, &mut Unwatched).unwrap();
    let (short, long) = (order(&run(seconds(1))), order(&run(seconds(4))));
    assert!(short.len() < long.len(), "{} {}", short.len(), long.len());
    assert_eq!(short[..], long[..short.len()]);
    let other = Fake::new(43, &CASES).conduct(seconds(1), &mut Unwatched).unwrap();
    assert_ne!(order(&other)[..20], short[..20]);
}

#[test]
fn five_starts_share_the_time_and_the_rounds_are_whole() {
    let recorded = Fake::new(1, &CASES).conduct(seconds(2), &mut Unwatched).unwrap();
    assert_eq!(recorded.starts.len(), 5);
    let mut per_round: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for trial in &recorded.trials {
        per_round.entry(trial.round).or_default().push(&trial.case);
    }
    for (round, cases) in &mut per_round {
        cases.sort_unstable();
        assert_eq!(cases[..], ["a", "a.twin", "b", "b.twin", "canary"], "round {round}");
    }
    let rounds = |start| recorded.trials.iter().filter(|t| t.start == start).count() / 5;
    for start in 0..5 {
        let share = rounds(start) as f64 / f64::from(recorded.rounds());
        assert!((0.15..0.25).contains(&share), "start {start} has {share} of the rounds");
    }
    let wall_ns: u64 = recorded.starts.iter().map(|start| start.wall_ns).sum();
    assert!((1.9e9..2.2e9).contains(&(wall_ns as f64)), "{wall_ns}");
}

#[test]
fn there_are_ten_rounds_whatever_the_time_given() {
    let recorded = Fake::new(1, &CASES).conduct(Duration::from_millis(1), &mut Unwatched).unwrap();
    assert_eq!((recorded.rounds(), recorded.starts.len()), (10, 5));
}

#[test]
fn rounds_end_when_every_interval_is_narrow() {
    // Much time, and a machine whose modes average out over more starts.
    let recorded = Fake::new(5, &CASES).conduct(seconds(600), &mut Unwatched).unwrap();
    assert_eq!(recorded.stopped, Stopped::Precise);
    let spent_ns: u64 = recorded.starts.iter().map(|start| start.wall_ns).sum();
    assert!(spent_ns < 590_000_000_000, "{spent_ns}");
    assert_eq!(recorded.starts.len() % 5, 0, "only whole laps are judged");
    for case in ["a", "b"] {
        let outcome = estimate::outcome(&recorded, case, "cost");
        assert!(outcome.estimate().unwrap().relative_half_width() <= 0.02, "{case}");
    }
}

/// Stops after so many trials.
struct StopsAfter(usize);

impl Watch for StopsAfter {
    fn seen(&mut self, _progress: &Progress) -> Go {
        self.0 = self.0.saturating_sub(1);
        if self.0 == 0 { Go::Stop } else { Go::On }
    }
}

#[test]
fn an_interrupted_run_keeps_its_finished_rounds_and_only_those() {
    // The warm-up round of five trials, seven whole rounds, and three trials of the eighth.
    let recorded =
        Fake::new(1, &CASES).conduct(seconds(9), &mut StopsAfter(5 + 7 * 5 + 3)).unwrap();
    assert_eq!(recorded.stopped, Stopped::Interrupted);
    assert_eq!((recorded.rounds(), recorded.trials.len()), (7, 35));
    let nothing = Fake::new(1, &CASES).conduct(seconds(9), &mut StopsAfter(2)).unwrap();
    assert_eq!(nothing.trials.len(), 0);
    let fake = Fake::new(1, &CASES);
    let section = conclude(&fake, &fake.context(seconds(9)), nothing);
    assert!(matches!(section.conclusion.findings[0].outcome, Outcome::NotRun { .. }));
}

#[test]
fn a_case_that_refuses_is_refused_and_the_rest_goes_on() {
    let refusal = Refusal::EventNotProven { seen: "nothing".into() };
    let fake = Fake::new(1, &CASES).refusing("b", refusal.clone());
    let section = fake.section(seconds(1)).unwrap();
    let of = |id: &str| {
        let findings = &section.conclusion.findings;
        findings.iter().find(|finding| finding.id == id).unwrap().outcome.clone()
    };
    assert!(matches!(of("fake.a.cost"), Outcome::Measured(_)));
    assert_eq!(of("fake.b.cost"), Outcome::Refused(refusal));
    assert!(section.conclusion.caveats.iter().any(|caveat| caveat.kind == "refused"));
}

#[test]
fn a_section_concluded_again_from_the_run_file_is_the_same() {
    let fake = Fake::new(9, &CASES);
    let section = fake.section(seconds(3)).unwrap();
    let run = Run {
        schema: SCHEMA,
        fathom: "0.1.0".into(),
        started_at: "2026-11-20T18:00:00Z".into(),
        seed: 9,
        ended: Ended::Complete,
        machines: vec![fake.context(seconds(3)).machine],
        sections: vec![section.clone()],
    };
    let json = record::file::to_json(&run).unwrap();
    let read = record::file::from_json(json.as_bytes()).unwrap();
    assert_eq!(read, run);
    let Section { recorded: Some(recorded), .. } = read.sections[0].clone() else { panic!() };
    assert_eq!(conclude(&fake, &fake.context(seconds(3)), recorded), section);
}

/// The product's promise in small: a twin that is secretly 10 % slower is called slower, and honest
/// twins are not, on a machine with two speeds that last for most of a second.
#[test]
fn a_hidden_slowdown_of_a_tenth_is_found_and_nothing_else() {
    let (mut found, mut false_alarms, mut honest) = (0, 0, 0);
    for seed in 0..20 {
        let cases = [
            ("a", 100.0),
            ("a.twin", 100.0),
            ("b", 250.0),
            ("b.twin", 275.0),
            ("c", 9.0),
            ("c.twin", 9.0),
        ];
        let recorded = Fake::new(seed, &cases).conduct(seconds(2), &mut Unwatched).unwrap();
        for pair in twins(&recorded) {
            let slower = pair.comparison.verdict == Verdict::Higher;
            if pair.case == "b" {
                found += u32::from(slower);
            } else {
                honest += 1;
                let different = slower || pair.comparison.verdict == Verdict::Lower;
                false_alarms += u32::from(different);
            }
        }
    }
    println!("found {found} of 20; {false_alarms} of {honest} honest twins called different");
    // Honest pairs are judged beside one that differs, whose reach widens their margin.
    assert!(found >= 18 && honest == 40 && false_alarms <= 2);
}

#[test]
fn a_question_that_can_not_be_asked_is_refused_in_every_finding() {
    let fake = Fake::new(1, &CASES);
    let refusal = Refusal::Missing { what: "a second CPU".into() };
    let section = lab::refuse(&fake, &fake.context(seconds(1)), &refusal);
    assert_eq!(section.conclusion.findings.len(), 2);
    for finding in &section.conclusion.findings {
        assert_eq!(finding.outcome, Outcome::Refused(refusal.clone()));
        assert!(finding.text.contains("a second CPU"), "{}", finding.text);
    }
}

#[test]
fn nothing_but_refusals_end_the_section_soon() {
    let refusal = Refusal::NotPermitted { now: "no".into(), fix: "ask".into() };
    let fake = Fake::new(1, &[("a", 100.0)]).refusing("a", refusal.clone());
    let recorded = fake.conduct(seconds(3600), &mut Unwatched).unwrap();
    assert_eq!(recorded.stopped, Stopped::Broken);
    assert!(recorded.rounds() <= 10, "{} rounds", recorded.rounds());
    assert_eq!(estimate::outcome(&recorded, "a", "cost"), Outcome::Refused(refusal));
}

/// A launcher that can start nothing.
struct Nothing;

impl Launcher for Nothing {
    fn start(&self, _experiment: &str) -> Result<Box<dyn Worker + '_>, Refusal> {
        Err(Refusal::Broken { seen: "can't be started: no memory".into() })
    }
}

#[test]
fn workers_that_can_not_be_started_end_the_section_with_the_reason() {
    let fake = Fake::new(1, &CASES);
    let context: Context = fake.context(seconds(5));
    let mut instruments = lab::Live::new(10);
    let recorded = conduct(&fake, &context, &Nothing, &mut instruments, &mut Unwatched).unwrap();
    assert_eq!(recorded.stopped, Stopped::Broken);
    let section = conclude(&fake, &context, recorded);
    let Outcome::Refused(refusal) = &section.conclusion.findings[0].outcome else { panic!() };
    assert!(refusal.to_string().contains("can't be started"), "{refusal}");
}
