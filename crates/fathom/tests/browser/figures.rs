//! Figures that somebody made up: what can't be drawn is told, and nothing is drawn that is not.

use serde_json::{Value, json};

use super::{
    AXIS, SKIPPED, button,
    common::{
        Place,
        browser::{Browser, is_here},
        text,
    },
    nothing_amiss,
};

/// A page with these figures and no others, opened.
fn drawn(place: &Place, browser: &mut Browser, figures: Value) {
    let mut run = place.run(&["machine", "--json"]).ended(0).json();
    run["sections"][0]["figures"] = figures;
    place.write("drawn.json", run.to_string());
    place.run(&["report", "drawn.json", "--html", "drawn.html"]).ended(0);
    browser.look(1000, "light");
    browser.open(&place.file("drawn.html"));
}

fn bar(label: &str, value: f64, low: f64, high: f64) -> Value {
    json!({ "label": label, "value": value, "low": low, "high": high })
}

fn heat_map(columns: usize, cells: &Value) -> Value {
    let labels: Vec<String> = (0..columns).map(|it| it.to_string()).collect();
    json!({
        "kind": "heat_map", "title": "m", "unit": "ns", "cells": cells,
        "columns": { "title": "to", "labels": labels },
        "rows": { "title": "from", "labels": ["0", "1"] },
    })
}

fn lines(scale: &str, points: &Value) -> Value {
    let axis = json!({ "title": "x", "unit": "count", "scale": scale });
    let line = json!({ "label": "a", "points": points });
    json!({ "kind": "lines", "title": "l", "x": axis, "y": axis, "lines": [line] })
}

/// Arrow keys threw once every part of the legend was off.
#[test]
fn keys_find_nothing_where_everything_is_hidden() {
    if !is_here() {
        return println!("{SKIPPED}");
    }
    let (place, mut browser) = (Place::new(), Browser::start());
    let mut theirs = bar("b", 2.0, 2.0, 2.0);
    theirs["reference"] = json!(true);
    let bars = [bar("a", 1.0, 0.5, 1.5), theirs];
    let figure = json!({ "kind": "bars", "title": "b", "unit": "ns", "bars": bars });
    drawn(&place, &mut browser, json!([figure]));
    browser.value("document.querySelectorAll('.legend').forEach(it => it.click())");
    browser.value("document.querySelector('.plot').focus()");
    for key in ["ArrowRight", "ArrowLeft", "Escape"] {
        browser.press(key);
    }
    assert_eq!(browser.value("document.querySelectorAll('.plot .point').length"), json!(0));
    let swatches = "[...document.querySelectorAll('.swatch')].map(it => it.innerHTML)";
    let swatches = browser.value(swatches);
    assert_ne!(swatches[0], swatches[1], "the legend shows how each is drawn");
    nothing_amiss(&browser);
}

/// Zeros and numbers below hung about a logarithmic scale, and turned a heat map's rows over.
#[test]
fn what_a_scale_has_no_place_for_is_counted() {
    if !is_here() {
        return println!("{SKIPPED}");
    }
    let (place, mut browser) = (Place::new(), Browser::start());
    let point = |x: f64, y: f64| json!({ "x": x, "value": y, "low": y, "high": y });
    let bars = [bar("a", 0.0, 0.0, 0.0), bar("b", -5.0, -7.0, -3.0), bar("c", 5.0, 4.0, 6.0)];
    let figures = json!([
        { "kind": "bars", "title": "b", "unit": "ns", "bars": bars },
        lines("log", &json!([point(0.0, 1.0), point(1.0, -1.0), point(2.0, 3.0)])),
        heat_map(2, &json!([[0.0, -5.0], [null, 7.0]])),
        heat_map(2, &json!([[0.0, -5.0], [null, -7.0]])),
    ]);
    drawn(&place, &mut browser, figures);
    let range = browser.value(&format!("{AXIS}.range"));
    assert!(range[0].as_f64() < Some(-7.0) && range[1].as_f64() > Some(6.0), "{range}");
    browser.value(
        "document.querySelectorAll('.tools button[aria-pressed=false]:enabled')\
         .forEach(it => it.click())",
    );
    let told = browser.value(
        "[...document.querySelectorAll('figure')].map(it => \
         it.querySelector('.cut:not([hidden])')?.textContent.split(' can')[0] ?? null)",
    );
    let two = "2 values at or below zero";
    assert_eq!(told, json!([two, two, two, null]));
    let rows = "[...document.querySelectorAll('.plot:not(.slice)')].slice(2).map(it => \
                it._fullLayout.yaxis.range)";
    assert_eq!(browser.value(rows), json!([[1.5, -0.5], [1.5, -0.5]]));
    let words = "[...document.querySelectorAll('.plot')[0].querySelectorAll('.textpoint')].length";
    assert_eq!(browser.value(words), json!(1), "no words of what is not drawn");
    nothing_amiss(&browser);
}

