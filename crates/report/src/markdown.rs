//! A run as Markdown for an issue tracker, in GitHub's dialect: a pure function of the run.
//!
//! Whoever pastes it answers for it, so nothing in a run may notify, link, embed or hide: all text
//! goes through one function, in `escape.rs`, or stands in a fenced block. What is long is cut with
//! a count of what was left out, because trackers cut without one.

mod blocks;
mod escape;
#[cfg(test)]
mod reader;
mod tables;

use record::{Finding, Quantity, Reference, Run, Section, Unit};

use crate::{said, text};
use blocks::Blocks;
use escape::escaped;

/// As wide as a pipe is taken to be; trackers show about as much of a line of code.
const PLOT_COLUMNS: usize = 80;
/// So many others are named for one finding; more would only be a list.
const REFERENCES_MAX: usize = 12;

/// Everything that the run has to say.
pub fn markdown(run: &Run) -> String {
    let mut blocks = Blocks::new();
    blocks.add(said::head(run).iter().map(|part| escaped(part)).collect::<Vec<_>>().join("; "));
    for section in &run.sections {
        write(&mut blocks, section);
    }
    if let Some((name, text)) = said::ending(run) {
        blocks.add(format!("**{name}:** {}", escaped(&text)));
    }
    blocks.end()
}

/// One section, as it stands in [`markdown`].
pub fn section(section: &Section) -> String {
    let mut blocks = Blocks::new();
    write(&mut blocks, section);
    blocks.end()
}

/// A sentence first, then the tables and figures, then whom it is held against, the advice and the
/// caveats.
fn write(blocks: &mut Blocks, section: &Section) {
    let conclusion = &section.conclusion;
    blocks.add(format!("## {}: {}", escaped(&section.name), escaped(&section.question)));
    let (first, others) = said::said(&conclusion.findings);
    blocks.strong(first.map_or("", |finding| &finding.text));
    blocks.paragraphs(others.map(|finding| finding.text.as_str()));
    for table in &conclusion.tables {
        tables::table(blocks, table);
    }
    for figure in &conclusion.figures {
        blocks.fenced(&text::plot(figure, PLOT_COLUMNS));
    }
    let references = conclusion.findings.iter().flat_map(references);
    blocks.list("References", references);
    let advice = conclusion.findings.iter().filter_map(|finding| finding.advice.clone());
    blocks.list("Advice", advice);
    blocks.list("Caveats", conclusion.caveats.iter().map(|caveat| caveat.text.clone()));
}

/// What others measured, one line for each who published: `a.b: 67 ns (Xeon, 2013); who`.
fn references(finding: &Finding) -> impl Iterator<Item = String> {
    let by_source = finding.references.chunk_by(|one, other| one.source == other.source);
    by_source.map(|published| {
        let numbers = published.iter().take(REFERENCES_MAX).map(|it| number(it, finding.unit));
        let numbers = numbers.collect::<Vec<_>>().join(", ");
        let more = match published.len().saturating_sub(REFERENCES_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let source = published.first().map_or("", |it| it.source.as_str());
        format!("{}: {numbers}{more}; {source}", finding.id)
    })
}

fn number(reference: &Reference, unit: Unit) -> String {
    let value = Quantity::new(reference.value, unit).as_published();
    format!("{value} ({}, {})", reference.machine, reference.year)
}

#[cfg(test)]
mod tests;
