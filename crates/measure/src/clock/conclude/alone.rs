//! What each clock costs and can tell apart, read by one thread.

use std::collections::BTreeSet;

use estimate::{derived_ratio, proof_of, total};
use record::{
    Align, Basis, Better, Caveat, Estimate, Finding, Machine, Outcome, Recorded, Table, Unit,
    grouped,
};

use super::{Metric, by_id, ns, share, why};
use crate::clock::references;
use crate::clock::{
    clocks::Clock,
    plan::{Plan, read_case, walk_case},
    walk::{BACKWARDS, COST, EQUAL, STEP},
};

pub(super) fn findings(plan: &Plan, recorded: &Recorded) -> Vec<Finding> {
    let mut findings = Vec::new();
    for &clock in &plan.clocks {
        findings.push(cost(clock, recorded));
        findings.push(step(clock, recorded));
        findings.push(equal(clock, recorded));
        findings.push(backwards(clock, recorded));
    }
    let both = [Clock::Monotonic, Clock::MonotonicCoarse];
    if both.iter().all(|clock| plan.clocks.contains(clock)) {
        findings.push(coarse_speedup(recorded, &findings));
    }
    findings
}

fn cost(clock: Clock, recorded: &Recorded) -> Finding {
    let shown = clock.shown();
    Metric {
        id: format!("clock.{}.read_cost", clock.name()),
        case: read_case(clock),
        metric: COST,
        unit: Unit::Nanoseconds,
        better: Better::Lower,
        cpu_bound: true,
    }
    .finding(
        recorded,
        |it| {
            format!("Reading {shown} takes {} ({}).", ns(it.value), it.interval(Unit::Nanoseconds))
        },
        shown,
    )
}

fn step(clock: Clock, recorded: &Recorded) -> Finding {
    let shown = clock.shown();
    let claimed = proof_of(recorded, &walk_case(clock)).get("claimed_step_ns").copied();
    let claims = claimed.map(|claimed| format!("; the kernel claims {}", ns(claimed)));
    Metric {
        id: format!("clock.{}.step", clock.name()),
        case: walk_case(clock),
        metric: STEP,
        unit: Unit::Nanoseconds,
        better: Better::Neither,
        cpu_bound: false,
    }
    .finding(
        recorded,
        |it| format!("{shown} moves in steps of {}{}.", ns(it.value), claims.unwrap_or_default()),
        &format!("The step of {shown}"),
    )
}

/// A share of all that was seen, and of one CPU at a time: no interval is claimed.
fn equal(clock: Clock, recorded: &Recorded) -> Finding {
    let case = walk_case(clock);
    let seen = total(recorded, &case, EQUAL);
    let outcome = counted(recorded, &case, EQUAL, seen.events as f64 / seen.of as f64);
    let shown = clock.shown();
    let text = match outcome.estimate() {
        Some(it) => {
            let of = grouped(seen.of as f64);
            format!("Of {of} neighbouring readings of {shown} {} are equal.", share(it.value))
        }
        None => format!("Equal neighbours of {shown}: no number; {}.", why(&outcome)),
    };
    let id = format!("clock.{}.equal_neighbours", clock.name());
    Finding {
        references: references::of(&id),
        proof: proof_of(recorded, &case),
        ..Finding::new(id, Unit::Share, Better::Lower, outcome, text)
    }
}

/// `value` as what was counted of this metric, where its trials were not refused.
fn counted(recorded: &Recorded, case: &str, metric: &str, value: f64) -> Outcome {
    match estimate::outcome(recorded, case, metric) {
        Outcome::Measured(_) => {
            let basis = Basis::Count { of: total(recorded, case, metric).of };
            Outcome::Measured(Estimate { value, low: value, high: value, basis })
        }
        other => other,
    }
}

/// A count of all that was seen: that none was seen is no promise.
fn backwards(clock: Clock, recorded: &Recorded) -> Finding {
    let case = walk_case(clock);
    let seen = total(recorded, &case, BACKWARDS);
    let outcome = counted(recorded, &case, BACKWARDS, seen.events as f64);
    let shown = clock.shown();
    let text = match (outcome.estimate(), seen.events) {
        (None, _) => format!("Whether {shown} goes back: no number; {}.", why(&outcome)),
        (_, 0) => format!("{shown} never went back in {} readings.", grouped(seen.of as f64)),
        (_, n) => {
            format!("{shown} went back {} in {} readings.", times(n), grouped(seen.of as f64))
        }
    };
    let id = format!("clock.{}.backwards", clock.name());
    Finding {
        proof: proof_of(recorded, &case),
        ..Finding::new(id, Unit::Count, Better::Lower, outcome, text)
    }
}

