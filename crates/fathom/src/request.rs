//! What is needed, from what was typed: checked against this machine, before anything is measured.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher, Hasher, RandomState},
    io::IsTerminal,
    os::unix::fs::MetadataExt,
    path::PathBuf,
    time::Duration,
};

use clap_complete::Shell;
use lab::Experiment;
use record::{Choices, Machine};
use report::Look;

use crate::{
    choices,
    failure::Failure,
    questions,
    words::{Colour, MeasuringWords, Question, ShownWords, SurveyWords, Words},
};

/// What the command is to do.
pub enum Wish {
    Ask(Box<Request>),
    Describe(Shown),
    Report { path: PathBuf, shown: Shown },
    Compare(Comparison),
    Completions(Shell),
    Man(Option<String>),
}

/// What is to be compared.
pub struct Comparison {
    pub what: Compared,
    /// Above this share of slowdown the exit code says so.
    pub slower_max: Option<f64>,
    pub shown: Shown,
}

/// Runs of two sides, or findings of one run.
pub enum Compared {
    Sides { before: Vec<PathBuf>, after: Vec<PathBuf> },
    Pairs { run: PathBuf, pairs: Vec<(String, String)> },
}

/// Questions to be asked.
pub struct Request {
    /// The questions, in order.
    pub questions: Vec<Asked>,
    /// Whether this is a survey, which keeps its run and describes the machine.
    pub survey: bool,
    pub machine: Machine,
    pub cpus: Vec<usize>,
    pub seed: u64,
    pub shown: Shown,
}

/// A question that is asked.
pub struct Asked {
    pub experiment: &'static dyn Experiment,
    /// How long it may take.
    pub time: Duration,
    /// What was chosen of what it lets one choose.
    pub choices: Choices,
}

/// Where the answers go.
pub struct Shown {
    pub json: bool,
    pub markdown: bool,
    pub out: Option<PathBuf>,
    pub html: Option<PathBuf>,
    pub look: Look,
}

/// What is wished for.
///
/// # Errors
/// Where the words contradict each other or this machine.
pub fn wish(words: Words) -> Result<Wish, Failure> {
    let Words { question, survey, measuring, shown } = words;
    let unused =
        question.as_ref().and_then(|question| unused(question, &survey, &measuring, &shown));
    if let Some(unused) = unused {
        return Err(Failure::wrong(unused));
    }
    if shown.json && shown.markdown {
        return Err(Failure::wrong("--json and --markdown are two ways to print; choose one"));
    }
    let shown = look(shown);
    Ok(match question {
        None => Wish::Ask(Box::new(survey_request(survey, measuring, shown)?)),
        Some(Question::Survey { survey: more, measuring: closer }) => {
            let survey = SurveyWords {
                only: [survey.only, more.only].concat(),
                skip: [survey.skip, more.skip].concat(),
            };
            Wish::Ask(Box::new(survey_request(survey, closer.or(measuring), shown)?))
        }
        Some(Question::Clock { measuring: closer, clock, threads }) => {
            let choose = |cpus: &[usize]| choices::of_clock(clock, &threads, cpus.len());
            Wish::Ask(Box::new(single("clock", closer.or(measuring), shown, choose)?))
        }
        Some(Question::Syscall { measuring: closer }) => {
            let choose = |_: &[usize]| Ok(Choices::new());
            Wish::Ask(Box::new(single("syscall", closer.or(measuring), shown, choose)?))
        }
        Some(Question::Switch { measuring: closer, switch }) => {
            let choose = |cpus: &[usize]| choices::of_switch(&switch, cpus);
            Wish::Ask(Box::new(single("switch", closer.or(measuring), shown, choose)?))
        }
        Some(Question::Machine) => Wish::Describe(shown),
        Some(Question::Report { run }) => {
            spared("--html", shown.html.as_ref(), [&run])?;
            Wish::Report { path: run, shown }
        }
        Some(Question::Compare { before, after, fail_if_slower, pair }) => {
            let slower_max = fail_if_slower.map(|percent| percent / 100.0);
            let what =
                if pair.is_empty() { sides(before, after) } else { pairs(before, after, pair) };
            let what = what?;
            let runs: Vec<&PathBuf> = match &what {
                Compared::Sides { before, after } => before.iter().chain(after).collect(),
                Compared::Pairs { run, .. } => vec![run],
            };
            for (option, file) in [("--html", &shown.html), ("--out", &shown.out)] {
                spared(option, file.as_ref(), runs.iter().copied())?;
            }
            Wish::Compare(Comparison { what, slower_max, shown })
        }
        Some(Question::Completions { shell }) => Wish::Completions(shell),
        Some(Question::Man { command }) => Wish::Man(command),
    })
}

