//! What the text looks like, at two widths, and what hostile runs can't do to it.

use proptest::prelude::*;
use record::{Bar, Caveat, Figure, Histogram, Unit};

use super::*;
use crate::samples::run;

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
        ];
        let _ = text(&run, Look { width, colour: true });
    }
}