/// The band of a single point has no width, and so no interval was seen.
#[test]
fn a_line_of_one_point_shows_its_interval() {
    if !is_here() {
        return println!("{SKIPPED}");
    }
    let (place, mut browser) = (Place::new(), Browser::start());
    let point = json!({ "x": 2.0, "value": 100.0, "low": 50.0, "high": 150.0 });
    drawn(&place, &mut browser, json!([lines("linear", &json!([point]))]));
    assert_eq!(browser.value("document.querySelectorAll('.plot .yerror').length"), json!(1));
    nothing_amiss(&browser);
}

/// A slice could not be reached without a mouse, and one without numbers was an empty frame.
#[test]
fn a_slice_is_a_figure_of_its_own() {
    if !is_here() {
        return println!("{SKIPPED}");
    }
    let (place, mut browser) = (Place::new(), Browser::start());
    let cells = json!([vec![1.5; 190], vec![Value::Null; 190]]);
    drawn(&place, &mut browser, json!([heat_map(190, &cells)]));
    let gap = "document.querySelector('.plot').data[0].xgap";
    assert!(browser.value(gap).as_f64() < Some(0.1), "cells too narrow for gaps");
    let choose = |browser: &mut Browser, slice: &str| {
        browser.value(&format!(
            "(it => {{ it.value = '{slice}'; it.dispatchEvent(new Event('change')); }})\
             (document.querySelector('select'))"
        ));
    };
    choose(&mut browser, "rows 0");
    let ticks = browser.value("document.querySelector('.slice')._fullLayout.xaxis.tickvals.length");
    assert!(ticks.as_u64() < Some(15), "{ticks}");
    browser.value("document.querySelector('.slice').focus()");
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    let heard = browser.value("document.querySelector('.heard').textContent");
    assert_eq!(heard, "from 0, to 1: 1.50 ns");
    choose(&mut browser, "rows 1");
    browser.press("ArrowRight");
    let said = browser.value("document.querySelector('.slice').textContent");
    assert_eq!(said, "from 1: no numbers.");
    choose(&mut browser, "columns 3");
    choose(&mut browser, "");
    assert_eq!(browser.value("document.querySelector('.slice').hidden"), json!(true));
    nothing_amiss(&browser);
}

/// Between whole powers of ten the charts wrote `20n`, without the unit.
#[test]
fn every_number_along_a_logarithmic_axis_has_its_unit() {
    if !is_here() {
        return println!("{SKIPPED}");
    }
    let place = Place::new();
    let mut browser = Browser::start();
    browser.look(1300, "light");
    let point = |x: f64| json!({ "x": x, "value": 24.0 * x, "low": 20.0 * x, "high": 30.0 * x });
    let points = json!([point(1.0), point(4.0), point(16.0)]);
    let mut figure = lines("log", &points);
    figure["y"]["unit"] = json!("ns");
    drawn(&place, &mut browser, json!([figure]));
    let ticks = "[...document.querySelectorAll('.plot .ytick text')].map(it => it.textContent)";
    let named = |browser: &mut Browser| {
        let ticks = browser.value(ticks);
        let ticks: Vec<String> =
            ticks.as_array().expect("ticks").iter().map(|it| text(it).to_owned()).collect();
        let units = ["ns", "µs", "ms", "s"];
        let named = ticks.iter().all(|it| units.contains(&it.split(' ').next_back().expect("it")));
        assert!(ticks.len() > 1 && named, "{ticks:?}");
        ticks
    };
    let whole = named(&mut browser);
    browser.value(&format!("{}.click()", button("+")));
    assert_ne!(named(&mut browser), whole, "whoever zooms sees other numbers");
    nothing_amiss(&browser);
}
