//! From the trials to findings, tables and figures.

mod direct;
mod pairs;
mod quantiles;
mod switches;
mod waiting;
mod waits;
mod working;

use estimate::{outcome, proof_of};
use lab::Context;
use record::{Better, Conclusion, Estimate, Finding, Outcome, Quantity, Recorded, RestsOn, Unit};

use super::plan::Plan;

pub(super) fn conclude(context: &Context, recorded: &Recorded) -> Conclusion {
    let plan = Plan::of(context);
    let direct = direct::findings(&plan, recorded);
    let waiting = waiting::findings(&plan, recorded);
    let working = working::findings(&plan, recorded, &context.machine);
    let pairs = pairs::findings(&plan, recorded);
    let [side_by_side, proofs] = switches::tables(&plan, &direct);
    let tables =
        [side_by_side, waiting::table(&plan, &waiting), working::table(&plan, &working), proofs];
    let figures = [
        switches::figures(&direct),
        working::figures(&plan, &working),
        waits::figures(&plan, &waiting, recorded),
        pairs::figures(recorded, &direct, &pairs),
    ];
    Conclusion {
        tables: tables.into_iter().filter(|table| !table.rows.is_empty()).collect(),
        figures: figures.into_iter().flatten().collect(),
        caveats: [direct::caveats(recorded), waiting::caveats(&plan, recorded)].concat(),
        findings: [direct, waiting, working, pairs].concat(),
    }
}

/// One metric of one case as a finding, with the sentence that `says` makes of the number.
struct Metric<'a> {
    id: String,
    case: String,
    metric: &'a str,
    /// Whether a faster CPU changes the number in proportion.
    cpu_bound: bool,
    /// What a person calls it.
    name: String,
}

impl Metric<'_> {
    fn finding(self, recorded: &Recorded) -> Finding {
        let outcome = outcome(recorded, &self.case, self.metric);
        let text = sentence(&self.name, &outcome);
        let rests_on = RestsOn {
            case: self.case.clone(),
            metric: self.metric.to_owned(),
            cpu_bound: self.cpu_bound,
        };
        Finding {
            rests_on: Some(rests_on),
            proof: proof_of(recorded, &self.case),
            ..Finding::new(self.id, Unit::Nanoseconds, Better::Lower, outcome, text)
        }
    }
}

/// `Name: 1.10 µs (95 %: 1.08 to 1.12 µs).`
fn sentence(name: &str, outcome: &Outcome) -> String {
    match outcome.estimate() {
        Some(it) => format!("{name}: {} ({}).", ns(it.value), it.interval(Unit::Nanoseconds)),
        None => format!("{name}: no number; {}.", why(outcome)),
    }
}

fn why(outcome: &Outcome) -> String {
    outcome.why().unwrap_or_default()
}

fn by_id<'a>(findings: &'a [Finding], id: &str) -> Option<&'a Finding> {
    findings.iter().find(|finding| finding.id == id)
}

fn ns(value: f64) -> Quantity {
    Quantity::new(value, Unit::Nanoseconds)
}

/// `512 KiB`.
fn bytes(count: usize) -> String {
    Quantity::new(count as f64, Unit::Bytes).as_published()
}

/// The estimate's ends and value, each changed alike; `flips` where a larger number becomes a
/// smaller one.
fn changed(it: &Estimate, flips: bool, change: impl Fn(f64) -> f64) -> Estimate {
    let (low, high) = if flips { (it.high, it.low) } else { (it.low, it.high) };
    Estimate { value: change(it.value), low: change(low), high: change(high), basis: it.basis }
}
