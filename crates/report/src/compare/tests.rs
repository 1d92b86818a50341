//! Comparisons of fake runs, whose machine has two speeds.

use std::time::Duration;

use lab::fake::Fake;
use record::{Better, Ended, Machine, Reading, SCHEMA, Unit};

use super::*;

pub(super) fn run(seed: u64, costs: &[(&str, f64)]) -> Run {
    let fake = Fake::new(seed, costs);
    Run {
        schema: SCHEMA,
        fathom: "0.1.0".into(),
        started_at: "2026-11-20T18:00:00Z".into(),
        seed,
        ended: Ended::Complete,
        machines: vec![Machine::default()],
        sections: vec![fake.section(Duration::from_secs(5)).unwrap()],
    }
}

pub(super) const COSTS: [(&str, f64); 4] =
    [("a", 100.0), ("a.twin", 100.0), ("b", 50.0), ("c", 9.0)];
/// Twice as slow: the fake machine's two speeds are 1.36 apart, and the raw ratio must show it too.
const SLOWER_B: [(&str, f64); 4] = [("a", 100.0), ("a.twin", 100.0), ("b", 100.0), ("c", 9.0)];

fn runs(seeds: std::ops::Range<u64>, costs: &[(&str, f64)]) -> Vec<Run> {
    seeds.map(|seed| run(seed, costs)).collect()
}

fn found<'a>(section: &'a Section, id: &str) -> &'a Finding {
    let id = format!("compare.{id}");
    section.conclusion.findings.iter().find(|it| it.id == id).unwrap()
}

fn verdict(section: &Section, id: &str) -> Verdict {
    found(section, id).verdict.unwrap()
}

#[test]
fn a_slowdown_is_found_and_nothing_else() {
    let section = compare(&runs(0..5, &COSTS), &runs(5..10, &SLOWER_B)).unwrap();
    let texts: Vec<&str> = section.conclusion.findings.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(verdict(&section, "fake.b.cost"), Verdict::Slower, "{texts:#?}");
    for id in ["fake.a.cost", "fake.c.cost"] {
        assert!(matches!(verdict(&section, id), Verdict::Same | Verdict::Inconclusive), "{id}");
    }
    let first = &section.conclusion.findings[1];
    assert_eq!(first.id, "compare.fake.b.cost", "what differs comes first");
    assert_eq!(slower_than(&section, 0.5), ["compare.fake.b.cost"]);
    assert!(slower_than(&section, 1.6).is_empty());
}

/// Single runs of one machine against each other, neighbour by neighbour: nothing changed.
#[test]
fn neighbours_are_not_called_different() {
    let runs = runs(0..20, &COSTS);
    let mut changed = 0;
    for pair in runs.windows(2) {
        let section = compare(&pair[..1], &pair[1..]).unwrap();
        for id in ["fake.a.cost", "fake.b.cost", "fake.c.cost"] {
            let verdict = verdict(&section, id);
            changed += u32::from(matches!(verdict, Verdict::Slower | Verdict::Faster));
        }
    }
    println!("{changed} of 57 identical pairs called different");
    assert!(changed <= 3, "{changed} of 57");
}

