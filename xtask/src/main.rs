//! Fathom's chores: its style as a test, and the licences of what it is built from.
//!
//! Each chore is one module and one sub-command, so that a rule is run the same way by a person and
//! by CI. Exit codes: 0 nothing to complain about; 1 complaints, one per line; 2 the chore itself
//! could not be done.
//!
//! Not here: nothing that a user of Fathom ever runs, and no rule that `cargo fmt` or clippy knows.
//!
//! Run: `cargo xtask tidy`

mod bench;
mod checkout;
mod licences;
mod tidy;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

/// Chores of the Fathom checkout.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Words {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Check the style of every file that git would commit.
    Tidy {
        /// The folder to check [default: this checkout]
        path: Option<PathBuf>,
    },
    /// Hold Fathom's numbers against other tools, and against themselves.
    Bench {
        /// Which bench
        #[command(subcommand)]
        bench: bench::Bench,
    },
    /// Check where every third-party package comes from and that its licence is an allowed one.
    Licences,
}

/// What a chore has to say, and whether that is a complaint.
struct Outcome {
    text: String,
    clean: bool,
}

fn main() -> ExitCode {
    match run(Words::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(words: Words) -> Result<bool> {
    let root = checkout::root()?;
    let outcome = match words.chore {
        Chore::Tidy { path } => tidy::run(&path.unwrap_or(root))?,
        Chore::Bench { bench } => bench::run(&bench, &root)?,
        Chore::Licences => licences::run(&root)?,
    };
    let written = std::io::stdout().write_all(outcome.text.as_bytes());
    written.context("cannot write to stdout")?;
    Ok(outcome.clean)
}

#[test]
fn the_words_are_well_formed() {
    use clap::CommandFactory;
    Words::command().debug_assert();
}
