//! What ways to make an ID cost, and whether IDs were ever equal.

use estimate::{proof_of, total};
use record::{
    Align, Basis, Better, Estimate, Finding, Outcome, Part, Recorded, Table, Unit, grouped,
};

use super::{Metric, by_id, needs, ns, why};
use crate::clock::{
    ids::{COST, EQUAL, Scheme},
    plan::{Plan, id_case},
};

/// One thread's cost has the plain name.
pub(super) fn cost_id(scheme: &str, threads: usize) -> String {
    match threads {
        1 => format!("clock.id.{scheme}.cost"),
        n => format!("clock.id.{scheme}.threads_{n}.cost"),
    }
}

pub(super) fn equal_id(scheme: &str) -> String {
    format!("clock.id.{scheme}.equal")
}

pub(super) fn findings(plan: &Plan, recorded: &Recorded) -> Vec<Finding> {
    let mut findings = Vec::new();
    for &scheme in &plan.schemes {
        for threads in plan.makers() {
            findings.push(cost(scheme, threads, plan, recorded));
        }
        findings.push(equal(scheme, plan, recorded));
    }
    findings
}

fn cost(scheme: Scheme, threads: usize, plan: &Plan, recorded: &Recorded) -> Finding {
    let beside = match threads {
        1 => "one thread".to_owned(),
        n => format!("each of {n} threads"),
    };
    let shown = scheme.shown();
    let metric = Metric {
        id: cost_id(scheme.name(), threads),
        case: id_case(scheme, threads),
        metric: COST,
        unit: Unit::Nanoseconds,
        better: Better::Lower,
        cpu_bound: threads == 1,
    };
    let says = |it: &Estimate| {
        format!("ID by {shown}, {beside}: {} ({}).", ns(it.value), it.interval(Unit::Nanoseconds))
    };
    let mut finding = metric.finding(recorded, says, &format!("ID by {shown}, {beside}"));
    if threads > plan.cpus {
        finding.outcome = needs(threads, plan.cpus);
        finding.text = format!("ID by {shown}, {beside}: {}.", why(&finding.outcome));
    }
    finding
}

/// Equal IDs among all that were kept, by any number of threads.
fn equal(scheme: Scheme, plan: &Plan, recorded: &Recorded) -> Finding {
    let asked = plan.makers().into_iter().filter(|threads| *threads <= plan.cpus);
    let cases: Vec<String> = asked.map(|threads| id_case(scheme, threads)).collect();
    let sum =
        cases.iter().map(|case| total(recorded, case, EQUAL)).fold(Part::default(), |sum, part| {
            Part { events: sum.events + part.events, of: sum.of + part.of }
        });
    let outcome = if sum.of > 0 {
        let value = sum.events as f64;
        let basis = Basis::Count { of: sum.of };
        Outcome::Measured(Estimate { value, low: value, high: value, basis })
    } else {
        estimate::outcome(recorded, &cases[0], EQUAL)
    };
    let shown = scheme.shown();
    let text = match outcome.estimate() {
        Some(it) => format!(
            "IDs by {shown} that equal another: {} of {} compared.",
            grouped(it.value),
            grouped(sum.of as f64)
        ),
        None => format!("IDs by {shown} that equal another: no number; {}.", why(&outcome)),
    };
    Finding {
        proof: cases.last().map(|case| proof_of(recorded, case)).unwrap_or_default(),
        ..Finding::new(equal_id(scheme.name()), Unit::Count, Better::Lower, outcome, text)
    }
}

pub(super) fn table(plan: &Plan, findings: &[Finding]) -> Table {
    let titles: Vec<String> = plan
        .makers()
        .into_iter()
        .map(|threads| if threads == 1 { "alone".into() } else { format!("{threads} threads") })
        .collect();
    let mut columns = vec![("ID", Align::Left)];
    columns.extend(titles.iter().map(|title| (title.as_str(), Align::Right)));
    columns.extend([("equal", Align::Right), ("of", Align::Right)]);
    let mut table = Table::new("Cost of an ID in each thread, and IDs that were equal", &columns);
    for scheme in &plan.schemes {
        let cost = |threads| by_id(findings, &cost_id(scheme.name(), threads));
        let Some(equal) = by_id(findings, &equal_id(scheme.name())) else { continue };
        let of = match equal.outcome.estimate().map(|it| it.basis) {
            Some(Basis::Count { of }) => grouped(of as f64),
            _ => String::new(),
        };
        let mut row = vec![scheme.shown().to_owned()];
        let cost_cell = |threads| cost(threads).map_or(String::new(), |it| it.cells()[0].clone());
        row.extend(plan.makers().into_iter().map(cost_cell));
        row.extend([equal.cells()[0].clone(), of]);
        table.rows.push(row);
    }
    table
}
