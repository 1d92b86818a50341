//! The command: words typed, a request, the crates below, words printed.
//!
//! Not here: no measuring and no statistics.
//!
//! Run: `cargo run --release -- --help`

mod ask;
mod choices;
mod compare;
mod failure;
mod output;
mod progress;
mod questions;
mod request;
mod signals;
mod words;

use std::{path::Path, process::ExitCode};

use clap::CommandFactory;

use failure::Failure;
use output::Printed;
use record::Run;
use request::{Request, Wish};
use words::Words;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(failure) => {
            failure.tell();
            failure.code()
        }
    }
}

fn run() -> Result<ExitCode, Failure> {
    signals::survive_file_limit()?;
    let words = match words::typed()? {
        words::Typed::Words(words) => words,
        words::Typed::Worker { experiment, parent } => return serve(&experiment, parent),
        words::Typed::Help(text) => return output::print(&text).map(|_| ExitCode::SUCCESS),
    };
    match request::wish(words)? {
        Wish::Ask(request) => ask(&request),
        Wish::Describe(shown) => {
            let run = ask::describe_only();
            output::save_and_print_now(&run, &shown).map(Printed::code)
        }
        Wish::Report { path, shown } => {
            output::save_and_print_now(&read(&path)?, &shown).map(Printed::code)
        }
        Wish::Compare(comparison) => compare::compare(&comparison),
        Wish::Completions(shell) => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Words::command(), "fathom", &mut text);
            output::print(&String::from_utf8_lossy(&text)).map(|_| ExitCode::SUCCESS)
        }
        Wish::Man(command) => {
            output::print(&words::man_page(command.as_deref())?).map(|_| ExitCode::SUCCESS)
        }
    }
}

/// Asks the questions; what was asked before a signal is kept.
fn ask(request: &Request) -> Result<ExitCode, Failure> {
    let mut places = output::reserve(request)?;
    let signals = signals::watch()?;
    let mut run = ask::ask(request, &signals);
    signals.end_at_the_second();
    let nothing = ask::nothing_measured(&run);
    if let Some(earlier) = places.earlier() {
        if report::has_trials(&run) {
            compare::with_earlier(&mut run, earlier);
        } else {
            failure::say(&format!("nothing was measured, so {} stays as it is", earlier.display()));
            places = output::Places::default();
        }
    }
    let printed = output::save_and_print(&run, &request.shown, places)?;
    Ok(if nothing && printed == Printed::Whole {
        Failure::not_here("no question could be answered here; the reasons are above").told()
    } else {
        printed.code()
    })
}

fn read(path: &Path) -> Result<Run, Failure> {
    record::file::read(path).map_err(|error| Failure::wrong(format!("{}: {error}", path.display())))
}

/// The hidden worker: trials for the command that started it.
fn serve(experiment: &str, parent: u32) -> Result<ExitCode, Failure> {
    let experiment = questions::by_name(experiment)
        .ok_or_else(|| Failure::wrong(format!("no experiment is called {experiment:?}")))?;
    // Ctrl-C reaches the whole process group; the command decides what follows from it.
    let _ignored = signals::watch()?;
    lab::serve(experiment, parent).map_err(|orphaned| Failure::wrong(orphaned.to_string()))?;
    Ok(ExitCode::SUCCESS)
}
