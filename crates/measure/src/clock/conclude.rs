//! From the trials to findings, tables and figures.

mod alone;
mod collisions;
mod ids;
mod order;

use estimate::{outcome, proof_of};
use lab::Context;
use record::{Bar, Better, Conclusion, Finding, Outcome, Quantity, Recorded, RestsOn, Unit};

use super::{plan::Plan, references};

pub(super) fn conclude(context: &Context, recorded: &Recorded) -> Conclusion {
    let plan = Plan::of(recorded.cpus.len(), &recorded.choices);
    let alone = alone::findings(&plan, recorded);
    let collisions = collisions::findings(&plan, recorded);
    let ids = ids::findings(&plan, recorded);
    let mut findings: Vec<Finding> = collisions::headline(&plan, recorded, &collisions, &ids);
    findings.extend(collisions.into_iter().skip(findings.len()));
    findings.extend(alone);
    findings.extend(order::findings(&plan, recorded));
    findings.extend(ids);
    let tables = [
        collisions::table(&plan, &findings),
        alone::costs(&plan, &findings, recorded),
        alone::steps(&plan, &findings),
        ids::table(&plan, &findings),
    ];
    Conclusion {
        tables: tables.into_iter().filter(|table| !table.rows.is_empty()).collect(),
        figures: collisions::figure(&plan, &findings).into_iter().collect(),
        caveats: [
            collisions::caveats(&plan, &findings, recorded),
            alone::caveats(&plan, recorded, &context.machine),
            order::caveats(&plan, recorded),
        ]
        .concat(),
        findings,
    }
}

/// One metric of one case as a finding, with the sentence that `says` makes of the number.
struct Metric<'a> {
    id: String,
    case: String,
    metric: &'a str,
    unit: Unit,
    better: Better,
    /// Whether a faster CPU changes the number in proportion.
    cpu_bound: bool,
}

impl Metric<'_> {
    fn finding(
        self,
        recorded: &Recorded,
        says: impl FnOnce(&record::Estimate) -> String,
        name: &str,
    ) -> Finding {
        let outcome = outcome(recorded, &self.case, self.metric);
        let text = match outcome.estimate() {
            Some(it) => says(it),
            None => format!("{name}: no number; {}.", why(&outcome)),
        };
        let rests_on = RestsOn {
            case: self.case.clone(),
            metric: self.metric.to_owned(),
            cpu_bound: self.cpu_bound,
        };
        Finding {
            references: references::of(&self.id),
            rests_on: Some(rests_on),
            proof: proof_of(recorded, &self.case),
            ..Finding::new(self.id, self.unit, self.better, outcome, text)
        }
    }
}

fn why(outcome: &Outcome) -> String {
    outcome.why().unwrap_or_default()
}

/// What is not asked on a machine of so few CPUs.
fn needs(threads: usize, cpus: usize) -> Outcome {
    let there = if cpus == 1 { "there is one".to_owned() } else { format!("there are {cpus}") };
    let many = if threads == 2 { "two".to_owned() } else { threads.to_string() };
    Outcome::NotRun { why: format!("needs {many} CPUs; {there}") }
}

fn by_id<'a>(findings: &'a [Finding], id: &str) -> Option<&'a Finding> {
    findings.iter().find(|finding| finding.id == id)
}

fn ns(value: f64) -> Quantity {
    Quantity::new(value, Unit::Nanoseconds)
}

fn share(value: f64) -> Quantity {
    Quantity::new(value, Unit::Share)
}

/// A bar for a finding's number, and one for each of somebody else's.
fn bars(finding: &Finding, label: &str) -> Vec<Bar> {
    let Some(it) = finding.outcome.estimate() else { return Vec::new() };
    let theirs = finding.references.iter().map(|reference| {
        let label = format!("{label}: {}, {}", reference.machine, reference.year);
        Bar::published(label, reference)
    });
    [Bar::measured(label, it)].into_iter().chain(theirs).collect()
}
