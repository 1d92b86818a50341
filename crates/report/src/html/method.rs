//! How a section was measured, in three sentences, and the words that would measure it again.

use record::{Ended, Outcome, Quantity, Recorded, Run, Section, Stopped, Unit};

use super::markup::is_plain;
use crate::one_line;

/// How trials, rounds and starts make the intervals.
pub(super) fn sentences(recorded: &Recorded) -> [String; 3] {
    let time = |ns: u64| Quantity::new(ns as f64, Unit::Nanoseconds);
    let (rounds, starts) = (recorded.rounds(), recorded.starts.len());
    let lasted_ns = recorded.starts.iter().map(|it| it.at_ns.saturating_add(it.wall_ns)).max();
    let ended = match recorded.stopped {
        Stopped::Precise => "every interval was as narrow as was wanted",
        Stopped::Budget => "the time given was used up",
        Stopped::Interrupted => "a signal came",
        Stopped::Broken => "no worker yielded anything more",
    };
    [
        format!(
            "Cases were timed in rounds, each of a round's cases once and in shuffled order, for \
             windows of {} (+-20 %): {rounds} rounds, spread over {starts} worker processes \
             (starts) and {}.",
            time(recorded.window_ns),
            time(lasted_ns.unwrap_or(0)),
        ),
        "Unless its basis says otherwise, a number is the median over the rounds, and its 95 % \
         interval comes from resampling the starts, and within them blocks of rounds, because \
         neighbouring rounds resemble each other."
            .to_owned(),
        format!(
            "The rounds ended when {ended}; the first of each start warmed up and is not counted."
        ),
    ]
}

/// What questions let one choose. A page is to know no question, but what somebody may paste into a
/// shell is to hold no word that a file made up: `--out .bashrc` is one.
const CHOICES: [&str; 5] = ["clock", "pairs", "quick", "threads", "working-set"];

/// The words that measure this section again, in the same order; none where it rests on no trials,
/// or where the file holds words that nobody should paste into a shell.
pub(super) fn command(run: &Run, section: &Section) -> Option<String> {
    let recorded = section.recorded.as_ref().filter(|_| is_plain(&section.name))?;
    let name = &section.name;
    let mut words = format!("fathom {name} {}", how(run.seed, recorded.budget_ns, &recorded.cpus));
    for (choice, values) in &recorded.choices {
        let known = CHOICES.contains(&choice.as_str());
        if !known || !values.iter().all(|value| is_plain(value)) {
            return None;
        }
        words.push_str(&format!(" --{choice}"));
        if !values.is_empty() {
            words.push_str(&format!(" {}", values.join(",")));
        }
    }
    whole(words)
}

/// Words that somebody may paste are all there or not at all: one line of the page can be cut.
fn whole(words: String) -> Option<String> {
    (one_line(&words) == words).then_some(words)
}

/// The words that measure the whole run again; none where some of its questions were not asked, or
/// could not be, because then nobody knows for how long.
pub(super) fn command_of_all(run: &Run) -> Option<String> {
    if run.ended != Ended::Complete || run.sections.iter().any(is_refused) {
        return None;
    }
    let measured: Vec<(&Section, &Recorded)> = run
        .sections
        .iter()
        .filter_map(|section| Some((section, section.recorded.as_ref()?)))
        .collect();
    match measured.as_slice() {
        [] => None,
        [(section, _)] => command(run, section),
        [(_, first), ..] => {
            let names: Vec<&str> = measured.iter().map(|(it, _)| it.name.as_str()).collect();
            let time_ns =
                measured.iter().fold(0u64, |sum, (_, it)| sum.saturating_add(it.budget_ns));
            let plain = names.iter().all(|name| is_plain(name));
            let how = how(run.seed, time_ns, &first.cpus);
            let words = format!("fathom survey --only {} {how}", names.join(","));
            plain.then_some(words).and_then(whole)
        }
    }
}

/// Whether a question was asked in vain.
fn is_refused(section: &Section) -> bool {
    let first = section.conclusion.findings.first();
    let refused = first.is_some_and(|it| matches!(it.outcome, Outcome::Refused(_)));
    refused && section.recorded.is_none()
}

fn how(seed: u64, time_ns: u64, cpus: &[usize]) -> String {
    format!("--seed {seed} --time {} --cpus {}", duration(time_ns), cpu_list(cpus))
}

/// As `--time` takes it, which is no less than 100 ms and no more than an hour: a survey may grant
/// a question less. Its shares are rounded to nanoseconds, which add up to a little less than what
/// was typed.
fn duration(ns: u64) -> String {
    let ms = (ns.saturating_add(500_000) / 1_000_000).clamp(100, 3_600_000);
    if ms.is_multiple_of(1000) { format!("{}s", ms / 1000) } else { format!("{ms}ms") }
}

