//! The switch itself: between threads and processes, on one CPU and across two.

use estimate::{derived, derived_ratio, total};
use record::{Better, Caveat, Estimate, Finding, Outcome, Part, Quantity, Recorded, Unit, grouped};
use stats::MARGIN_MIN;

use super::{
    super::{
        CALLS,
        channel::Medium,
        partner::Kind,
        pingpong::{PER_TRIP, Placement, SWITCH, TOGETHER},
        plan::{LOOPS, Plan, loop_case, ping_pong_case},
        references,
    },
    Metric, changed, ns, sentence, why,
};

/// The parts of a CPU whose loss is translated into switches a second.
const LOSSES: [(&str, f64); 2] = [("one_percent", 0.01), ("ten_percent", 0.10)];
/// A finding of a ping-pong has all of the words of its case.
pub(super) fn id(case: &str) -> String {
    format!("switch.{case}")
}

pub(super) fn futex(kind: Kind, placement: Placement) -> String {
    ping_pong_case(Medium::Futex, kind, placement)
}

pub(super) fn findings(plan: &Plan, recorded: &Recorded) -> Vec<Finding> {
    let asked = plan.ping_pongs();
    let mut findings: Vec<Finding> = asked
        .iter()
        .map(|&(medium, kind, place)| ping_pong(medium, kind, place, recorded))
        .collect();
    let answer = findings.first().cloned();
    // What can't happen is told last.
    let across = |it: &Finding| it.id.contains("sched_yield") && it.id.ends_with("two_cpus");
    let impossible: Vec<Finding> = findings.extract_if(.., |it| across(it)).collect();
    if plan.across.is_empty() {
        findings.extend(one_cpu());
    }
    findings.extend(answer.iter().flat_map(rates));
    findings.push(process_over_thread(recorded));
    let is_asked = |place| asked.contains(&(Medium::Futex, Kind::Process, place));
    if is_asked(Placement::TwoIdle) {
        findings.push(wake_up(recorded));
    }
    if is_asked(Placement::Free) {
        findings.push(free_over_same(recorded));
    }
    findings.extend(LOOPS.map(|medium| calls(medium, recorded)));
    findings.extend(impossible);
    findings
}

fn ping_pong(medium: Medium, kind: Kind, placement: Placement, recorded: &Recorded) -> Finding {
    let case = ping_pong_case(medium, kind, placement);
    let partners = match kind {
        Kind::Thread => "threads",
        Kind::Process => "processes",
    };
    let place = match (medium, placement) {
        (Medium::SchedYield, Placement::TwoIdle) => "across two CPUs",
        _ => words(placement),
    };
    let name = format!("A switch between {partners}, {place}, by {}", medium.name());
    let cpu_bound = placement == Placement::SameCpu;
    let metric = Metric { id: id(&case), case: case.clone(), metric: SWITCH, cpu_bound, name };
    let mut finding = metric.finding(recorded);
    finding.references = references::of_case(&case);
    if let (Some(it), Some(theirs), true) =
        (finding.outcome.estimate(), finding.references.last(), cpu_bound && kind == Kind::Process)
    {
        finding.text = format!(
            "A context switch between two processes on one CPU: you {} ({}); {}, {}: {}.",
            ns(it.value),
            it.interval(Unit::Nanoseconds),
            theirs.machine,
            theirs.year,
            ns(theirs.value).as_published()
        );
    }
    finding
}

pub(super) fn words(placement: Placement) -> &'static str {
    match placement {
        Placement::SameCpu => "on one CPU",
        Placement::TwoIdle => "across two idle CPUs",
        Placement::TwoAwake => "across two CPUs kept awake",
        Placement::Free => "where the scheduler likes",
    }
}

/// What is not asked on one CPU, so that whoever looks for it finds out why.
fn one_cpu() -> Vec<Finding> {
    let why = "needs two CPUs; there is one".to_owned();
    let not_run = |placement| {
        let id = id(&futex(Kind::Process, placement));
        let outcome = Outcome::NotRun { why: why.clone() };
        let text = sentence(&format!("A switch {}", words(placement)), &outcome);
        Finding::new(id, Unit::Nanoseconds, Better::Lower, outcome, text)
    };
    [Placement::TwoAwake, Placement::TwoIdle].map(not_run).into()
}

/// How many switches a second take this part of a CPU.
fn rates(answer: &Finding) -> Vec<Finding> {
    let rate = |(name, share): (&str, f64)| {
        let outcome = match answer.outcome.estimate() {
            Some(it) => Outcome::Derived(changed(it, true, |cost_ns| share * 1e9 / cost_ns)),
            None => answer.outcome.clone(),
        };
        let percent = Quantity::new(share, Unit::Share).as_published();
        let text = match outcome.estimate() {
            Some(it) => format!(
                "{percent} of one CPU goes into {} switches a second, without what caches lose.",
                grouped(it.value)
            ),
            None => format!("Switches a second: no number; {}.", why(&outcome)),
        };
        let advice = (share < 0.05).then(|| outcome.estimate()).flatten().map(|it| {
            format!(
                "Below {} switches a second per CPU leave them alone (pidstat -wt 1: cswch/s and \
                 nvcswch/s of its threads together). Above, hand over more per wake-up: batch, or \
                 let one thread do both halves of the work.",
                grouped(it.value)
            )
        });
        Finding {
            proof: answer.proof.clone(),
            advice,
            ..Finding::new(
                format!("switch.{name}.rate"),
                Unit::PerSecond,
                Better::Higher,
                outcome,
                text,
            )
        }
    };
    LOSSES.map(rate).into()
}

