//! How long a thread that is due waits for its CPU, by its class and its rivals.

use std::collections::BTreeSet;

use estimate::{proof_of, series, total};
use record::{
    Align, Basis, Better, Caveat, Estimate, Finding, Outcome, Recorded, Refusal, Table, Unit,
};

use super::{
    super::{
        plan::{Plan, wait_case},
        wakeup::{CLASSES, LONGEST, RIVALS, TRIAL_MIN, beyond},
    },
    by_id, ns,
    quantiles::quantile,
    sentence, why,
};

/// The quantiles: the word of the id, a person's word, and the share of waits beyond it.
const QUANTILES: [(&str, &str, f64); 3] =
    [("p50", "Half", 0.5), ("p99", "99 %", 0.01), ("p999", "99.9 %", 0.001)];
pub(super) const P99: &str = "p99";
const MAX: &str = "max";
/// Waits that programs are built around.
const LIMITS: [(&str, f64); 2] = [("1ms", 1e6), ("10ms", 1e7)];

/// `switch.wakeup.p99` on a CPU without rivals; `switch.wakeup.fifo.rivals_4.p99` otherwise.
pub(super) fn id(class: &str, rivals: usize, what: &str) -> String {
    match (class == CLASSES[0].1, rivals) {
        (true, 0) => format!("switch.wakeup.{what}"),
        _ => format!("switch.wakeup.{class}.rivals_{rivals}.{what}"),
    }
}

pub(super) fn findings(plan: &Plan, recorded: &Recorded) -> Vec<Finding> {
    let waits = plan.waits();
    let mut findings: Vec<Finding> =
        waits.iter().flat_map(|(class, rivals)| of_case(class, *rivals, recorded)).collect();
    if waits.len() > 2 {
        findings.extend(LIMITS.map(|limit| rivals_within(limit, &findings)));
    }
    findings
}

/// Long waits come in bursts, of which fewer trials than this may meet none.
const TRIALS_MIN: usize = 50;

/// Whose waits have no number, and why: once for each class; and whether they are few.
pub(super) fn caveats(plan: &Plan, recorded: &Recorded) -> Vec<Caveat> {
    let refused = |(class, rivals): &(&str, usize)| {
        let outcome = estimate::outcome(recorded, &wait_case(class, *rivals), LONGEST);
        match outcome {
            Outcome::Refused(why) => Some(format!("{}: no waits; {why}.", shown(class))),
            _ => None,
        }
    };
    let refused: BTreeSet<String> = plan.waits().iter().filter_map(refused).collect();
    let refused = refused.into_iter().map(|text| Caveat::new("class_refused", text));
    let trials = plan
        .waits()
        .into_iter()
        .map(|(class, rivals)| series(recorded, &wait_case(class, rivals), LONGEST).values().len());
    let few = trials.filter(|trials| *trials > 0).min().filter(|trials| *trials < TRIALS_MIN);
    let few = few.map(|trials| {
        let each = ns(TRIAL_MIN.as_nanos() as f64);
        let text = format!(
            "Each wait rests on {trials} trials of {each}: what delays a thread more rarely than \
             that was not met. Give more --time."
        );
        Caveat::new("few_waits", text)
    });
    refused.chain(few).collect()
}

/// `SCHED_FIFO`, as the kernel's manual has it.
pub(super) fn shown(class: &str) -> String {
    format!("SCHED_{}", class.to_uppercase())
}

fn of_case(class: &str, rivals: usize, recorded: &Recorded) -> Vec<Finding> {
    let case = wait_case(class, rivals);
    let among = match rivals {
        0 => "that has its CPU to itself".to_owned(),
        1 => "beside one that always wants to run".to_owned(),
        many => format!("beside {many} that always want to run"),
    };
    let class_shown = shown(class);
    let quantiles = QUANTILES.map(|(what, whose, share)| {
        let outcome = quantile(recorded, &case, share);
        let name = format!("{whose} of the wakes of a {class_shown} thread {among} come within");
        let id = id(class, rivals, what);
        let text = sentence(&name, &outcome);
        Finding {
            proof: proof_of(recorded, &case),
            tabled: true,
            ..Finding::new(id, Unit::Nanoseconds, Better::Lower, outcome, text)
        }
    });
    quantiles.into_iter().chain([longest(class, rivals, &case, recorded)]).collect()
}

/// The longest of all waits.
fn longest(class: &str, rivals: usize, case: &str, recorded: &Recorded) -> Finding {
    let all = series(recorded, case, LONGEST).values();
    let waits = total(recorded, case, &beyond(0)).of;
    let outcome = match all.iter().copied().reduce(f64::max) {
        Some(value) => {
            let basis = Basis::Extreme { of: u32::try_from(waits).unwrap_or(u32::MAX) };
            Outcome::Measured(Estimate { value, low: value, high: value, basis })
        }
        None => estimate::outcome(recorded, case, LONGEST),
    };
    let text = match outcome.estimate() {
        Some(it) => format!("The longest of {waits} waits: {}.", ns(it.value)),
        None => format!("The longest wait: no number; {}.", why(&outcome)),
    };
    let id = id(class, rivals, MAX);
    Finding { tabled: true, ..Finding::new(id, Unit::Nanoseconds, Better::Lower, outcome, text) }
}