/// As `--cpus` takes it: `0-3,6`.
fn cpu_list(cpus: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &cpu in cpus {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(cpu) => *last = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let text = |(first, last): &(usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    ranges.iter().map(text).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use record::{Better, Conclusion, Finding, Refusal, SCHEMA};

    use super::*;

    fn section(name: &str, budget_ns: u64) -> Section {
        Section {
            name: name.into(),
            question: String::new(),
            workload_version: 1,
            recorded: Some(Recorded::new(budget_ns, vec![0, 1, 2, 5], 9)),
            conclusion: Conclusion::default(),
        }
    }

    fn run(sections: Vec<Section>) -> Run {
        Run {
            schema: SCHEMA,
            fathom: String::new(),
            started_at: String::new(),
            seed: 7,
            ended: Ended::Complete,
            machines: Vec::new(),
            sections,
        }
    }

    #[test]
    fn one_question_is_asked_again_by_its_name() {
        let mut asked = section("clock", 8_000_000_000);
        if let Some(recorded) = &mut asked.recorded {
            recorded.choices.insert("threads".into(), vec!["2".into(), "4".into()]);
        }
        let run = run(vec![asked]);
        let words = "fathom clock --seed 7 --time 8s --cpus 0-2,5 --threads 2,4";
        assert_eq!(command_of_all(&run).as_deref(), Some(words));
        assert_eq!(command(&run, &run.sections[0]).as_deref(), Some(words));
    }

    #[test]
    fn several_are_asked_again_by_a_survey() {
        let run = run(vec![section("clock", 615_384_615), section("syscall", 384_615_384)]);
        let words = "fathom survey --only clock,syscall --seed 7 --time 1s --cpus 0-2,5";
        assert_eq!(command_of_all(&run).as_deref(), Some(words));
        let words = "fathom syscall --seed 7 --time 385ms --cpus 0-2,5";
        assert_eq!(command(&run, &run.sections[1]).as_deref(), Some(words));
    }

    /// A short survey's share of a question was offered to a command that refused it.
    #[test]
    fn no_time_is_offered_that_the_command_refuses() {
        let run = run(vec![section("clock", 61_538_461), section("syscall", u64::MAX)]);
        let time = |place: usize| {
            let words = command(&run, &run.sections[place]).unwrap_or_default();
            words.split_whitespace().skip_while(|it| *it != "--time").nth(1).map(str::to_owned)
        };
        assert_eq!((time(0).as_deref(), time(1).as_deref()), (Some("100ms"), Some("3600s")));
    }

    /// Half a command is another one.
    #[test]
    fn a_command_is_offered_whole_or_not_at_all() {
        let mut long = section("clock", 1);
        if let Some(recorded) = &mut long.recorded {
            recorded.cpus = (0..300).map(|cpu| cpu * 2).collect();
        }
        let run = run(vec![long, section("syscall", 1)]);
        assert_eq!((command(&run, &run.sections[0]), command_of_all(&run)), (None, None));
        assert!(command(&run, &run.sections[1]).is_some());
    }

    /// An interrupted survey's words asked fewer questions than had been asked.
    #[test]
    fn a_survey_that_lacks_a_question_is_not_asked_again() {
        let two = || vec![section("clock", 1), section("syscall", 1)];
        let cut = Run { ended: Ended::Interrupted, ..run(two()) };
        assert_eq!(command_of_all(&cut), None);
        assert!(command(&cut, &cut.sections[0]).is_some(), "each can be");
        let mut lacking = run(two());
        lacking.sections[1].recorded = None;
        assert!(command_of_all(&lacking).is_some(), "a description is no question");
        let refused = Outcome::Refused(Refusal::Missing { what: "a clock".into() });
        let finding = Finding::new("a.b", Unit::Nanoseconds, Better::Lower, refused, "");
        lacking.sections[1].conclusion.findings = vec![finding];
        assert_eq!(command_of_all(&lacking), None);
    }

    /// Whoever copies a command from a page runs it.
    #[test]
    fn nobody_is_handed_a_command_that_does_something_else() {
        for name in ["clock; rm -rf ~", "$(id)", "`id`", "", "-x", "a b", "a\nb"] {
            let run = run(vec![section(name, 1)]);
            assert_eq!(command_of_all(&run), None, "{name:?}");
        }
    }

    /// A file's own "choice" became `fathom syscall ... --out .bashrc`.
    #[test]
    fn a_choice_that_no_question_has_is_no_word_to_paste() {
        for (choice, offered) in [("threads", true), ("out", false), ("html", false)] {
            let mut section = section("clock", 1);
            let recorded = section.recorded.as_mut().unwrap();
            recorded.choices = [(choice.to_owned(), vec!["2".to_owned()])].into();
            let run = run(vec![section]);
            assert_eq!(command_of_all(&run).is_some(), offered, "{choice}");
        }
    }
}
