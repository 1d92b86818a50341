//! Reports in a real browser: that nothing leaves the page, that it complains of nothing, and that
//! what it promises works. Its pictures are kept under the target folder, to be looked at.

mod common;
#[path = "browser/figures.rs"]
mod figures;

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use common::{
    Place, WAIT_MAX,
    browser::{Browser, is_here},
};
use serde_json::json;

/// Where pictures of pages are kept, to be looked at.
fn pictures() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("report")
}

const SKIPPED: &str = "skipped: needs Chromium";

/// A busy machine may refuse so much that there is nothing to draw.
const TRIES: u32 = 10;

/// A run of one question, and its page, which has a figure.
fn page(place: &Place, question: &str) -> PathBuf {
    let name = format!("{question}.html");
    for _ in 0..TRIES {
        let run = place.run(&[question, "--time", "400ms", "--json", "--html", &name]);
        let run = run.ended(0).json();
        let figures = &common::section(&run, question)["figures"];
        if figures.as_array().is_some_and(|figures| !figures.is_empty()) {
            return place.file(&name);
        }
    }
    panic!("{question}: no figure in {TRIES} runs");
}

/// The middle of a mark of the first figure, on the screen.
fn middle(browser: &mut Browser, of: &str) -> (f64, f64) {
    // A figure follows the page's width a moment later.
    browser.until(
        "(() => { const plot = document.querySelector('.plot'); \
         return plot._fullLayout.width === Math.floor(plot.clientWidth); })()",
    );
    let found = browser.value(&format!(
        "(() => {{ const plot = document.querySelector('.plot'); plot.scrollIntoView({{ block: \
         'center' }}); const it = plot.querySelector('{of}').getBoundingClientRect(); \
         return [it.x + it.width / 2, it.y + it.height / 2]; }})()"
    ));
    (found[0].as_f64().expect("x"), found[1].as_f64().expect("y"))
}

#[track_caller]
fn nothing_amiss(browser: &Browser) {
    assert_eq!(browser.requests(), Vec::<&str>::new());
    assert!(browser.complaints().is_empty(), "{:?}", browser.complaints());
}

/// The first button of this name, for a script.
fn button(words: &str) -> String {
    let all = "[...document.querySelectorAll('.tools button')]";
    format!("{all}.find(it => it.textContent === '{words}')")
}

const AXIS: &str = "document.querySelector('.plot')._fullLayout.xaxis";

#[test]
fn a_page_asks_for_nothing_and_does_what_it_promises() {
    if !is_here() {
        return println!("{SKIPPED}");
    }
    let place = Place::new();
    let mut browser = Browser::start();
    for question in ["syscall", "clock"] {
        let page = page(&place, question);
        for (width, scheme) in [(1600, "light"), (1600, "dark"), (400, "light"), (400, "dark")] {
            browser.look(width, scheme);
            browser.open(&page);
            let wide = browser.value("document.documentElement.scrollWidth");
            assert!(wide.as_u64() <= Some(width.into()), "{question}: {wide} at {width}");
            let dark = "getComputedStyle(document.body).backgroundColor !== 'rgb(255, 255, 255)'";
            assert_eq!(browser.value(dark), json!(scheme == "dark"), "{question} {scheme}");
            let drawn =
                "[...document.querySelectorAll('.plot')].every(it => it.querySelector('svg'))";
            assert_eq!(browser.value(drawn), json!(true));
            browser.screenshot(&pictures().join(format!("{question}-{width}-{scheme}.png")));
            nothing_amiss(&browser);
        }
        hovers_and_zooms(&mut browser);
        follows_anchors(&mut browser, question);
        gives_the_run_back(&mut browser, question);
        let paper = pictures().join(format!("{question}.pdf"));
        assert!(browser.print(&paper) > 20_000, "a page with figures is longer");
        let folded = "document.querySelectorAll('details[open]').length";
        assert_eq!(browser.value(folded), json!(1), "what was folded is folded again");
        nothing_amiss(&browser);
    }
}

