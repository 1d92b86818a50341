//! One question on the page: the answer first, then what it rests on.

use record::{Conclusion, Finding, Quantity, Run, Section};

use super::{
    figures,
    findings::{self, claims_interval},
    markup::{Markup, is_dotted_id, is_plain},
    method, tables,
};

/// More than any question has to say; what is left out stands in the run's file.
const SAID_MAX: usize = 200;
/// GitHub takes 65,536 characters.
const MARKDOWN_MAX: usize = 65_536;

/// Where a section stands on the page.
pub(super) struct Place {
    /// Its element's id. No finding's id has a colon, and neither has any name in a window.
    pub(super) id: String,
}

impl Place {
    /// A section is found by its name, where that is fit for an address and not taken.
    pub(super) fn all(sections: &[Section], max: usize) -> Vec<Self> {
        let mut places: Vec<Self> = Vec::new();
        for (index, section) in sections.iter().take(max).enumerate() {
            let named = format!("section:{}", section.name);
            let free = is_plain(&section.name) && places.iter().all(|place| place.id != named);
            places.push(Self { id: if free { named } else { format!("section:{index}:") } });
        }
        places
    }
}

/// Whether any figure is drawn in it.
pub(super) fn section(page: &mut Markup, run: &Run, section: &Section, place: &Place) -> bool {
    let conclusion = &section.conclusion;
    page.open("section", &[("id", &place.id), ("aria-labelledby", &heading_id(place))]);
    page.leaf("p", &[("class", "name")], &section.name);
    page.within("h2", &[("id", &heading_id(place))], |page| {
        page.leaf("a", &[("href", &format!("#{}", place.id))], &section.question);
    });
    let said = said(page, conclusion);
    let any_drawn = figures::figures(page, &conclusion.figures, &place.id);
    let put = page.each(conclusion.tables.iter(), tables::TABLES_MAX, tables::table);
    page.left_out(conclusion.tables.len() - put.len(), "tables");
    findings::references(page, &conclusion.findings);
    advice(page, conclusion);
    caveats(page, conclusion);
    how(page, run, section);
    findings::all(page, &conclusion.findings, &said);
    page.close("section");
    any_drawn
}

fn heading_id(place: &Place) -> String {
    format!("{}:heading", place.id)
}

/// Those with a sentence of their own above the tables, the first of which is the answer.
fn said_findings(conclusion: &Conclusion) -> impl Iterator<Item = &Finding> {
    let (first, others) = crate::said::said(&conclusion.findings);
    first.into_iter().chain(others)
}

/// The sentences; the ids of those findings that have one.
fn said<'a>(page: &mut Markup, conclusion: &'a Conclusion) -> Vec<&'a str> {
    let said = said_findings(conclusion).enumerate();
    let ids = page.each(said, SAID_MAX, |page, (place, finding)| {
        let class = if place == 0 { "answer" } else { "said" };
        match is_dotted_id(&finding.id) {
            true => page.open("p", &[("class", class), ("id", &finding.id)]),
            false => page.open("p", &[("class", class)]),
        }
        page.text(&finding.text);
        if is_dotted_id(&finding.id) {
            let (to, label) = (format!("#{}", finding.id), format!("Link to {}", finding.id));
            page.text(" ");
            page.leaf("a", &[("class", "here"), ("href", &to), ("aria-label", &label)], "#");
        }
        page.close("p");
        finding.id.as_str()
    });
    page.left_out(said_findings(conclusion).count() - ids.len(), "sentences");
    ids
}

fn advice(page: &mut Markup, conclusion: &Conclusion) {
    let advice: Vec<&str> =
        conclusion.findings.iter().filter_map(|finding| finding.advice.as_deref()).collect();
    list(page, "advice", "Advice", &advice);
}

fn caveats(page: &mut Markup, conclusion: &Conclusion) {
    let caveats: Vec<&str> = conclusion.caveats.iter().map(|caveat| caveat.text.as_str()).collect();
    list(page, "caveats", "Caveats", &caveats);
}

fn list(page: &mut Markup, class: &str, title: &str, items: &[&str]) {
    if items.is_empty() {
        return;
    }
    page.within("div", &[("class", class)], |page| {
        page.leaf("h3", &[], title);
        page.open("ul", &[]);
        let put = page.each(items.iter(), SAID_MAX, |page, item| page.leaf("li", &[], item));
        page.close("ul");
        page.left_out(items.len() - put.len(), "of them");
    });
}

fn how(page: &mut Markup, run: &Run, section: &Section) {
    page.open("div", &[("class", "how")]);
    if let Some(recorded) = &section.recorded {
        page.leaf("h3", &[], "Method");
        page.leaf("p", &[], &method::sentences(recorded).join(" "));
    }
    if let Some(command) = method::command(run, section) {
        page.within("p", &[("class", "again")], |page| {
            page.text("Measure it again: ");
            page.leaf("code", &[], &command);
        });
    }
    copy(page, section);
    page.close("div");
}

/// What a tracker would not take is not offered, which is said where it would be looked for.
fn copy(page: &mut Markup, section: &Section) {
    let markdown = crate::markdown_section(section);
    let mut why = "it is too long for an issue tracker";
    if markdown.len() <= MARKDOWN_MAX {
        let mut part = Markup::new();
        let attributes = [("type", "button"), ("class", "copy"), ("data-copy", "")];
        part.leaf("button", &attributes, "Copy as Markdown");
        let attributes = [("class", "markdown"), ("hidden", "")];
        part.within("pre", &attributes, |page| page.lines(&markdown));
        if page.fit(part) {
            return;
        }
        why = "the page is full";
    }
    let text = format!("Not here as Markdown: {why}. `fathom report RUN --markdown` prints it.");
    page.leaf("p", &[("class", "cut")], &text);
}

/// A number, and where it lies: `103 ns`, `95 %: 100 to 105 ns`; none where there is no number, or
/// one that claims no interval, which is better said in its sentence.
pub(super) fn number(finding: &Finding) -> Option<(String, String)> {
    let estimate = finding.outcome.estimate().filter(|it| claims_interval(it))?;
    let value = Quantity::new(estimate.value, finding.unit).to_string();
    Some((value, estimate.interval(finding.unit)))
}
