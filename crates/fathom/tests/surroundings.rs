//! What is around a command: its terminal, its user, its environment and what it inherits.

mod common;

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Command, Stdio},
};

use common::{
    Answer, FATHOM, Place, WAIT_MAX, answer, as_ordinary_user, finish, is_root, json, measured,
    spawn,
};

const ESCAPE: char = '\x1b';
const QUESTIONS: [&str; 6] = ["survey", "clock", "syscall", "switch", "machine", "report"];

/// Runs a command line on a terminal, by way of script(1), and returns what the terminal saw.
fn on_a_terminal(place: &Place, line: &str, environment: &[(&str, &str)]) -> Option<Answer> {
    let words = ["-q", "-e", "-c", line, "/dev/null"];
    let mut command = place.command("script", &words);
    command.env("FATHOM", FATHOM).env("SHELL", "/bin/sh").env("TERM", "xterm");
    command.envs(environment.iter().copied());
    match command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() {
        Ok(child) => Some(finish(child, WAIT_MAX)),
        Err(_) => {
            println!("skipped: needs script");
            None
        }
    }
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let place = Place::new();
    for (words, environment, coloured) in [
        ("", &[][..], true),
        ("", &[("NO_COLOR", "1")], false),
        ("", &[("NO_COLOR", "")], true),
        ("", &[("TERM", "dumb")], false),
        ("", &[("TERM", "")], true),
        ("--color never", &[], false),
        ("--color auto", &[], true),
        ("--color always", &[("NO_COLOR", "1")], true),
        ("--color always", &[("TERM", "dumb")], true),
        ("--json", &[], false),
    ] {
        let line = format!(r#""$FATHOM" machine {words}"#);
        let Some(said) = on_a_terminal(&place, &line, environment) else { return };
        let said = said.ended(0);
        let what = format!("{words:?} {environment:?}");
        assert_eq!(said.stdout.contains(ESCAPE), coloured, "on a terminal: {what}");
        let mut piped = place.fathom(&["machine"]);
        piped.args(words.split_whitespace()).envs(environment.iter().copied());
        let coloured = words == "--color always";
        let said = answer(&mut piped).ended(0);
        assert_eq!(said.stdout.contains(ESCAPE), coloured, "into a pipe: {what}");
    }
}

#[test]
fn progress_is_for_terminals() {
    let place = Place::new();
    let line = r#""$FATHOM" syscall --time 1s > shown.txt"#;
    let Some(said) = on_a_terminal(&place, line, &[]) else { return };
    let said = said.ended(0);
    assert!(said.stdout.contains("syscall: ") && said.stdout.contains(" left"), "{said:?}");
    let shown = place.read("shown.txt");
    assert!(shown.starts_with("Fathom ") && !shown.contains(" left "), "{shown}");
    let piped = place.run(&["syscall", "--time", "300ms"]).ended(0);
    assert_eq!(piped.stderr, "");
    // An error stream that is no terminal, of a command whose output is one.
    let line = r#""$FATHOM" syscall --time 300ms 2> heard.txt"#;
    on_a_terminal(&place, line, &[]).expect("script").ended(0);
    assert_eq!(place.read("heard.txt"), "");
}

#[test]
fn help_and_version_are_answers() {
    let place = Place::new();
    for (words, holds) in [
        (&["--help"][..], &QUESTIONS[..]),
        (&["-h"], &QUESTIONS),
        (&["survey", "--help"], &["--only", "--skip", "--time", "--json"]),
        (&["syscall", "-h"], &["--time", "--seed", "--cpus", "--out"]),
        (&["report", "--help"], &["RUN", "--json"]),
        (&["--version"], &[env!("CARGO_PKG_VERSION")]),
        (&["-V"], &[env!("CARGO_PKG_VERSION")]),
        (&["man"], &QUESTIONS),
        (&["completions", "bash"], &QUESTIONS),
        (&["completions", "zsh"], &QUESTIONS),
        (&["completions", "fish"], &QUESTIONS),
    ] {
        let said = place.run(words).ended(0);
        assert_eq!(said.stderr, "", "{words:?}");
        for part in holds {
            assert!(said.stdout.contains(part), "{words:?} should name {part}");
        }
        assert!(!said.stdout.contains(ESCAPE), "{words:?}");
    }
    assert_eq!(place.names(), [""; 0]);
}

/// What is not for people to type is not offered to them.
#[test]
fn the_worker_is_hidden() {
    let place = Place::new();
    let rows = [&["--help"][..], &["man"], &["completions", "bash"], &["completions", "zsh"]];
    let offering: Vec<String> = rows
        .iter()
        .chain(&[&["completions", "fish"][..]])
        .filter(|words| place.run(words).ended(0).stdout.contains("__worker"))
        .map(|words| words.join(" "))
        .collect();
    assert_eq!(offering, [""; 0]);
}

#[test]
fn completions_are_programs_of_their_shells() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = place.write(shell, place.run(&["completions", shell]).ended(0).stdout);
        match Command::new(shell).args(["-n", &script]).output() {
            Ok(output) => {
                assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
            }
            Err(_) => println!("skipped: needs {shell}"),
        }
    }
}

#[test]
fn the_head_of_the_help_is_enough() {
    let place = Place::new();
    let mut child = spawn(&mut place.fathom(&["--help"]));
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let said = finish(child, WAIT_MAX).ended(0);
    assert!(line.starts_with("Measures ") && said.stderr.is_empty(), "{line} {said:?}");
    let script = r#""$0" --help | head -1; "$0" man | head -1; "$0" completions zsh | head -1"#;
    let said = answer(&mut place.command("sh", &["-c", script, FATHOM])).ended(0);
    assert_eq!((said.stdout.lines().count(), said.stderr.as_str()), (3, ""));
}