#[track_caller]
fn hovers_and_zooms(browser: &mut Browser) {
    browser.look(1600, "light");
    let (x, y) = middle(browser, ".point path");
    let begin = Instant::now();
    while browser.value("document.querySelectorAll('.plot .hovertext').length > 0") != json!(true) {
        assert!(begin.elapsed() < WAIT_MAX, "no label");
        browser.point_at(x - 3.0, y);
        browser.point_at(x, y);
    }

    let range = |browser: &mut Browser| browser.value(&format!("{AXIS}.range"));
    let whole = range(browser);
    // From within the axis to within it, however short the bar is.
    let along = |browser: &mut Browser, share: f64| {
        let left = "document.querySelector('.plot').getBoundingClientRect().left";
        let at = browser.value(&format!("{left} + {AXIS}._offset + {share} * {AXIS}._length"));
        at.as_f64().expect("a place on the axis")
    };
    let (from, to) = (along(browser, 0.3), along(browser, 0.6));
    browser.drag((from, y), (to, y));
    browser.until(&format!("{AXIS}.range[1] !== {}", whole[1]));
    browser.value(&format!("{}.click()", button("Reset")));
    assert_eq!(range(browser), whole);

    let log = button("Log scale");
    assert_eq!(browser.value(&format!("{AXIS}.type")), json!("linear"));
    browser.value(&format!("{log}.click()"));
    assert_eq!(browser.value(&format!("{AXIS}.type")), json!("log"));
    assert_eq!(browser.value(&format!("{log}.getAttribute('aria-pressed')")), json!("true"));
    browser.value(&format!("{log}.click()"));

    // The same without a mouse.
    browser.value("document.querySelector('.plot').focus()");
    browser.press("ArrowRight");
    let heard = browser.value("document.querySelector('.heard').textContent");
    assert!(heard.as_str().is_some_and(|it| it.contains(':')), "{heard}");
    let whole = range(browser);
    browser.press("+");
    assert_ne!(range(browser), whole);

    let points = "document.querySelectorAll('.plot .point').length";
    let before = browser.value(points);
    browser.value("document.querySelector('.tools .legend').click()");
    assert_ne!(browser.value(points), before, "the legend takes bars away");
    browser.value("document.querySelector('.tools .legend').click()");
}

/// To a finding within a folded part: it unfolds, and the finding is on the screen.
#[track_caller]
fn follows_anchors(browser: &mut Browser, question: &str) {
    browser.value(&format!("location.hash = '#{question}.canary'"));
    browser.until(&format!(
        "(() => {{ const it = document.getElementById('{question}.canary'); \
         const {{ top, bottom }} = it.getBoundingClientRect(); \
         return it.closest('details').open && top >= 0 && bottom <= innerHeight; }})()"
    ));
}

/// The run within the page is the run, and the Markdown is where it is said to be.
#[track_caller]
fn gives_the_run_back(browser: &mut Browser, question: &str) {
    let run = browser.value(
        "(async () => { const text = atob(document.querySelector('script[data-run]').textContent); \
         const bytes = Uint8Array.from(text, it => it.charCodeAt(0)); \
         const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')); \
         return JSON.parse(await new Response(stream).text()); })()",
    );
    assert_eq!(common::text(&common::section(&run, question)["name"]), question);
    let markdown = browser.value("document.querySelector('pre.markdown').textContent");
    assert!(markdown.as_str().is_some_and(|it| it.contains("|")), "{markdown}");
}

/// Figures were drawn on paper as wide as the window was, and cut at the paper's edge.
#[test]
fn figures_fit_on_paper_whatever_the_window() {
    if !is_here() {
        return println!("{SKIPPED}");
    }
    let place = Place::new();
    let page = page(&place, "syscall");
    let mut browser = Browser::start();
    let widths = "[...document.querySelectorAll('.plot')].map(it => it._fullLayout.width)";
    for window in [1600, 400] {
        browser.look(window, "light");
        browser.open(&page);
        let on_screen = browser.value(widths);
        browser.value("dispatchEvent(new Event('beforeprint'))");
        assert_eq!(browser.value(widths), json!([640, 640]), "at {window}");
        browser.value("dispatchEvent(new Event('afterprint'))");
        assert_eq!(browser.value(widths), on_screen);
    }
    nothing_amiss(&browser);
}

