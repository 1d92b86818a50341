//! A run as one self-contained page: a pure function of the run.
//!
//! The page asks for nothing beyond itself. Its policy admits two scripts by their hashes: its own,
//! and the charts' (plotly.js), which it carries compressed. Whatever comes from the run is text,
//! escaped in one place ([`markup`]); figures are drawn in the browser from values that the page
//! carries as JSON, and stand in tables beside them for whoever sees no figure.

mod carried;

mod figures;
mod findings;
mod first_screen;
mod markup;
mod method;
mod plots;
mod policy;
mod quiet;
mod section;
mod tables;

use record::Run;

use carried::Carried;
use markup::Markup;
use section::Place;

/// More sections than a run can have without having been made up.
const SECTIONS_MAX: usize = 60;
/// Room for the answers: five times what a survey says.
const ANSWERS_BYTES_MAX: usize = 600_000;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = concat!(
    // A block of its own, so that no name of ours becomes one of the window's.
    "'use strict';\n{\n",
    include_str!("html/page.js"),
    include_str!("html/slices.js"),
    include_str!("html/traces.js"),
    include_str!("html/legend.js"),
    include_str!("html/scale.js"),
    include_str!("html/charts.js"),
    "}\n",
);
/// The charts' script adds the rules that it needs to the style element of this id, if there is
/// one; otherwise it makes one, which the policy would have to admit.
const STYLE_ID: &str = "plotly.js-style-global";

/// The whole page.
pub fn html(run: &Run) -> String {
    let mut places: Vec<Place> = Place::all(&run.sections, SECTIONS_MAX);
    let mut answers = Markup::up_to(ANSWERS_BYTES_MAX);
    let any_drawn = self::answers(&mut answers, run, &mut places);
    let mut below = first_screen::contents(run, &places);
    below.part(answers);
    foot(&mut below, run);
    below.script(&[], SCRIPT);
    let mut page = Markup::new();
    page.trusted("<!doctype html>");
    page.open("html", &[("lang", "en")]);
    head(&mut page, run);
    page.open("body", &[]);
    first_screen::first_screen(&mut page, run, &places);
    // Only now is it known what room is left for the run.
    let carried = Carried::of(run, any_drawn, page.bytes() + below.bytes());
    first_screen::the_run(&mut page, run, &carried);
    page.part(below);
    carried.put(&mut page);
    page.close("body");
    page.close("html");
    page.end()
}

/// Every section that has a place and finds room; the others lose theirs. Whether any figure is
/// drawn in them.
fn answers(page: &mut Markup, run: &Run, places: &mut Vec<Place>) -> bool {
    page.open("main", &[("id", "answers")]);
    let placed = run.sections.iter().zip(places.iter());
    let drawn = page.each(placed, SECTIONS_MAX, |page, (section, place)| {
        section::section(page, run, section, place)
    });
    places.truncate(drawn.len());
    page.left_out(run.sections.len() - drawn.len(), "sections");
    page.close("main");
    drawn.contains(&true)
}

fn head(page: &mut Markup, run: &Run) {
    page.open("head", &[]);
    page.void("meta", &[("charset", "utf-8")]);
    let policy = policy::policy(SCRIPT, STYLE);
    page.void("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy)]);
    page.void("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
    page.void("meta", &[("name", "color-scheme"), ("content", "light dark")]);
    page.void("meta", &[("name", "referrer"), ("content", "no-referrer")]);
    let day: String = run.started_at.chars().take("2026-11-20".len()).collect();
    page.leaf("title", &[], &format!("{} - Fathom, {day}", first_screen::title(run)));
    page.style(&[("id", STYLE_ID)], STYLE);
    page.close("head");
}

fn foot(page: &mut Markup, run: &Run) {
    page.open("footer", &[]);
    page.leaf(
        "p",
        &[],
        &format!(
            "Made by Fathom {}. This page asks for nothing beyond itself, and names no host, user \
             or address.",
            run.fathom
        ),
    );
    page.close("footer");
}

#[cfg(test)]
mod tests;