#[test]
fn an_ordinary_user_needs_no_more() {
    let (home, place) = (Place::new(), Place::new());
    let program = home.copy_for_anybody();
    place.permit(0o777);
    let mut command = place.command(&program, &["--time", "1s"]);
    let said = answer(as_ordinary_user(&mut command)).ended(0);
    assert_eq!(place.names(), ["fathom-report.html", "fathom-run.json"]);
    let run = json(&place.read("fathom-run.json"));
    assert!(measured(&run) >= 8, "{said:?}");
    if is_root() {
        println!("ran as another user than root");
    }
}

/// Wherever it was started from and whatever it was given, it measures all the same.
#[test]
fn a_poor_environment_is_enough() {
    let place = Place::new();
    let measure = r#"exec "$0" syscall --time 300ms --json"#;
    for (what, script) in [
        ("no input", format!("{measure} <&-")),
        ("an endless input", format!("{measure} </dev/zero")),
        ("a folder as input", format!("{measure} <.")),
        ("no language", format!("unset LANG LC_ALL; {measure}")),
        ("an unknown language", format!("LC_ALL=xx_YY.KOI8 {measure}")),
        ("no path and no home", format!("unset HOME; PATH= {measure}")),
        ("few descriptors", format!("ulimit -n 16; {measure}")),
        ("a narrow mask", format!("umask 777; {measure}")),
        ("no core files", format!("ulimit -c 0; {measure}")),
        ("signals that are ignored", format!("trap '' INT TERM HUP PIPE CHLD; {measure}")),
        ("another priority", format!("nice {}", measure.replace("exec ", ""))),
    ] {
        let said = answer(&mut place.command("sh", &["-c", &script, FATHOM])).ended(0);
        assert_eq!((said.json()["ended"].as_str(), said.stderr.as_str()), (Some("complete"), ""));
        assert!(measured(&said.json()) >= 8, "{what}: {} measured", measured(&said.json()));
    }
    let mut bare = place.fathom(&["--only", "syscall", "--time", "300ms"]);
    answer(bare.env_clear()).ended(0);
    let mut renamed = place.fathom(&["syscall", "--time", "300ms", "--json"]);
    assert!(measured(&answer(renamed.arg0("")).ended(0).json()) >= 8);
}

/// A folder that is gone while it is still the current one can hold no run; all else works there.
#[test]
fn a_folder_that_is_gone_is_told() {
    let place = Place::new();
    let gone = r#"mkdir gone && cd gone && rmdir ../gone && exec "$0""#;
    let said =
        |words: &str| answer(&mut place.command("sh", &["-c", &format!("{gone} {words}"), FATHOM]));
    let survey = said("--time 300ms").ended(3);
    assert!(survey.stderr.starts_with("fathom: can't write fathom-run.json"), "{survey:?}");
    assert_eq!(survey.stderr.lines().count(), 1, "{survey:?}");
    said("syscall --time 300ms").ended(0);
    said("machine").ended(0);
}

/// A user's masks decide who may read a run.
#[test]
fn a_run_is_as_private_as_the_mask_says() {
    use std::os::unix::fs::PermissionsExt;
    for (mask, mode) in [("077", 0o600), ("022", 0o644), ("002", 0o664)] {
        let place = Place::new();
        let script = format!(r#"umask {mask}; exec "$0" --only syscall --time 300ms"#);
        answer(&mut place.command("sh", &["-c", &script, FATHOM])).ended(0);
        let found = fs::metadata(place.file("fathom-run.json")).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode, "mask {mask}");
    }
}

/// The program may be replaced or removed while it runs, as by an upgrade.
#[test]
fn a_program_that_is_replaced_meanwhile_measures_to_its_end() {
    let (home, place) = (Place::new(), Place::new());
    let program: PathBuf = home.copy_for_anybody();
    let mut command = place.command(&program, &["syscall", "--time", "2s", "--json"]);
    let child = spawn(&mut command);
    common::processes::wait_for_worker(child.id(), WAIT_MAX).expect("a worker");
    fs::remove_file(&program).unwrap();
    fs::File::create(&program).unwrap().write_all(b"not a program").unwrap();
    let run = finish(child, WAIT_MAX).ended(0).json();
    assert!(measured(&run) >= 8, "{:?}", common::refusals(&run, "syscall"));
    assert_eq!(run["sections"][0]["recorded"]["starts"].as_array().unwrap().len(), 5);
}

#[test]
fn the_machine_has_as_many_cpus_as_are_online() {
    let place = Place::new();
    let said = place.run(&["machine"]).ended(0);
    let output = Command::new("getconf").arg("_NPROCESSORS_ONLN").output();
    let Ok(output) = output else { return println!("skipped: needs getconf") };
    let online: usize = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap();
    let plural = if online == 1 { "" } else { "s" };
    let words = format!("{online} CPU{plural}, ");
    let topology = said.stdout.lines().find(|line| line.contains("topology")).unwrap();
    assert!(topology.contains(&words), "{topology} should say {words}");
    let run = place.run(&["machine", "--json"]).ended(0).json();
    assert_eq!(run["machines"][0]["cpus"].as_array().unwrap().len(), online);
}
