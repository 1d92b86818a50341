//! Whether the CPUs agree on the order of events.

use estimate::{proof_of, total};
use record::{
    Basis, Better, Caveat, Estimate, Finding, Observation, Outcome, Recorded, Unit, grouped,
};

use super::{needs, ns, why};
use crate::clock::{
    clocks::Clock,
    order::VIOLATIONS,
    plan::{Plan, order_case},
};

pub(super) fn findings(plan: &Plan, recorded: &Recorded) -> Vec<Finding> {
    plan.ordered.iter().map(|clock| finding(*clock, plan.cpus, recorded)).collect()
}

/// The monotonic clock's finding has the plain name: it is the one that promises an order.
fn id(clock: Clock) -> String {
    match clock {
        Clock::Monotonic => "clock.cpus.order_violations".to_owned(),
        other => format!("clock.cpus.order_violations.{}", other.name()),
    }
}

fn finding(clock: Clock, cpus: usize, recorded: &Recorded) -> Finding {
    let case = order_case(clock);
    let seen = total(recorded, &case, VIOLATIONS);
    let outcome = match estimate::outcome(recorded, &case, VIOLATIONS) {
        _ if cpus < 2 => needs(2, cpus),
        Outcome::Measured(_) => {
            let value = seen.events as f64;
            let basis = Basis::Count { of: seen.of };
            Outcome::Measured(Estimate { value, low: value, high: value, basis })
        }
        other => other,
    };
    let mut proof = proof_of(recorded, &case);
    let largest = extreme(recorded, &case, "violation_ns_max", f64::max);
    let smallest = extreme(recorded, &case, "advance_ns_min", f64::min);
    // Medians over the trials say nothing of what is the most or the least of all.
    proof.extend(largest.map(|ns| ("violation_ns_max".to_owned(), ns)));
    proof.extend(smallest.map(|ns| ("advance_ns_min".to_owned(), ns)));
    let (shown, messages) = (clock.shown(), grouped(seen.of as f64));
    let text = match (outcome.estimate(), seen.events) {
        (None, _) => format!("Order between CPUs by {shown}: {}.", why(&outcome)),
        (_, 0) => format!(
            "The CPUs agree on the order of events by {shown}: none of {messages} messages arrived \
             before it was sent; an offset below {} would not show.",
            smallest.map_or("any size".to_owned(), |least| ns(least).to_string())
        ),
        (_, events) => format!(
            "The CPUs disagree on the order of events by {shown}: {events} of {messages} messages \
             arrived before they were sent, by up to {}.",
            ns(largest.unwrap_or(0.0))
        ),
    };
    Finding { proof, ..Finding::new(id(clock), Unit::Count, Better::Lower, outcome, text) }
}

fn extreme(recorded: &Recorded, case: &str, name: &str, of: fn(f64, f64) -> f64) -> Option<f64> {
    let proof = |seen: &Observation| seen.proof.get(name).copied();
    let seen = recorded.of_case(case).filter_map(|trial| trial.result.as_ref().ok());
    seen.filter_map(proof).reduce(of)
}

pub(super) fn caveats(plan: &Plan, recorded: &Recorded) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    for &clock in &plan.ordered {
        if total(recorded, &order_case(clock), VIOLATIONS).events > 0 {
            let text = finding(clock, plan.cpus, recorded).text;
            let so = if clock.can_be_set() {
                " It is a clock that may be set, which looks the same."
            } else {
                " Timestamps of different CPUs can't be put in order here."
            };
            caveats.push(Caveat::new("order_violations", format!("{text}{so}")));
        }
    }
    caveats
}
