//! What was typed, as it was typed: no system call is made to understand it.

use std::{path::PathBuf, time::Duration};

use clap::{
    Args, ColorChoice, CommandFactory, Parser, Subcommand, ValueEnum, ValueHint,
    builder::PossibleValuesParser, error::ErrorKind,
};
use clap_complete::Shell;
use record::SEED_MAX;

use crate::failure::Failure;

const EXIT_CODES: &str = "\
Exit codes: 0 done; 1 slower than --fail-if-slower allows; 2 the words were wrong; \
 3 not possible here; 4 failed midway; 130 interrupted.";

/// Measures what your machine really does beneath your program, and says what to do about it.
///
/// Without a question, all quick ones are asked (`survey`), and the answers are kept in
/// fathom-run.json, and as a page to look at and to send around in fathom-report.html.
#[derive(Debug, Parser)]
#[command(name = "fathom", version, color = ColorChoice::Never, after_help = EXIT_CODES)]
pub struct Words {
    #[command(subcommand)]
    pub question: Option<Question>,
    #[command(flatten)]
    pub survey: SurveyWords,
    #[command(flatten)]
    pub measuring: MeasuringWords,
    #[command(flatten)]
    pub shown: ShownWords,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Question {
    /// Ask every quick question; keep the answers in fathom-run.json and fathom-report.html
    Survey {
        #[command(flatten)]
        survey: SurveyWords,
        #[command(flatten)]
        measuring: MeasuringWords,
    },
    /// Whether timestamps collide, and what each clock costs and can tell apart
    Clock {
        #[command(flatten)]
        measuring: MeasuringWords,
        /// Ask of these clocks only (comma-separated), and then of no ways to make an ID; otherwise
        /// of all, and of collisions of CLOCK_REALTIME
        #[arg(long, value_name = "CLOCK", value_delimiter = ',')]
        #[arg(value_parser = PossibleValuesParser::new(measure::clock::CLOCK_NAMES))]
        clock: Vec<String>,
        /// How many threads read at once (comma-separated); otherwise 2, 4, 8 and so on up to all
        /// CPUs
        #[arg(long, value_name = "N", value_delimiter = ',', allow_hyphen_values = true)]
        threads: Vec<String>,
    },
    /// What entering the kernel costs, call by call
    Syscall {
        #[command(flatten)]
        measuring: MeasuringWords,
    },
    /// What a context switch costs, directly and through the caches
    Switch {
        #[command(flatten)]
        measuring: MeasuringWords,
        #[command(flatten)]
        switch: SwitchWords,
    },
    /// What this machine is, as far as it decides what programs measure on it
    Machine,
    /// Print a stored run again
    Report {
        /// The run file, as `--out` or the survey wrote it
        #[arg(value_hint = ValueHint::FilePath)]
        run: PathBuf,
    },
    /// Say what changed between two runs, or between several on each side
    Compare {
        /// The earlier run and the later one; the earlier runs, then -- and the later ones; or one
        /// run with --pair
        #[arg(required = true, value_name = "RUN", value_hint = ValueHint::FilePath)]
        before: Vec<PathBuf>,
        /// The later runs
        #[arg(last = true, value_name = "RUN", value_hint = ValueHint::FilePath)]
        after: Vec<PathBuf>,
        /// End with exit code 1 if anything became slower by more than so many per cent, beyond
        /// its margin [default with no number: 0]
        #[arg(long, value_name = "PERCENT", num_args = 0..=1, require_equals = true)]
        #[arg(default_missing_value = "0", value_parser = percent)]
        fail_if_slower: Option<f64>,
        /// Instead of two sides, hold the second of these findings of one run against the first,
        /// round by round; may be given several times
        #[arg(long, value_name = "FINDING,FINDING", value_parser = pair)]
        pair: Vec<(String, String)>,
    },
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or that of one command
    Man {
        /// The command
        command: Option<String>,
    },
}

/// What of switches is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct SwitchWords {
    /// Ask only what a survey asks: by futex, on one CPU and across two, waiting, and one working
    /// set
    #[arg(long)]
    pub quick: bool,
    /// The working sets of each side, as in 512KiB,8MiB (comma-separated); otherwise 512KiB with
    /// --quick, and from 16KiB to four times the last cache without
    #[arg(long, value_name = "SIZE", value_delimiter = ',', allow_hyphen_values = true)]
    pub working_set: Vec<String>,
    /// The pairs of CPUs to switch across, as in 0-1,2-3 (comma-separated); otherwise all of up to
    /// 16 CPUs, and of more one pair of each kind
    #[arg(long, value_name = "CPU-CPU", value_delimiter = ',', allow_hyphen_values = true)]
    pub pairs: Vec<String>,
}

