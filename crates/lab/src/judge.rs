//! From what was recorded to the section: the experiment's own conclusion, and what every
//! experiment owes its reader.

use estimate::{CANARY, CANARY_STEP, Twins, floor_of, twins};
use record::{
    Align, Basis, Better, Estimate, Finding, Outcome, Quantity, Recorded, Refusal, RestsOn,
    Section, Stopped, Table, Unit, percent,
};
use stats::MARGIN_MIN;

use crate::{Context, Experiment, caveats};

/// The last word of the id of what twins could differ by.
const NOISE_FLOOR: &str = "noise_floor";

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
    let outcome = estimate::outcome(recorded, CANARY, CANARY_STEP);
    let text = format!("The machine's own speed: {}.", canary_words(recorded)?);
    let id = format!("{name}.{CANARY}");
    let rests_on = RestsOn {
        case: CANARY.to_owned(),
        metric: CANARY_STEP.to_owned(),
        // It is what others are divided by, and by nothing else itself.
        cpu_bound: false,
    };
    Some(Finding {
        rests_on: Some(rests_on),
        proof: estimate::proof_of(recorded, CANARY),
        ..Finding::new(id, Unit::Nanoseconds, Better::Neither, outcome, text)
    })
}

fn canary_words(recorded: &Recorded) -> Option<String> {
    let outcome = estimate::outcome(recorded, CANARY, CANARY_STEP);
    let value = outcome.estimate()?.value;
    let spread = estimate::spread(recorded, CANARY, CANARY_STEP);
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
        few if few < 0.005 => "less than 0.01 CPUs".to_owned(),
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
