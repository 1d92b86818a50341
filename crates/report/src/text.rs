//! A run as text for a terminal or a pipe: a pure function of the run, the width and the colours.

mod figures;
mod look;
mod tables;

use record::{Ended, Finding, Hypervisor, Machine, Outcome, Run, Section, Verdict};

use crate::one_line;
pub use look::Look;
use look::Page;

/// Everything that the run has to say.
pub fn text(run: &Run, look: Look) -> String {
    let mut page = Page::new(look);
    head(&mut page, run);
    for section in &run.sections {
        self::section(&mut page, section);
    }
    match &run.ended {
        Ended::Complete => {}
        Ended::Interrupted => {
            page.gap();
            page.item("Interrupted: ", "what is above rests on the rounds finished by then.");
        }
        Ended::Failed(why) => {
            page.gap();
            page.item("Failed: ", &one_line(why));
        }
    }
    page.end()
}

fn head(page: &mut Page, run: &Run) {
    let mut words = vec![format!("Fathom {}", one_line(&run.fathom))];
    words.extend(run.machines.first().map(machine));
    words.push(one_line(&run.started_at).into_owned());
    if run.sections.iter().any(|section| section.recorded.is_some()) {
        words.push(format!("seed {}", run.seed));
    }
    page.dim(&words.join("; "));
}

/// The machine in a few words.
pub(crate) fn machine(machine: &Machine) -> String {
    let model = machine.cpu_model.as_deref().unwrap_or("unknown CPU");
    let cpus = machine.cpus.len();
    let plural = if cpus == 1 { "" } else { "s" };
    let under = match &machine.hypervisor {
        Some(Hypervisor::Named(name)) => format!(", under {}", one_line(name)),
        Some(Hypervisor::None) => ", on the hardware itself".to_owned(),
        None => String::new(),
    };
    let kernel = machine.kernel.as_deref().unwrap_or("of unknown release");
    format!("{}, {cpus} CPU{plural}{under}; Linux {}", one_line(model), one_line(kernel))
}

/// A sentence first, then the table, then the advice, then the caveats.
fn section(page: &mut Page, section: &Section) {
    let conclusion = &section.conclusion;
    page.gap();
    page.heading(&one_line(&section.name), &one_line(&section.question));
    let mut findings = conclusion.findings.iter();
    if let Some(first) = findings.next() {
        page.strong(&one_line(&first.text));
    }
    // What was measured stands in the tables; what was derived, and what has no number, is said.
    for finding in findings.filter(|finding| is_said(finding)) {
        page.prose(&one_line(&finding.text));
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

/// Of a comparison only what changed is said; all of it stands in the table.
pub(crate) fn is_said(finding: &Finding) -> bool {
    match finding.verdict {
        Some(verdict) => matches!(verdict, Verdict::Slower | Verdict::Faster),
        None => !matches!(finding.outcome, Outcome::Measured(_)),
    }
}

#[cfg(test)]
pub(crate) mod tests;
