//! What runs that somebody made up can't do to the page.

use proptest::prelude::*;
use record::{Axis, Bar, Figure, Histogram, Point, Scale};

use super::*;
use crate::html::carried::Carried;

/// Every text of a run as somebody else would have it.
fn poisoned(evil: &str) -> Run {
    let text = || evil.to_owned();
    let mut run = whole();
    run.fathom = text();
    run.started_at = text();
    run.ended = Ended::Failed(text());
    run.machines[0].cpu_model = Some(text());
    run.machines[0].kernel = Some(text());
    for section in &mut run.sections {
        section.name = text();
        section.question = text();
        for finding in &mut section.conclusion.findings {
            finding.text = text();
            finding.id = text();
            finding.advice = Some(text());
            for reference in &mut finding.references {
                reference.machine = text();
                reference.source = text();
            }
        }
        for table in &mut section.conclusion.tables {
            table.title = text();
            for column in &mut table.columns {
                column.title = text();
            }
            for cell in table.rows.iter_mut().flatten() {
                *cell = text();
            }
        }
        for caveat in &mut section.conclusion.caveats {
            *caveat = Caveat::new(evil, evil);
        }
        section.conclusion.figures.iter_mut().for_each(|figure| poison(figure, evil));
        if let Some(recorded) = &mut section.recorded {
            recorded.choices = [(text(), vec![text()])].into();
        }
    }
    run
}

fn poison(figure: &mut Figure, evil: &str) {
    let text = || evil.to_owned();
    match figure {
        Figure::Bars { title, bars, .. } => {
            *title = text();
            bars.iter_mut().for_each(|bar| bar.label = text());
        }
        Figure::Distribution { title, .. } => *title = text(),
        Figure::Lines { title, x, y, lines } => {
            (*title, x.title, y.title) = (text(), text(), text());
            lines.iter_mut().for_each(|line| line.label = text());
        }
        Figure::HeatMap { title, columns, rows, .. } => {
            *title = text();
            for side in [columns, rows] {
                side.title = text();
                side.labels.iter_mut().for_each(|label| *label = text());
            }
        }
    }
}

