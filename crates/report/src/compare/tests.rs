//! Comparisons of fake runs, whose machine has two speeds.

use std::time::Duration;

use lab::fake::Fake;
use record::{Ended, Machine, SCHEMA};

use super::*;

fn run(seed: u64, costs: &[(&str, f64)]) -> Run {
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

const COSTS: [(&str, f64); 4] = [("a", 100.0), ("a.twin", 100.0), ("b", 50.0), ("c", 9.0)];
/// Twice as slow: the fake machine's two speeds are 1.36 apart, and the raw ratio must show it too.
const SLOWER_B: [(&str, f64); 4] = [("a", 100.0), ("a.twin", 100.0), ("b", 100.0), ("c", 9.0)];

fn runs(seeds: std::ops::Range<u64>, costs: &[(&str, f64)]) -> Vec<Run> {
    seeds.map(|seed| run(seed, costs)).collect()
}

fn verdict(section: &Section, id: &str) -> Verdict {
    let found = section.conclusion.findings.iter().find(|it| it.id == format!("compare.{id}"));
    found.unwrap().verdict.unwrap()
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

#[test]
fn what_is_not_of_the_same_thing_is_not_compared() {
    let before = vec![run(1, &COSTS)];
    let mut other_version = before.clone();
    other_version[0].sections[0].workload_version += 1;
    let mut other_cpus = before.clone();
    if let Some(recorded) = &mut other_cpus[0].sections[0].recorded {
        recorded.cpus = vec![7];
    }
    for (after, why) in [(other_version, "version of the workload"), (other_cpus, "other CPUs")] {
        let section = compare(&before, &after).unwrap();
        assert_eq!(verdict(&section, "fake.a.cost"), Verdict::NotComparable);
        let texts: Vec<&str> =
            section.conclusion.findings.iter().map(|it| it.text.as_str()).collect();
        assert!(texts.iter().any(|text| text.contains(why)), "{texts:?}");
    }
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
    assert_eq!(compare(&before, &before).unwrap().conclusion.tables.len(), 1);
}
