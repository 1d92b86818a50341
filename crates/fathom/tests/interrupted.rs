//! A command that is ended from outside: by a signal, by the sudden death of everything, or by an
//! output that nobody reads or that is full.

mod common;

use std::{
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Read},
    os::unix::process::CommandExt,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use common::{
    Answer, FATHOM, Place, SURVEYED, WAIT_MAX, answer, columns, ended, finding_ids, findings,
    finish, is_root, json,
    processes::{look, wait_for, wait_for_seasoned_worker, wait_for_worker},
    section, spawn, spawn_as_it_is,
    sudden::{death, moments},
};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

const RUN: &str = "fathom-run.json";
const PAGE: &str = "fathom-report.html";
/// The shortest of surveys, for what is the same whatever is asked.
const QUICK: [&str; 4] = ["--only", "syscall", "--time", "300ms"];

fn signal(child: &Child, signal: Signal) {
    let seen = look(child.id()).expect("a child of ours");
    assert!(seen.signal(signal), "{seen:?}");
}

/// Starts a survey, lets it run for a while after its first worker was seen, and then does `end`.
fn survey_until(place: &Place, time: &str, after: Duration, end: impl FnOnce(&Child)) -> Answer {
    let mut command = place.fathom(&["survey", "--only", "syscall", "--time", time]);
    // A group of its own, as a shell with job control would give it.
    let child = spawn(command.process_group(0));
    wait_for_worker(child.id(), WAIT_MAX).expect("a worker");
    thread::sleep(after);
    end(&child);
    finish(child, WAIT_MAX)
}

/// Every round that is there at all, is there whole.
#[track_caller]
fn only_whole_rounds(run: &Value) -> usize {
    let rounds: Vec<&Value> = columns(run, "syscall").iter().map(|case| &case["round"]).collect();
    assert!(rounds.windows(2).all(|pair| pair[0] == pair[1]), "{rounds:?}");
    let round = rounds.first().and_then(|it| it.as_array()).map_or(0, Vec::len);
    assert!(round == 0 || rounds.len() > 10, "{} cases", rounds.len());
    round
}

#[track_caller]
fn is_interrupted(place: &Place, said: Answer) -> Value {
    let said = said.ended(130);
    assert!(said.stdout.contains("\n  Interrupted: "), "{said:?}");
    assert_eq!(said.stderr, SURVEYED);
    assert_eq!(place.names(), [PAGE, RUN]);
    let run = json(&place.read(RUN));
    assert_eq!(run["ended"], "interrupted");
    assert_eq!(section(&run, "syscall")["recorded"]["stopped"], "interrupted");
    let again = place.run(&["report", RUN]);
    assert_eq!(again.stdout, said.stdout);
    run
}

#[test]
fn a_signal_ends_a_survey_and_keeps_its_rounds() {
    for (name, ends) in [("INT", Signal::INT), ("TERM", Signal::TERM), ("HUP", Signal::HUP)] {
        let place = Place::new();
        let half = Duration::from_secs(2);
        let said = survey_until(&place, "4s", half, |child| signal(child, ends));
        let run = is_interrupted(&place, said);
        assert!(only_whole_rounds(&run) > 0, "{name}");
        let measured = findings(&run).iter().filter(|it| it["outcome"] == "measured").count();
        assert!(measured >= 8, "{name}: {measured} findings");
    }
}

/// What Ctrl-C does: the terminal signals the whole group, workers too.
#[test]
fn a_signal_to_the_whole_group_is_the_same() {
    let place = Place::new();
    let said = survey_until(&place, "4s", Duration::from_secs(1), |child| {
        let group = Pid::from_child(child);
        kill_process_group(group, Signal::INT).expect("a group of ours");
    });
    let run = is_interrupted(&place, said);
    assert!(only_whole_rounds(&run) > 0);
    assert_eq!(common::refusals(&run, "syscall").iter().filter(|it| is_loss(it)).count(), 0);
}

