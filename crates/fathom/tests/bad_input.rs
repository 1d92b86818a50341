//! Wrong words and wrong places: each is refused in one line, with exit code 2, before anything is
//! measured or written. Wrong run files are in `bad_runs.rs`.

mod common;

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStringExt,
    process::Command,
    thread,
};

use common::{Answer, Place, answer, as_ordinary_user, is_root, set_mode};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// One line on standard error, exit code 2, and nothing else happened.
#[track_caller]
fn refused(said: &Answer, says: &[&str], what: &str) {
    told_in_one_line(said, 2, says, what);
}

/// A place that nobody named can't be written: no word was wrong, but it is not possible here.
#[track_caller]
fn impossible(said: &Answer, says: &[&str], what: &str) {
    told_in_one_line(said, 3, says, what);
}

#[track_caller]
fn told_in_one_line(said: &Answer, code: i32, says: &[&str], what: &str) {
    let line = &said.stderr;
    assert_eq!(said.code(), Some(code), "{what}: {said:?}");
    assert_eq!(said.stdout, "", "{what}");
    assert!(line.starts_with("fathom: ") && line.ends_with('\n'), "{what}: {line:?}");
    assert_eq!(line.lines().count(), 1, "{what}: {line:?}");
    assert!(!line.contains("panicked") && !line.contains('\x1b'), "{what}: {line:?}");
    for part in says {
        assert!(line.contains(part), "{what}: {line:?} should say {part:?}");
    }
}

#[track_caller]
fn refused_here<S: AsRef<OsStr> + std::fmt::Debug>(words: &[S], says: &[&str]) {
    let place = Place::new();
    refused(&place.run(words), says, &format!("{words:?}"));
    assert_eq!(place.names(), [""; 0], "{words:?}");
}

const TIMES: &str = "100ms to 1h";
const SEEDS: &str = "a whole number from 0 to 9007199254740991";

#[test]
fn wrong_words_are_refused() {
    for (words, says) in [
        (
            &["frobnicate"][..],
            &["unknown question 'frobnicate'", "survey, clock, syscall, switch, machine"][..],
        ),
        (&["Syscall"], &["unknown question"]),
        (&["--frobnicate"], &["'--frobnicate'"]),
        (&["-x"], &["'-x'"]),
        (&["syscall", "--frobnicate"], &["'--frobnicate'"]),
        (&["syscall", "more"], &["'more'"]),
        (&["--time"], &["--time"]),
        (&["--color", "maybe"], &["auto, always, never"]),
        (&["completions"], &["SHELL"]),
        (&["completions", "tcsh"], &["bash", "fish", "zsh"]),
        (&["report"], &["RUN"]),
        (
            &["--only", "nosuch"],
            &["unknown question 'nosuch'", "a survey asks clock, syscall, switch"],
        ),
        (&["survey", "--skip", "nosuch"], &["unknown question 'nosuch'"]),
        (&["--only", ""], &["unknown question ''"]),
        (&["--skip", "clock,syscall,switch"], &["leave no question"]),
        (&["--only", "syscall", "survey", "--skip", "syscall"], &["leave no question"]),
        (&["--only", "syscall", "syscall"], &["--only", "survey"]),
        (&["syscall", "--only", "syscall"], &["--only"]),
        (&["--time", "1s", "machine"], &["--time", "measures nothing"]),
        (&["machine", "--time", "1s"], &["--time"]),
        (&["--time", "1s", "report", "x.json"], &["--time"]),
        (&["report", "x.json", "--time", "1s"], &["--time"]),
        (&["--seed", "1", "man"], &["--seed"]),
        (&["--cpus", "0", "completions", "bash"], &["--cpus"]),
        (&["--json", "--markdown"], &["--json and --markdown"]),
        (&["--json", "clock", "--markdown"], &["--json and --markdown"]),
        (&["report", "x.json", "--markdown", "--json"], &["--json and --markdown"]),
    ] {
        refused_here(words, says);
    }
}

/// What a question can't use is not passed over in silence, whatever it prints otherwise.
#[test]
fn words_without_a_meaning_are_refused() {
    for words in [
        &["man", "--json"][..],
        &["man", "--out", "page.1"],
        &["man", "--markdown"],
        &["completions", "bash", "--json"],
        &["completions", "bash", "--markdown"],
        &["completions", "bash", "--out", "fathom.bash"],
    ] {
        refused_here(words, &[words[words.iter().position(|it| it.starts_with('-')).unwrap()]]);
    }
}

