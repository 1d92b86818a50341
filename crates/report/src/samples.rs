//! A run made up for the tests of the renderers.

use record::{
    Align, Bar, Basis, Better, Caveat, Conclusion, Ended, Estimate, Figure, Finding, Histogram,
    Hypervisor, Machine, Outcome, Refusal, Run, SCHEMA, Section, Table, Unit,
};

pub(crate) fn finding(id: &str, outcome: Outcome, text: &str) -> Finding {
    Finding::new(id, Unit::Nanoseconds, Better::Lower, outcome, text)
}

pub(crate) fn section() -> Section {
    let basis = Basis::Rounds { rounds: 140, starts: 5 };
    let estimate = Estimate { value: 193.0, low: 190.0, high: 197.0, basis };
    let mut table =
        Table::new("Cost of one call", &[("call", Align::Left), ("median", Align::Right)]);
    table.rows =
        vec![vec!["getppid".into(), "193 ns".into()], vec!["read".into(), "240 ns".into()]];
    let mut rate =
        finding("a.rate", Outcome::Derived(estimate.clone()), "1 % of one CPU is 51,800 calls.");
    rate.advice = Some("Above that, do more per call: larger buffers, readv and writev.".into());
    let refused = Outcome::Refused(Refusal::TimedOut { waited_ms: 2000 });
    let bar = |label: &str, value, reference| Bar {
        label: label.into(),
        value,
        low: if reference { value } else { value - 3.0 },
        high: if reference { value } else { value + 4.0 },
        reference,
    };
    Section {
        name: "syscall".into(),
        question: "What does entering the kernel cost?".into(),
        workload_version: 1,
        recorded: None,
        conclusion: Conclusion {
            findings: vec![
                finding("a.b", Outcome::Measured(estimate), "A call costs 193 ns."),
                rate,
                finding("a.c", refused, "write: no number; no answer within 2000 ms."),
            ],
            tables: vec![table],
            figures: vec![
                Figure::Bars {
                    title: "Here and elsewhere".into(),
                    unit: Unit::Nanoseconds,
                    bars: vec![bar("this machine", 193.0, false), bar("Xeon, 2013", 67.0, true)],
                },
                Figure::Distribution {
                    title: "Round by round".into(),
                    unit: Unit::Nanoseconds,
                    histogram: Histogram {
                        low: 180.0,
                        high: 260.0,
                        counts: vec![1, 4, 12, 30, 14, 6, 2, 0, 0, 1, 5, 9, 4, 1],
                        below: 0,
                        above: 2,
                    },
                },
            ],
            caveats: vec![Caveat::new(
                "virtualised",
                "Virtualised (KVM): the host can slow, stop or move this machine unseen.",
            )],
        },
    }
}

/// A run that says a little of everything.
pub(crate) fn run() -> Run {
    Run {
        schema: SCHEMA,
        fathom: "0.1.0".into(),
        started_at: "2026-11-20T18:00:00Z".into(),
        seed: 42,
        ended: Ended::Interrupted,
        machines: vec![Machine {
            cpu_model: Some("AMD EPYC".into()),
            kernel: Some("6.18.44".into()),
            hypervisor: Some(Hypervisor::Named("KVM".into())),
            ..Machine::default()
        }],
        sections: vec![section()],
    }
}
