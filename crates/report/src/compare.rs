//! Two sides of one or several runs each, as one more section: what differs first, then what is the
//! same, then what can't be compared and why.

mod machines;

use std::fmt;

use estimate::{Between, between};
use record::{
    Align, Basis, Better, Caveat, Conclusion, Estimate, Finding, Outcome, Quantity, Recorded, Run,
    Section, Table, Unit, Verdict, percent,
};

/// The section's name, and the first word of its findings' ids.
const NAME: &str = "compare";
const QUESTION: &str = "Did anything change between the two sides?";

/// Why two sides can't be compared at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotCompared {
    /// A side has no run.
    NoRun,
    /// They have no finding in common.
    NothingInCommon,
}

impl fmt::Display for NotCompared {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::NoRun => "a side without a run",
            Self::NothingInCommon => "the two sides have no finding in common",
        })
    }
}

impl std::error::Error for NotCompared {}

/// One finding of both sides, and what became of comparing it.
struct Compared<'a> {
    before: &'a Finding,
    after: &'a Finding,
    outcome: Result<Between, String>,
}

/// The comparison of the runs `before` with the runs `after`.
///
/// # Errors
/// Where there is nothing to compare.
pub fn compare(before: &[Run], after: &[Run]) -> Result<Section, NotCompared> {
    let (Some(first), Some(later)) = (before.first(), after.first()) else {
        return Err(NotCompared::NoRun);
    };
    let mut compared = Vec::new();
    for (section, finding) in findings(first) {
        let Some((_, other)) = findings(later).find(|(_, other)| other.id == finding.id) else {
            continue;
        };
        let outcome = one(before, after, &section.name, finding);
        compared.push(Compared { before: finding, after: other, outcome });
    }
    if compared.is_empty() {
        return Err(NotCompared::NothingInCommon);
    }
    // What differs first; the order of the run within that.
    compared.sort_by_key(|it| rank(it.verdict()));
    let mut tables = vec![table(&compared)];
    tables.extend(machines::differences(&first.machines, &later.machines));
    let caveats = speed(&compared).into_iter().collect();
    let mut findings: Vec<Finding> = compared.iter().map(finding).collect();
    findings.insert(0, headline(&compared));
    let conclusion = Conclusion { findings, tables, figures: Vec::new(), caveats };
    Ok(Section {
        name: NAME.into(),
        question: QUESTION.into(),
        workload_version: 1,
        recorded: None,
        conclusion,
    })
}

/// The findings of a comparison that came out slower by more than `share`.
pub fn slower_than(section: &Section, share: f64) -> Vec<&str> {
    let slower = |finding: &&Finding| {
        let ratio = finding.outcome.estimate().map_or(1.0, |it| it.value);
        // Of a throughput the slower side has the lower number.
        let worse = ratio.max(1.0 / ratio) - 1.0;
        finding.verdict == Some(Verdict::Slower) && worse > share
    };
    section.conclusion.findings.iter().filter(slower).map(|it| it.id.as_str()).collect()
}

/// All findings but those of an earlier comparison.
fn findings(run: &Run) -> impl Iterator<Item = (&Section, &Finding)> {
    let sections = run.sections.iter().filter(|section| section.name != NAME);
    sections.flat_map(|section| section.conclusion.findings.iter().map(move |it| (section, it)))
}

/// Compares one finding, or says why it can't be.
fn one(before: &[Run], after: &[Run], section: &str, finding: &Finding) -> Result<Between, String> {
    let rests_on = finding.rests_on.as_ref().ok_or("derived from others; see those")?;
    let mut sides = [Vec::new(), Vec::new()];
    let mut seen: Option<(&Section, &Recorded, &Finding)> = None;
    for (runs, side) in [before, after].into_iter().zip(&mut sides) {
        for run in runs {
            let of_run = run.sections.iter().find(|it| it.name == section);
            let found = of_run.and_then(|it| Some((it, it.recorded.as_ref()?)));
            let (of_run, recorded) = found.ok_or("not in every run")?;
            let same_id = |it: &&Finding| it.id == finding.id;
            let other =
                of_run.conclusion.findings.iter().find(same_id).ok_or("not in every run")?;
            let (first, first_recorded, first_finding) =
                *seen.get_or_insert((of_run, recorded, other));
            if of_run.workload_version != first.workload_version {
                return Err("another version of the workload".into());
            }
            if other.unit != first_finding.unit || other.rests_on != first_finding.rests_on {
                return Err("measured in another way".into());
            }
            if recorded.cpus != first_recorded.cpus {
                return Err("measured on other CPUs".into());
            }
            if let Some(why) = other.outcome.why() {
                return Err(format!("no number in every run ({why})"));
            }
            side.push(recorded);
        }
    }
    let [before, after] = sides;
    between(&before, &after, rests_on, finding.better).ok_or("too few starts".into())
}

