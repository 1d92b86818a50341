//! From what was recorded to the section: the experiment's own conclusion, and what every
//! experiment owes its reader.

use record::{
    Align, Basis, Better, Estimate, Finding, Outcome, Quantity, Recorded, Refusal, Section,
    Stopped, Table, Unit, percent,
};
use stats::{Comparison, Interval, MARGIN_MIN, derive_seed, noise_floor, ratios, within};

use crate::{CANARY, Context, Experiment, TWIN, canary, caveats, estimate};

/// The last word of the id of what twins could differ by.
const NOISE_FLOOR: &str = "noise_floor";

/// The same case under two labels, compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Twins {
    /// The case.
    pub case: String,
    /// The metric.
    pub metric: String,
    /// The twin against the case, judged with the noise floor of all *other* twins: with its own
    /// it could never be called different.
    pub comparison: Comparison,
}

/// Concludes what was recorded. Pure: a stored record yields the same section again.
pub fn conclude(experiment: &dyn Experiment, context: &Context, recorded: Recorded) -> Section {
    let about = experiment.about();
    let mut conclusion = experiment.conclude(context, &recorded);
    let twins = twins(&recorded);
    let floor = floor_of(&twins);
    conclusion.findings.extend(floor_finding(about.name, &twins, floor));
    conclusion.findings.extend(canary_finding(about.name, &recorded));
    conclusion.tables.push(method_table(&recorded, &twins, floor));
    conclusion.caveats.extend(caveats::of(context, &recorded, &twins, floor));
    Section {
        name: about.name.to_owned(),
        question: about.question.to_owned(),
        workload_version: about.workload_version,
        recorded: Some(recorded),
        conclusion,
    }
}

/// The section of a question that can't be asked on this machine: each finding says why.
pub fn refuse(experiment: &dyn Experiment, context: &Context, refusal: &Refusal) -> Section {
    let nothing = Recorded { stopped: Stopped::Broken, ..context.request.blank() };
    let mut section = conclude(experiment, context, nothing);
    section.recorded = None;
    section.conclusion.tables.clear();
    for finding in &mut section.conclusion.findings {
        finding.outcome = Outcome::Refused(refusal.clone());
        finding.text = format!("{}: no number; {refusal}.", finding.id);
    }
    section
}

/// Whether a finding is the lab's own, about the measuring and not about what was asked.
pub fn is_about_measuring(finding: &Finding) -> bool {
    let own = |name: &str| finding.id.ends_with(&format!(".{name}"));
    own(NOISE_FLOOR) || own(CANARY)
}

/// Every pair of twins, judged.
pub fn twins(recorded: &Recorded) -> Vec<Twins> {
    let mut pairs = Vec::new();
    for (case, twin) in twin_cases(recorded) {
        for metric in estimate::metrics_of(recorded, &case) {
            let ratios = ratios(
                &estimate::series(recorded, &twin, &metric),
                &estimate::series(recorded, &case, &metric),
            );
            let seed = derive_seed(recorded.seed, &format!("{twin}/{metric}"));
            if let Some(ratio) = ratios.median_interval(seed) {
                pairs.push((case.clone(), metric, ratios, ratio, seed));
            }
        }
    }
    let judge = |place: usize| {
        let (case, metric, series, _, seed) = &pairs[place];
        let others =
            pairs.iter().enumerate().filter(|(other, it)| *other != place && it.1 == *metric);
        let others: Vec<Interval> = others.map(|(_, it)| it.3).collect();
        let comparison = within(series, noise_floor(&others).unwrap_or(0.0), *seed)?;
        Some(Twins { case: case.clone(), metric: metric.clone(), comparison })
    };
    (0..pairs.len()).filter_map(judge).collect()
}

/// Cases that ran under two labels, with both.
fn twin_cases(recorded: &Recorded) -> Vec<(String, String)> {
    let mut twins: Vec<_> = recorded
        .trials
        .iter()
        .map(|trial| &trial.case)
        .filter(|case| case.ends_with(TWIN))
        .collect();
    twins.sort();
    twins.dedup();
    let case = |twin: &String| twin.strip_suffix(TWIN).unwrap_or(twin).to_owned();
    twins.into_iter().map(|twin| (case(twin), twin.clone())).collect()
}

