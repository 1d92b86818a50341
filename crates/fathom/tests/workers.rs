//! Workers that are lost, stuck or never start: the command goes on, says so, and ends in time.

mod common;

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use common::{
    Answer, FATHOM, Place, WAIT_MAX, answer, as_ordinary_user, columns, findings, finish, measured,
    processes::{Seen, children, wait_for_seasoned_worker},
    refusals, section, spawn,
};
use rustix::process::Signal;
use serde_json::Value;

/// Of eleven: some may be refused where others share the CPUs.
const MEASURED_MIN: usize = 8;
/// A worker that is this old is past its warm-up round, of which nothing is recorded.
const SEASONED: Duration = Duration::from_millis(250);
/// What a run of some seconds may weigh, by a wide margin.
const JSON_BYTES_MAX: usize = 4 << 20;

fn start(place: &Place, time: &str) -> Child {
    spawn(&mut place.fathom(&["syscall", "--time", time, "--json"]))
}

fn kinds(run: &Value) -> Vec<String> {
    let kind = |refusal: &Value| refusal["kind"].as_str().expect("a kind").to_owned();
    refusals(run, "syscall").iter().map(kind).collect()
}

fn has_caveat(run: &Value, kind: &str) -> bool {
    let caveats = section(run, "syscall")["caveats"].as_array().expect("caveats");
    caveats.iter().any(|caveat| caveat["kind"] == kind)
}

/// Does something to one worker while it measures, and returns what the command says in the end.
fn with_worker(time: &str, hit: impl Fn(&Seen)) -> Answer {
    let place = Place::new();
    let child = start(&place, time);
    let worker = wait_for_seasoned_worker(child.id(), SEASONED, WAIT_MAX).expect("a worker");
    hit(&worker);
    let said = finish(child, WAIT_MAX).ended(0);
    assert!(!worker.lives(), "{worker:?}");
    said
}

#[test]
fn a_worker_that_is_killed_costs_one_trial() {
    for (signal, number) in [(Signal::KILL, 9), (Signal::ABORT, 6), (Signal::USR1, 10)] {
        let said = with_worker("3s", |worker| assert!(worker.signal(signal), "{worker:?}"));
        let run = said.json();
        assert_eq!(said.stderr, "");
        assert_eq!(run["ended"], "complete");
        assert!(measured(&run) >= MEASURED_MIN, "{:?}", kinds(&run));
        let crashes = refusals(&run, "syscall");
        let crashes: Vec<&Value> = crashes.iter().filter(|it| it["kind"] == "crashed").collect();
        assert_eq!(crashes.len(), 1, "signal {number}: {:?}", kinds(&run));
        assert_eq!(crashes[0]["signal"], number);
        if kinds(&run).len() == 1 {
            assert!(has_caveat(&run, "refused"), "{:#}", section(&run, "syscall")["caveats"]);
        }
    }
}

/// Which signal ends it is its own affair, but it is asked to end and may do so.
#[test]
fn a_worker_that_ignores_a_polite_signal_goes_on() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let said = with_worker("2s", |worker| assert!(worker.signal(signal), "{worker:?}"));
        assert!(!kinds(&said.json()).contains(&"crashed".to_owned()), "{:?}", kinds(&said.json()));
    }
}

#[test]
fn a_worker_that_is_stopped_is_given_up() {
    let said = with_worker("5s", |worker| assert!(worker.signal(Signal::STOP), "{worker:?}"));
    let run = said.json();
    assert_eq!(run["ended"], "complete");
    assert!(measured(&run) >= MEASURED_MIN, "{:?}", kinds(&run));
    assert!(kinds(&run).contains(&"timed_out".to_owned()), "{:?}", kinds(&run));
    if kinds(&run).len() == 1 {
        assert!(has_caveat(&run, "refused"), "{:#}", section(&run, "syscall")["caveats"]);
    }
}

/// A short halt, as a debugger or a busy host would cause one, is no loss.
#[test]
fn a_worker_that_pauses_is_waited_for() {
    let said = with_worker("3s", |worker| {
        assert!(worker.signal(Signal::STOP), "{worker:?}");
        thread::sleep(Duration::from_millis(500));
        worker.signal(Signal::CONT);
    });
    let lost = ["timed_out", "crashed", "broken"];
    let kinds = kinds(&said.json());
    assert!(!kinds.iter().any(|kind| lost.contains(&kind.as_str())), "{kinds:?}");
}

/// The command itself stopped, as by Ctrl-Z, for longer than a worker may take to answer.
#[test]
fn a_command_that_is_stopped_goes_on_where_it_was() {
    let place = Place::new();
    let child = start(&place, "3s");
    wait_for_seasoned_worker(child.id(), SEASONED, WAIT_MAX).expect("a worker");
    let command = common::processes::look(child.id()).expect("a child of ours");
    assert!(command.signal(Signal::STOP));
    thread::sleep(Duration::from_millis(3500));
    assert!(command.signal(Signal::CONT));
    let run = finish(child, WAIT_MAX).ended(0).json();
    let lost = ["timed_out", "crashed", "broken"];
    assert!(!kinds(&run).iter().any(|kind| lost.contains(&kind.as_str())), "{:?}", kinds(&run));
}

