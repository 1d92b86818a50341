//! Why findings deserve less trust here, whatever was measured.

use std::collections::BTreeSet;

use estimate::{CANARY, CANARY_STEP, Twins};
use record::{Caveat, CpuQuota, Hypervisor, Quantity, Recorded, Unit, percent};
use stats::{MARGIN_MAX, MARGIN_MIN, Verdict, drift, two_modes};

use crate::Context;

/// Others' use of this much CPU, of one, is worth a word.
const FOREIGN_CPUS_MAX: f64 = 0.1;
/// A host that withholds this much is felt in the slowest twentieth of the rounds.
const STEAL_CPUS_MAX: f64 = 0.02;

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

/// The kernel counts CPU time in hundredths of a second; over less time than this a single tick
/// would look like somebody.
const ACCOUNTED_NS_MIN: f64 = 0.5e9;

/// The mean use of the CPUs by others than this command over all starts, in CPUs: processes, and
/// the kernel's own work. None where it can't be read, or the time was too short to tell.
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
    (wall >= ACCOUNTED_NS_MIN).then(|| (sum / wall).max(0.0))
}

fn others(recorded: &Recorded) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    if let Some(cpus) = foreign_cpus(recorded).filter(|cpus| *cpus > FOREIGN_CPUS_MAX) {
        let text = format!("Others used {cpus:.2} CPUs meanwhile.");
        caveats.push(Caveat::new("busy", text));
    }
    if let Some(cpus) = steal_cpus(recorded).filter(|cpus| *cpus > STEAL_CPUS_MAX) {
        let text = format!("The host withheld {cpus:.2} CPUs meanwhile (steal).");
        caveats.push(Caveat::new("steal", text));
    }
    caveats
}

/// Two modes per case, and what the canary says of the machine itself.
fn shape(recorded: &Recorded) -> Vec<Caveat> {
    let values = |case: &str, metric: &str| estimate::series(recorded, case, metric).values();
    let mut caveats = Vec::new();
    let speed = values(CANARY, CANARY_STEP);
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
            "Two modes in {}: the median lies in one of them or between.",
            split.join(", ")
        );
        caveats.push(Caveat::new("two_modes", text));
    }
    caveats
}

/// Any refused trial is told, for the case that had most of them; first for those that yielded
/// numbers all the same, because where all trials were refused the finding says so itself.
fn refused(recorded: &Recorded) -> Option<Caveat> {
    let cases: BTreeSet<&str> = recorded.trials.iter().map(|trial| trial.case.as_str()).collect();
    let counted = cases.into_iter().map(|case| (estimate::refused_of(recorded, case), case));
    let any = counted.filter(|((refused, _), _)| *refused > 0);
    let ((refused, all), case) = any.max_by_key(|((refused, all), _)| (refused < all, *refused))?;
    let last = recorded.of_case(case).filter_map(|trial| trial.result.as_ref().err()).last()?;
    let were = if refused == 1 { "was" } else { "were" };
    let text = format!("{refused} of {all} trials of {case} {were} refused; the last: {last}.");
    Some(Caveat::new("refused", text))
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
