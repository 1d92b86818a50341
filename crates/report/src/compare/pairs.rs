//! Two findings of the same run against each other, in the rounds that both were measured in.
//!
//! Both saw nearly the same machine, so neither its speed nor its hour is between them: no canary
//! is asked, and the margin is that of the run's own twins.

use std::slice;

use estimate::pair;
use record::{
    Align, Basis, Better, Estimate, Finding, Outcome, RestsOn, Run, Section, Table, Unit, Verdict,
    percent,
};
use stats::Comparison;

use super::{
    NAME, NotCompared, findings, has_trials, section, sides,
    words::{exactly, shown, word},
};

const QUESTION: &str = "Do findings of the same run differ?";

/// Two findings, and what became of comparing them.
struct Paired<'a> {
    to: &'a Finding,
    of: &'a Finding,
    outcome: Result<Comparison, String>,
}

/// Compares the second finding of each pair with its first, round by round.
///
/// # Errors
/// Where the run has no trials, or no such finding.
pub fn pairs(run: &Run, pairs: &[(String, String)]) -> Result<Section, NotCompared> {
    if !has_trials(run) {
        return Err(NotCompared::NoTrials);
    }
    let named = |id: &String| {
        let found = findings(run).find(|(_, finding)| finding.id == *id);
        found.ok_or_else(|| NotCompared::Unknown(id.clone()))
    };
    let mut paired = Vec::new();
    for (to, of) in pairs {
        let (to, of) = (named(to)?, named(of)?);
        let outcome = match to.0.name == of.0.name {
            true => judged(to.0, to.1, of.1),
            false => Err(format!("measured in other rounds ({} and {})", to.0.name, of.0.name)),
        };
        paired.push(Paired { to: to.1, of: of.1, outcome });
    }
    let mut findings: Vec<Finding> = paired.iter().map(finding).collect();
    if paired.len() > 1 {
        findings.insert(0, headline(&paired));
    }
    let of = sides::table(&[(sides::WITHIN, slice::from_ref(run))]);
    Ok(section(QUESTION, findings, vec![table(&paired), of], Vec::new()))
}

/// Compares two findings of one section, or says why they can't be.
fn judged(section: &Section, to: &Finding, of: &Finding) -> Result<Comparison, String> {
    if to.unit != of.unit {
        return Err("counted in other units".into());
    }
    if to.better != of.better {
        return Err("not better in the same direction".into());
    }
    // Their trials have no median, and a ratio of shares near zero says nothing.
    if to.unit == Unit::Share {
        return Err("shares: no ratio is made of them".into());
    }
    let recorded = section.recorded.as_ref().ok_or("no trials behind them")?;
    let (to, of) = (rests_on(to)?, rests_on(of)?);
    let it = pair(recorded, of, to).ok_or("too few starts with rounds of both")?;
    let numbers = [it.ratio.low, it.ratio.value, it.ratio.high, it.margin];
    let finite = numbers.iter().all(|number| number.is_finite()) && it.ratio.low > 0.0;
    finite.then_some(it).ok_or("no ratio can be made of their values".into())
}

/// The trials behind a finding, where it has a number from them.
fn rests_on(finding: &Finding) -> Result<&RestsOn, String> {
    match (finding.outcome.why(), &finding.rests_on) {
        (Some(why), _) => Err(format!("{} has no number ({why})", finding.id)),
        (None, None) => Err(format!("no trials behind {}", finding.id)),
        (None, Some(rests_on)) => Ok(rests_on),
    }
}

impl Paired<'_> {
    fn verdict(&self) -> Verdict {
        let Ok(it) = &self.outcome else { return Verdict::NotComparable };
        match (it.verdict, self.of.better) {
            (stats::Verdict::Same, _) => Verdict::Same,
            // A fact may be the same, but not better or worse.
            (stats::Verdict::Inconclusive, _) | (_, Better::Neither) => Verdict::Inconclusive,
            (stats::Verdict::Higher, Better::Lower) => Verdict::Slower,
            (stats::Verdict::Lower, Better::Higher) => Verdict::Slower,
            (stats::Verdict::Lower, Better::Lower) => Verdict::Faster,
            (stats::Verdict::Higher, Better::Higher) => Verdict::Faster,
        }
    }
}

