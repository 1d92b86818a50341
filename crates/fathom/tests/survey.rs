//! A survey from outside: what it prints, which files it leaves, and that both say the same.

mod common;

use std::fs;

use common::{
    Answer, FATHOM, Place, SURVEYED, WAIT_MAX, answer, finish, is_root, json, measured, spawn,
};
use unicode_width::UnicodeWidthStr;

const RUN: &str = "fathom-run.json";
const PREVIOUS: &str = "fathom-run.previous.json";
const PAGE: &str = "fathom-report.html";

/// The shortest of surveys, for what is the same whatever is asked.
const QUICK: [&str; 4] = ["--only", "syscall", "--time", "300ms"];
/// Of eleven: some may be refused where others share the CPUs.
const MEASURED_MIN: usize = 8;

#[track_caller]
fn report(place: &Place, file: &str, words: &[&str], columns: &str) -> Answer {
    let words = [&["report", file], words].concat();
    answer(place.fathom(&words).env("COLUMNS", columns)).ended(0)
}

#[test]
fn a_survey_prints_what_its_file_holds() {
    for (words, questions, columns, escapes) in [
        (&["survey"][..], &["--skip", "switch"][..], "80", false),
        (&[], &[], "80", false),
        (&["survey", "--color", "always"], &["--only", "clock"], "200", true),
        (&["--color", "never"], &["--only", "syscall"], "61", false),
    ] {
        let place = Place::new();
        let asked = [words, questions, &["--time", "1s"]].concat();
        let said = answer(place.fathom(&asked).env("COLUMNS", columns)).ended(0);
        assert_eq!(place.names(), [PAGE, RUN], "{words:?}");
        assert_eq!(said.stderr, SURVEYED);
        assert_eq!(said.stdout.contains('\x1b'), escapes, "{words:?}");
        let looks: Vec<&str> = words.iter().copied().filter(|word| *word != "survey").collect();
        let again = report(&place, RUN, &looks, columns);
        assert_eq!(again.stdout, said.stdout, "{words:?} at {columns} columns");
        assert_eq!(again.stderr, "");
        let run = json(&place.read(RUN));
        assert!(measured(&run) >= MEASURED_MIN, "{:#}", run["sections"][1]["findings"]);
        assert_eq!(run["ended"], "complete");
    }
}

#[test]
fn no_line_is_wider_than_the_page() {
    let place = Place::new();
    let piped = place.run(&["--time", "1s"]).ended(0);
    for line in piped.stdout.lines() {
        assert!(line.width() <= 80, "{} columns: {line}", line.width());
    }
    for columns in [60usize, 80, 100, 132] {
        let said = report(&place, RUN, &[], &columns.to_string());
        for line in said.stdout.lines() {
            assert!(line.width() <= columns, "{} of {columns}: {line}", line.width());
        }
    }
    // What is no width at all does no harm.
    for columns in ["", "0", "1", "-1", "wide", "99999999999999999999", "4294967295"] {
        report(&place, RUN, &[], columns);
        report(&place, RUN, &["--color", "always"], columns);
    }
}

#[test]
fn a_second_survey_keeps_the_first() {
    let place = Place::new();
    place.run(&QUICK).ended(0);
    let first = fs::read(place.file(RUN)).unwrap();
    let second = place.run(&[&["survey"], &QUICK[..]].concat()).ended(0);
    assert_eq!(place.names(), [PAGE, RUN, PREVIOUS]);
    assert_eq!(fs::read(place.file(PREVIOUS)).unwrap(), first);
    assert!(second.stderr.contains(PREVIOUS), "{}", second.stderr);
    let newer = fs::read(place.file(RUN)).unwrap();
    assert_ne!(newer, first);
    place.run(&QUICK).ended(0);
    assert_eq!(fs::read(place.file(PREVIOUS)).unwrap(), newer);
    assert_eq!(place.names(), [PAGE, RUN, PREVIOUS]);
}

#[test]
fn json_goes_where_it_is_sent_and_nowhere_else() {
    let place = Place::new();
    for words in [&["--json"][..], &["survey", "--json"], &["--json", "syscall"], &["machine"]] {
        let words = match words {
            ["machine"] => vec!["machine", "--json"],
            [.., "syscall"] => [words, &["--time", "300ms"]].concat(),
            _ => [words, &QUICK].concat(),
        };
        let said = place.run(&words).ended(0);
        assert_eq!(said.json()["schema"], 1, "{words:?}");
        assert!(said.stdout.ends_with("}\n"), "{words:?}");
        assert_eq!((said.stderr.as_str(), place.names().len()), ("", 0), "{words:?}");
    }
    let both = ["--json", "--out", "both.json"];
    let said = place.run(&[&both, &QUICK[..]].concat()).ended(0);
    assert_eq!(place.read("both.json"), said.stdout);
    assert_eq!(place.names(), ["both.json"], "--out names the only file");
}

