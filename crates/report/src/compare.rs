//! Two sides of one or several runs each, as one more section: what differs first, then what is the
//! same, then what can't be compared and why. A survey beside the one before it, and two findings
//! of one run, are sections of the same shape.

mod machines;
mod pairs;
mod proof;
mod sides;
mod words;

use std::{collections::BTreeSet, fmt, slice};

use estimate::{Between, Side, between, series};
use record::{
    Basis, Caveat, Conclusion, Ended, Finding, Outcome, Run, Section, Table, Unit, Verdict,
};

pub use pairs::pairs;
pub(crate) use sides::told;

/// The section's name, and the first word of its findings' ids.
const NAME: &str = "compare";
const QUESTION: &str = "Did anything change between the two sides?";
const SURVEY_QUESTION: &str = "Did anything change since the survey before?";
/// A time stamp has twenty characters; whoever wrote the other run may have given it more.
const STAMP_CHARS_MAX: usize = 40;

/// Why there is nothing to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotCompared {
    /// A side has no run.
    NoRun,
    /// A run has no trials.
    NoTrials,
    /// They have no finding in common.
    NothingInCommon,
    /// The run has no finding of this id.
    Unknown(String),
}

impl fmt::Display for NotCompared {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRun => write!(out, "a side without a run"),
            Self::NoTrials => write!(out, "no trials in it, so there is nothing to compare"),
            Self::NothingInCommon => write!(out, "the two sides have no finding in common"),
            Self::Unknown(id) => write!(out, "no finding is called {id:?}"),
        }
    }
}

impl std::error::Error for NotCompared {}

/// One finding of both sides, and what became of comparing it.
struct Compared<'a> {
    before: &'a Finding,
    after: &'a Finding,
    outcome: Result<Between, String>,
}

/// Everything that two sides yield, before it is put into words.
struct Sides<'a> {
    before: &'a [Run],
    after: &'a [Run],
    /// What differs first; the order of the run within that.
    compared: Vec<Compared<'a>>,
    /// The ids that are not in the first run of both sides.
    one_sided: BTreeSet<&'a str>,
}

/// The comparison of the runs `before` with the runs `after`.
///
/// # Errors
/// Where there is nothing to compare.
pub fn compare(before: &[Run], after: &[Run]) -> Result<Section, NotCompared> {
    let sides = Sides::of(before, after)?;
    let mut tables = vec![words::verdicts(&sides.compared)];
    tables.retain(|table| !table.rows.is_empty());
    tables.extend(words::not_compared(&sides.compared));
    tables.extend(sides.machines());
    tables.push(sides::table(&[(sides::BEFORE, before), (sides::AFTER, after)]));
    let mut caveats = sides.caveats();
    caveats.extend(words::left_out(&sides.one_sided));
    Ok(section(QUESTION, words::findings("The later side", &sides), tables, caveats))
}

/// A survey's comparison with the run before it: the same findings, but so few words that they
/// drown nobody who only wanted the survey.
///
/// # Errors
/// Where there is nothing to compare.
pub fn compare_survey(before: &Run, now: &Run) -> Result<Section, NotCompared> {
    let sides = Sides::of(slice::from_ref(before), slice::from_ref(now))?;
    let mut caveats = sides.caveats();
    caveats.extend(sides.machines().map(|table| words::machine_changed(&table)));
    let stamp: String = before.started_at.chars().take(STAMP_CHARS_MAX).collect();
    let who = format!("Since the survey of {stamp}");
    Ok(section(SURVEY_QUESTION, words::findings(&who, &sides), Vec::new(), caveats))
}

/// Whether a run holds any trials: without them nothing in it can be compared.
pub fn has_trials(run: &Run) -> bool {
    let mut recorded = run.sections.iter().filter_map(|section| section.recorded.as_ref());
    recorded.any(|recorded| !recorded.trials.is_empty())
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

/// The findings of a comparison that came out faster or slower.
pub fn changed(section: &Section) -> Vec<&str> {
    let changed =
        |finding: &&Finding| matches!(finding.verdict, Some(Verdict::Slower | Verdict::Faster));
    section.conclusion.findings.iter().filter(changed).map(|it| it.id.as_str()).collect()
}

fn section(
    question: &str,
    findings: Vec<Finding>,
    tables: Vec<Table>,
    caveats: Vec<Caveat>,
) -> Section {
    Section {
        name: NAME.into(),
        question: question.into(),
        workload_version: 1,
        recorded: None,
        conclusion: Conclusion { findings, tables, figures: Vec::new(), caveats },
    }
}

impl<'a> Sides<'a> {
    fn of(before: &'a [Run], after: &'a [Run]) -> Result<Self, NotCompared> {
        let (Some(first), Some(later)) = (before.first(), after.first()) else {
            return Err(NotCompared::NoRun);
        };
        if !before.iter().chain(after).all(has_trials) {
            return Err(NotCompared::NoTrials);
        }
        let judged = |side: &'a [Run]| side.iter().map(Judged::of).collect::<Vec<_>>();
        let (judged_before, judged_after) = (judged(before), judged(after));
        let mut compared = Vec::new();
        for (section, finding) in findings(first) {
            let Some((_, other)) = findings(later).find(|(_, other)| other.id == finding.id) else {
                continue;
            };
            let outcome = one(&judged_before, &judged_after, &section.name, finding);
            compared.push(Compared { before: finding, after: other, outcome });
        }
        if compared.is_empty() {
            return Err(NotCompared::NothingInCommon);
        }
        compared.sort_by_key(|it| rank(it.verdict()));
        let of_both: BTreeSet<&str> = compared.iter().map(|it| it.before.id.as_str()).collect();
        let all = before.iter().chain(after).flat_map(findings);
        let all = all.map(|(_, finding)| finding.id.as_str());
        let one_sided = all.filter(|id| !of_both.contains(id)).collect();
        Ok(Self { before, after, compared, one_sided })
    }

    fn runs(&self) -> impl Iterator<Item = &'a Run> {
        self.before.iter().chain(self.after)
    }

    /// Whether a side is a single run.
    fn single(&self) -> bool {
        self.before.len() == 1 || self.after.len() == 1
    }

    fn machines(&self) -> Option<Table> {
        let [before, after] = [self.before, self.after].map(|side| side.first());
        machines::differences(&before?.machines, &after?.machines)
    }

    fn caveats(&self) -> Vec<Caveat> {
        let interrupted = self.runs().filter(|run| run.ended == Ended::Interrupted).count();
        let all = self.runs().count();
        let cut = (interrupted > 0).then(|| words::interrupted(interrupted, all));
        words::speed(&self.compared).into_iter().chain(cut).collect()
    }
}

