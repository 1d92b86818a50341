//! Pairs within a run of the fake machine, whose two speeds change every case of a round alike.

use record::Recorded;

use super::super::tests::{COSTS, run};
use super::*;

fn named(names: &[(&str, &str)]) -> Vec<(String, String)> {
    let id = |name: &str| format!("fake.{name}");
    names.iter().map(|(to, of)| (id(to), id(of))).collect()
}

fn judged(run: &Run, to: &str, of: &str) -> Finding {
    let section = pairs(run, &named(&[(to, of)])).unwrap();
    assert_eq!(section.conclusion.findings.len(), 1, "one pair is its own headline");
    section.conclusion.findings[0].clone()
}

fn recorded(run: &mut Run) -> &mut Recorded {
    run.sections[0].recorded.as_mut().unwrap()
}

#[test]
fn the_verdict_is_of_the_second_against_the_first() {
    let costs = [("a", 100.0), ("a.twin", 100.0), ("b", 108.0), ("c", 100.1)];
    let mut run = run(3, &costs);
    for (to, of, verdict, says) in [
        ("a.cost", "b.cost", Verdict::Slower, "is slower than fake.a.cost (1"),
        ("b.cost", "a.cost", Verdict::Faster, "is faster than fake.b.cost (1"),
        ("a.cost", "c.cost", Verdict::Same, "does not differ from fake.a.cost (1"),
    ] {
        let found = judged(&run, to, of);
        assert_eq!(found.verdict, Some(verdict), "{}", found.text);
        assert_eq!(found.id, format!("compare.fake.{of}.over.fake.{to}"));
        assert!(found.text.starts_with(&format!("fake.{of} (1")), "{}", found.text);
        assert!(found.text.contains(says), "{}", found.text);
        assert_eq!(found.proof["margin"], stats::MARGIN_MIN);
    }
    // The other way round where more is better.
    run.sections[0].conclusion.findings.iter_mut().for_each(|it| it.better = Better::Higher);
    assert_eq!(judged(&run, "a.cost", "b.cost").verdict, Some(Verdict::Faster));
    // Facts may be the same, but not better or worse.
    run.sections[0].conclusion.findings.iter_mut().for_each(|it| it.better = Better::Neither);
    assert_eq!(judged(&run, "a.cost", "b.cost").verdict, Some(Verdict::Inconclusive));
    assert_eq!(judged(&run, "a.cost", "c.cost").verdict, Some(Verdict::Same));
}

/// Between runs the host's mode would hide it; between cases of a round it is no question.
#[test]
fn twins_that_differ_widen_the_margin() {
    let noisy = run(3, &[("a", 100.0), ("a.twin", 120.0), ("b", 110.0), ("c", 100.1)]);
    let found = judged(&noisy, "a.cost", "b.cost");
    assert_eq!(found.verdict, Some(Verdict::Inconclusive), "{}", found.text);
    assert!(found.proof["margin"] > 0.15, "{}", found.text);
    assert!(found.text.contains("may or may not differ"), "{}", found.text);
    assert!(found.text.contains("what identical cases differed by"), "{}", found.text);
}

/// A name, and what is done to a run that leaves the pair of a and b without a verdict.
type Obstacle = (&'static str, fn(&mut Run));

const OBSTACLES: [Obstacle; 8] = [
    ("other units", |run| run.sections[0].conclusion.findings[0].unit = Unit::Share),
    ("same direction", |run| run.sections[0].conclusion.findings[0].better = Better::Higher),
    ("no trials behind fake.a.cost", |run| {
        run.sections[0].conclusion.findings[0].rests_on = None;
    }),
    ("fake.b.cost has no number (needs two)", |run| {
        let why = "needs two".to_owned();
        run.sections[0].conclusion.findings[1].outcome = Outcome::NotRun { why };
    }),
    ("no trials behind them", |run| {
        // Another section's trials are not theirs.
        run.sections.push(run.sections[0].clone());
        run.sections[1].conclusion.findings.clear();
        run.sections[0].recorded = None;
    }),
    ("too few starts", |run| recorded(run).trials.retain(|trial| trial.start < 2)),
    ("no ratio can be made", |run| {
        for trial in recorded(run).trials.iter_mut().filter(|it| it.case == "a.twin") {
            trial
                .result
                .as_mut()
                .unwrap()
                .readings
                .insert("cost".into(), record::Reading::Level(0.0));
        }
    }),
    ("other rounds (fake and other)", |run| {
        let mut other = run.sections[0].clone();
        other.name = "other".into();
        other.conclusion.findings.retain(|it| it.id == "fake.b.cost");
        run.sections[0].conclusion.findings.retain(|it| it.id == "fake.a.cost");
        run.sections.push(other);
    }),
];

#[test]
fn what_is_not_of_the_same_rounds_or_kind_is_not_comparable() {
    for (why, obstacle) in OBSTACLES {
        let mut run = run(3, &COSTS);
        obstacle(&mut run);
        let found = judged(&run, "a.cost", "b.cost");
        assert_eq!(found.verdict, Some(Verdict::NotComparable), "{}", found.text);
        assert!(found.text.contains(why), "{why}: {}", found.text);
        assert!(found.text.starts_with("fake.b.cost and fake.a.cost: "), "{}", found.text);
    }
}

#[test]
fn several_pairs_have_a_headline_and_a_row_each() {
    let named = named(&[("a.cost", "b.cost"), ("b.cost", "a.cost"), ("a.cost", "canary")]);
    let section = pairs(&run(3, &COSTS), &named).unwrap();
    let texts: Vec<&str> = section.conclusion.findings.iter().map(|it| it.text.as_str()).collect();
    let counts = "The second of each pair: 1 slower, 1 faster, 0 inconclusive, 0 same, 1 not ";
    assert!(texts[0].starts_with(counts), "{texts:#?}");
    assert_eq!((texts.len(), section.conclusion.tables[0].rows.len()), (4, 3));
    assert_eq!(super::super::slower_than(&section, 0.5), ["compare.fake.a.cost.over.fake.b.cost"]);
}

#[test]
fn an_unknown_finding_is_an_error() {
    let mut run = run(3, &COSTS);
    let unknown = NotCompared::Unknown("fake.z.cost".into());
    assert_eq!(pairs(&run, &named(&[("a.cost", "z.cost")])).unwrap_err(), unknown);
    recorded(&mut run).trials.clear();
    assert_eq!(pairs(&run, &named(&[("a.cost", "b.cost")])).unwrap_err(), NotCompared::NoTrials);
}

/// The same two cases, by the experiment's own derivation: the same numbers to the last digit.
#[test]
fn a_pair_agrees_with_what_an_experiment_derives() {
    let run = run(3, &COSTS);
    let derived =
        estimate::derived_ratio(run.sections[0].recorded.as_ref().unwrap(), "b", "a", "cost");
    let (derived, found) = (derived.estimate().cloned(), judged(&run, "a.cost", "b.cost"));
    let ends = |it: &Estimate| (it.value, it.low, it.high);
    assert_eq!(found.outcome.estimate().map(ends), derived.as_ref().map(ends));
}