/// Bars kept their length on a scale that has no zero.
#[test]
fn counts_are_marks_on_a_logarithmic_scale() {
    if !is_here() {
        return println!("{SKIPPED}");
    }
    let place = Place::new();
    let page = page(&place, "syscall");
    let mut browser = Browser::start();
    browser.look(1600, "light");
    browser.open(&page);
    let counts = "[...document.querySelectorAll('figure.drawn')].find(it => \
                  JSON.parse(it.querySelector('[data-figure]').textContent).kind === \
                  'distribution')";
    let kind = |browser: &mut Browser| {
        browser.value(&format!("{counts}.querySelector('.plot').data[0].type"))
    };
    assert_eq!(kind(&mut browser), json!("bar"));
    let log = "[...it.querySelectorAll('button')].find(it => it.textContent === 'Log scale')";
    browser.value(&format!("(it => {log}.click())({counts})"));
    assert_eq!(kind(&mut browser), json!("scatter"));
    let axis = browser.value(&format!("{counts}.querySelector('.plot')._fullLayout.yaxis.type"));
    assert_eq!(axis, json!("log"));
    nothing_amiss(&browser);
}

/// Without a script the page still says all of it.
#[test]
fn without_scripts_the_page_is_complete_but_for_its_figures() {
    if !is_here() {
        return println!("{SKIPPED}");
    }
    let place = Place::new();
    let page = page(&place, "syscall");
    let mut browser = Browser::start();
    browser.look(1600, "light");
    browser.ask("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    browser.ask("Page.navigate", json!({ "url": format!("file://{}", page.display()) }));
    browser.until("document.readyState === 'complete'");
    let seen = browser.value("document.querySelector('main').innerText");
    let seen = seen.as_str().expect("text");
    assert!(seen.contains("Cost of one call") && seen.contains("The numbers"), "{seen}");
    assert!(!seen.contains("Copy as Markdown") && !seen.contains("Log scale"), "{seen}");
    let head = browser.value("document.querySelector('header').innerText");
    assert!(head.as_str().is_some_and(|it| !it.contains("KB of JSON")), "{head}");
    // Nobody can unfold paper.
    let unfolded =
        "[...document.querySelectorAll('details .scrolled')].every(it => it.checkVisibility())";
    assert_eq!(browser.value(unfolded), json!(false));
    browser.ask("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    assert_eq!(browser.value(unfolded), json!(true));
    nothing_amiss(&browser);
}

/// Somebody else's run file, with a script wherever a person reads something.
#[test]
fn a_hostile_run_runs_nothing() {
    if !is_here() {
        return println!("{SKIPPED}");
    }
    let place = Place::new();
    let mut run = place.run(&["syscall", "--time", "300ms", "--json"]).ended(0).json();
    let evil = json!(
        "\"><img src=x onerror=\"window.evil=1\"></script><script>window.evil=1</script>\
         <a href=\"javascript:window.evil=1\">$x$%{y}<b>"
    );
    let section = &mut run["sections"][0];
    section["question"] = evil.clone();
    section["findings"][0]["text"] = evil.clone();
    section["findings"][0]["references"][0]["machine"] = evil.clone();
    section["tables"][0]["rows"][0][0] = evil.clone();
    for figure in section["figures"].as_array_mut().expect("figures") {
        figure["title"] = evil.clone();
    }
    section["figures"][0]["bars"][0]["label"] = evil.clone();
    let long = evil.as_str().expect("text").repeat(3);
    let far = json!({ "label": long, "value": 1e308, "low": -1e308, "high": 1.7e308 });
    section["figures"][0]["bars"].as_array_mut().expect("bars").push(far);
    run["machines"][0]["cpu_model"] = evil;
    place.write("evil.json", run.to_string());
    place.run(&["report", "evil.json", "--html", "evil.html"]).ended(0);
    let mut browser = Browser::start();
    browser.look(1600, "light");
    browser.open(&place.file("evil.html"));
    let plots = browser.value("document.querySelectorAll('.plot svg.main-svg').length > 0");
    assert_eq!(plots, json!(true), "the figures are drawn all the same");
    // Hovering writes labels too.
    browser.value("document.querySelector('.plot').focus()");
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    assert_eq!(browser.value("typeof window.evil"), json!("undefined"));
    let made = "document.querySelectorAll('img, .plot a[*|href], iframe, object').length";
    assert_eq!(browser.value(made), json!(0));
    nothing_amiss(&browser);
    browser.screenshot(&pictures().join("hostile.png"));
}
