//! How many readings of threads that read at the same time are equal.

use estimate::total;
use record::{
    Align, Bar, Better, Caveat, Estimate, Expected, Figure, Finding, Outcome, Part, Quantity,
    Recorded, Table, Unit,
};
use stats::{Summary, summary};

use super::{Metric, bars, by_id, needs, ns, share, why};
use crate::clock::{
    clocks::Clock,
    collide::{
        APART, ARRIVALS, Arrival, BY_CHANCE, BY_CHANCE_AT_RANDOM, COINCIDE, COLLIDED, GAP, STEP_MIN,
    },
    ids::SCHEMES,
    plan::{Plan, collide_case, walk_case},
    walk::STEP,
};

/// Measured tight loops that lie so many times outside of what independent ones would show are
/// told: nearer ones need no explanation.
const TOLD_FROM: f64 = 1.25;

fn id(clock: Clock, threads: usize, arrival: Arrival) -> String {
    format!("clock.{}.collisions.threads_{threads}.{}", clock.name(), arrival.name())
}

pub(super) fn findings(plan: &Plan, recorded: &Recorded) -> Vec<Finding> {
    let mut findings = Vec::new();
    for &clock in &plan.colliding {
        // Most threads first, and of those the arrival that stands for real programs.
        for &threads in plan.threads.iter().rev() {
            for arrival in ARRIVALS.into_iter().rev() {
                findings.push(finding(plan, clock, threads, arrival, recorded));
            }
            findings.extend(ceiling(clock, threads, recorded));
        }
    }
    findings
}

fn finding(
    plan: &Plan,
    clock: Clock,
    threads: usize,
    arrival: Arrival,
    recorded: &Recorded,
) -> Finding {
    let shown = clock.shown();
    let expected = expected(clock, threads, arrival, recorded);
    let what = format!("{threads} threads, {}", in_words(arrival));
    let predicted = expected
        .as_ref()
        .map(|it| format!("; by chance {}", Quantity::range(it.low, it.high, Unit::Share)));
    let metric = Metric {
        id: id(clock, threads, arrival),
        case: collide_case(clock, threads, arrival),
        metric: COLLIDED,
        unit: Unit::Share,
        better: Better::Lower,
        cpu_bound: false,
    };
    let mut finding = metric.finding(
        recorded,
        |it| {
            format!(
                "{what}: {} ({}) of the readings of {shown} equal one of another thread's{}.",
                share(it.value),
                it.interval(Unit::Share),
                predicted.unwrap_or_default()
            )
        },
        &what,
    );
    finding.expected = expected;
    if threads > plan.cpus {
        finding.outcome = needs(threads, plan.cpus);
        finding.text = format!("{what}: {}.", why(&finding.outcome));
    }
    finding
}

fn in_words(arrival: Arrival) -> &'static str {
    match arrival {
        Arrival::Tight => "tight loops",
        Arrival::Jittered => "jittered loops",
    }
}

/// Of fewer of the trials a prediction is none of what was counted in all of them.
const PREDICTED_SHARE_MIN: f64 = 0.9;

/// What threads would show, in these very trials, whose readings know nothing of each other's: from
/// step, gap and how far the CPUs' steps lay apart. Where the steps are too short for that, from
/// step and gap alone.
fn expected(
    clock: Clock,
    threads: usize,
    arrival: Arrival,
    recorded: &Recorded,
) -> Option<Expected> {
    let case = collide_case(clock, threads, arrival);
    let all = total(recorded, &case, COLLIDED);
    let (regular, random) =
        (total(recorded, &case, BY_CHANCE), total(recorded, &case, BY_CHANCE_AT_RANDOM));
    if regular.of as f64 >= PREDICTED_SHARE_MIN * all.of as f64 && all.of > 0 {
        let part = |part: Part| part.events as f64 / part.of as f64;
        let source = "for each other thread whose clock steps at the same moment 1 - exp(-step / \
                      gap), or step / gap if readings come regularly; trial by trial";
        let (low, high) = (part(random), part(regular));
        return Some(Expected { low: low.min(high), high, source: source.to_owned() });
    }
    let step = estimate::outcome(recorded, &walk_case(clock), STEP).estimate()?.value;
    if step >= STEP_MIN as f64 {
        return None;
    }
    let ceiling = ceiling_of(clock, threads, arrival, recorded)?;
    let source = "1 - (1 - step / gap)^(threads - 1)".to_owned();
    Some(Expected { low: ceiling.low, high: ceiling.high, source })
}