/// How many rivals a thread may have on its CPU before one of a hundred wakes waits longer than
/// this. The ends are where the intervals of the waits cross it.
fn rivals_within((name, limit_ns): (&str, f64), findings: &[Finding]) -> Finding {
    let class = CLASSES[0].1;
    let p99 = |rivals: usize| {
        let found = by_id(findings, &id(class, rivals, P99));
        found.and_then(|finding| finding.outcome.estimate()).cloned()
    };
    let known: Vec<(usize, Estimate)> =
        RIVALS.iter().map_while(|&rivals| Some((rivals, p99(rivals)?))).collect();
    let id = format!("switch.wakeup.rivals_within_{name}");
    let limit = ns(limit_ns).as_published();
    let outcome = fitting(&known, limit_ns, &limit);
    let over = known.iter().find(|(_, it)| it.value > limit_ns);
    let text = match (outcome.estimate(), over) {
        (None, _) => format!("How many rivals keep a wake within {limit}: {}.", why(&outcome)),
        (Some(it), None) => format!(
            "{} 99 % of a thread's wakes still come within {limit}; more were not tried.",
            with(it.value)
        ),
        (Some(it), Some((_, wait))) if wait.low <= limit_ns => format!(
            "{} 99 % of a thread's wakes come within {limit}; whether they do with more can't be \
             told ({}).",
            with(it.value),
            wait.interval(Unit::Nanoseconds)
        ),
        (Some(it), Some((too_many, wait))) => format!(
            "{} 99 % of a thread's wakes come within {limit}; with {too_many} within {} ({}).",
            with(it.value),
            ns(wait.value),
            wait.interval(Unit::Nanoseconds)
        ),
    };
    // Advice rests on what is certain.
    let certain = over.filter(|(_, wait)| wait.low > limit_ns);
    let advice = outcome.estimate().zip(certain).map(|(it, (too_many, _))| {
        let company = match it.value {
            0.0 => "nobody that always wants to run".to_owned(),
            most => format!("no more than {most} that always want to run"),
        };
        format!(
            "A thread that must answer within {limit} shares its CPU with {company}: {too_many} \
             made it wait too long here. Else SCHED_FIFO, or a CPU of its own."
        )
    });
    Finding { advice, ..Finding::new(id, Unit::Count, Better::Higher, outcome, text) }
}

/// `With 2 rivals on its CPU`.
fn with(rivals: f64) -> String {
    match rivals {
        0.0 => "Alone on its CPU".to_owned(),
        1.0 => "With 1 rival on its CPU".to_owned(),
        many => format!("With {many} rivals on its CPU"),
    }
}

/// The most rivals with which all waits up to theirs stay within the limit.
fn fitting(known: &[(usize, Estimate)], limit_ns: f64, limit: &str) -> Outcome {
    let most = |end: fn(&Estimate) -> f64| {
        let fits = known.iter().take_while(|(_, it)| end(it) <= limit_ns);
        fits.last().map(|(rivals, _)| *rivals as f64)
    };
    let Some((_, first)) = known.first() else {
        return Outcome::NotRun { why: "the waits have no number".into() };
    };
    let Some(value) = most(|it| it.value) else {
        let seen = format!("even alone on its CPU a thread waits longer than {limit}");
        return Outcome::Refused(Refusal::EventNotProven { seen });
    };
    Outcome::Derived(Estimate {
        value,
        low: most(|it| it.high).unwrap_or(0.0),
        high: most(|it| it.low).unwrap_or(value),
        basis: first.basis,
    })
}

pub(super) fn table(plan: &Plan, findings: &[Finding]) -> Table {
    let columns = [
        ("class", Align::Left),
        ("rivals", Align::Right),
        ("half within", Align::Right),
        ("99 % within", Align::Right),
        ("95 % interval", Align::Right),
        ("99.9 % within", Align::Right),
        ("longest", Align::Right),
    ];
    let mut table = Table::new("From due to running, by rivals on the CPU", &columns);
    for (class, rivals) in plan.waits() {
        let cells = |what: &str| {
            let found = by_id(findings, &id(class, rivals, what));
            found.map(Finding::cells).unwrap_or_default()
        };
        let [p50, _] = cells(QUANTILES[0].0);
        let [p99, interval] = cells(P99);
        let [p999, _] = cells(QUANTILES[2].0);
        let [longest, _] = cells(MAX);
        table.rows.push(vec![shown(class), rivals.to_string(), p50, p99, interval, p999, longest]);
    }
    table
}
