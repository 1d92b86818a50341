//! From a request to a run: one section per question, in order.

use std::{sync::atomic::AtomicBool, time::SystemTime};

use lab::{Context, Experiment, Live, Reexec};
use machine::clock;
use record::{Caveat, Ended, Machine, Outcome, Recorded, Run, SCHEMA, Section, Stopped};
use stats::derive_seed;

use crate::{progress::Bar, request::Request, words::WORKER};

/// Asks all questions; after a signal, the rounds finished by then are in the run.
pub fn ask(request: &Request, interrupted: &AtomicBool) -> Run {
    let mut run = empty(request.machine.clone(), request.seed);
    if request.survey {
        run.sections.push(machine::section(&request.machine));
    }
    let time = request.questions.iter().map(|(_, time)| *time).sum();
    let mut bar = Bar::new(time, interrupted);
    for (experiment, time) in &request.questions {
        bar.section(*time);
        let context = Context {
            machine: request.machine.clone(),
            request: lab::Request {
                budget: *time,
                cpus: request.cpus.clone(),
                seed: derive_seed(request.seed, experiment.about().name) & SEED_BITS,
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

/// A section's seed is written as JSON too; see the bound of `--seed`.
const SEED_BITS: u64 = (1 << 53) - 1;

fn section(experiment: &dyn Experiment, context: &Context, bar: &mut Bar) -> Section {
    let launcher = Reexec::of_this_program(&[WORKER]);
    let step_ns = context.machine.clock_step_ns.unwrap_or_else(clock::step_ns);
    let mut instruments = Live::new(step_ns);
    match lab::conduct(experiment, context, &launcher, &mut instruments, bar) {
        Ok(recorded) => lab::conclude(experiment, context, recorded),
        Err(refusal) => {
            let nothing = Recorded { stopped: Stopped::Broken, ..context.request.blank() };
            let mut section = lab::conclude(experiment, context, nothing);
            let caveat = Caveat::new("not_possible", format!("Not possible here: {refusal}."));
            section.conclusion.caveats.insert(0, caveat);
            section
        }
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

/// Whether questions were asked to their end, and none of them yielded a number.
pub fn nothing_measured(run: &Run) -> bool {
    let mut findings = run.sections.iter().flat_map(|section| &section.conclusion.findings);
    let refused = |outcome: &Outcome| matches!(outcome, Outcome::Refused(_));
    run.ended == Ended::Complete
        && findings.clone().any(|finding| refused(&finding.outcome))
        && !findings.any(|finding| matches!(finding.outcome, Outcome::Measured(_)))
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
