//! What a comparison has to say: its headline, a finding per verdict, a table, and its caveats.

use std::collections::{BTreeMap, BTreeSet};

use record::{
    Align, Basis, Better, Caveat, Estimate, Finding, Outcome, Quantity, Table, Unit, Verdict,
    percent,
};

use super::{Compared, NAME, Sides};

/// So many ids are named; more would only be a list.
const IDS_NAMED_MAX: usize = 6;

/// The headline, and a finding for each that both sides have.
pub(super) fn findings(who: &str, sides: &Sides<'_>) -> Vec<Finding> {
    let all = sides.compared.iter().map(finding);
    [headline(who, sides)].into_iter().chain(all).collect()
}

pub(super) fn word(verdict: Verdict) -> &'static str {
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

/// How many came out how, as the first finding; and what single runs can't tell.
fn headline(who: &str, sides: &Sides<'_>) -> Finding {
    let of = |verdict| sides.compared.iter().filter(|it| it.verdict() == verdict).count();
    let told = [Verdict::Slower, Verdict::Faster, Verdict::Inconclusive, Verdict::Same];
    let counts: Vec<String> =
        told.into_iter().map(|verdict| format!("{} {}", of(verdict), word(verdict))).collect();
    let (not, one_sided) = (of(Verdict::NotComparable), sides.one_sided.len());
    let mut text = format!("{who}: {}", counts.join(", "));
    if not == sides.compared.len() {
        text = format!("{who}: nothing can be compared ({})", usual_reason(sides));
    }
    for (n, what) in [(not, "not comparable"), (one_sided, "not on both sides")] {
        if n > 0 {
            text.push_str(&format!("; {n} {what}"));
        }
    }
    text.push('.');
    let changed = of(Verdict::Slower) + of(Verdict::Faster);
    if sides.single() {
        text.push_str(doubt(changed, of(Verdict::Inconclusive)));
    }
    let proof = told.into_iter().map(|verdict| (word(verdict).to_owned(), of(verdict) as f64));
    let left = [("not_comparable", not), ("one_sided", one_sided)];
    let left = left.into_iter().map(|(what, n)| (what.to_owned(), n as f64));
    let changed = exactly(changed as f64);
    Finding {
        proof: proof.chain(left).collect(),
        ..Finding::new(format!("{NAME}.changed.count"), Unit::Count, Better::Neither, changed, text)
    }
}

/// What single runs can't tell.
fn doubt(changed: usize, inconclusive: usize) -> &'static str {
    match (changed, inconclusive) {
        (0, 0) => "",
        (0, _) => {
            " With one run on a side that settles little: inconclusive does not mean unchanged."
        }
        _ => {
            " With one run on a side a change may be the machine's own: take several a side before \
             believing it."
        }
    }
}

/// A number that was counted.
pub(super) fn exactly(value: f64) -> Outcome {
    Outcome::Derived(Estimate { value, low: value, high: value, basis: Basis::Exact })
}

/// The most frequent reason for which a finding could not be compared; of those that rest on
/// trials, where there are any, because that others do not is no news.
fn usual_reason<'a>(sides: &'a Sides<'_>) -> &'a str {
    let mut reasons: BTreeMap<(bool, &str), usize> = BTreeMap::new();
    for it in &sides.compared {
        if let Err(why) = &it.outcome {
            *reasons.entry((it.before.rests_on.is_some(), why)).or_default() += 1;
        }
    }
    let most = reasons.into_iter().max_by_key(|((on_trials, _), n)| (*on_trials, *n));
    most.map_or("", |((_, why), _)| why)
}

pub(super) fn verdicts(compared: &[Compared<'_>]) -> Table {
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
        let Ok(between) = &it.outcome else { continue };
        table.rows.push(vec![
            it.before.id.clone(),
            shown(it.before),
            shown(it.after),
            format!("{:.3}", between.ratio.value),
            percent(between.margin.value),
            word(between.verdict).to_owned(),
        ]);
    }
    table
}

/// What has no verdict, and why.
pub(super) fn not_compared(compared: &[Compared<'_>]) -> Option<Table> {
    let columns = [
        ("finding", Align::Left),
        ("before", Align::Right),
        ("after", Align::Right),
        ("why", Align::Left),
    ];
    let mut table = Table::new("Not comparable", &columns);
    for it in compared {
        let Err(why) = &it.outcome else { continue };
        let (before, after) = (shown(it.before), shown(it.after));
        table.rows.push(vec![it.before.id.clone(), before, after, why.clone()]);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// The number, or that there is none.
pub(super) fn shown(finding: &Finding) -> String {
    let estimate = finding.outcome.estimate();
    estimate.map_or("-".to_owned(), |it| Quantity::new(it.value, finding.unit).to_string())
}

/// What the canary says of the machine itself, where it says anything.
pub(super) fn speed(compared: &[Compared<'_>]) -> Option<Caveat> {
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

/// That runs were cut short.
pub(super) fn interrupted(cut: usize, all: usize) -> Caveat {
    let text = format!("Ended early by a signal, with fewer rounds: {cut} of {all} runs.");
    Caveat::new("interrupted", text)
}

/// Which findings have nothing to be compared with.
pub(super) fn left_out(one_sided: &BTreeSet<&str>) -> Option<Caveat> {
    let named: Vec<&str> = one_sided.iter().copied().take(IDS_NAMED_MAX).collect();
    let more = match one_sided.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let text = format!("Left out, being not on both sides: {}{more}.", named.join(", "));
    (!named.is_empty()).then(|| Caveat::new("left_out", text))
}

/// In which facts the machine differs; the values of each are in the two runs.
pub(super) fn machine_changed(differences: &Table) -> Caveat {
    let facts = differences.rows.iter().filter_map(|row| row.first());
    let facts: Vec<&str> = facts.map(String::as_str).collect();
    let text = format!("The machine itself is not as it was then: {}.", facts.join(", "));
    Caveat::new("machine_changed", text)
}