/// Kills every child of the command as soon as it is seen, until the command ends.
fn kill_all_workers(mut child: Child) -> (Answer, u32) {
    let (begin, mut killed) = (Instant::now(), 0);
    // What it prints must not fill the pipe meanwhile.
    let stdout = child.stdout.take().expect("a pipe");
    let printed = thread::spawn(move || {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut { stdout }, &mut text).expect("text");
        text
    });
    while child.try_wait().expect("a child of ours").is_none() && begin.elapsed() < WAIT_MAX {
        let workers = children(child.id());
        killed += workers.iter().filter(|worker| worker.signal(Signal::KILL)).count() as u32;
    }
    let mut said = finish(child, Duration::from_secs(1));
    said.stdout = printed.join().expect("a reader");
    (said, killed)
}

#[test]
fn a_command_whose_workers_all_die_ends_by_itself() {
    let place = Place::new();
    let (said, killed) = kill_all_workers(start(&place, "1s"));
    assert!(killed >= 10, "{killed} killed");
    assert!([Some(0), Some(3)].contains(&said.code()), "{said:?}");
    assert!(!said.stderr.contains("panicked"), "{said:?}");
    assert!(said.stderr.lines().count() <= 1, "{said:?}");
    let run = said.json();
    assert!(!kinds(&run).is_empty());
    for finding in findings(&run) {
        assert!(finding["value"].is_number() != finding["why"].is_string(), "{finding}");
    }
    let (bytes, trials) = (said.stdout.len(), trials(&run));
    assert!(bytes < JSON_BYTES_MAX, "{bytes} bytes of JSON, {trials} trials");
}

fn trials(run: &Value) -> usize {
    columns(run, "syscall").iter().map(|it| it["round"].as_array().expect("rounds").len()).sum()
}

/// The CPUs that a process may use, as the kernel lists them.
fn allowed(pid: u32) -> Option<String> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(list.trim().to_owned())
}

/// By the kernel's word, not by the record's.
#[test]
fn a_worker_runs_where_it_is_told() {
    let place = Place::new();
    let mask = rustix::thread::sched_getaffinity(None).expect("the CPUs of this thread");
    let cpus = (0..rustix::thread::CpuSet::MAX_CPU).filter(|cpu| mask.is_set(*cpu));
    for cpu in cpus.take(3).map(|cpu| cpu.to_string()) {
        let words = ["syscall", "--time", "1s", "--json", "--cpus", &cpu];
        let child = spawn(&mut place.fathom(&words));
        let worker = wait_for_seasoned_worker(child.id(), Duration::from_millis(50), WAIT_MAX);
        let allowed = allowed(worker.expect("a worker").pid);
        let run = finish(child, WAIT_MAX).ended(0).json();
        if let Some(allowed) = allowed {
            assert_eq!(allowed, cpu);
        }
        assert_eq!(section(&run, "syscall")["recorded"]["cpus"].to_string(), format!("[{cpu}]"));
    }
}

/// Where no process can be made, nothing can be measured: that is said, with the reason.
#[test]
fn a_command_that_may_start_no_worker_says_so() {
    let (home, place) = (Place::new(), Place::new());
    let program = home.copy_for_anybody();
    place.permit(0o777);
    let script = r#"ulimit -u 0 && exec "$@""#;
    for words in [&["syscall", "--time", "300ms"][..], &["--time", "300ms", "--out", "run.json"]] {
        let program = program.to_str().expect("a path that is text");
        // bash, because other shells may not know -u.
        let words = [&["-c", script, "bash", program], words].concat();
        let mut command = place.command("bash", &words);
        let begin = Instant::now();
        let said = answer(as_ordinary_user(&mut command));
        if said.stderr.contains("ulimit") || said.code() == Some(127) {
            return println!("skipped: may not limit processes ({})", said.stderr.trim());
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
        let said = said.ended(3);
        assert!(said.stdout.contains("can't be started"), "{}", said.stdout);
        assert!(said.stderr.contains("no question could be answered here"), "{said:?}");
    }
    let run = common::json(&place.read("run.json"));
    assert_eq!(section(&run, "syscall")["recorded"]["stopped"], "broken");
    assert_eq!(measured(&run), 0);
}

#[test]
fn a_worker_answers_words_that_it_does_not_understand() {
    let place = Place::new();
    let own = std::process::id().to_string();
    let mut command = place.command(FATHOM, &["__worker", "syscall", &own]);
    let mut child = spawn(command.stdin(Stdio::piped()));
    let mut asks = child.stdin.take().expect("a pipe");
    let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
    let unknown = r#"{"case":{"id":"x","levels":{"call":"reboot"}},
        "window":{"secs":0,"nanos":1000000},"cpus":[0],"start":0,"seed":0}"#
        .replace('\n', "");
    let nowhere = unknown.replace("[0]", "[4000000]");
    for ask in ["", "hello", "{}", "[[[[", r#"{"case":1}"#, &unknown, &nowhere] {
        asks.write_all(ask.as_bytes()).expect("a worker that listens");
        asks.write_all(b"\n").expect("a worker that listens");
        let mut line = String::new();
        answers.read_line(&mut line).expect("an answer");
        let answer = common::json(&line);
        assert!(answer["Err"]["kind"].is_string(), "{ask}: {line}");
    }
    drop(asks);
    let said = finish(child, WAIT_MAX).ended(0);
    assert_eq!(said.stderr, "");
}
