//! The first screen: what was found out, on what machine, how far to trust it, and where to go.

use record::{Finding, Outcome, Quantity, Reference, Run, Section};

use super::{
    carried::Carried,
    markup::Markup,
    method, quiet,
    section::{Place, number},
};
use crate::said::machine;

const HEADLINES: usize = 3;
/// Others' numbers under a headline, the most recent first.
const REFERENCES: usize = 2;
/// Sixty questions of ours take a quarter of it.
const CONTENTS_BYTES_MAX: usize = 80_000;

/// The question, where there is but one.
pub(super) fn title(run: &Run) -> &str {
    match run.sections.as_slice() {
        [only] => &only.question,
        _ => "What this machine really does beneath a program",
    }
}

/// All of it but its last line, [`the_run`].
pub(super) fn first_screen(page: &mut Markup, run: &Run, places: &[Place]) {
    page.leaf("a", &[("class", "skip"), ("href", "#answers")], "Skip to the answers");
    page.open("header", &[]);
    page.leaf("p", &[("class", "brand")], "Fathom");
    page.leaf("h1", &[], title(run));
    if let Some(it) = run.machines.first() {
        page.leaf("p", &[("class", "machine")], &machine(it));
    }
    let headlines = headlines(run, places);
    if !headlines.is_empty() {
        page.open("ul", &[("class", "headlines")]);
        for (section, finding, place) in headlines {
            headline(page, section, finding, place);
        }
        page.close("ul");
    }
    facts(page, run);
}

/// The first measured finding that others measured too, of the first three sections with one; in a
/// run without any, what its first sections say first.
fn headlines<'a>(run: &'a Run, places: &'a [Place]) -> Vec<(&'a Section, &'a Finding, &'a Place)> {
    let sections = || run.sections.iter().zip(places);
    let held_against = sections().filter_map(|(section, place)| {
        let mut findings = section.conclusion.findings.iter();
        let measured = |it: &&Finding| matches!(it.outcome, Outcome::Measured(_));
        Some((section, findings.find(|it| measured(it) && !it.references.is_empty())?, place))
    });
    let found: Vec<_> = held_against.take(HEADLINES).collect();
    if !found.is_empty() {
        return found;
    }
    let first = |(section, place): (&'a Section, &'a Place)| {
        Some((section, section.conclusion.findings.first()?, place))
    };
    sections().filter_map(first).take(HEADLINES).collect()
}

fn headline(page: &mut Markup, section: &Section, finding: &Finding, place: &Place) {
    page.open("li", &[]);
    page.within("a", &[("class", "name"), ("href", &format!("#{}", place.id))], |page| {
        page.text(&section.name);
    });
    if let Some((value, interval)) = number(finding) {
        page.within("p", &[("class", "figures")], |page| {
            page.leaf("strong", &[], &value);
            page.text(" ");
            page.leaf("span", &[], &interval);
        });
    }
    page.leaf("p", &[("class", "sentence")], &finding.text);
    let mut references: Vec<&Reference> = finding.references.iter().collect();
    references.sort_by_key(|it| std::cmp::Reverse(it.year));
    for it in references.iter().take(REFERENCES) {
        page.within("p", &[("class", "elsewhere")], |page| {
            page.leaf("strong", &[], &Quantity::new(it.value, finding.unit).as_published());
            page.text(&format!(" {}, {}", it.machine, it.year));
        });
    }
    page.close("li");
}

fn facts(page: &mut Markup, run: &Run) {
    page.open("dl", &[("class", "facts")]);
    let quiet = quiet::sentences(run).join(" ");
    let when = run.started_at.replacen('T', " ", 1);
    for (name, text) in [("When", when.as_str()), ("How quiet", &quiet)] {
        if !text.is_empty() {
            page.leaf("dt", &[], name);
            page.leaf("dd", &[], text);
        }
    }
    if let Some(command) = method::command_of_all(run) {
        page.leaf("dt", &[], "Measure again");
        page.within("dd", &[], |page| page.leaf("code", &[], &command));
    }
}

/// Where the run is: the last of the facts, and the end of the first screen.
pub(super) fn the_run(page: &mut Markup, run: &Run, carried: &Carried) {
    // What only a script can do is not there without one.
    let class = if carried.run.is_some() { "scripted" } else { "" };
    page.leaf("dt", &[("class", class)], "The run");
    page.open("dd", &[("class", class)]);
    match &carried.run {
        Some(packed) => {
            let any_trials = run.sections.iter().any(|section| section.recorded.is_some());
            let attributes = [("type", "button"), ("class", "download"), ("data-download", "")];
            page.leaf("button", &attributes, "Download the run");
            let trials = if any_trials { ", every trial in it" } else { "" };
            let size = format!("{} KB of JSON{trials}", packed.bytes.div_ceil(1000));
            page.leaf("span", &[("class", "size")], &size);
        }
        None => page.text("too large to be carried along; it is in the run file"),
    }
    page.close("dd");
    page.close("dl");
    page.close("header");
}

/// Where the questions are; as many as anybody would look through.
pub(super) fn contents(run: &Run, places: &[Place]) -> Markup {
    let mut part = Markup::up_to(CONTENTS_BYTES_MAX);
    let page = &mut part;
    page.open("nav", &[("aria-label", "Contents")]);
    page.leaf("p", &[("class", "name")], "On this page");
    page.open("ol", &[]);
    let put = page.each(run.sections.iter().zip(places), places.len(), |page, (section, place)| {
        page.within("li", &[], |page| {
            page.within("a", &[("href", &format!("#{}", place.id))], |page| {
                page.leaf("strong", &[], &section.name);
                page.text(" ");
                page.leaf("span", &[], &section.question);
            });
        });
    });
    page.close("ol");
    page.left_out(places.len() - put.len(), "questions");
    page.close("nav");
    part
}