fn finding(paired: &Paired<'_>) -> Finding {
    let (to, of, verdict) = (&paired.to.id, &paired.of.id, paired.verdict());
    let (outcome, text, proof) = match &paired.outcome {
        Err(why) => {
            let text = format!("{of} and {to}: not comparable; {why}.");
            (Outcome::NotRun { why: why.clone() }, text, Default::default())
        }
        Ok(it) => {
            let (value, low, high) = (it.ratio.value, it.ratio.low, it.ratio.high);
            let basis = paired.of.outcome.estimate().map_or(Basis::Exact, |it| it.basis);
            let text = format!(
                "{of} ({}) {} {to} ({}): {value:.3} times, round by round ({low:.3} to \
                 {high:.3}); margin {}, {}.",
                shown(paired.of),
                relation(verdict, it),
                shown(paired.to),
                percent(it.margin),
                margin_from(it.margin)
            );
            let proof = [("margin".to_owned(), it.margin)].into();
            (Outcome::Derived(Estimate { value, low, high, basis }), text, proof)
        }
    };
    let id = format!("{NAME}.{of}.over.{to}");
    let verdict = Some(verdict);
    Finding { verdict, proof, ..Finding::new(id, Unit::Ratio, paired.of.better, outcome, text) }
}

fn relation(verdict: Verdict, it: &Comparison) -> &'static str {
    match verdict {
        Verdict::Inconclusive if it.verdict != stats::Verdict::Inconclusive => {
            "differs from (and is no better or worse, being a fact)"
        }
        Verdict::Faster => "is faster than",
        Verdict::Slower => "is slower than",
        Verdict::Same => "does not differ from",
        Verdict::Inconclusive | Verdict::NotComparable => "may or may not differ from",
    }
}

fn margin_from(margin: f64) -> &'static str {
    if margin > stats::MARGIN_MIN {
        "what identical cases differed by"
    } else {
        "no difference below it is called one"
    }
}

/// How many differ, where there are several pairs.
fn headline(paired: &[Paired<'_>]) -> Finding {
    let of = |verdict| paired.iter().filter(|it| it.verdict() == verdict).count();
    let told = [Verdict::Slower, Verdict::Faster, Verdict::Inconclusive, Verdict::Same];
    let mut counts: Vec<String> =
        told.into_iter().map(|verdict| format!("{} {}", of(verdict), word(verdict))).collect();
    let not = of(Verdict::NotComparable);
    counts.extend((not > 0).then(|| format!("{not} not comparable")));
    let text = format!("The second of each pair: {}.", counts.join(", "));
    let changed = (of(Verdict::Slower) + of(Verdict::Faster)) as f64;
    let counts = told.into_iter().map(|verdict| (word(verdict).to_owned(), of(verdict) as f64));
    let id = format!("{NAME}.changed.count");
    Finding {
        proof: counts.chain([("not_comparable".to_owned(), not as f64)]).collect(),
        ..Finding::new(id, Unit::Count, Better::Neither, exactly(changed), text)
    }
}

fn table(paired: &[Paired<'_>]) -> Table {
    let columns = [
        ("finding", Align::Left),
        ("beside", Align::Left),
        ("ratio", Align::Right),
        ("margin", Align::Right),
        ("verdict", Align::Left),
    ];
    let mut table = Table::new("Pairs", &columns);
    for it in paired {
        let (ratio, margin, verdict) = match &it.outcome {
            Ok(judged) => (
                format!("{:.3}", judged.ratio.value),
                percent(judged.margin),
                word(it.verdict()).to_owned(),
            ),
            Err(why) => ("-".to_owned(), "-".to_owned(), why.clone()),
        };
        table.rows.push(vec![it.of.id.clone(), it.to.id.clone(), ratio, margin, verdict]);
    }
    table
}

#[cfg(test)]
mod tests;