/// Whether a trial was refused because its worker was lost.
fn is_loss(refusal: &Value) -> bool {
    ["crashed", "broken", "timed_out"].contains(&refusal["kind"].as_str().unwrap_or_default())
}

/// Before the first round has ended, there is nothing to say, and that is said.
#[test]
fn a_signal_before_the_first_round_leaves_a_run_without_numbers() {
    let place = Place::new();
    let said = survey_until(&place, "1h", Duration::ZERO, |child| signal(child, Signal::INT));
    let run = is_interrupted(&place, said);
    only_whole_rounds(&run);
    assert!(finding_ids(&run).contains("syscall.getppid.cost"));
    for finding in findings(&run) {
        let nothing = ["value", "low", "high", "basis"].iter().all(|key| finding[*key].is_null());
        assert_eq!(nothing, finding["why"].is_string(), "{finding}");
    }
}

/// timeout(1) signals its child and then its child's group: that was taken for a second signal, and
/// everything was lost.
#[test]
fn a_signal_that_comes_twice_at_once_is_one() {
    let place = Place::new();
    let said = survey_until(&place, "4s", Duration::from_secs(1), |child| {
        signal(child, Signal::STOP);
        signal(child, Signal::INT);
        signal(child, Signal::TERM);
        signal(child, Signal::CONT);
    });
    let run = is_interrupted(&place, said);
    assert!(only_whole_rounds(&run) > 0);
}

/// Surveys that measured nothing pushed out those that had.
#[test]
fn a_survey_without_a_trial_takes_no_runs_place() {
    let place = Place::new();
    place.run(&["survey", "--only", "syscall", "--time", "300ms"]).ended(0);
    let before = (place.read(RUN), place.names());
    let said = survey_until(&place, "1h", Duration::ZERO, |child| signal(child, Signal::INT));
    let run = json(&place.read(RUN));
    if run["ended"] == "complete" {
        assert!(said.stderr.contains("stays as it is"), "{said:?}");
        assert!((place.read(RUN), place.names()) == before, "{:?}", place.names());
    } else {
        // A round was finished before the signal came.
        assert!(!columns(&run, "syscall").is_empty());
    }
}

/// Two signals in a row: the second one ends the command at once, with the same code.
#[test]
fn a_second_signal_ends_it_at_once() {
    let place = Place::new();
    let said = survey_until(&place, "1h", Duration::from_millis(200), |child| {
        signal(child, Signal::INT);
        // It may have ended by itself by then.
        thread::sleep(Duration::from_millis(600));
        look(child.id()).map(|seen| seen.signal(Signal::TERM));
    });
    said.ended(130);
    let names = place.names();
    assert!(names.is_empty() || names == [RUN] || names == [PAGE, RUN], "{names:?}");
}

