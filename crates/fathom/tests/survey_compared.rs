//! A survey beside the one before it: what it says of what changed, and that nothing about the
//! earlier file can spoil the new one.

mod common;

use std::fs;

use common::{
    Answer, Place, WAIT_MAX, findings, finish, is_root, json, list, processes, section, spawn, text,
};
use rustix::process::Signal;
use serde_json::Value;

const RUN: &str = "fathom-run.json";
const PREVIOUS: &str = "fathom-run.previous.json";
const SURVEY: [&str; 5] = ["survey", "--only", "syscall", "--time", "500ms"];

fn names(run: &Value) -> Vec<&str> {
    list(&run["sections"]).iter().map(|it| text(&it["name"])).collect()
}

/// What the survey said of the comparison, in one line; and how many lines it took.
fn said_of_it(said: &Answer) -> (String, usize) {
    let told = said.stdout.split_once("\ncompare  ").map_or("", |(_, rest)| rest);
    (told.split_whitespace().collect::<Vec<_>>().join(" "), told.lines().count())
}

#[test]
fn a_second_survey_says_what_changed() {
    let place = Place::new();
    let first = place.run(&SURVEY).ended(0);
    assert!(!first.stdout.contains("compare"), "{first:?}");
    for _ in 0..2 {
        let said = place.run(&SURVEY).ended(0);
        assert_eq!(said.stderr.lines().count(), 2, "{said:?}");
        let (run, before) = (json(&place.read(RUN)), json(&place.read(PREVIOUS)));
        assert_eq!(names(&run), ["machine", "syscall", "compare"]);
        let report = place.run(&["report", RUN]).ended(0);
        assert_eq!((report.stdout, report.stderr.as_str()), (said.stdout.clone(), ""));
        // The words are few, and there is a verdict for each finding of both all the same.
        let (told, lines) = said_of_it(&said);
        let since = format!("Since the survey of {}: ", text(&before["started_at"]));
        let changed = findings(&run).into_iter().find(|it| it["id"] == "compare.changed.count");
        let changed = changed.and_then(|it| it["value"].as_f64()).expect("a count");
        assert!(told.contains(&since) && lines <= 10 + 3 * changed as usize, "{told}");
        let compared = list(&section(&run, "compare")["findings"]);
        let verdicts = compared.iter().filter(|it| it["verdict"].is_string()).count();
        assert_eq!(verdicts, list(&section(&run, "syscall")["findings"]).len());
    }
    // The third's comparison was with the second's questions, and not with its comparison.
    let runs = [PREVIOUS, RUN];
    let by_hand = place.run(&[&["compare", "--json"], &runs[..]].concat()).ended(0).json();
    let run = json(&place.read(RUN));
    let of = |run: &Value| section(run, "compare")["findings"].clone();
    let (of_survey, by_hand) = (of(&run), of(&by_hand));
    assert_eq!(list(&of_survey)[1..], list(&by_hand)[1..]);
}