fn process_over_thread(recorded: &Recorded) -> Finding {
    let case = |kind| futex(kind, Placement::SameCpu);
    let outcome = derived_ratio(recorded, &case(Kind::Process), &case(Kind::Thread), SWITCH);
    let text = match outcome.estimate() {
        Some(it) => format!("{} ({}).", difference(it), ratio_interval(it)),
        None => format!("Processes against threads: no number; {}.", why(&outcome)),
    };
    let id = "switch.process_over_thread";
    Finding::new(id, Unit::Ratio, Better::Neither, outcome, text)
}

fn difference(it: &Estimate) -> String {
    let margin = 1.0 + MARGIN_MIN;
    if it.low >= 1.0 / margin && it.high <= margin {
        "Threads or processes: no difference that matters to the switch itself".to_owned()
    } else if it.low > margin {
        format!("A switch between processes takes {:.2} times as long as between threads", it.value)
    } else if it.high < 1.0 / margin {
        format!(
            "A switch between threads takes {:.2} times as long as between processes",
            1.0 / it.value
        )
    } else {
        format!("Processes and threads can't be told apart here: {:.2} times", it.value)
    }
}

fn ratio_interval(it: &Estimate) -> String {
    it.interval(Unit::Ratio).trim_end_matches('x').to_owned()
}

/// How much of a switch across CPUs is waking one that is idle.
fn wake_up(recorded: &Recorded) -> Finding {
    let idle = futex(Kind::Process, Placement::TwoIdle);
    let awake = futex(Kind::Process, Placement::TwoAwake);
    let outcome = derived(recorded, &[&idle, &awake], SWITCH, |it| it[0] - it[1]);
    let text = match outcome.estimate() {
        Some(it) if it.low > 0.0 => format!(
            "Across two CPUs {} of a switch is waking the idle one ({}).",
            ns(it.value),
            it.interval(Unit::Nanoseconds)
        ),
        Some(it) if it.high < 0.0 => format!(
            "Across two CPUs a switch to an idle one is no dearer: {} less than to one kept awake \
             ({}).",
            ns(-it.value),
            it.interval(Unit::Nanoseconds)
        ),
        Some(it) => format!(
            "What waking an idle CPU adds to a switch across two can't be told from noise ({}).",
            it.interval(Unit::Nanoseconds)
        ),
        None => format!("Waking an idle CPU: no number; {}.", why(&outcome)),
    };
    let id = "switch.wake_up.idle";
    Finding::new(id, Unit::Nanoseconds, Better::Lower, outcome, text)
}

/// To pin or not: what the scheduler's choice costs two sides that only take turns.
fn free_over_same(recorded: &Recorded) -> Finding {
    let (free, same) = (Placement::Free, Placement::SameCpu);
    let (free, same) = (futex(Kind::Process, free), futex(Kind::Process, same));
    let outcome = derived_ratio(recorded, &free, &same, SWITCH);
    let Part { events, of } = total(recorded, &free, TOGETHER);
    let share = Quantity::new(events as f64 / of.max(1) as f64, Unit::Share);
    let (text, advice) = match outcome.estimate() {
        Some(it) if it.low <= 1.0 && it.high >= 1.0 => (
            format!(
                "Left to the scheduler, a switch costs now as much as on one CPU and now as much \
                 as across two: both sides were on one CPU in {share} of the looks."
            ),
            None,
        ),
        Some(it) => (
            format!(
                "Left to the scheduler, a switch takes {:.2} times as long as on one CPU ({}); \
                 both sides were on one CPU in {share} of the looks.",
                it.value,
                ratio_interval(it),
            ),
            (it.low > 1.0 + MARGIN_MIN).then(|| {
                "Pin two sides that only take turns to one CPU (taskset, sched_setaffinity); leave \
                 sides that work at the same time to the scheduler."
                    .to_owned()
            }),
        ),
        None => (format!("The scheduler's choice: no number; {}.", why(&outcome)), None),
    };
    let proof = estimate::proof_of(recorded, &free);
    let id = "switch.free_over_same_cpu";
    Finding { proof, advice, ..Finding::new(id, Unit::Ratio, Better::Lower, outcome, text) }
}

/// What of a turn is there when nothing switches.
fn calls(medium: Medium, recorded: &Recorded) -> Finding {
    let case = loop_case(medium);
    let name = format!("The calls of one turn by {}, where nobody waits", medium.name());
    let id = id(&case);
    Metric { id, case, metric: CALLS, cpu_bound: true, name }.finding(recorded)
}

/// What more than two switches per round trip mean.
pub(super) fn caveats(recorded: &Recorded) -> Vec<Caveat> {
    let case = ping_pong_case(Medium::Socketpair, Kind::Process, Placement::SameCpu);
    let per_trip = estimate::proof_of(recorded, &case).get(PER_TRIP).copied();
    let more = per_trip.filter(|per_trip| *per_trip > 2.1).map(|per_trip| {
        let text = format!(
            "A stream socket takes {per_trip:.1} switches per round trip, not 2: when a byte is \
             read, the kernel wakes its sender too, which has room to write again but waits to \
             read."
        );
        Caveat::new("socketpair_wakes_twice", text)
    });
    more.into_iter().collect()
}
