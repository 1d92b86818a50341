//! A run as text for a terminal or a pipe: a pure function of the run, the width and the colours.

mod figures;
mod look;
mod tables;

use record::{Figure, Run, Section};

use crate::{one_line, said};
pub use look::Look;
use look::Page;

/// Everything that the run has to say.
pub fn text(run: &Run, look: Look) -> String {
    let mut page = Page::new(look);
    page.dim(&said::head(run).join("; "));
    for section in &run.sections {
        self::section(&mut page, section);
    }
    if let Some((name, text)) = said::ending(run) {
        page.gap();
        page.item(&format!("{name}: "), &text);
    }
    page.end()
}

/// A figure alone, in a page that can hold characters but not ours: no indent, no colours.
pub(crate) fn plot(figure: &Figure, width: usize) -> String {
    let mut page = Page::new(Look { width, colour: false });
    figures::figure(&mut page, figure);
    page.unindented()
}

/// A sentence first, then the table, then the advice, then the caveats.
fn section(page: &mut Page, section: &Section) {
    let conclusion = &section.conclusion;
    page.gap();
    page.heading(&one_line(&section.name), &one_line(&section.question));
    let (first, others) = said::said(&conclusion.findings);
    if let Some(first) = first {
        page.strong(&one_line(&first.text));
    }
    for other in others {
        page.prose(&one_line(&other.text));
    }
    for table in &conclusion.tables {
        page.gap();
        tables::table(page, table);
    }
    for figure in &conclusion.figures {
        page.gap();
        figures::figure(page, figure);
    }
    let advice = conclusion.findings.iter().filter_map(|finding| finding.advice.as_ref());
    for (place, advice) in advice.enumerate() {
        if place == 0 {
            page.gap();
        }
        page.item("Advice: ", &one_line(advice));
    }
    for (place, caveat) in conclusion.caveats.iter().enumerate() {
        if place == 0 {
            page.gap();
        }
        page.item("Caveat: ", &one_line(&caveat.text));
    }
}

#[cfg(test)]
pub(crate) mod tests;
