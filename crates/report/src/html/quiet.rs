//! How quiet it was, as far as the run can tell.

use record::{Finding, Quantity, Run, Start, Unit};

/// By these the lab's own findings are known, whatever the question.
const NOISE_FLOOR: &str = ".noise_floor";
const CANARY: &str = ".canary";

/// How quiet it was, in up to three sentences; none where nothing was timed.
pub(super) fn sentences(run: &Run) -> Vec<String> {
    let recorded = || run.sections.iter().filter_map(|section| section.recorded.as_ref());
    let starts: Vec<&Start> = recorded().flat_map(|recorded| &recorded.starts).collect();
    let mut sentences = Vec::new();
    if !starts.is_empty() {
        let foreign = match used(&starts, |start| start.foreign_cpus) {
            Some(cpus) => format!("Other processes used {cpus:.2} CPUs meanwhile"),
            None => "What other processes used meanwhile is unknown".to_owned(),
        };
        let steal = match used(&starts, |start| start.steal_cpus) {
            Some(cpus) => format!("the host withheld {cpus:.2}"),
            None => "what the host withheld is unknown".to_owned(),
        };
        sentences.push(format!("{foreign}; {steal}."));
    }
    // A comparison has findings of these names too, and was itself not timed.
    let timed = || run.sections.iter().filter(|section| section.recorded.is_some());
    let findings = || timed().flat_map(|section| &section.conclusion.findings);
    let ending = |suffix: &'static str| findings().filter(move |it| it.id.ends_with(suffix));
    let floors = ending(NOISE_FLOOR).filter_map(|it| Some(it.outcome.estimate()?.value));
    if let Some(floor) = floors.reduce(f64::max) {
        let floor = Quantity::new(floor, Unit::Share);
        sentences.push(format!("Identical cases could differ by up to {floor}."));
    }
    sentences.extend(ending(CANARY).next().map(|canary: &Finding| canary.text.clone()));
    sentences
}

/// CPUs used over all starts; the kernel counts in ticks, so only the sum has a meaning.
fn used(starts: &[&Start], cpus: impl Fn(&Start) -> Option<f64>) -> Option<f64> {
    let known = starts.iter().filter_map(|start| Some((cpus(start)?, start.wall_ns as f64)));
    let (used, wall_ns) =
        known.fold((0.0, 0.0), |(used, all), (cpus, ns)| (used + cpus * ns, all + ns));
    (wall_ns > 0.0).then_some((used / wall_ns).max(0.0))
}