/// All findings but those of an earlier comparison.
fn findings(run: &Run) -> impl Iterator<Item = (&Section, &Finding)> {
    let sections = run.sections.iter().filter(|section| section.name != NAME);
    sections.flat_map(|section| section.conclusion.findings.iter().map(move |it| (section, it)))
}

/// One finding in one run, and the trials behind it.
struct Source<'a> {
    section: &'a Section,
    side: Side<'a>,
    finding: &'a Finding,
}

/// A run, and what of each section's trials is found out once for all of its findings.
struct Judged<'a> {
    run: &'a Run,
    sides: Vec<Option<Side<'a>>>,
}

impl<'a> Judged<'a> {
    fn of(run: &'a Run) -> Self {
        let side = |section: &'a Section| section.recorded.as_ref().map(Side::of);
        Self { run, sides: run.sections.iter().map(side).collect() }
    }
}

/// Compares one finding, or says why it can't be.
fn one<'a>(
    before: &[Judged<'a>],
    after: &[Judged<'a>],
    section: &str,
    finding: &Finding,
) -> Result<Between, String> {
    if let Some(why) = finding.outcome.why() {
        return Err(format!("no number in every run ({why})"));
    }
    let Some(rests_on) = &finding.rests_on else {
        let basis = finding.outcome.estimate().map(|it| it.basis);
        return Err(match (&finding.outcome, basis) {
            (Outcome::Derived(_), _) => "derived from others; see those".into(),
            (_, Some(Basis::Count { .. })) => "a count: no ratio is made of it".into(),
            _ => "no trials behind it".into(),
        });
    };
    // Its trials have no median, and a ratio of shares near zero says nothing.
    if finding.unit == Unit::Share {
        return Err("a share: no ratio is made of it".into());
    }
    let sources = |runs: &[Judged<'a>]| -> Result<Vec<Source<'a>>, String> {
        runs.iter().map(|run| source(run, section, &finding.id)).collect()
    };
    let (before, after) = (sources(before)?, sources(after)?);
    for it in before.iter().chain(&after) {
        if let Some(why) = differs(&before[0], it) {
            return Err(why);
        }
        if series(it.side.recorded, &rests_on.case, &rests_on.metric).is_empty() {
            return Err("no trial of it holds a value to take a median of".into());
        }
    }
    let sides = |all: &[Source<'a>]| -> Vec<Side<'a>> { all.iter().map(|it| it.side).collect() };
    let it = between(&sides(&before), &sides(&after), rests_on, finding.better);
    it.ok_or("too few starts".to_owned()).and_then(finite)
}

/// Nothing that was measured changes so many times.
const RATIO_MAX: f64 = 1e9;

/// A file may hold zeros, or numbers below, of which no ratio can be made.
fn finite(it: Between) -> Result<Between, String> {
    let per_canary = it.per_canary.map_or(1.0, |it| it.value);
    let numbers = [it.ratio.low, it.ratio.value, it.ratio.high, it.margin.value, per_canary];
    let all = numbers.iter().all(|number| number.is_finite());
    let is_ratio = it.ratio.low > 0.0 && it.ratio.high < RATIO_MAX;
    (all && is_ratio).then_some(it).ok_or("no ratio can be made of its values".into())
}

/// The finding of this id in one run, where there are a number and trials behind it.
fn source<'a>(judged: &Judged<'a>, section: &str, id: &str) -> Result<Source<'a>, String> {
    let mut sections = judged.run.sections.iter().zip(&judged.sides);
    let found = sections.find(|(it, _)| it.name == section);
    let (section, side) = found.ok_or("not in every run")?;
    let finding = section.conclusion.findings.iter().find(|it| it.id == id);
    let finding = finding.ok_or("not in every run")?;
    if let Some(why) = finding.outcome.why() {
        return Err(format!("no number in every run ({why})"));
    }
    let side = side.ok_or("no trials behind it in every run")?;
    Ok(Source { section, side, finding })
}

/// Why two findings of one id are not of the same thing; nothing where they are.
fn differs(one: &Source<'_>, other: &Source<'_>) -> Option<String> {
    let (a, b) = (one.finding, other.finding);
    if one.section.workload_version != other.section.workload_version {
        return Some("another version of the workload".into());
    }
    if a.unit != b.unit {
        return Some("counted in another unit".into());
    }
    if a.rests_on != b.rests_on || a.better != b.better {
        return Some("measured in another way".into());
    }
    if one.side.recorded.cpus != other.side.recorded.cpus {
        return Some("measured on other CPUs".into());
    }
    proof::differs(&a.proof, &b.proof)
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

#[cfg(test)]
mod tests;
