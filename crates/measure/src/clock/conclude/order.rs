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
    let shows_from = proof.get("shows_from_ns").copied();
    let largest = largest(recorded, &case);
    // A median over the trials says nothing of what is the most of all.
    proof.extend(largest.map(|ns| ("violation_ns_max".to_owned(), ns)));
    let (shown, messages) = (clock.shown(), grouped(seen.of as f64));
    let text = match (outcome.estimate(), seen.events) {
        (None, _) => format!("Order between CPUs by {shown}: {}.", why(&outcome)),
        (_, 0) => format!(
            "The CPUs agree on the order of events by {shown}: none of {messages} messages arrived \
             before it was sent; offsets below {} would not show.",
            shows_from.map_or("some size".to_owned(), |least| ns(least).to_string())
        ),
        (_, events) => format!(
            "The CPUs disagree on the order of events by {shown}: of {messages} messages {} before \
             being sent, by up to {}.",
            if events == 1 { "1 arrived".to_owned() } else { format!("{events} arrived") },
            ns(largest.unwrap_or(0.0))
        ),
    };
    Finding { proof, ..Finding::new(id(clock), Unit::Count, Better::Lower, outcome, text) }
}

/// The furthest that the clock was behind, in nanoseconds.
fn largest(recorded: &Recorded, case: &str) -> Option<f64> {
    let proof = |seen: &Observation| seen.proof.get("violation_ns_max").copied();
    let seen = recorded.of_case(case).filter_map(|trial| trial.result.as_ref().ok());
    seen.filter_map(proof).reduce(f64::max)
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