/// The share where all CPUs' clocks step at the same moments.
fn ceiling_of(
    clock: Clock,
    threads: usize,
    arrival: Arrival,
    recorded: &Recorded,
) -> Option<Estimate> {
    let number =
        |case: &str, metric: &str| estimate::outcome(recorded, case, metric).estimate().cloned();
    let step = number(&walk_case(clock), STEP)?;
    let gap = number(&collide_case(clock, threads, arrival), GAP)?;
    let any = |per_gap: f64| 1.0 - (1.0 - per_gap.min(1.0)).powi(threads as i32 - 1);
    let at = |step: f64, gap: f64| any(step / gap.max(f64::MIN_POSITIVE));
    Some(Estimate {
        value: at(step.value, gap.value),
        low: at(step.low, gap.high),
        high: at(step.high, gap.low),
        basis: gap.basis,
    })
}

/// What to reckon with, wherever the host lets the CPUs run.
fn ceiling(clock: Clock, threads: usize, recorded: &Recorded) -> Option<Finding> {
    let it = ceiling_of(clock, threads, Arrival::Jittered, recorded)?;
    let text = format!(
        "Where the clocks of all CPUs step at the same moments, {threads} threads in jittered \
         loops read {} alike ({}).",
        share(it.value),
        it.interval(Unit::Share)
    );
    let id = format!("clock.{}.collisions.threads_{threads}.ceiling", clock.name());
    Some(Finding::new(id, Unit::Share, Better::Lower, Outcome::Derived(it), text))
}

/// The first finding with the answer as its sentence, and the advice that follows from the IDs.
pub(super) fn headline(
    plan: &Plan,
    recorded: &Recorded,
    collisions: &[Finding],
    ids: &[Finding],
) -> Vec<Finding> {
    let (Some(first), Some(clock)) = (collisions.first(), plan.colliding.first()) else {
        return Vec::new();
    };
    let mut first = first.clone();
    let threads = plan.threads_max();
    if let Some(it) = first.outcome.estimate() {
        let case = collide_case(*clock, threads, Arrival::Jittered);
        let seen = total(recorded, &case, COLLIDED);
        let theirs = by_id(collisions, &id(*clock, threads, Arrival::Tight))
            .and_then(|tight| tight.references.first())
            .map(|it| {
                let value = share(it.value).as_published();
                format!("; {}, {}, in tight loops: {value}", it.machine, it.year)
            });
        first.text = if seen.events > 0 {
            format!(
                "A raw timestamp is no unique ID: of {threads} threads that read {} at once, {} of \
                 the readings ({}) equal one of another thread's{}.",
                clock.shown(),
                share(it.value),
                it.interval(Unit::Share),
                theirs.unwrap_or_default()
            )
        } else {
            format!(
                "Of {} readings by {threads} threads at once none equalled another thread's; that \
                 is no promise ({}).",
                record::grouped(seen.of as f64),
                it.interval(Unit::Share)
            )
        };
    }
    first.advice = advice(plan, ids);
    vec![first]
}

/// The cheapest way to make IDs of which no two were equal, on all CPUs.
fn advice(plan: &Plan, ids: &[Finding]) -> Option<String> {
    let threads = plan.makers().into_iter().filter(|threads| *threads <= plan.cpus).max()?;
    let cost = |name: &str| {
        let id = super::ids::cost_id(name, threads);
        by_id(ids, &id)?.outcome.estimate().map(|it| it.value)
    };
    let never_equal = |name: &str| {
        let equal = by_id(ids, &super::ids::equal_id(name));
        equal.and_then(|it| it.outcome.estimate()).is_some_and(|it| it.value == 0.0)
    };
    let usable = SCHEMES.into_iter().filter(|scheme| never_equal(scheme.name()));
    let costs = usable.filter_map(|scheme| Some((scheme, cost(scheme.name())?)));
    let (best, best_ns) = costs.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let on = if threads == 1 { "one CPU".to_owned() } else { format!("{threads} CPUs at once") };
    let beyond = ["uuid_v4", "uuid_v7"].map(|name| cost(name).map(ns));
    let beyond = match beyond {
        [Some(v4), Some(v7)] => {
            format!(" Beyond one process, a UUIDv4 costs {v4}, a UUIDv7 {v7}.")
        }
        _ => String::new(),
    };
    Some(format!(
        "Within one process, of the ways tried here to make IDs of which no two were equal, the \
         cheapest on {on} is {}: {} each.{beyond}",
        best.shown(),
        ns(best_ns)
    ))
}