/// A reason, and what is done to the later run that makes `fake.a.cost` not comparable for it.
type Obstacle = (&'static str, fn(&mut Run));

fn recorded(run: &mut Run) -> &mut record::Recorded {
    run.sections[0].recorded.as_mut().unwrap()
}

fn finding_a(run: &mut Run) -> &mut Finding {
    let findings = &mut run.sections[0].conclusion.findings;
    findings.iter_mut().find(|it| it.id == "fake.a.cost").unwrap()
}

const OBSTACLES: [Obstacle; 13] = [
    ("another version of the workload", |run| run.sections[0].workload_version += 1),
    ("measured on other CPUs", |run| recorded(run).cpus = vec![7]),
    ("counted in another unit", |run| finding_a(run).unit = Unit::PerSecond),
    ("measured in another way", |run| finding_a(run).better = Better::Higher),
    ("measured in another way", |run| finding_a(run).rests_on.as_mut().unwrap().case = "b".into()),
    ("measured in another way", |run| finding_a(run).rests_on = None),
    ("proved in another way: calls was not counted", |run| {
        finding_a(run).proof.remove("calls");
    }),
    ("not the same event: switches", |run| {
        finding_a(run).proof.insert("switches".into(), 1e6);
    }),
    ("no number in every run (needs two)", |run| {
        finding_a(run).outcome = Outcome::NotRun { why: "needs two".into() };
    }),
    ("no trials behind it in every run", |run| {
        run.sections.push(run.sections[0].clone());
        run.sections[1].name = "other".into();
        run.sections[1].conclusion.findings.clear();
        run.sections[0].recorded = None;
    }),
    ("too few starts", |run| recorded(run).trials.retain(|trial| trial.start < 2)),
    ("no trial of it holds a value", |run| recorded(run).trials.retain(|trial| trial.case != "a")),
    ("no ratio can be made", |run| {
        for trial in recorded(run).trials.iter_mut().filter(|it| it.case == "a.twin") {
            trial.result.as_mut().unwrap().readings.insert("cost".into(), Reading::Level(0.0));
        }
    }),
];

#[test]
fn what_is_not_of_the_same_thing_is_not_compared() {
    let mut before = run(1, &COSTS);
    finding_a(&mut before).proof.insert("switches".into(), 0.0);
    for (why, obstacle) in OBSTACLES {
        let mut after = Run { seed: 2, ..before.clone() };
        obstacle(&mut after);
        for (before, after) in [(&before, &after), (&after, &before)] {
            let [before, after] = [slice::from_ref(before), slice::from_ref(after)];
            let section = compare(before, after).unwrap();
            assert_eq!(verdict(&section, "fake.a.cost"), Verdict::NotComparable, "{why}");
            can_be_stored(section);
        }
        let section = compare(slice::from_ref(&before), slice::from_ref(&after)).unwrap();
        let text = &found(&section, "fake.a.cost").text;
        assert!(text.contains(&format!("not comparable; {why}")), "{why}: {text}");
    }
}

/// Beside the questions of a survey, as well as alone.
fn can_be_stored(section: Section) {
    let mut run = run(1, &COSTS);
    run.sections.push(section);
    let json = record::file::to_json(&run).unwrap();
    assert_eq!(record::file::from_json(json.as_bytes()).unwrap(), run);
}

/// A finding that one of several runs lacks was told as if it were in none.
#[test]
fn what_one_of_several_runs_lacks_is_not_compared() {
    let (before, mut after) = (runs(0..3, &COSTS), runs(3..6, &COSTS));
    after[2].sections[0].conclusion.findings.retain(|it| it.id != "fake.a.cost");
    let section = compare(&before, &after).unwrap();
    assert_eq!(verdict(&section, "fake.a.cost"), Verdict::NotComparable);
    assert!(found(&section, "fake.a.cost").text.contains("not in every run"));
    assert_ne!(verdict(&section, "fake.b.cost"), Verdict::NotComparable);
}

/// Those in one side only were dropped without a word.
#[test]
fn every_finding_has_a_verdict_or_is_counted() {
    let (before, mut after) = (run(1, &COSTS), run(2, &COSTS));
    after.sections[0].conclusion.findings.retain(|it| it.id != "fake.b.cost");
    finding_a(&mut after).id = "fake.renamed.cost".into();
    let section = compare(slice::from_ref(&before), slice::from_ref(&after)).unwrap();
    let ids: Vec<&str> = section.conclusion.findings.iter().map(|it| it.id.as_str()).collect();
    for id in ["fake.c.cost", "fake.canary", "fake.noise_floor"] {
        assert!(ids.contains(&format!("compare.{id}").as_str()), "{id} is not among {ids:?}");
    }
    assert_eq!(ids.len(), 4, "and the headline: {ids:?}");
    let headline = &section.conclusion.findings[0];
    assert!(headline.text.contains("; 1 not comparable; 3 not on both sides."), "{headline:?}");
    assert_eq!(headline.proof.values().sum::<f64>(), 6.0, "{:?}", headline.proof);
    let left_out = section.conclusion.caveats.iter().find(|it| it.kind == "left_out").unwrap();
    assert!(left_out.text.contains("fake.a.cost, fake.b.cost, fake.renamed.cost"), "{left_out:?}");
}

#[test]
fn a_comparison_within_a_run_is_not_compared_again() {
    let (before, after) = (run(1, &COSTS), run(2, &COSTS));
    let plain = compare(slice::from_ref(&before), slice::from_ref(&after)).unwrap();
    let surveyed = compare_survey(&before, &after).unwrap();
    let with = |run: &Run| {
        let mut run = run.clone();
        run.sections.insert(0, surveyed.clone());
        run
    };
    for (before, after) in [(with(&before), after.clone()), (with(&before), with(&after))] {
        let [one, other] = [slice::from_ref(&before), slice::from_ref(&after)];
        assert_eq!(compare(one, other).unwrap(), plain);
        assert_eq!(compare_survey(&before, &after).unwrap(), surveyed);
    }
    // Alone it is nothing that could be compared.
    let mut alone = with(&before);
    alone.sections.truncate(1);
    assert_eq!(compare_survey(&alone, &after).unwrap_err(), NotCompared::NoTrials);
}

#[test]
fn a_survey_says_little_and_stores_all() {
    let (before, after) = (run(1, &COSTS), run(2, &COSTS));
    let full = compare(slice::from_ref(&before), slice::from_ref(&after)).unwrap().conclusion;
    let section = compare_survey(&before, &after).unwrap();
    assert_eq!(section.conclusion.findings[1..], full.findings[1..], "as complete as any");
    assert_eq!(section.conclusion.tables, []);
    let headline = &section.conclusion.findings[0].text;
    assert!(headline.starts_with("Since the survey of 2026-11-20T18:00:00Z: 0 slower, 0 faster, "));
    assert!(headline.contains("; 1 not comparable."), "{headline}");
    // Heading, headline, and the machine's own speed where that changed.
    let run = Run { sections: vec![section], ..after };
    let text = crate::text(&run, crate::Look { width: 80, colour: false });
    assert!(text.lines().count() <= 10, "{text}");
}

#[test]
fn a_survey_names_what_changed() {
    let (before, mut after) = (run(1, &COSTS), run(1, &COSTS));
    for trial in recorded(&mut after).trials.iter_mut().filter(|it| it.case == "b") {
        for reading in trial.result.as_mut().unwrap().readings.values_mut() {
            *reading = Reading::Level(reading.level().unwrap() * 3.0);
        }
    }
    after.machines[0].kernel = Some("9.9".into());
    let section = compare_survey(&before, &after).unwrap();
    let run = Run { sections: vec![section], ..after };
    let text = crate::text(&run, crate::Look { width: 100, colour: false });
    assert!(text.contains("1 slower, 0 faster"), "{text}");
    assert!(text.contains("fake.b.cost: slower, 3.000 times"), "{text}");
    assert!(text.contains("may be the machine's own: take several a side"), "{text}");
    assert!(text.contains("not as it was then: kernel"), "{text}");
}

#[test]
fn several_runs_a_side_are_not_doubted_for_being_one() {
    let section = compare(&runs(0..2, &COSTS), &runs(2..4, &COSTS)).unwrap();
    let headline = &section.conclusion.findings[0].text;
    assert!(headline.contains("inconclusive") && !headline.contains("one run"), "{headline}");
}

#[test]
fn where_nothing_can_be_compared_the_reason_is_the_headline() {
    let (mut before, after) = (run(1, &COSTS), run(2, &COSTS));
    recorded(&mut before).cpus = vec![7];
    before.ended = Ended::Interrupted;
    let section = compare_survey(&before, &after).unwrap();
    let headline = &section.conclusion.findings[0].text;
    let says = "nothing can be compared (measured on other CPUs); 5 not comparable.";
    assert!(headline.ends_with(says), "{headline}");
    assert!(section.conclusion.caveats[0].text.starts_with("Ended early by a signal"));
}

#[test]
fn nothing_in_common_is_an_error() {
    let other = vec![run(1, &[("z", 1.0)])];
    let mut other = other;
    other[0].sections[0].conclusion.findings.retain(|it| it.id == "fake.z.cost");
    let before = vec![run(1, &COSTS)];
    assert_eq!(compare(&before, &other).unwrap_err(), NotCompared::NothingInCommon);
    assert_eq!(compare(&[], &before).unwrap_err(), NotCompared::NoRun);
}

#[test]
fn machines_that_differ_are_told() {
    let before = vec![run(1, &COSTS)];
    let mut after = before.clone();
    after[0].machines[0].kernel = Some("9.9".into());
    let section = compare(&before, &after).unwrap();
    let table = section.conclusion.tables.iter().find(|it| it.title == "The machines differ");
    assert_eq!(table.unwrap().rows, [["kernel", "not known", "9.9"]]);
    let titles: Vec<String> = compare(&before, &before)
        .unwrap()
        .conclusion
        .tables
        .into_iter()
        .map(|table| table.title)
        .collect();
    assert_eq!(titles, ["Verdicts", "Not comparable", "What was compared"]);
}

/// Shares were told to have no trials with a value, and counts to have no trials at all.
#[test]
fn shares_and_counts_are_called_what_they_are() {
    use record::{Basis, Estimate, Outcome, Unit};
    let mut before = vec![run(1, &COSTS)];
    let findings = &mut before[0].sections[0].conclusion.findings;
    let place = |id: &str| findings.iter().position(|it| it.id == id).expect("a finding");
    let (share, count) = (place("fake.a.cost"), place("fake.b.cost"));
    findings[share].unit = Unit::Share;
    findings[count].rests_on = None;
    findings[count].outcome = Outcome::Measured(Estimate {
        value: 3.0,
        low: 3.0,
        high: 3.0,
        basis: Basis::Count { of: 10 },
    });
    let section = compare(&before, &before.clone()).unwrap();
    let why = |id: &str| {
        let found = section.conclusion.findings.iter().find(|it| it.id == id);
        found.and_then(|it| it.outcome.why()).unwrap_or_default()
    };
    assert_eq!(why("compare.fake.a.cost"), "a share: no ratio is made of it");
    assert_eq!(why("compare.fake.b.cost"), "a count: no ratio is made of it");
}