#[test]
fn wrong_numbers_are_refused_with_the_right_ones() {
    for (word, value, says) in [
        ("--time", "0s", TIMES),
        ("--time", "-5s", TIMES),
        ("--time", "10", TIMES),
        ("--time", "1e9s", TIMES),
        ("--time", "99999h", TIMES),
        ("--time", "99ms", TIMES),
        ("--time", "3601s", TIMES),
        ("--time", "soon", TIMES),
        ("--time", "", TIMES),
        ("--time", "99999999999999999999999s", TIMES),
        ("--time", "nan s", TIMES),
        ("--time", "١s", TIMES),
        ("--seed", "-1", SEEDS),
        ("--seed", "x", SEEDS),
        ("--seed", "1.5", SEEDS),
        ("--seed", "9007199254740992", SEEDS),
        ("--cpus", "9999", "this process may use"),
        ("--cpus", "0-99999999999", "0-99999999999"),
        ("--cpus", "99999999999999999999999", "give CPUs as in 0,1"),
        ("--cpus", "", "this process may use"),
        ("--cpus", "a", "give CPUs as in 0,1"),
        ("--cpus", "0,0", "give CPUs as in 0,1"),
        ("--cpus", "-1", "give CPUs as in 0,1"),
        ("--cpus", "1-0", "give CPUs as in 0,1"),
        ("--cpus", ",", "give CPUs as in 0,1"),
    ] {
        refused_here(&["syscall", word, value], &[says]);
        refused_here(&[word, value], &[says]);
    }
}

/// Whatever is typed, it is told on one line and can't steer a terminal.
#[test]
fn words_that_are_no_text_are_refused() {
    for word in [
        &b"\xff\xfe"[..],
        b"two\nlines",
        b"a paragraph\n\nand one more",
        b"\x1b[2J\x1b]0;title\x07",
        b"--time=\x1b[31m",
        b"--time=\xff",
        b"--cpus=0\n\n1",
        b"--only=\x1b[2J",
        "\u{202e}gnp.exe".as_bytes(),
        b"",
        &[b'x'; 100_000],
    ] {
        refused_here(&[OsString::from_vec(word.to_vec())], &[]);
    }
}

#[test]
fn a_cpu_that_is_not_permitted_is_refused_with_those_that_are() {
    let allowed = sched_getaffinity(None).unwrap();
    let cpus: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).collect();
    let [first, second, ..] = cpus[..] else {
        return println!("skipped: needs two CPUs");
    };
    // A child inherits the mask of the thread that starts it.
    let confined = thread::spawn(move || {
        let mut only = CpuSet::new();
        only.set(second);
        sched_setaffinity(None, &only).unwrap();
        for list in [first.to_string(), format!("{first},{second}"), format!("{first}-{second}")] {
            let says = [format!("CPU {first} is"), format!("may use {second}\n")];
            let says: Vec<&str> = says.iter().map(String::as_str).collect();
            refused_here(&["syscall", "--cpus", &list, "--time", "300ms"], &says);
        }
        let place = Place::new();
        let right = ["syscall", "--cpus", &second.to_string(), "--time", "300ms", "--json"];
        place.run(&right).ended(0).json()
    });
    let run = confined.join().unwrap();
    assert_eq!(run["sections"][0]["recorded"]["cpus"], serde_json::json!([second]));
    assert_eq!(run["machines"][0]["affinity"], serde_json::json!([second]));
}