/// Which questions a survey asks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct SurveyWords {
    /// In a survey, ask only these questions (comma-separated)
    #[arg(long, value_name = "QUESTION", value_delimiter = ',')]
    pub only: Vec<String>,
    /// In a survey, leave these questions out (comma-separated)
    #[arg(long, value_name = "QUESTION", value_delimiter = ',')]
    pub skip: Vec<String>,
}

/// How to measure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct MeasuringWords {
    /// How long to measure, from 100ms to 1h, as in 10s or 1m30s; a survey divides it among its
    /// questions. At least 10 rounds are measured, and the rounds may end early when every
    /// interval is narrow [default: 8s for clock, 5s for syscall, 20s for
    /// switch, 25s for a survey]
    #[arg(long, allow_hyphen_values = true, value_parser = time)]
    pub time: Option<Duration>,
    /// The seed of every shuffle and resampling; the same seed yields the same schedule
    #[arg(long, allow_hyphen_values = true, value_parser = seed)]
    pub seed: Option<u64>,
    /// The CPUs to measure on, as in 0,1 or 0-3; otherwise all that this process may use, of the
    /// fastest kind
    #[arg(long, allow_hyphen_values = true)]
    pub cpus: Option<String>,
}

/// Where the answers go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct ShownWords {
    /// Print the run as JSON, and nothing else
    #[arg(long, global = true)]
    pub json: bool,
    /// Print the run as Markdown, to paste into an issue tracker
    #[arg(long, global = true)]
    pub markdown: bool,
    /// Write the run to this file
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// Write the report to this file: one HTML page with figures, complete without a network
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub html: Option<PathBuf>,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Colour,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl MeasuringWords {
    /// These words, and where they are silent, those.
    pub fn or(self, other: Self) -> Self {
        Self {
            time: self.time.or(other.time),
            seed: self.seed.or(other.seed),
            cpus: self.cpus.or(other.cpus),
        }
    }
}

/// Understood words, or a text that was asked for instead.
#[allow(clippy::large_enum_variant, reason = "there is one of it, for a moment")]
pub enum Typed {
    Words(Words),
    Help(String),
    /// The hidden word: not a question, so neither help nor completions know of it.
    Worker {
        experiment: String,
        parent: u32,
    },
}

/// What the command types to itself to start a worker.
pub const WORKER: &str = "__worker";

/// What was typed.
///
/// # Errors
/// In one line, whatever clap says in several.
pub fn typed() -> Result<Typed, Failure> {
    if std::env::args_os().nth(1).is_some_and(|word| word == WORKER) {
        return worker();
    }
    match Words::try_parse() {
        Ok(words) => Ok(Typed::Words(words)),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                Ok(Typed::Help(error.render().to_string()))
            }
            ErrorKind::InvalidSubcommand => {
                let said = one_line_of(&error.render().to_string());
                let said = said.replace("unrecognized subcommand", "unknown question");
                let known = Words::command();
                let known: Vec<&str> =
                    known.get_subcommands().map(clap::Command::get_name).collect();
                Err(Failure::wrong(format!("{said}; there are {}", known.join(", "))))
            }
            _ => Err(Failure::wrong(one_line_of(&error.render().to_string()))),
        },
    }
}