#[test]
fn a_file_is_written_where_out_says() {
    for words in [&["syscall", "--time", "300ms"][..], &QUICK, &["machine"]] {
        let place = Place::new();
        let said = place.run(&[words, &["--out", "named.json"]].concat()).ended(0);
        assert_eq!(place.names(), ["named.json"], "{words:?}");
        assert_eq!(said.stderr, "fathom: the run is in named.json\n");
        assert_eq!(report(&place, "named.json", &[], "80").stdout, said.stdout, "{words:?}");
        // A stored run, stored again, is the same run.
        report(&place, "named.json", &["--out", "again.json"], "80");
        assert_eq!(place.read("again.json"), place.read("named.json"), "{words:?}");
        let shown = report(&place, "named.json", &["--json"], "80");
        assert_eq!(shown.stdout, place.read("named.json"), "{words:?}");
        // In place of the file that it reads.
        report(&place, "again.json", &["--out", "again.json"], "80");
        assert_eq!(place.read("again.json"), place.read("named.json"), "{words:?}");
        assert_eq!(place.names(), ["again.json", "named.json"], "{words:?}");
    }
}

/// A run file may be a link to where there is room for it; the folder of runs may be elsewhere.
#[test]
fn a_survey_writes_through_a_link() {
    let (place, elsewhere) = (Place::new(), Place::new());
    let real = elsewhere.file("real.json");
    fs::write(&real, "{}").unwrap();
    std::os::unix::fs::symlink(&real, place.file(RUN)).unwrap();
    place.run(&QUICK).ended(0);
    assert_eq!(json(&place.read(RUN))["schema"], 1);
}

/// A folder on another file system than the link to it: /dev/shm is one nearly everywhere.
#[test]
fn a_survey_writes_through_a_link_to_another_file_system() {
    let place = Place::new();
    let Ok(elsewhere) = tempfile::tempdir_in("/dev/shm") else {
        return println!("skipped: needs a writable /dev/shm");
    };
    let real = elsewhere.path().join("real.json");
    fs::write(&real, "{}").unwrap();
    std::os::unix::fs::symlink(&real, place.file(RUN)).unwrap();
    place.run(&QUICK).ended(0);
    assert_eq!(json(&place.read(RUN))["schema"], 1);
}

#[test]
fn only_and_skip_choose_the_questions() {
    let place = Place::new();
    for words in [
        &["--only", "syscall", "--json", "--time", "300ms"][..],
        &["survey", "--only", "syscall", "--json", "--time", "300ms"],
        &["--only", "syscall", "survey", "--json", "--time", "300ms"],
    ] {
        let run = place.run(words).ended(0).json();
        let sections = run["sections"].as_array().unwrap();
        let names: Vec<&str> = sections.iter().map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["machine", "syscall"], "{words:?}");
    }
}

#[test]
fn surveys_at_the_same_time_leave_whole_files() {
    let place = Place::new();
    let start = |_| spawn(&mut place.fathom(&QUICK));
    let children: Vec<_> = (0..4).map(start).collect();
    for child in children {
        finish(child, WAIT_MAX).ended(0);
    }
    assert_eq!(place.names(), [PAGE, RUN, PREVIOUS]);
    for name in [RUN, PREVIOUS] {
        assert_eq!(json(&place.read(name))["ended"], "complete");
    }
}

const WITHOUT_PROC: &str = r#"
    mount -t tmpfs none /proc && echo mounted >&2 || exit 99
    "$0" --only syscall --time 300ms
    echo "code $?" >&2
"#;

/// Without /proc no worker starts and no unnamed file gets its name. Whatever follows from that,
/// the earlier run stands as it stood.
#[test]
fn a_survey_that_fails_leaves_the_earlier_one_where_it_was() {
    let place = Place::new();
    place.write(RUN, "earlier");
    let mapped: &[&str] = if is_root() { &[] } else { &["--map-root-user"] };
    let words = [mapped, &["--mount", "sh", "-c", WITHOUT_PROC, FATHOM]].concat();
    let said = answer(&mut place.command("unshare", &words));
    if !said.stderr.contains("mounted") {
        return println!("skipped: may not mount ({})", said.stderr.trim());
    }
    assert!(!said.stderr.contains("panicked"), "{said:?}");
    let code = said.stderr.lines().last().unwrap_or_default();
    assert!(["code 3", "code 4"].contains(&code), "{said:?}");
    if code == "code 4" {
        assert_eq!((place.names(), place.read(RUN)), (vec![RUN.to_owned()], "earlier".to_owned()));
    } else {
        assert_eq!(place.read(PREVIOUS), "earlier");
        assert_eq!(json(&place.read(RUN))["schema"], 1);
    }
}