impl Compared<'_> {
    fn verdict(&self) -> Verdict {
        self.outcome.as_ref().map_or(Verdict::NotComparable, |it| it.verdict)
    }
}

fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Slower => 0,
        Verdict::Faster => 1,
        Verdict::Inconclusive => 2,
        Verdict::Same => 3,
        Verdict::NotComparable => 4,
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Same => "same",
        Verdict::Inconclusive => "inconclusive",
        Verdict::NotComparable => "not comparable",
    }
}

fn finding(compared: &Compared<'_>) -> Finding {
    let id = format!("{NAME}.{}", compared.before.id);
    let verdict = compared.verdict();
    let (outcome, text, proof) = match &compared.outcome {
        Err(why) => {
            let text = format!("{}: not comparable; {why}.", compared.before.id);
            (Outcome::NotRun { why: why.clone() }, text, Default::default())
        }
        Ok(it) => {
            let basis = compared.after.outcome.estimate().map_or(Basis::Exact, |it| it.basis);
            let (value, low, high) = (it.ratio.value, it.ratio.low, it.ratio.high);
            let text = format!(
                "{}: {}, {value:.3} times ({low:.3} to {high:.3}); margin {}, {}.",
                compared.before.id,
                word(verdict),
                percent(it.margin.value),
                it.margin.from
            );
            let per_canary = it.per_canary.map(|it| ("ratio_per_canary".to_owned(), it.value));
            let proof = per_canary.into_iter().chain([("margin".to_owned(), it.margin.value)]);
            (Outcome::Derived(Estimate { value, low, high, basis }), text, proof.collect())
        }
    };
    let verdict = Some(verdict);
    Finding {
        verdict,
        proof,
        ..Finding::new(id, Unit::Ratio, compared.before.better, outcome, text)
    }
}

/// How many came out how, as the first finding.
fn headline(compared: &[Compared<'_>]) -> Finding {
    let of = |verdict| compared.iter().filter(|it| it.verdict() == verdict).count();
    let words: Vec<String> =
        [Verdict::Slower, Verdict::Faster, Verdict::Inconclusive, Verdict::Same]
            .into_iter()
            .map(|verdict| format!("{} {}", of(verdict), word(verdict)))
            .collect();
    let changed = (of(Verdict::Slower) + of(Verdict::Faster)) as f64;
    let basis = Basis::Exact;
    let outcome = Outcome::Derived(Estimate { value: changed, low: changed, high: changed, basis });
    let text = format!("The later side: {}.", words.join(", "));
    let id = format!("{NAME}.changed.count");
    Finding::new(id, Unit::Count, Better::Neither, outcome, text)
}

fn table(compared: &[Compared<'_>]) -> Table {
    let columns = [
        ("finding", Align::Left),
        ("before", Align::Right),
        ("after", Align::Right),
        ("ratio", Align::Right),
        ("margin", Align::Right),
        ("verdict", Align::Left),
    ];
    let mut table = Table::new("Verdicts", &columns);
    for it in compared {
        let shown = |finding: &Finding| {
            let estimate = finding.outcome.estimate();
            estimate.map_or("-".to_owned(), |it| Quantity::new(it.value, finding.unit).to_string())
        };
        let (ratio, margin, verdict) = match &it.outcome {
            Ok(between) => (
                format!("{:.3}", between.ratio.value),
                percent(between.margin.value),
                word(between.verdict).to_owned(),
            ),
            Err(why) => ("-".to_owned(), "-".to_owned(), why.clone()),
        };
        let (before, after) = (shown(it.before), shown(it.after));
        table.rows.push(vec![it.before.id.clone(), before, after, ratio, margin, verdict]);
    }
    table
}

/// What the canary says of the machine itself, where it says anything.
fn speed(compared: &[Compared<'_>]) -> Option<Caveat> {
    let canary =
        compared.iter().find(|it| it.before.id.ends_with(&format!(".{}", estimate::CANARY)));
    let ratio = canary?.outcome.as_ref().ok()?.ratio;
    let apart = ratio.low > 1.0 + stats::MARGIN_MIN || ratio.high < 1.0 / (1.0 + stats::MARGIN_MIN);
    let text = format!(
        "The machine's own speed changed: its fixed loop took {:.3} times as long. CPU work is \
         called changed only beyond that.",
        ratio.value
    );
    apart.then(|| Caveat::new("speed_changed", text))
}

#[cfg(test)]
mod tests;