/// How often each element begins and ends.
fn elements(page: &str) -> Vec<(String, usize)> {
    let page = stripped(page);
    let mut counts = std::collections::BTreeMap::new();
    for part in page.split('<').skip(1) {
        let end = part.find(|c: char| !(c.is_ascii_alphanumeric() || c == '/')).unwrap();
        *counts.entry(part[..end].to_owned()).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

/// No fit name either, so that the page has no command and no anchor of it.
const HARMLESS: &str = "not a name";

#[test]
fn a_hostile_run_adds_no_element() {
    let harmless = elements(&html(&poisoned(HARMLESS)));
    for evil in [
        "</script><script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "<!--",
        "--><b>",
        "]]>",
        "</style><style>*{}",
        "</pre></textarea></title>",
        "javascript:alert(1)",
        "<a href=\"http://a\">b</a>",
        "${alert(1)}",
        "%{x}",
        "\\u003cscript>",
        "\u{202e}\u{0}\u{7f}\u{2028}\u{feff}",
        "&lt;script&gt;",
        "`",
        "\\",
        "$\\alpha$",
    ] {
        let page = html(&poisoned(evil));
        assert_eq!(elements(&page), harmless, "{evil:?}");
        assert_eq!(page.matches("<script>").count(), 1, "{evil:?}");
        let treacherous =
            |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(!page.contains(treacherous), "{evil:?}");
    }
}

#[test]
fn a_million_rows_are_cut_and_counted() {
    let mut run = whole();
    run.sections[0].conclusion.tables[0].rows = vec![vec!["a".into(), "b".into()]; 1_000_000];
    let counts = vec![u64::MAX; 1_000_000];
    run.sections[0].conclusion.figures.push(Figure::Distribution {
        title: "endless".into(),
        unit: Unit::Ratio,
        histogram: Histogram { low: -1e308, high: 1e308, counts, below: 1, above: 1 },
    });
    let page = html(&run);
    assert!(page.contains("... and 999500 more rows"));
    assert!(page.contains("Not drawn: of 1000000 bins at most 500 can be told apart."));
    assert!(page.len() < PAGE_BYTES_MAX, "{} bytes", page.len());
}

/// A map of 1 by 2000 cells was drawn, and nothing but gaps was seen.
#[test]
fn a_map_of_more_columns_than_can_be_told_apart_is_not_drawn() {
    for (count, drawn) in [(200, true), (201, false)] {
        let mut map = heat_map();
        if let Figure::HeatMap { columns, rows, cells, .. } = &mut map {
            columns.labels = vec!["x".to_owned(); count];
            rows.labels.truncate(1);
            *cells = vec![vec![Some(1.0); count]];
        }
        let mut run = whole();
        run.sections[0].conclusion.figures = vec![map];
        let said = "Not drawn: of 201 columns at most 200 can be told apart.";
        assert_eq!(html(&run).contains(said), !drawn);
    }
}

/// Each list was cut, but not all of them together: 78 MB of tables became a page of 442 MB.
#[test]
fn many_long_lists_do_not_make_a_page_long() {
    let mut run = whole();
    let words = "\"&<>".repeat(150);
    let section = &mut run.sections[0];
    section.conclusion.tables[0].rows = vec![vec![words.clone(); 2]; 20];
    section.conclusion.tables = vec![section.conclusion.tables[0].clone(); 40];
    section.conclusion.findings = vec![measured(&words, 1.0); 300];
    section.conclusion.caveats = vec![Caveat::new("long", &words); 300];
    let bars = (0..200).map(|_| Bar {
        label: words.clone(),
        ..Bar::measured("", &Estimate { value: 1.0, low: 1.0, high: 1.0, basis: Basis::Exact })
    });
    section.conclusion.figures.push(Figure::Bars {
        title: words.clone(),
        unit: Unit::Ratio,
        bars: bars.collect(),
    });
    run.sections = vec![run.sections[0].clone(); 30];
    let page = html(&run);
    assert!(page.len() < PAGE_BYTES_MAX, "{} bytes", page.len());
    for said in ["Not drawn: its labels are too long.", " more rows", " more sections"] {
        assert!(page.contains(said), "{said}");
    }
    for link in page.split(" href=\"#").skip(1).map(|it| it.split('"').next().unwrap()) {
        let there = page.contains(&format!(" id=\"{link}\""));
        assert!(there, "a link to what is not there: {link}");
    }
}

/// Contents and headlines were counted nowhere, and a run that just fitted made it 3.3 MB.
#[test]
fn names_and_headlines_count_too() {
    let mut run = whole();
    let quotes = "\"".repeat(600);
    let mut section = run.sections[0].clone();
    (section.name, section.question) = (quotes.clone(), quotes.clone());
    section.conclusion = Conclusion::default();
    run.sections = vec![section; 60];
    for section in &mut run.sections {
        let mut finding = measured(&quotes, 1.0);
        finding.references = vec![finding.references[0].clone(); 2];
        for reference in &mut finding.references {
            (reference.machine, reference.source) = (quotes.clone(), quotes.clone());
        }
        section.conclusion.findings = vec![finding];
    }
    run.sections[0].conclusion.figures = vec![lines()];
    let mut left_out = 0;
    for kilobytes in [100, 150, 200, 300, 400, 600, 1000] {
        run.sections[0].conclusion.findings[0].advice = Some(noise(kilobytes * 1000));
        let page = html(&run);
        assert!(page.len() < PAGE_BYTES_MAX, "{kilobytes}: {} bytes", page.len());
        assert!(page.contains(" more questions</p>"));
        left_out += usize::from(page.contains("too large to be carried along"));
    }
    assert!((1..7).contains(&left_out), "carried, and not: {left_out}");
}

/// Whether there was room was asked before an item, however long that was.
#[test]
fn one_long_item_does_not_make_a_page_long() {
    let mut run = whole();
    let quotes = "\"".repeat(600);
    let mut map = heat_map();
    if let Figure::HeatMap { columns, rows, cells, .. } = &mut map {
        columns.labels = vec![quotes.clone(); 30];
        rows.labels.truncate(1);
        *cells = vec![vec![Some(1.0); 30]];
    }
    let section = &mut run.sections[0];
    section.question = quotes;
    section.conclusion = Conclusion::default();
    run.sections = vec![run.sections[0].clone(); 40];
    for section in &mut run.sections {
        section.conclusion.figures = vec![map.clone(); 3];
    }
    run.sections[39].conclusion.findings = vec![measured("a.b", 1.0)];
    run.sections[39].conclusion.findings[0].advice = Some(noise(600_000));
    let page = html(&run);
    assert!(page.len() < PAGE_BYTES_MAX, "{} bytes", page.len());
    assert!(page.contains(" more figures</p>") && page.contains(" more sections</p>"));
    let drawn = page.matches("data-figure=").count();
    assert_eq!(page.matches("class=\"plot\"").count(), drawn);
}

/// A finding named `section-clock.heading` took the heading's place.
#[test]
fn no_finding_takes_an_id_of_the_page() {
    let mut run = whole();
    let ids = [
        "section.1",
        "section-pipe.heading",
        "section-pipe.figure-1",
        "answers",
        // The charts write their rules into the element of this id.
        "plotly.js-style-global",
    ];
    run.sections[1].conclusion.findings.extend(ids.map(|id| measured(id, 1.0)));
    let page = stripped(&html(&run));
    let mut all: Vec<&str> =
        page.split(" id=\"").skip(1).map(|it| it.split('"').next().unwrap()).collect();
    all.sort_unstable();
    let count = all.len();
    all.dedup();
    assert_eq!(all.len(), count);
}

/// So many letters that no compression makes much fewer.
fn noise(bytes: usize) -> String {
    let mut letters = String::new();
    while letters.len() < bytes {
        letters.push_str(&hash(&letters.len().to_string()));
    }
    letters
}

/// A run that would make the page too long is left out of it, and the page says so.
#[test]
fn a_run_too_large_to_be_carried_is_left_out() {
    let mut run = whole();
    run.sections[0].conclusion.tables[0].rows =
        (0..40_000).map(|row| vec![hash(&row.to_string()), noise(40)]).collect();
    assert!(Carried::of(&run, true, 0).run.is_none());
    let page = html(&run);
    assert!(page.contains("too large to be carried along"));
    assert!(page.len() < PAGE_BYTES_MAX, "{} bytes", page.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_text_adds_an_element(evil in "\\PC{0,40}|[<>\"'&/a-z=! -]{0,40}|\\p{Any}{0,20}") {
        let evil = format!("{HARMLESS}{evil}");
        prop_assert_eq!(elements(&html(&poisoned(&evil))), elements(&html(&poisoned(HARMLESS))));
    }

    #[test]
    fn no_numbers_make_it_panic(
        value in any::<f64>(), low in any::<f64>(), high in any::<f64>(),
        counts in prop::collection::vec(any::<u64>(), 0..200), ns in any::<u64>(),
    ) {
        let mut run = whole();
        let bar = Bar { label: "x".into(), value, low, high, reference: false };
        let axis = |unit| Axis { title: "x".into(), unit, scale: Scale::Log };
        let point = Point { x: high, value, low, high };
        let line = record::Line { label: "x".into(), points: vec![point; 3], reference: true };
        run.sections[0].conclusion.figures = vec![
            Figure::Bars { title: "b".into(), unit: Unit::Nanoseconds, bars: vec![bar] },
            Figure::Distribution {
                title: "d".into(),
                unit: Unit::Share,
                histogram: Histogram { low, high, counts, below: 0, above: 0 },
            },
            Figure::Lines {
                title: "l".into(), x: axis(Unit::Count), y: axis(Unit::Ratio), lines: vec![line],
            },
        ];
        if let Some(recorded) = &mut run.sections[1].recorded {
            (recorded.budget_ns, recorded.window_ns) = (ns, ns);
            recorded.cpus = vec![usize::MAX, ns as usize, 0];
            recorded.starts[0] = Start {
                at_ns: ns, wall_ns: ns, foreign_cpus: Some(value), steal_cpus: Some(low),
            };
        }
        let _ = html(&run);
    }
}