/// What is written must not take the place of a run that it is made from.
fn spared<'a>(
    option: &str,
    written: Option<&PathBuf>,
    runs: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), Failure> {
    let identity = |path: &PathBuf| {
        std::fs::metadata(path).ok().filter(|it| it.is_file()).map(|it| (it.dev(), it.ino()))
    };
    let place = written.and_then(identity);
    match runs.into_iter().find(|run| place.is_some() && identity(run) == place) {
        Some(run) => {
            let run = run.display();
            Err(Failure::wrong(format!("{option} {run}: it would take the run's place")))
        }
        None => Ok(()),
    }
}

/// Two runs, or several on each side of `--`; the same file twice would only prove itself, under
/// whatever name.
fn sides(mut before: Vec<PathBuf>, mut after: Vec<PathBuf>) -> Result<Compared, Failure> {
    if after.is_empty() {
        if before.len() != 2 {
            let wrong = "compare takes two runs; several on each side: A... -- B...; or one run \
                         with --pair (and a percentage as in --fail-if-slower=5)";
            return Err(Failure::wrong(wrong));
        }
        after = before.split_off(1);
    }
    let mut seen = BTreeSet::new();
    for path in before.iter().chain(&after) {
        // What can't be found can't be read either, and is told then.
        let file = std::fs::metadata(path).map(|file| (file.dev(), file.ino()));
        if file.is_ok_and(|file| !seen.insert(file)) {
            return Err(Failure::wrong(format!("{}: named twice", path.display())));
        }
    }
    Ok(Compared::Sides { before, after })
}

/// One run, and pairs of its findings.
fn pairs(
    mut runs: Vec<PathBuf>,
    after: Vec<PathBuf>,
    pairs: Vec<(String, String)>,
) -> Result<Compared, Failure> {
    let (1, true, Some(run)) = (runs.len(), after.is_empty(), runs.pop()) else {
        return Err(Failure::wrong("--pair compares findings of one run; name one run"));
    };
    let mut seen = BTreeSet::new();
    if let Some((one, other)) = pairs.iter().find(|pair| !seen.insert(*pair)) {
        return Err(Failure::wrong(format!("--pair {one},{other}: given twice")));
    }
    Ok(Compared::Pairs { run, pairs })
}

/// Words that mean nothing to this question; to pass over them in silence would be a lie.
fn unused(
    question: &Question,
    survey: &SurveyWords,
    measuring: &MeasuringWords,
    shown: &ShownWords,
) -> Option<&'static str> {
    let surveys = matches!(question, Question::Survey { .. });
    let measures = match question {
        Question::Survey { .. }
        | Question::Clock { .. }
        | Question::Syscall { .. }
        | Question::Switch { .. } => true,
        Question::Machine
        | Question::Report { .. }
        | Question::Compare { .. }
        | Question::Completions { .. }
        | Question::Man { .. } => false,
    };
    if !surveys && *survey != SurveyWords::default() {
        return Some("--only and --skip choose among a survey's questions; name no other question");
    }
    if !measures && *measuring != MeasuringWords::default() {
        return Some("--time, --seed and --cpus say how to measure; this command measures nothing");
    }
    let runs = !matches!(question, Question::Completions { .. } | Question::Man { .. });
    let to_files = shown.out.is_some() || shown.html.is_some();
    if !runs && (shown.json || shown.markdown || to_files) {
        let why = "--json, --markdown, --out and --html are for runs; this command prints another \
                   text";
        return Some(why);
    }
    None
}

