//! From a request to a run: one section per question, in order.

use std::time::SystemTime;

use lab::{Context, Experiment, Live, Reexec};
use machine::clock;
use record::{Ended, Machine, Run, SCHEMA, SEED_MAX, Section};
use stats::derive_seed;

use crate::{
    progress::Bar,
    request::{Asked, Request},
    signals::Signals,
    words::WORKER,
};

/// Asks all questions; after a signal, the rounds finished by then are in the run.
pub fn ask(request: &Request, signals: &Signals) -> Run {
    let mut run = empty(request.machine.clone(), request.seed);
    if request.survey {
        run.sections.push(machine::section(&request.machine));
    }
    let time = request.questions.iter().map(|asked| asked.time).sum();
    let mut bar = Bar::new(time, signals);
    for Asked { experiment, time, choices } in &request.questions {
        bar.section(*time);
        let context = Context {
            machine: request.machine.clone(),
            request: lab::Request {
                budget: *time,
                cpus: request.cpus.clone(),
                seed: derive_seed(request.seed, experiment.about().name) & SEED_MAX,
                choices: choices.clone(),
            },
        };
        run.sections.push(section(*experiment, &context, &mut bar));
        if bar.interrupted() {
            run.ended = Ended::Interrupted;
            break;
        }
    }
    run
}

fn section(experiment: &dyn Experiment, context: &Context, bar: &mut Bar) -> Section {
    let launcher = Reexec::of_this_program(&[WORKER]);
    let step_ns = context.machine.clock_step_ns.unwrap_or_else(clock::step_ns);
    let mut instruments = Live::new(step_ns);
    match lab::conduct(experiment, context, &launcher, &mut instruments, bar) {
        Ok(recorded) => lab::conclude(experiment, context, recorded),
        Err(refusal) => lab::refuse(experiment, context, &refusal),
    }
}

/// A run that only says what this machine is.
pub fn describe_only() -> Run {
    let machine = machine::describe();
    let section = machine::section(&machine);
    let mut run = empty(machine, 0);
    run.sections.push(section);
    run
}

/// A run that holds a comparison, and the machines of both sides.
pub fn of_comparison(before: &[Run], after: &[Run], section: Section) -> Run {
    let machines = before.iter().chain(after).filter_map(|run| run.machines.first());
    let mut run = empty(Machine::default(), after.first().map_or(0, |run| run.seed));
    run.machines = machines.cloned().collect();
    run.sections.push(section);
    run
}

/// Whether questions were asked to their end, and none of them yielded a number.
pub fn nothing_measured(run: &Run) -> bool {
    let findings = run.sections.iter().flat_map(|section| &section.conclusion.findings);
    let mut answers = findings.filter(|finding| !lab::is_about_measuring(finding)).peekable();
    run.ended == Ended::Complete
        && answers.peek().is_some()
        && answers.all(|finding| finding.outcome.estimate().is_none())
}

fn empty(machine: Machine, seed: u64) -> Run {
    Run {
        schema: SCHEMA,
        fathom: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        seed,
        ended: Ended::Complete,
        machines: vec![machine],
        sections: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use record::{Better, Conclusion, Finding, Outcome, Refusal, Unit};

    use super::*;

    fn run(findings: &[(&str, bool)]) -> Run {
        let finding = |&(id, measured): &(&str, bool)| {
            let basis = record::Basis::Exact;
            let estimate = record::Estimate { value: 1.0, low: 1.0, high: 1.0, basis };
            let refused = Outcome::Refused(Refusal::Missing { what: "all".into() });
            let outcome = if measured { Outcome::Measured(estimate) } else { refused };
            Finding::new(id, Unit::Nanoseconds, Better::Lower, outcome, "")
        };
        let conclusion = Conclusion {
            findings: findings.iter().map(finding).collect(),
            ..Conclusion::default()
        };
        let section = Section {
            name: "a".into(),
            question: String::new(),
            workload_version: 1,
            recorded: None,
            conclusion,
        };
        Run { sections: vec![section], ..empty(Machine::default(), 1) }
    }

    /// The canary is measured wherever a worker lives, and hid that nothing else was.
    #[test]
    fn a_canary_is_no_answer() {
        assert!(nothing_measured(&run(&[("a.b", false), ("a.canary", true)])));
        assert!(!nothing_measured(&run(&[("a.b", false), ("a.c", true)])));
        assert!(!nothing_measured(&run(&[])), "a description asks nothing");
        let interrupted = Run { ended: Ended::Interrupted, ..run(&[("a.b", false)]) };
        assert!(!nothing_measured(&interrupted));
    }
}