/// A file that is no run, and what the survey says of it.
const SPOILT: [(&str, &str); 5] = [
    ("", "the file is empty"),
    ("earlier", "not a run file"),
    (r#"{"schema":9,"fathom":"9.9.9"}"#, "written by a newer Fathom (9.9.9, schema 9)"),
    (r#"{"schema":1,"fathom":"0.1.0","sections":["#, "ends in the middle"),
    (r#"{"schema":1,"fathom":"\u001b[2J"}"#, "not a valid run"),
];

#[test]
fn whatever_is_in_the_earlier_file_the_survey_goes_on() {
    for (bytes, says) in SPOILT {
        let place = Place::new();
        place.write(RUN, bytes);
        let said = place.run(&SURVEY).ended(0);
        let lines: Vec<&str> = said.stderr.lines().collect();
        let [line, _, _] = lines[..] else { panic!("{said:?}") };
        let begin = "fathom: not compared with the survey before, fathom-run.json: ";
        assert!(line.starts_with(begin) && line.contains(says), "{line}");
        assert!(line.len() < 200 && !line.contains(char::is_control), "{line}");
        assert_eq!(names(&json(&place.read(RUN))), ["machine", "syscall"]);
        assert_eq!(place.read(PREVIOUS), bytes);
    }
}

#[test]
fn a_run_of_other_questions_is_told_in_a_line() {
    let place = Place::new();
    place.run(&["machine", "--out", RUN]).ended(0);
    let said = place.run(&SURVEY).ended(0);
    assert!(said.stderr.contains("no trials in it"), "{said:?}");
    let mut run = json(&place.read(RUN));
    run["sections"][1]["name"] = Value::from("other");
    for finding in run["sections"][1]["findings"].as_array_mut().expect("findings") {
        let id = text(&finding["id"]).replace("syscall", "other");
        finding["id"] = Value::from(id);
    }
    place.write(RUN, run.to_string());
    let said = place.run(&SURVEY).ended(0);
    assert!(said.stderr.contains("no finding in common"), "{said:?}");
    assert_eq!(names(&json(&place.read(RUN))), ["machine", "syscall"]);
}

/// Whoever interrupts a survey is not kept waiting for a comparison; and what that leaves in the
/// file, be it no trials at all or too few, is no obstacle to the next one.
#[test]
fn an_interrupted_survey_is_no_obstacle() {
    let place = Place::new();
    place.run(&SURVEY).ended(0);
    let child = spawn(&mut place.fathom(&["survey", "--only", "syscall", "--time", "1h"]));
    processes::wait_for_worker(child.id(), WAIT_MAX).expect("a worker");
    assert!(processes::look(child.id()).expect("a child of ours").signal(Signal::INT));
    let said = finish(child, WAIT_MAX).ended(130);
    assert_eq!(said_of_it(&said), (String::new(), 0), "{said:?}");
    place.run(&SURVEY).ended(0);
    let mut run = json(&place.read(RUN));
    for case in run["sections"][1]["recorded"]["trials"].as_array_mut().expect("trials") {
        let of_two = list(&case["start"]).iter().filter(|it| it.as_u64() < Some(2)).count();
        cut(case, of_two);
    }
    run["ended"] = Value::from("interrupted");
    place.write(RUN, run.to_string());
    let said = place.run(&SURVEY).ended(0);
    let (told, _) = said_of_it(&said);
    assert!(told.contains("nothing can be compared (too few starts)"), "{told}");
    assert!(told.contains("Ended early by a signal, with fewer rounds: 1 of 2 runs."), "{told}");
}

/// Leaves the first so many trials of a case.
fn cut(case: &mut Value, trials: usize) {
    let mut columns: Vec<&mut Value> = Vec::new();
    for (name, column) in case.as_object_mut().expect("a case") {
        match name.as_str() {
            "start" | "round" | "at_ns" => columns.push(column),
            "readings" | "proof" => {
                columns.extend(column.as_object_mut().expect("a map").values_mut())
            }
            "refused" => *column = Value::Object(Default::default()),
            _ => {}
        }
    }
    columns.into_iter().for_each(|it| it.as_array_mut().expect("a column").truncate(trials));
}

#[test]
fn only_a_survey_that_keeps_its_run_is_compared() {
    let place = Place::new();
    place.run(&SURVEY).ended(0);
    let before = place.read(RUN);
    for words in [&["--json"][..], &["--out", "named.json"], &["--json", "--out", RUN]] {
        let said = place.run(&[&SURVEY[..], words].concat()).ended(0);
        let run =
            if words.contains(&"--json") { said.json() } else { json(&place.read("named.json")) };
        assert_eq!(names(&run), ["machine", "syscall"], "{words:?}");
        assert!(!said.stdout.contains("compare"), "{words:?}");
        assert_eq!(place.read(RUN) == before, !words.contains(&RUN), "{words:?}");
    }
    assert!(!place.names().contains(&PREVIOUS.to_owned()));
}

/// An earlier run that is one, but whose numbers no honest machine has.
#[test]
fn impossible_numbers_in_the_earlier_run_spoil_nothing() {
    let place = Place::new();
    place.run(&SURVEY).ended(0);
    let real = json(&place.read(RUN));
    for number in [0.0, -1.0, 1e308, 5e-324] {
        let mut run = real.clone();
        for case in run["sections"][1]["recorded"]["trials"].as_array_mut().expect("trials") {
            for column in case["readings"].as_object_mut().expect("readings").values_mut() {
                column.as_array_mut().expect("values").fill(Value::from(number));
            }
        }
        run["started_at"] = Value::from("\u{1b}[2J".repeat(100));
        place.write(RUN, run.to_string());
        let said = place.run(&SURVEY).ended(0);
        assert!(!said.stdout.contains('\x1b'), "{number}: {said:?}");
        assert_eq!(place.run(&["report", RUN]).ended(0).stdout, said.stdout, "{number}");
        assert!(findings(&json(&place.read(RUN))).len() > 15, "{number}");
    }
}

/// A file that its owner may not read takes its place as ever.
#[test]
fn an_earlier_file_that_may_not_be_read_is_told() {
    if is_root() {
        return println!("skipped: root may read everything");
    }
    let place = Place::new();
    place.write(RUN, "{}");
    common::set_mode(&place.file(RUN), 0o200);
    let said = place.run(&SURVEY).ended(0);
    assert!(said.stderr.contains("not compared with the survey before"), "{said:?}");
    assert!(fs::metadata(place.file(PREVIOUS)).is_ok());
}
