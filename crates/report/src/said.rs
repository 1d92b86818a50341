//! What every page of a run says, in whatever dress: its head, which findings have a sentence of
//! their own, and how the run ended.

use std::borrow::Cow;

use record::{Ended, Finding, Hypervisor, Machine, Outcome, Run, Verdict};

use crate::one_line;

/// The head line in its parts: the version, the machine, the time, and the seed of what was
/// recorded.
pub(crate) fn head(run: &Run) -> Vec<String> {
    let mut words = vec![format!("Fathom {}", one_line(&run.fathom))];
    words.extend(run.machines.first().map(machine));
    words.push(one_line(&run.started_at).into_owned());
    if run.sections.iter().any(|section| section.recorded.is_some()) {
        words.push(format!("seed {}", run.seed));
    }
    words
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

/// The finding that answers the question, and the others that are said.
///
/// What was measured stands in the tables; what was derived, and what has no number, is said.
pub(crate) fn said(findings: &[Finding]) -> (Option<&Finding>, impl Iterator<Item = &Finding>) {
    (findings.first(), findings.iter().skip(1).filter(|finding| is_said(finding)))
}

/// Of a comparison only what changed is said; all of it stands in the table.
fn is_said(finding: &Finding) -> bool {
    match finding.verdict {
        Some(verdict) => matches!(verdict, Verdict::Slower | Verdict::Faster),
        None => !finding.tabled && !matches!(finding.outcome, Outcome::Measured(_)),
    }
}

/// How the run ended, where it did not end as it should: a word, and what follows from it.
pub(crate) fn ending(run: &Run) -> Option<(&'static str, Cow<'_, str>)> {
    match &run.ended {
        Ended::Complete => None,
        Ended::Interrupted => {
            Some(("Interrupted", "the answers rest on the rounds finished by then.".into()))
        }
        Ended::Failed(why) => Some(("Failed", one_line(why))),
    }
}