/// What is gained where a coarse clock will do.
fn coarse_speedup(recorded: &Recorded, findings: &[Finding]) -> Finding {
    let (fine, coarse) = (read_case(Clock::Monotonic), read_case(Clock::MonotonicCoarse));
    let outcome = derived_ratio(recorded, &fine, &coarse, COST);
    let number = |id: &str| by_id(findings, id)?.outcome.estimate().map(|it| it.value);
    let cost = number("clock.monotonic.read_cost");
    let step = number("clock.monotonic_coarse.step");
    let (text, advice) = match (outcome.estimate(), cost, step) {
        (Some(it), Some(cost), Some(step)) => (
            format!(
                "CLOCK_MONOTONIC_COARSE is read {:.1} times as fast as CLOCK_MONOTONIC ({}).",
                it.value,
                it.interval(Unit::Ratio).trim_end_matches('x')
            ),
            Some(format!(
                "For durations read CLOCK_MONOTONIC ({} here). Where steps of {} will do, as for \
                 the age of a cache entry, read CLOCK_MONOTONIC_COARSE. Never take a duration \
                 from CLOCK_REALTIME: it may be set.",
                ns(cost),
                ns(step)
            )),
        ),
        _ => (format!("Coarse against fine: no number; {}.", why(&outcome)), None),
    };
    let proof = proof_of(recorded, &coarse);
    let id = "clock.monotonic_coarse.speedup";
    Finding { proof, advice, ..Finding::new(id, Unit::Ratio, Better::Higher, outcome, text) }
}

pub(super) fn costs(plan: &Plan, findings: &[Finding], recorded: &Recorded) -> Table {
    let columns = [
        ("clock", Align::Left),
        ("one reading", Align::Right),
        ("95 % interval", Align::Right),
        ("answered by", Align::Left),
    ];
    let mut table = Table::new("Cost of a reading", &columns);
    for &clock in &plan.clocks {
        let cost = by_id(findings, &format!("clock.{}.read_cost", clock.name()));
        let [value, interval] = cost.map(Finding::cells).unwrap_or_default();
        let by = served(clock, recorded).to_owned();
        table.rows.push(vec![clock.shown().to_owned(), value, interval, by]);
    }
    table
}

pub(super) fn steps(plan: &Plan, findings: &[Finding]) -> Table {
    let columns = [
        ("clock", Align::Left),
        ("step", Align::Right),
        ("claimed", Align::Right),
        ("equal neighbours", Align::Right),
        ("went back", Align::Right),
    ];
    let mut table = Table::new("What a clock can tell apart, read by one thread", &columns);
    for clock in &plan.clocks {
        let of = |what: &str| by_id(findings, &format!("clock.{}.{what}", clock.name()));
        let cell = |what: &str| of(what).map(|it| it.cells()[0].clone()).unwrap_or_default();
        let claimed = of("step").and_then(|step| step.proof.get("claimed_step_ns"));
        table.rows.push(vec![
            clock.shown().to_owned(),
            cell("step"),
            claimed.map_or(String::new(), |claimed| ns(*claimed).to_string()),
            cell("equal_neighbours"),
            cell("backwards"),
        ]);
    }
    table
}

/// Who answers.
fn served(clock: Clock, recorded: &Recorded) -> &'static str {
    match proof_of(recorded, &read_case(clock)).get("enters_kernel") {
        _ if clock == Clock::Tsc => "CPU",
        Some(0.0) => "vDSO",
        Some(_) => "kernel",
        None => "",
    }
}

/// Clock sources that the vDSO of x86 reads (arch/x86/include/asm/vdso/clocksource.h).
const BY_VDSO: [&str; 4] =
    ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "hyperv_clocksource_msr"];

pub(super) fn caveats(plan: &Plan, recorded: &Recorded, machine: &Machine) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    let slow = |clock: &&Clock| {
        matches!(clock, Clock::Realtime | Clock::Monotonic) && served(**clock, recorded) == "kernel"
    };
    if plan.clocks.iter().any(|clock| slow(&clock)) {
        let text = match machine.clocksource.as_deref() {
            Some(source) if !BY_VDSO.contains(&source) && machine.architecture == "x86_64" => {
                format!(
                    "Each reading of the clock is a system call here: the vDSO can't read the \
                     clock source in use ({source}). Where the hardware allows it, boot with \
                     clocksource=tsc."
                )
            }
            _ => "Each reading of the clock is a system call here: the vDSO is not in use.".into(),
        };
        caveats.push(Caveat::new("clock_by_system_call", text));
    }
    let mut back = BTreeSet::new();
    for &clock in &plan.clocks {
        let seen = total(recorded, &walk_case(clock), BACKWARDS).events;
        if seen > 0 {
            back.insert(format!(
                "{} ({seen} times, by up to {})",
                clock.shown(),
                ns(most(clock, recorded))
            ));
        }
    }
    if !back.is_empty() {
        let back: Vec<String> = back.into_iter().collect();
        let text = format!(
            "Went back between two readings of one thread: {}. A clock of the wall may be set; of \
             any other this is a fault of the machine.",
            back.join(", ")
        );
        caveats.push(Caveat::new("backwards", text));
    }
    caveats
}

fn times(n: u64) -> String {
    if n == 1 { "once".to_owned() } else { format!("{n} times") }
}

/// The furthest that a clock went back, in nanoseconds.
fn most(clock: Clock, recorded: &Recorded) -> f64 {
    let case = walk_case(clock);
    let seen = recorded.of_case(&case).filter_map(|trial| trial.result.as_ref().ok());
    seen.filter_map(|seen| seen.proof.get("backwards_ns_max")).copied().fold(0.0, f64::max)
}
