//! What the text looks like, at two widths, and what hostile runs can't do to it.

use proptest::prelude::*;
use record::{Axis, Bar, Caveat, Conclusion, Figure, Histogram, Labels, Line, Point, Scale, Unit};

use super::*;
use crate::samples::run;

pub(crate) fn lines() -> Figure {
    let axis = |title: &str, unit| Axis { title: title.into(), unit, scale: Scale::Log };
    let point = |x: f64, value: f64| Point { x, value, low: value * 0.9, high: value * 1.1 };
    let line = |label: &str, reference, from: f64, to: f64| Line {
        label: label.into(),
        points: (6..=16)
            .map(|power| f64::from(1 << power))
            .map(|x| point(x, from + x * to))
            .collect(),
        reference,
    };
    Figure::Lines {
        title: "One message, by its size".into(),
        x: axis("message, bytes", Unit::Count),
        y: axis("a round trip", Unit::Nanoseconds),
        lines: vec![line("a pipe", false, 9000.0, 0.4), line("Xeon, 2013", true, 20_000.0, 2.0)],
    }
}

pub(crate) fn heat_map() -> Figure {
    let cpus = |title: &str| Labels {
        title: title.into(),
        labels: (0..6).map(|cpu| format!("CPU {cpu}")).collect(),
    };
    let cell = |from: i32, to: i32| match from == to {
        true => None,
        false => Some(if from / 3 == to / 3 { 48.0 } else { 110.0 } + f64::from(from + to)),
    };
    Figure::HeatMap {
        title: "From core to core".into(),
        unit: Unit::Nanoseconds,
        columns: cpus("to"),
        rows: cpus("from"),
        cells: (0..6).map(|from| (0..6).map(|to| cell(from, to)).collect()).collect(),
    }
}

#[test]
fn lines_and_heat_maps() {
    let mut run = run();
    run.sections[0].conclusion =
        Conclusion { figures: vec![lines(), heat_map()], ..Conclusion::default() };
    insta::assert_snapshot!(text(&run, Look { width: 80, colour: false }));
}

#[test]
fn at_80_columns() {
    insta::assert_snapshot!(text(&run(), Look { width: 80, colour: false }));
}

#[test]
fn at_200_columns_in_colour() {
    let escaped = text(&run(), Look { width: 200, colour: true }).replace('\x1b', "<esc>");
    insta::assert_snapshot!(escaped);
}

#[test]
fn no_line_is_wider_than_the_page() {
    for width in [60, 80, 120] {
        let text = text(&run(), Look { width, colour: false });
        let widest = text.lines().map(unicode_width::UnicodeWidthStr::width).max();
        assert!(widest <= Some(width), "{width}: {widest:?}\n{text}");
    }
}

#[test]
fn a_hostile_run_moves_no_cursor() {
    let evil = "\x1b]0;owned\x07\x1b[2J\u{202e}\n";
    let mut run = run();
    let section = &mut run.sections[0];
    section.name = evil.into();
    section.question = evil.repeat(1000);
    section.conclusion.findings[0].text = evil.into();
    section.conclusion.tables[0].title = evil.into();
    section.conclusion.tables[0].rows = vec![vec![evil.into(), evil.into()]; 5000];
    section.conclusion.caveats = vec![Caveat::new(evil, evil)];
    let endless =
        Histogram { low: -1e308, high: 1e308, counts: vec![u64::MAX; 99_999], below: 1, above: 1 };
    section.conclusion.figures.push(Figure::Distribution {
        title: evil.into(),
        unit: Unit::Ratio,
        histogram: endless,
    });
    run.fathom = evil.into();
    run.machines[0].cpu_model = Some(evil.into());
    let text = text(&run, Look { width: 80, colour: false });
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
    assert!(text.contains("... and 4800 more rows"));
    assert!(text.len() < 100_000, "{} bytes", text.len());
}

proptest! {
    #[test]
    fn no_numbers_make_it_panic(
        value in any::<f64>(), low in any::<f64>(), high in any::<f64>(),
        counts in prop::collection::vec(any::<u64>(), 0..200), width in 0usize..300,
    ) {
        let mut run = run();
        let bar = Bar { label: "x".into(), value, low, high, reference: false };
        run.sections[0].conclusion.figures = vec![
            Figure::Bars { title: "b".into(), unit: Unit::Nanoseconds, bars: vec![bar] },
            Figure::Distribution {
                title: "d".into(),
                unit: Unit::Share,
                histogram: Histogram { low, high, counts, below: 0, above: 0 },
            },
            Figure::Lines {
                title: "l".into(),
                x: Axis { title: "x".into(), unit: Unit::Count, scale: Scale::Linear },
                y: Axis { title: "y".into(), unit: Unit::Share, scale: Scale::Log },
                lines: vec![Line {
                    label: "x".into(),
                    points: vec![
                        Point { x: value, value, low, high },
                        Point { x: low, value: high, low, high },
                    ],
                    reference: false,
                }],
            },
            Figure::HeatMap {
                title: "h".into(),
                unit: Unit::Nanoseconds,
                columns: Labels { title: "c".into(), labels: vec!["c".into(); 2] },
                rows: Labels { title: "r".into(), labels: vec!["r".into(); 2] },
                cells: vec![vec![Some(value), None], vec![Some(low), Some(high)]],
            },
        ];
        let _ = text(&run, Look { width, colour: true });
    }
}