/// What was ignored before stays so: nohup(1) and a shell's background jobs count on it.
#[test]
fn a_signal_that_was_to_be_ignored_is() {
    for (name, ignored) in [("HUP", Signal::HUP), ("INT", Signal::INT)] {
        let place = Place::new();
        let script = format!(r#"trap '' {name}; exec "$0" syscall --time 1s --json"#);
        let child = spawn(&mut place.command("sh", &["-c", &script, FATHOM]));
        wait_for_worker(child.id(), WAIT_MAX).expect("a worker");
        signal(&child, ignored);
        let said = finish(child, WAIT_MAX);
        assert_eq!(said.code(), Some(0), "SIG{name}: {said:?}");
        assert_eq!(said.json()["ended"], "complete", "SIG{name}");
    }
}

#[test]
fn sudden_death_leaves_nothing_behind() {
    let mut families = 0;
    for after in moments(20, Duration::from_millis(1500)) {
        let place = Place::new();
        let family = death(&place, &["survey", "--time", "1s"], |_| thread::sleep(after));
        families += usize::from(!family.is_empty());
        match &place.names()[..] {
            [] => {}
            [.., name] if name == RUN => assert_eq!(json(&place.read(RUN))["ended"], "complete"),
            names => panic!("killed after {after:?}, left {names:?}"),
        }
    }
    assert!(families >= 5, "only {families} commands were killed while they had a worker");
}

/// A stopped worker can't end by itself, and still does not outlive the command.
#[test]
fn sudden_death_takes_a_stopped_worker_along() {
    let place = Place::new();
    let mut child = spawn(&mut place.fathom(&["syscall", "--time", "10s"]));
    // One that was stopped before it had asked to die with its parent could not.
    let age = Duration::from_millis(100);
    let worker = wait_for_seasoned_worker(child.id(), age, WAIT_MAX).expect("a worker");
    assert!(worker.signal(Signal::STOP), "{worker:?}");
    child.kill().expect("a child of ours");
    ended(&mut child, WAIT_MAX);
    wait_for(Duration::from_secs(2), || (!worker.lives()).then_some(())).expect("no worker left");
}

/// A run so long that no pipe holds it, so that its printing is cut in the middle.
fn long_run(place: &Place) {
    let mut run = place.run(&["syscall", "--time", "200ms", "--json"]).ended(0).json();
    let caveat = serde_json::json!({"kind": "long", "text": "word ".repeat(100)});
    run["sections"][0]["caveats"] = vec![caveat; 4000].into();
    place.write("long.json", run.to_string());
}

#[test]
fn an_output_that_nobody_reads_is_success() {
    let place = Place::new();
    long_run(&place);
    for words in [
        &["syscall", "--time", "300ms"][..],
        &["syscall", "--time", "300ms", "--json"],
        &QUICK,
        &["machine"],
        &["report", "long.json"],
        &["report", "long.json", "--json"],
        &["--help"],
        &["--version"],
        &["man"],
        &["completions", "zsh"],
    ] {
        for after_a_line in [false, true] {
            let mut child = spawn(&mut place.fathom(words));
            let mut stdout = BufReader::with_capacity(64, child.stdout.take().unwrap());
            if after_a_line {
                let mut line = Vec::new();
                stdout.by_ref().take(1000).read_until(b'\n', &mut line).unwrap();
                assert!(!line.is_empty(), "{words:?}");
            }
            drop(stdout);
            let said = finish(child, WAIT_MAX);
            assert_eq!(said.code(), Some(0), "{words:?} {after_a_line}: {said:?}");
            let about_the_file = "fathom: the run is in fathom-run.json";
            let fine = said.stderr.is_empty() || said.stderr.starts_with(about_the_file);
            assert!(fine, "{words:?}: {said:?}");
        }
    }
}

/// No error stream at all, or one that is closed at its other end.
#[test]
fn words_that_nobody_hears_are_no_failure() {
    let place = Place::new();
    for (script, code) in [
        (r#"exec "$0" syscall --time 300ms 2>&-"#, 0),
        (r#"exec "$0" --only syscall --time 300ms 2>&-"#, 0),
        (r#"exec "$0" --only syscall --time 300ms >&- 2>&-"#, 0),
        (r#"exec "$0" --only syscall --time 300ms --out o.json <&- >&- 2>&-"#, 0),
        (r#"exec "$0" frobnicate 2>&-"#, 2),
        (r#"exec "$0" --only syscall --time 300ms 2>/dev/full"#, 0),
        (r#"exec "$0" frobnicate 2>/dev/full"#, 2),
    ] {
        let said = answer(&mut place.command("sh", &["-c", script, FATHOM]));
        assert_eq!(said.code(), Some(code), "{script}: {said:?}");
        let mut child = spawn(&mut place.command("sh", &["-c", script, FATHOM]));
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(ended(&mut child, WAIT_MAX).code(), Some(code), "{script}");
    }
    assert_eq!(json(&place.read(RUN))["ended"], "complete");
    assert_eq!(json(&place.read("o.json"))["ended"], "complete");
}

fn into_full(command: &mut Command) -> Answer {
    let full = OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    command.stdout(full).stderr(Stdio::piped());
    finish(spawn_as_it_is(command), WAIT_MAX)
}

#[test]
fn a_full_output_is_a_failure_that_is_told() {
    let place = Place::new();
    long_run(&place);
    for words in [
        &["syscall", "--time", "300ms"][..],
        &["syscall", "--time", "300ms", "--json"],
        &QUICK,
        &["machine"],
        &["report", "long.json"],
        &["man"],
        &["--help"],
    ] {
        let said = into_full(&mut place.fathom(words)).ended(4);
        let line = said.stderr.lines().last().unwrap_or_default();
        assert!(line.starts_with("fathom: can't write to standard output"), "{words:?}: {said:?}");
    }
    assert_eq!(json(&place.read(RUN))["ended"], "complete", "the survey's file is whole");
}

#[test]
fn a_full_file_costs_no_results() {
    let place = Place::new();
    for words in [&["syscall", "--time", "300ms"][..], &QUICK, &["machine"]] {
        let said = place.run(&[words, &["--out", "/dev/full"]].concat()).ended(4);
        assert!(said.stdout.starts_with("Fathom "), "{words:?}: {said:?}");
        assert_eq!(said.stderr.lines().count(), 1, "{words:?}: {said:?}");
        assert!(said.stderr.starts_with("fathom: can't write /dev/full: "), "{words:?}: {said:?}");
        let json = place.run(&[words, &["--json", "--out", "/dev/full"]].concat()).ended(4).json();
        assert_eq!(json["ended"], "complete", "{words:?}");
    }
    assert_eq!(place.names(), [""; 0]);
    // Other devices and pipes are written to as they stand.
    place.run(&["machine", "--out", "/dev/null"]).ended(0);
    let said = place.run(&["machine", "--json", "--out", "/dev/stdout"]).ended(0);
    let (first, second) = said.stdout.split_once('\n').unwrap();
    assert_eq!(format!("{first}\n"), second, "once as the file, once as the answer");
}

const FULL_DISK: &str = r#"
    mount -t tmpfs -o size=64k,mode=755 none "$1" && cd "$1" && echo mounted >&2 || exit 99
    echo earlier > fathom-run.json
    cat /dev/zero > filler 2> "$2/why"
    "$0" survey --only syscall --time 300ms
    echo "code $?" >&2
    cat fathom-run.json >&2
    ls -A >&2
"#;

/// A disk that is really full: a small one of our own, in a mount namespace of our own.
#[test]
fn a_full_disk_costs_no_results() {
    let (place, disk) = (Place::new(), Place::new());
    let mapped: &[&str] = if is_root() { &[] } else { &["--map-root-user"] };
    let (path, notes) = (disk.path().to_string_lossy(), place.path().to_string_lossy());
    let words = ["--mount", "sh", "-c", FULL_DISK, FATHOM, &path, &notes];
    let words = [mapped, &words].concat();
    let Ok(child) =
        place.command("unshare", &words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    else {
        return println!("skipped: needs unshare");
    };
    let said = finish(child, WAIT_MAX);
    if !said.stderr.contains("mounted") {
        return println!("skipped: may not mount ({})", said.stderr.trim());
    }
    assert!(File::open(place.file("why")).is_ok() && place.read("why").contains("space"));
    assert!(said.stdout.contains("What does entering the kernel cost?"), "{said:?}");
    let lines: Vec<&str> = said.stderr.lines().collect();
    let ["mounted", compared, run, page, "code 4", "earlier", "fathom-run.json", "filler"] =
        lines[..]
    else {
        panic!("{said:?}");
    };
    assert!(compared.contains("not a run file"), "{compared}");
    assert!(run.starts_with("fathom: can't write fathom-run.json: No space"), "{run}");
    assert!(page.starts_with("fathom: can't write fathom-report.html: No space"), "{page}");
}
