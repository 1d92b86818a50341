//! What the Markdown looks like, and what hostile runs can't do to it.

use record::{Align, Bar, Caveat, Ended, Estimate, Figure, Hypervisor, Outcome, Refusal, Table};

use super::{reader::read, *};
use crate::samples::{self, finding, run};

/// A cut run of this machine's own, as the tests of hostile runs have it too.
const REAL: &str = include_str!("../../tests/data/run.json");

#[test]
fn of_the_made_up_run() {
    insta::assert_snapshot!(markdown(&run()));
    assert!(markdown(&run()).contains(&section(&samples::section())), "a section is a part of it");
}

#[test]
fn of_a_real_run() {
    let run = record::file::from_json(REAL.as_bytes()).expect("a run");
    let page = markdown(&run);
    read(&page);
    insta::assert_snapshot!(page);
}

fn reference(year: u16, source: &str) -> Reference {
    Reference { machine: "Xeon".into(), year, value: 67.0, source: source.into() }
}

#[test]
fn what_is_long_is_cut_and_folded() {
    let mut section = samples::section();
    let conclusion = &mut section.conclusion;
    conclusion.findings[0].references =
        (0..20).map(|year| reference(2000 + year, "one")).chain([reference(2013, "two")]).collect();
    let refused = |n| Outcome::Refused(Refusal::Crashed { signal: n });
    let more = (0..60).map(|n| finding(&format!("a.x{n}"), refused(n), &format!("No {n}.")));
    conclusion.findings.extend(more);
    let row = vec!["a".to_owned(), "1".to_owned()];
    conclusion.tables[0].rows = vec![row.clone(); 1_000_000];
    let mut facts = Table::new("Facts", &[("what", Align::Left), ("value", Align::Left)]);
    facts.rows = vec![row; 6];
    let wide = vec![("x", Align::Right); 25];
    conclusion.tables.extend([facts, Table::new("Wide", &wide), Table::new("None", &[])]);
    conclusion.caveats = vec![Caveat::new("a", "Again."); 51];
    let page = super::section(&section);
    for part in [
        "67 ns (Xeon, 2011) and 8 more; one\n- a.b: 67 ns (Xeon, 2013); two\n",
        "No 47.\n\n... and 12 more findings\n",
        "<summary>Cost of one call (1000000 rows)</summary>\n\n| call | median |\n| :--- | ---: |",
        "... and 999900 more rows\n\n</details>\n",
        "<summary>Facts (6 rows)</summary>",
        "... and 5 more columns\n\n**None**\n\n```text",
        "- Again.\n\n... and 1 more\n",
    ] {
        assert!(page.contains(part), "{part} in\n{page}");
    }
    assert!(page.len() < 20_000, "{} bytes", page.len());
    read(&page);
}

/// Each would do something on its own line, in a cell or in a tag.
const HOSTILE: [&str; 10] = [
    "</summary></details><script>alert(1)</script>",
    "<!--",
    "```\n# x\n```",
    "| a | b |\n| - | - |",
    "[x](https://a.b) ![x](https://a.b) <https://a.b> https://a.b www.a.b a@b.c",
    "@name fixes #123, GH-1",
    "- [ ] x",
    "---",
    "\x1b]0;x\x07\x1b[2J\u{202e}\u{200b}",
    "**x** _y_ `z` $x$ &amp; \\",
];

/// Puts `evil` wherever a run holds text that is shown.
fn poisoned(evil: &str) -> Run {
    let mut run = run();
    (run.fathom, run.started_at) = (evil.into(), evil.into());
    run.ended = Ended::Failed(evil.into());
    run.machines[0].cpu_model = Some(evil.into());
    run.machines[0].kernel = Some(evil.into());
    run.machines[0].hypervisor = Some(Hypervisor::Named(evil.into()));
    let section = &mut run.sections[0];
    (section.name, section.question) = (evil.into(), evil.into());
    let conclusion = &mut section.conclusion;
    for finding in &mut conclusion.findings {
        (finding.text, finding.advice) = (evil.into(), Some(evil.into()));
        let machine = evil.to_owned();
        finding.references =
            vec![Reference { machine, year: 1, value: f64::MAX, source: evil.into() }];
    }
    conclusion.caveats = vec![Caveat::new(evil, evil)];
    for rows in [1, 30] {
        let mut table = Table::new(evil, &[(evil, Align::Left), (evil, Align::Right)]);
        table.rows = vec![vec![evil.to_owned(); 2]; rows];
        conclusion.tables.push(table);
    }
    let bar = |value| Bar { label: evil.into(), value, low: 0.0, high: value, reference: false };
    let bars = vec![bar(f64::MAX), bar(f64::MIN_POSITIVE)];
    conclusion.figures.push(Figure::Bars { title: evil.into(), unit: Unit::Ratio, bars });
    run
}

#[test]
fn a_hostile_run_becomes_nothing_but_text() {
    for evil in HOSTILE {
        let page = markdown(&poisoned(evil));
        let texts = read(&page);
        assert!(!page.contains(|c: char| c.is_control() && c != '\n'), "{page:?}");
        // Every one of our blocks is still there: nothing swallowed what follows it.
        let count = |part: &str| page.lines().filter(|line| line.starts_with(part)).count();
        assert_eq!((count("## "), count("<details>"), count("</details>")), (1, 1, 1), "{page}");
        assert!(texts.iter().any(|text| text == "Caveats"), "{page}");
        assert!(texts.last().is_some_and(|text| text.starts_with("Failed: ")), "{page}");
        assert_eq!(page, markdown(&poisoned(evil)), "the same run, the same text");
    }
}

#[test]
fn what_has_no_words_leaves_no_stars() {
    let mut run = poisoned("");
    run.sections[0].conclusion.findings.clear();
    let page = markdown(&run);
    read(&page);
    assert!(!page.contains("****"), "{page}");
    let exact = Estimate { value: 1.0, low: 1.0, high: 1.0, basis: record::Basis::Exact };
    let finding = finding("a.b", Outcome::Measured(exact), " ");
    run.sections[0].conclusion =
        record::Conclusion { findings: vec![finding], ..Default::default() };
    assert_eq!(section(&run.sections[0]), "## : \n");
}