/// The CPUs of a pair are those of the run, each pair is named once, and a set is of whole pages
/// that there is memory for.
#[test]
fn wrong_choices_of_switches_are_refused() {
    let allowed = sched_getaffinity(None).unwrap();
    let cpus: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).collect();
    let first = cpus[0];
    let itself = format!("{first}-{first}");
    let beyond = format!("{first}-99999");
    for (words, says) in [
        (&["--pairs", &itself][..], &["--pairs", "a pair is two CPUs"][..]),
        (&["--pairs", &beyond], &["CPU 99999 is none of those"]),
        (&["--pairs", "x"], &["--pairs x", "as in 0-1"]),
        (&["--pairs", ""], &["--pairs", "as in 0-1"]),
        (&["--pairs", "-1"], &["--pairs -1", "as in 0-1"]),
        (&["--pairs", "0-1-2"], &["--pairs 0-1-2", "as in 0-1"]),
        (&["--pairs", "0-99999999999999999999"], &["as in 0-1"]),
        (&["--working-set", "1000"], &["--working-set 1000", "whole pages of 4096 bytes"]),
        (&["--working-set", "0"], &["whole pages"]),
        (&["--working-set", ""], &["--working-set", "whole pages"]),
        (&["--working-set", "-4KiB"], &["--working-set -4KiB", "whole pages"]),
        (&["--working-set", "512KiB,"], &["--working-set", "whole pages"]),
        (&["--working-set", "4kb"], &["--working-set 4kb", "as in 512KiB"]),
        (&["--working-set", "100000GiB"], &["--working-set 100000GiB", "free here"]),
        (&["--working-set", "9999999999999999GiB"], &["--working-set 9999999999999999GiB"]),
        (&["--quick=yes"], &["--quick"]),
    ] {
        refused_here(&[&["switch", "--time", "300ms"], words].concat(), says);
    }
    for question in ["clock", "syscall", "survey", "machine"] {
        for word in [&["--quick"][..], &["--pairs", "0-1"], &["--working-set", "4KiB"]] {
            refused_here(&[&[question], word].concat(), &[word[0]]);
        }
    }
    let Some(second) = cpus.get(1) else { return println!("skipped the rest: needs two CPUs") };
    let (pair, back) = (format!("{first}-{second}"), format!("{second}-{first}"));
    for pairs in [format!("{pair},{back}"), format!("{pair},{pair}")] {
        refused_here(&["switch", "--pairs", &pairs], &["named twice"]);
    }
    let says = [&format!("CPU {second} is none of those that this run may use ({first})")[..]];
    refused_here(&["switch", "--cpus", &first.to_string(), "--pairs", &pair], &says);
}

#[test]
fn a_wrong_place_for_the_run_is_refused_before_measuring() {
    for (out, says) in [
        ("/no/such/folder/x.json", "/no/such/folder/x.json"),
        (".", "directory"),
        ("/", "directory"),
        ("", "--out"),
        ("/dev/null/x.json", "/dev/null/x.json"),
    ] {
        for words in [&["--time", "1h"][..], &["syscall", "--time", "1h"], &["machine"]] {
            refused_here(&[words, &["--out", out]].concat(), &[says]);
        }
    }
    let place = Place::new();
    std::fs::create_dir(place.file("fathom-run.json")).unwrap();
    impossible(&place.run(&["--time", "1h"]), &["directory", "--out"], "a folder of that name");
    assert_eq!(place.names(), ["fathom-run.json"]);
    let report = ["report", "missing.json", "--out", "fathom-run.json"];
    refused(&place.run(&report), &["missing.json"], "nothing to report");
}

fn as_anybody(place: &Place, program: &std::path::Path, words: &[&str]) -> Command {
    let mut command = place.command(program, words);
    as_ordinary_user(&mut command);
    command
}

/// Root may write anywhere, so its child becomes an ordinary user.
#[test]
fn what_an_ordinary_user_may_not_write_is_refused() {
    let (home, place) = (Place::new(), Place::new());
    let program = home.copy_for_anybody();
    place.write("kept.json", "kept");
    set_mode(&place.file("kept.json"), 0o444);
    // A folder where the file itself could be replaced, because anybody may write to it.
    place.permit(0o777);
    for words in [&["--time", "1h"][..], &["syscall", "--time", "1h"], &["machine"]] {
        let mut command = as_anybody(&place, &program, &[words, &["--out", "kept.json"]].concat());
        refused(&answer(&mut command), &["kept.json", "ermission denied"], "a read-only file");
        assert_eq!(place.read("kept.json"), "kept");
    }
    place.permit(0o555);
    for words in [&["--time", "1h"][..], &["survey", "--time", "1h"]] {
        let mut command = as_anybody(&place, &program, words);
        let says = ["fathom-run.json", "ermission denied", "--out"];
        impossible(&answer(&mut command), &says, "a read-only folder");
        assert_eq!(place.names(), ["kept.json"]);
    }
    // What writes nothing may run there.
    let mut machine = as_anybody(&place, &program, &["machine"]);
    answer(&mut machine).ended(0);
    place.permit(0o755);
    if is_root() {
        println!("ran as another user than root");
    }
}

/// The worker's language is no part of the command's: typed by hand it is refused.
#[test]
fn workers_are_not_to_be_typed() {
    refused_here(&["__worker", "syscall", "1"], &["beneath the command"]);
    refused_here(&["__worker", "syscall", "0"], &["beneath the command"]);
    refused_here(&["__worker", "syscall", "4294967295"], &["beneath the command"]);
    refused_here(&["__worker", "nosuch", "1"], &["nosuch"]);
    refused_here(&["__worker", "syscall", "-1"], &[]);
    refused_here(&["__worker"], &["EXPERIMENT"]);
}
