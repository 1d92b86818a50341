//! From the trials to findings, tables and figures.

use estimate::{derived_ratio, outcome, proof_of, series, spread};
use lab::Context;
use record::{
    Align, Bar, Better, Conclusion, Estimate, Figure, Finding, Histogram, Outcome, Quantity,
    Recorded, Reference, RestsOn, Table, Unit, grouped,
};
use stats::{histogram, quantile};

use super::{
    COST,
    calls::{CALLS, Call},
    caveats, references,
};

/// Bins of the picture of how the rounds fell; a terminal's line holds as many.
const BINS: usize = 48;
/// Above this many calls a second, this part of a CPU is gone.
const CPU_SHARE: f64 = 0.01;

pub(super) fn conclude(context: &Context, recorded: &Recorded) -> Conclusion {
    let mut findings: Vec<Finding> = CALLS.iter().map(|call| cost(*call, recorded)).collect();
    let bare = findings[0].clone();
    findings.insert(1, rate(&bare));
    findings.push(speedup(recorded));
    Conclusion {
        tables: vec![table(&findings, recorded)],
        figures: figures(&bare, recorded),
        caveats: caveats::of(&context.machine, was_traced(recorded)),
        findings,
    }
}

/// Whether a worker had a tracer in any trial: one may come and go.
fn was_traced(recorded: &Recorded) -> bool {
    let seen = recorded.trials.iter().filter_map(|trial| trial.result.as_ref().ok());
    seen.into_iter().any(|seen| seen.proof.get("traced") == Some(&1.0))
}

fn ns(value: f64) -> Quantity {
    Quantity::new(value, Unit::Nanoseconds)
}

fn interval(estimate: &Estimate) -> String {
    estimate.interval(Unit::Nanoseconds)
}

/// What one call costs, gross: the loop around it is a finding of its own.
fn cost(call: Call, recorded: &Recorded) -> Finding {
    let outcome = outcome(recorded, call.id(), COST);
    let references = references::of_case(call.id());
    let text = match (&outcome, call) {
        (Outcome::Measured(it), Call::Gettid) => headline(it, references.last()),
        (Outcome::Measured(it), Call::Loop) => format!(
            "Each number holds {} of the loop around the call ({}).",
            ns(it.value),
            interval(it)
        ),
        (Outcome::Measured(it), _) => {
            format!("{}: {} ({}).", call.shown(), ns(it.value), interval(it))
        }
        (other, _) => format!("{}: no number; {}.", call.shown(), why(other)),
    };
    let id = format!("syscall.{}.cost", call.id());
    // Even the kernel's part is CPU work: nothing here waits.
    let rests_on = RestsOn { case: call.id().to_owned(), metric: COST.to_owned(), cpu_bound: true };
    Finding {
        rests_on: Some(rests_on),
        references,
        proof: proof_of(recorded, call.id()),
        ..Finding::new(id, Unit::Nanoseconds, Better::Lower, outcome, text)
    }
}

/// The cheapest way in and out, beside the newest reference.
fn headline(it: &Estimate, reference: Option<&Reference>) -> String {
    let theirs = reference.map(|reference| {
        let (machine, year) = (&reference.machine, reference.year);
        format!("; {machine}, {year}: {}", ns(reference.value).as_published())
    });
    format!(
        "A system call that does next to nothing (gettid): you {} ({}){}.",
        ns(it.value),
        interval(it),
        theirs.unwrap_or_default()
    )
}

/// How many calls a second take one hundredth of a CPU.
fn rate(bare: &Finding) -> Finding {
    let per_second = |cost_ns: f64| CPU_SHARE * 1e9 / cost_ns;
    let outcome = match bare.outcome.estimate() {
        Some(it) => Outcome::Derived(Estimate {
            value: per_second(it.value),
            low: per_second(it.high),
            high: per_second(it.low),
            basis: it.basis,
        }),
        None => bare.outcome.clone(),
    };
    let (text, advice) = match outcome.estimate() {
        Some(it) => (
            format!(
                "1 % of one CPU goes into entering the kernel at {} calls a second.",
                grouped(it.value)
            ),
            Some(format!(
                "Below {} calls a second on a thread, leave it alone. Far above, do more per call: \
                 larger buffers, readv and writev, sendmmsg, io_uring.",
                grouped(it.value)
            )),
        ),
        None => (format!("Calls a second: no number; {}.", why(&outcome)), None),
    };
    let id = "syscall.one_percent.rate";
    Finding {
        proof: bare.proof.clone(),
        advice,
        ..Finding::new(id, Unit::PerSecond, Better::Higher, outcome, text)
    }
}

/// How much faster the clock is without the kernel.
fn speedup(recorded: &Recorded) -> Finding {
    let (kernel, vdso) = (Call::ClockKernel.id(), Call::ClockVdso.id());
    let outcome = derived_ratio(recorded, kernel, vdso, COST);
    let (text, advice) = match outcome.estimate() {
        Some(it) => (
            format!(
                "The vDSO reads the clock {:.1} times as fast as the kernel does ({}).",
                it.value,
                it.interval(Unit::Ratio).trim_end_matches('x')
            ),
            Some(
                "Read clocks through the C library, never by a raw system call; under a clock \
                 source that the vDSO can't read, each reading enters the kernel."
                    .to_owned(),
            ),
        ),
        None => (format!("The clock by the vDSO: no number; {}.", why(&outcome)), None),
    };
    let id = "syscall.clock_gettime.vdso_speedup";
    Finding {
        proof: proof_of(recorded, vdso),
        advice,
        ..Finding::new(id, Unit::Ratio, Better::Higher, outcome, text)
    }
}

fn why(outcome: &Outcome) -> String {
    outcome.why().unwrap_or_default()
}

fn table(findings: &[Finding], recorded: &Recorded) -> Table {
    let columns = [
        ("call", Align::Left),
        ("median", Align::Right),
        ("95 % interval", Align::Right),
        ("9 in 10 rounds", Align::Right),
    ];
    let mut table = Table::new("Cost of one call", &columns);
    for call in CALLS {
        let id = format!("syscall.{}.cost", call.id());
        let Some(finding) = findings.iter().find(|finding| finding.id == id) else { continue };
        let [value, interval] = finding.cells();
        let nine = finding.outcome.estimate().map(|_| {
            let spread = spread(recorded, call.id(), COST);
            Quantity::range(spread.p5, spread.p95, Unit::Nanoseconds).to_string()
        });
        let rest = [value, interval, nine.unwrap_or_default()];
        table.rows.push([call.shown().to_owned()].into_iter().chain(rest).collect());
    }
    table
}

fn figures(bare: &Finding, recorded: &Recorded) -> Vec<Figure> {
    let Some(it) = bare.outcome.estimate() else { return Vec::new() };
    let theirs = bare.references.iter().map(|reference| {
        Bar::published(format!("{}, {}", reference.machine, reference.year), reference)
    });
    let mut values = series(recorded, Call::Gettid.id(), COST).values();
    values.sort_by(f64::total_cmp);
    // The slowest hundredth would squeeze all others into one bin; it is counted as above.
    let (low, high) = (quantile(&values, 0.0), quantile(&values, 0.99));
    let (counts, below, above) = histogram(&values, low, high, BINS);
    vec![
        Figure::Bars {
            title: "gettid, here and elsewhere".into(),
            unit: Unit::Nanoseconds,
            bars: [Bar::measured("this machine", it)].into_iter().chain(theirs).collect(),
        },
        Figure::Distribution {
            title: "gettid, round by round".into(),
            unit: Unit::Nanoseconds,
            histogram: Histogram { low, high, counts, below, above },
        },
    ]
}
