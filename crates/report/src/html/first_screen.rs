//! The first screen: what was found out, on what machine, how far to trust it, and where to go.

use record::{Finding, Quantity, Reference, Run, Section};

use super::{
    carried::Carried,
    markup::Markup,
    method, quiet,
    section::{Place, number},
};
use crate::{
    compare,
    said::{ending, machine},
};

const HEADLINES: usize = 3;
const MACHINES: usize = 4;
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
    for words in machines(run) {
        page.leaf("p", &[("class", "machine")], &words);
    }
    if let Some((word, what)) = ending(run) {
        page.leaf("p", &[("class", "ended")], &format!("{word}: {what}"));
    }
    let headlines = headlines(run, places);
    if !headlines.is_empty() {
        page.open("ul", &[("class", "headlines")]);
        for (section, place) in headlines {
            headline(page, section, place);
        }
        page.close("ul");
    }
    facts(page, run);
}

/// A comparison can be of several machines.
fn machines(run: &Run) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for words in run.machines.iter().map(machine) {
        if all.len() < MACHINES && !all.contains(&words) {
            all.push(words);
        }
    }
    all
}

/// The first questions that have an answer, those first of which others measured something.
fn headlines<'a>(run: &'a Run, places: &'a [Place]) -> Vec<(&'a Section, &'a Place)> {
    let sections = run.sections.iter().zip(places);
    let mut answered: Vec<_> =
        sections.filter(|(section, _)| !section.conclusion.findings.is_empty()).collect();
    answered.sort_by_key(|(section, _)| !section.conclusion.findings.iter().any(is_elsewhere));
    answered.truncate(HEADLINES);
    answered
}

/// Whether others measured it too.
fn is_elsewhere(finding: &Finding) -> bool {
    finding.outcome.estimate().is_some() && !finding.references.is_empty()
}

/// The section's answer, and what others measured: of the same thing, or else of something that is
/// then named, because another's number below an answer is read as one of the same.
fn headline(page: &mut Markup, section: &Section, place: &Place) {
    let findings = &section.conclusion.findings;
    let Some(answer) = findings.first() else { return };
    page.open("li", &[]);
    page.within("a", &[("class", "name"), ("href", &format!("#{}", place.id))], |page| {
        page.text(&section.name);
    });
    if let Some((value, interval)) = number(answer) {
        page.within("p", &[("class", "figures")], |page| {
            page.leaf("strong", &[], &value);
            page.text(" ");
            page.leaf("span", &[], &interval);
        });
    }
    page.leaf("p", &[("class", "sentence")], &answer.text);
    match findings.iter().find(|it| is_elsewhere(it)) {
        _ if !answer.references.is_empty() => elsewhere(page, answer),
        Some(other) => {
            page.leaf("p", &[("class", "beside")], &other.text);
            elsewhere(page, other);
        }
        None => {}
    }
    page.close("li");
}

fn elsewhere(page: &mut Markup, finding: &Finding) {
    let mut references: Vec<&Reference> = finding.references.iter().collect();
    references.sort_by_key(|it| std::cmp::Reverse(it.year));
    for it in references.iter().take(REFERENCES) {
        page.within("p", &[("class", "elsewhere")], |page| {
            page.leaf("strong", &[], &Quantity::new(it.value, finding.unit).as_published());
            page.text(&format!(" {}, {}", it.machine, it.year));
        });
    }
}

fn facts(page: &mut Markup, run: &Run) {
    page.open("dl", &[("class", "facts")]);
    let quiet = quiet::sentences(run).join(" ");
    let mut facts = vec![("When", run.started_at.replacen('T', " ", 1)), ("How quiet", quiet)];
    let sides = compare::told(&run.sections).into_iter();
    facts.extend(sides.map(|(side, what)| (side, what.replacen('T', " ", 1))));
    for (name, text) in facts.iter().filter(|(_, text)| !text.is_empty()) {
        page.leaf("dt", &[], name);
        page.leaf("dd", &[], text);
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
    let what = if compare::told(&run.sections).is_empty() { "The run" } else { "As data" };
    page.leaf("dt", &[("class", class)], what);
    page.open("dd", &[("class", class)]);
    match &carried.run {
        Some(packed) => {
            let any_trials = run.sections.iter().any(|section| section.recorded.is_some());
            let (words, file) = match compare::told(&run.sections).is_empty() {
                true => ("Download the run", "fathom-run.json"),
                // No run to compare again: its trials are in others.
                false => ("Download the comparison", "fathom-comparison.json"),
            };
            let attributes = [("type", "button"), ("class", "download"), ("data-download", file)];
            page.leaf("button", &attributes, words);
            let trials = if any_trials { ", every trial in it" } else { "" };
            let size = format!("{} KB of JSON{trials}", packed.bytes.div_ceil(1000));
            page.leaf("span", &[("class", "size")], &size);
        }
        None => page.text("too large to be carried along; it is in the run's file"),
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