pub(super) fn table(plan: &Plan, findings: &[Finding]) -> Table {
    let columns = [
        ("clock", Align::Left),
        ("threads", Align::Right),
        ("loops", Align::Left),
        ("equal", Align::Right),
        ("95 % interval", Align::Right),
        ("by chance", Align::Right),
    ];
    let mut table = Table::new("Readings that equal one of another thread's", &columns);
    for (clock, threads, arrival) in all(plan) {
        let Some(finding) = by_id(findings, &id(clock, threads, arrival)) else { continue };
        let predicted = finding.expected.as_ref();
        let [value, interval] = finding.cells();
        table.rows.push(vec![
            clock.shown().trim_start_matches("CLOCK_").to_owned(),
            threads.to_string(),
            arrival.name().to_owned(),
            value,
            interval,
            predicted.map_or(String::new(), |it| Quantity::range(it.low, it.high, Unit::Share)),
        ]);
    }
    table
}

fn all(plan: &Plan) -> impl Iterator<Item = (Clock, usize, Arrival)> {
    let with_arrival = |clock, threads| ARRIVALS.into_iter().map(move |it| (clock, threads, it));
    plan.colliding.iter().flat_map(move |&clock| {
        plan.threads.iter().flat_map(move |&threads| with_arrival(clock, threads))
    })
}

pub(super) fn figure(plan: &Plan, findings: &[Finding]) -> Option<Figure> {
    let bars = all(plan).flat_map(|(clock, threads, arrival)| {
        let label = match plan.colliding.len() {
            1 => format!("{threads} threads, {}", arrival.name()),
            _ => format!("{}, {threads} threads, {}", clock.name(), arrival.name()),
        };
        by_id(findings, &id(clock, threads, arrival)).map(|it| bars(it, &label)).unwrap_or_default()
    });
    let bars: Vec<Bar> = bars.collect();
    let title = "Readings that equal one of another thread's".to_owned();
    (bars.len() > 1).then_some(Figure::Bars { title, unit: Unit::Share, bars })
}

pub(super) fn caveats(plan: &Plan, findings: &[Finding], recorded: &Recorded) -> Vec<Caveat> {
    let mut caveats: Vec<Caveat> = plan
        .colliding
        .iter()
        .filter_map(|clock| out_of_step(*clock, plan.threads_max(), findings, recorded))
        .collect();
    let mut told = Vec::new();
    for (clock, threads, arrival) in all(plan).filter(|it| it.2 == Arrival::Tight) {
        let Some(finding) = by_id(findings, &id(clock, threads, arrival)) else { continue };
        let (Outcome::Measured(it), Some(expected)) = (&finding.outcome, &finding.expected) else {
            continue;
        };
        if it.high * TOLD_FROM < expected.low || it.low > expected.high * TOLD_FROM {
            let (value, predicted) = (share(it.value), share(expected.high));
            told.push(format!("{threads} threads: {value} where chance alone gives {predicted}"));
        }
    }
    if !told.is_empty() {
        let text = format!(
            "Tight loops of equal length fall into step with each other, and then nearly always or \
             nearly never read the same ({}): take the jittered numbers for a real program.",
            told.join("; ")
        );
        caveats.push(Caveat::new("phase_locked", text));
    }
    caveats
}

/// Where readings of one instant are less often equal than this, it is told.
const COINCIDE_TOLD_BELOW: f64 = 0.5;

/// How what was counted beside the readings was spread over the trials; NaN where it never was.
fn proof_spread(recorded: &Recorded, case: &str, name: &str) -> Summary {
    let seen = recorded.of_case(case).filter_map(|trial| trial.result.as_ref().ok());
    summary(&seen.filter_map(|seen| seen.proof.get(name)).copied().collect::<Vec<_>>())
}

/// Steps of the CPUs' clocks that lay apart hide collisions, and nobody promises that they stay so.
fn out_of_step(
    clock: Clock,
    threads: usize,
    findings: &[Finding],
    recorded: &Recorded,
) -> Option<Caveat> {
    let case = collide_case(clock, threads, Arrival::Jittered);
    let apart = proof_spread(recorded, &case, APART);
    let step = by_id(findings, &format!("clock.{}.step", clock.name()))?.outcome.estimate()?.value;
    let id = format!("clock.{}.collisions.threads_{threads}.ceiling", clock.name());
    let ceiling = by_id(findings, &id)?.outcome.estimate()?.value;
    let coincide = proof_spread(recorded, &case, COINCIDE).p5;
    if coincide.is_nan() || coincide >= COINCIDE_TOLD_BELOW {
        return None;
    }
    let text = format!(
        "The CPUs' clocks do not step at the same moments: the steps of {} lay up to {} apart \
         (9 in 10 rounds), of {} each, which hides collisions. Which cores the threads run on \
         decides that, and on a virtual machine the host does: reckon with up to {}.",
        clock.shown(),
        ns(apart.p95),
        ns(step),
        share(ceiling)
    );
    Some(Caveat::new("out_of_step", text))
}