fn single(
    name: &str,
    measuring: MeasuringWords,
    shown: Shown,
    choose: impl FnOnce(&[usize]) -> Result<Choices, Failure>,
) -> Result<Request, Failure> {
    let experiment = questions::by_name(name)
        .ok_or_else(|| Failure::wrong(format!("unknown question '{name}'")))?;
    let time = measuring.time.unwrap_or(experiment.about().budget);
    let asked = Asked { experiment, time, choices: Choices::new() };
    let mut request = request(vec![asked], false, measuring, shown)?;
    request.questions[0].choices = choose(&request.cpus)?;
    Ok(request)
}

/// A survey's time is divided as the experiments' own shares are.
fn survey_request(
    survey: SurveyWords,
    measuring: MeasuringWords,
    shown: Shown,
) -> Result<Request, Failure> {
    for name in survey.only.iter().chain(&survey.skip) {
        if questions::by_name(name).is_none() {
            let known: Vec<&str> = questions::ALL.iter().map(|it| it.about().name).collect();
            let known = known.join(", ");
            return Err(Failure::wrong(format!(
                "unknown question '{name}' in --only or --skip; a survey asks {known}"
            )));
        }
    }
    let asked = |name: &str| {
        let is_in = |names: &[String]| names.iter().any(|it| it == name);
        (survey.only.is_empty() || is_in(&survey.only)) && !is_in(&survey.skip)
    };
    let asked: Vec<&'static dyn Experiment> =
        questions::ALL.iter().copied().filter(|it| asked(it.about().name)).collect();
    if asked.is_empty() {
        return Err(Failure::wrong("--only and --skip leave no question to ask"));
    }
    let shares: Duration = asked.iter().map(|it| it.about().survey_budget).sum();
    let scale = measuring.time.map_or(1.0, |time| time.as_secs_f64() / shares.as_secs_f64());
    let ask = |experiment: &'static dyn Experiment| {
        let about = experiment.about();
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let choices = about.survey_choices.iter().map(|(key, all)| ((*key).to_owned(), words(all)));
        let (time, choices) = (about.survey_budget.mul_f64(scale), choices.collect());
        Asked { experiment, time, choices }
    };
    request(asked.into_iter().map(ask).collect(), true, measuring, shown)
}

fn request(
    questions: Vec<Asked>,
    survey: bool,
    measuring: MeasuringWords,
    shown: Shown,
) -> Result<Request, Failure> {
    let machine = machine::describe();
    let cpus = match &measuring.cpus {
        Some(list) => chosen_cpus(list, &machine.affinity)?,
        None => machine::fastest(&machine),
    };
    if cpus.is_empty() {
        return Err(Failure::not_here("the CPUs that this process may use can't be read"));
    }
    // 32 bits, so that a seed can be read out and typed again.
    let seed = measuring
        .seed
        .unwrap_or_else(|| RandomState::new().build_hasher().finish() & u64::from(u32::MAX));
    Ok(Request { questions, survey, machine, cpus, seed, shown })
}

/// The CPUs that were typed, each of which this process may use.
fn chosen_cpus(list: &str, allowed: &[usize]) -> Result<Vec<usize>, Failure> {
    let may = machine::cpu_list_text(allowed);
    let cpus = machine::parse_cpu_list(list).map_err(|error| {
        Failure::wrong(format!("--cpus {list}: {error}; give CPUs as in 0,1 or 0-3"))
    })?;
    if let Some(cpu) = cpus.iter().find(|cpu| !allowed.contains(cpu)) {
        return Err(Failure::wrong(format!(
            "--cpus {list}: CPU {cpu} is not there or not permitted; this process may use {may}"
        )));
    }
    if cpus.is_empty() {
        return Err(Failure::wrong(format!("--cpus names no CPU; this process may use {may}")));
    }
    Ok(cpus)
}

const WIDTH_PIPED: usize = 80;

fn look(words: ShownWords) -> Shown {
    let terminal = std::io::stdout().is_terminal();
    let colour = match words.color {
        Colour::Always => true,
        Colour::Never => false,
        // As no-color.org has it: set and not empty.
        Colour::Auto => {
            let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            let no = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            terminal && !no && !dumb
        }
    };
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
    let window = || {
        let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
        Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
    };
    let width = window().or_else(columns).unwrap_or(WIDTH_PIPED).min(1000);
    let ShownWords { json, markdown, out, html, .. } = words;
    Shown { json, markdown, out, html, look: Look { width, colour } }
}