/// The noise floor of all twins.
pub(crate) fn floor_of(twins: &[Twins]) -> Option<f64> {
    noise_floor(&twins.iter().map(|pair| pair.comparison.ratio).collect::<Vec<_>>())
}

fn floor_finding(name: &str, twins: &[Twins], floor: Option<f64>) -> Option<Finding> {
    let floor = floor?;
    let basis = Basis::Extreme { of: twins.len() as u32 };
    let estimate = Estimate { value: floor, low: floor, high: floor, basis };
    let text = format!(
        "Noise floor {}: identical cases could differ by that much here; no difference below {} \
         is called one.",
        percent(floor),
        percent(floor.max(MARGIN_MIN))
    );
    let id = format!("{name}.{NOISE_FLOOR}");
    Some(Finding {
        proof: [("twin_pairs".to_owned(), twins.len() as f64)].into(),
        ..Finding::new(id, Unit::Share, Better::Lower, Outcome::Derived(estimate), text)
    })
}

fn canary_finding(name: &str, recorded: &Recorded) -> Option<Finding> {
    let outcome = estimate::outcome(recorded, CANARY, canary::METRIC);
    let text = format!("The machine's own speed: {}.", canary_words(recorded)?);
    let id = format!("{name}.{CANARY}");
    Some(Finding {
        proof: estimate::proof_of(recorded, CANARY),
        ..Finding::new(id, Unit::Nanoseconds, Better::Neither, outcome, text)
    })
}

fn canary_words(recorded: &Recorded) -> Option<String> {
    let outcome = estimate::outcome(recorded, CANARY, canary::METRIC);
    let value = outcome.estimate()?.value;
    let spread = estimate::spread(recorded, CANARY, canary::METRIC);
    Some(format!(
        "{} per step of a fixed loop; 9 in 10 rounds {}",
        Quantity::new(value, Unit::Nanoseconds),
        Quantity::range(spread.p5, spread.p95, Unit::Nanoseconds)
    ))
}

/// `1 start`, `2 starts`.
fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// How the numbers came about, and how quiet it was meanwhile.
fn method_table(recorded: &Recorded, twins: &[Twins], floor: Option<f64>) -> Table {
    let mut table =
        Table::new("How it was measured", &[("what", Align::Left), ("value", Align::Left)]);
    let mut row = |what: &str, value: String| table.rows.push(vec![what.to_owned(), value]);
    let window = Quantity::new(recorded.window_ns as f64, Unit::Nanoseconds);
    row(
        "rounds",
        format!(
            "{} in {}, shuffled; a trial lasts {window} +-20 %",
            recorded.rounds(),
            counted(recorded.starts.len(), "start")
        ),
    );
    row("ended by", ended_by(recorded.stopped).to_owned());
    let ratios: Vec<String> = twins.iter().map(twin_words).collect();
    if !ratios.is_empty() {
        row("twins", format!("{} (1 is ideal)", ratios.join(", ")));
    }
    if let Some(floor) = floor {
        row("noise floor", percent(floor));
    }
    if let Some(canary) = canary_words(recorded) {
        row("canary", canary);
    }
    let foreign = caveats::foreign_cpus(recorded).map(|cpus| format!("{cpus:.2} CPUs"));
    row("other CPU use", foreign.unwrap_or("not known".to_owned()));
    let stolen = caveats::steal_cpus(recorded).map(|cpus| match cpus {
        0.0 => "none reported".to_owned(),
        _ => format!("{cpus:.2} CPUs"),
    });
    row("stolen by the host", stolen.unwrap_or("not known".to_owned()));
    table
}

fn twin_words(pair: &Twins) -> String {
    let ratio = pair.comparison.ratio;
    format!("{} {:.3} [{:.3}, {:.3}]", pair.case, ratio.value, ratio.low, ratio.high)
}

fn ended_by(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::Precise => "every interval was narrow enough",
        Stopped::Budget => "the time given",
        Stopped::Interrupted => "a signal; the finished rounds are kept",
        Stopped::Broken => "nothing but refusals",
    }
}