/// `__worker EXPERIMENT PARENT`.
fn worker() -> Result<Typed, Failure> {
    let words: Vec<String> =
        std::env::args_os().skip(2).map(|word| word.to_string_lossy().into_owned()).collect();
    let wrong =
        || Failure::wrong(format!("{WORKER} EXPERIMENT PARENT is typed by the command alone"));
    let [experiment, parent] = words.as_slice() else { return Err(wrong()) };
    let parent = parent.parse().map_err(|_| wrong())?;
    Ok(Typed::Worker { experiment: experiment.clone(), parent })
}

/// The first paragraph of clap's message, without its first word.
fn one_line_of(message: &str) -> String {
    let lines = message.lines().map(str::trim).take_while(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join(" ");
    line.trim_start_matches("error: ").to_owned()
}

/// The manual page of the whole or of one command, in roff.
///
/// # Errors
/// Where there is no such command.
pub fn man_page(command: Option<&str>) -> Result<String, Failure> {
    let mut whole = Words::command();
    // Hands the global options on to each command.
    whole.build();
    let described = match command {
        None => whole,
        Some(name) => {
            let found = whole.find_subcommand(name).cloned();
            let found = found.ok_or_else(|| Failure::wrong(format!("no command '{name}'")))?;
            found.name(format!("fathom-{name}")).bin_name(format!("fathom {name}"))
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(described)
        .render(&mut page)
        .map_err(|error| Failure::midway(format!("the manual page: {error}")))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

fn percent(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|percent| (0.0..=1e6).contains(percent))
        .ok_or_else(|| "give a number of per cent, as in --fail-if-slower=5".to_owned())
}

fn pair(text: &str) -> Result<(String, String), String> {
    let right = "give two findings, as in --pair syscall.gettid.cost,syscall.getppid.cost";
    match text.split(',').map(str::trim).collect::<Vec<_>>()[..] {
        [one, other] if one.is_empty() || other.is_empty() => Err(right.to_owned()),
        [one, other] if one == other => Err(format!("both are {one}; {right}")),
        [one, other] => Ok((one.into(), other.into())),
        _ => Err(right.to_owned()),
    }
}

const TIME_MIN: Duration = Duration::from_millis(100);
const TIME_MAX: Duration = Duration::from_secs(3600);

fn time(text: &str) -> Result<Duration, String> {
    let right = "give 100ms to 1h, as in 10s or 1m30s";
    let time = humantime::parse_duration(text).map_err(|_| right.to_owned())?;
    if (TIME_MIN..=TIME_MAX).contains(&time) { Ok(time) } else { Err(right.to_owned()) }
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .ok()
        .filter(|seed| *seed <= SEED_MAX)
        .ok_or_else(|| format!("give a whole number from 0 to {SEED_MAX}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_hold() {
        Words::command().debug_assert();
    }

    #[test]
    fn every_experiment_has_its_command_with_the_same_help() {
        for experiment in crate::questions::ALL {
            let about = experiment.about();
            let command = Words::command();
            let found = command.find_subcommand(about.name).expect(about.name);
            assert_eq!(found.get_about().map(ToString::to_string).as_deref(), Some(about.help));
        }
    }

    #[test]
    fn times_and_seeds_are_bounded() {
        for (text, right) in [("10s", true), ("1m30s", true), ("100ms", true), ("1h", true)] {
            assert_eq!(time(text).is_ok(), right, "{text}");
        }
        for text in ["0s", "-5s", "10", "1day", "99ms", "soon", "", "18446744073709551616s"] {
            assert!(time(text).is_err_and(|error| error.contains("100ms to 1h")), "{text}");
        }
        assert_eq!(seed("9007199254740991"), Ok(SEED_MAX));
        for text in ["-1", "9007199254740992", "x", "1.5", ""] {
            assert!(seed(text).is_err(), "{text}");
        }
    }
}
