//! Why findings deserve less trust here, whatever was measured.

use std::collections::BTreeSet;

use record::{Caveat, CpuQuota, Hypervisor, Quantity, Recorded, Unit, percent};
use stats::{MARGIN_MAX, MARGIN_MIN, Verdict, drift, two_modes};

use crate::{CANARY, Context, Twins, canary, estimate};

/// Others' use of this much CPU, of one, is worth a word.
const FOREIGN_CPUS_MAX: f64 = 0.1;
/// A host that withholds this much is felt in the slowest twentieth of the rounds.
const STEAL_CPUS_MAX: f64 = 0.02;
/// Fewer refused trials than this are told in the proof only.
const REFUSED_SHARE_MIN: f64 = 0.02;

/// What the record and the machine give reason to doubt.
pub(crate) fn of(
    context: &Context,
    recorded: &Recorded,
    twins: &[Twins],
    floor: Option<f64>,
) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    caveats.extend(noise(twins, floor));
    caveats.extend(others(recorded));
    caveats.extend(shape(recorded));
    caveats.extend(refused(recorded));
    caveats.extend(surroundings(context));
    caveats
}

fn noise(twins: &[Twins], floor: Option<f64>) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    let differs =
        |pair: &&Twins| matches!(pair.comparison.verdict, Verdict::Higher | Verdict::Lower);
    if let Some(pair) = twins.iter().find(differs) {
        let text = format!(
            "Two runs of the same case ({}) came out {:.3} times apart, beyond their margin of {}: \
             don't trust small differences in this section.",
            pair.case,
            pair.comparison.ratio.value,
            percent(pair.comparison.margin)
        );
        caveats.push(Caveat::new("twins_differ", text));
    }
    if let Some(floor) = floor.filter(|floor| *floor > MARGIN_MIN) {
        let advice = if floor > MARGIN_MAX { "use a quieter machine" } else { "give more --time" };
        let text = format!(
            "Noisy: differences below {} between cases mean nothing here; {advice}.",
            percent(floor)
        );
        caveats.push(Caveat::new("noisy", text));
    }
    caveats
}

/// The mean CPU use of other processes over all starts, in CPUs.
pub(crate) fn foreign_cpus(recorded: &Recorded) -> Option<f64> {
    weighted(recorded, |start| start.foreign_cpus)
}

/// The mean CPU time that the host withheld over all starts, in CPUs.
pub(crate) fn steal_cpus(recorded: &Recorded) -> Option<f64> {
    weighted(recorded, |start| start.steal_cpus)
}

fn weighted(recorded: &Recorded, of: impl Fn(&record::Start) -> Option<f64>) -> Option<f64> {
    let (mut sum, mut wall) = (0.0, 0.0);
    for start in &recorded.starts {
        sum += of(start)? * start.wall_ns as f64;
        wall += start.wall_ns as f64;
    }
    (wall > 0.0).then(|| sum / wall)
}

fn others(recorded: &Recorded) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    if let Some(cpus) = foreign_cpus(recorded).filter(|cpus| *cpus > FOREIGN_CPUS_MAX) {
        let text = format!("Other processes used {cpus:.2} CPUs meanwhile.");
        caveats.push(Caveat::new("busy", text));
    }
    if let Some(cpus) = steal_cpus(recorded).filter(|cpus| *cpus > STEAL_CPUS_MAX) {
        let text = format!("The host withheld {cpus:.2} CPUs meanwhile (steal).");
        caveats.push(Caveat::new("steal", text));
    }
    caveats
}

/// Two modes and drift, per case; the canary tells whether it is the machine or the case.
fn shape(recorded: &Recorded) -> Vec<Caveat> {
    let values = |case: &str, metric: &str| estimate::series(recorded, case, metric).values();
    let mut caveats = Vec::new();
    let speed = values(CANARY, canary::METRIC);
    if let Some(change) = drift(&speed) {
        let text =
            format!("The machine's own speed drifted by {} meanwhile.", percent(change.abs()));
        caveats.push(Caveat::new("drifting", text));
    }
    if let Some(modes) = two_modes(&speed) {
        let text = format!(
            "The machine has two speeds: {} per canary step, and {} in {} of the rounds.",
            Quantity::new(modes.lower, Unit::Nanoseconds),
            Quantity::new(modes.upper, Unit::Nanoseconds),
            percent(modes.upper_share)
        );
        caveats.push(Caveat::new("two_speeds", text));
    }
    let cases: BTreeSet<&str> = recorded.trials.iter().map(|trial| trial.case.as_str()).collect();
    let split = |case: &&&str| {
        let metrics = estimate::metrics_of(recorded, case);
        metrics.iter().any(|metric| two_modes(&values(case, metric)).is_some())
    };
    let split: Vec<&str> =
        cases.iter().filter(|case| **case != CANARY).filter(split).copied().collect();
    if !split.is_empty() {
        let text = format!(
            "Two modes in {}: the median lies in one of them or between; see what 9 in 10 rounds \
             span.",
            split.join(", ")
        );
        caveats.push(Caveat::new("two_modes", text));
    }
    caveats
}

fn refused(recorded: &Recorded) -> Vec<Caveat> {
    let all = recorded.trials.len();
    let refused = recorded.trials.iter().filter(|trial| trial.result.is_err()).count();
    let share = refused as f64 / all.max(1) as f64;
    let last = recorded.trials.iter().rev().find_map(|trial| {
        trial.result.as_ref().err().map(|refusal| format!("{}: {refusal}", trial.case))
    });
    let told = last.filter(|_| share >= REFUSED_SHARE_MIN || refused == 1);
    told.map(|last| {
        Caveat::new("refused", format!("{refused} of {all} trials were refused; the last, {last}."))
    })
    .into_iter()
    .collect()
}

fn surroundings(context: &Context) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    if let Some(Hypervisor::Named(name)) = &context.machine.hypervisor {
        let text = format!(
            "Virtualised ({name}): the host can slow, stop or move this machine unseen; on the \
             hardware itself numbers may differ."
        );
        caveats.push(Caveat::new("virtualised", text));
    }
    if let Some(CpuQuota::Cpus(cpus)) = context.machine.cpu_quota {
        let text = format!(
            "The control group grants {cpus:.2} CPUs: beyond that, everything here is stopped \
             until the next period."
        );
        caveats.push(Caveat::new("cpu_quota", text));
    }
    caveats
}
