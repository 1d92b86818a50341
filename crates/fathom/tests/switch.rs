//! `fathom switch` as a user has it: the names that programs rely on, and that none of the many
//! processes and threads that take part outlives it, however it ends.

mod common;

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use common::{
    FATHOM, Place, WAIT_MAX, as_ordinary_user, columns, findings, finish, json, list,
    processes::{
        Seen, children, descendants, look, wait_for, wait_for_seasoned_worker, wait_for_worker,
        workers,
    },
    refusals, section, spawn,
    sudden::{death, moments, nothing_is_left},
    text,
};
use rustix::process::{Pid, Resource, Signal, getrlimit, kill_process_group};
use serde_json::Value;

/// One at a time: two of them would be each other's noise.
static LIVE: Mutex<()> = Mutex::new(());
const QUICK: [&str; 5] = ["switch", "--quick", "--json", "--time", "1s"];
/// Whatever else runs here may be what a trial sees, and then it is refused, rightly. It is not
/// there in all of so many runs.
const RUNS: usize = 5;

fn one_at_a_time() -> MutexGuard<'static, ()> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[track_caller]
fn finding<'a>(run: &'a Value, id: &str) -> &'a Value {
    let found = findings(run).into_iter().find(|finding| finding["id"] == id);
    found.unwrap_or_else(|| panic!("no finding {id}"))
}

fn has_two_cpus() -> bool {
    let machine = Place::new().run(&["machine", "--json"]).ended(0).json();
    list(&machine["machines"][0]["affinity"]).len() >= 2
}

/// The least and the most switches per round trip; nothing of what is no round trip.
const NAMES: [(&str, Option<(f64, f64)>); 9] = [
    ("switch.futex.process.same_cpu", Some((1.9, 2.2))),
    ("switch.futex.thread.same_cpu", Some((1.9, 2.2))),
    ("switch.working_set.512kib.indirect", Some((1.9, 2.2))),
    ("switch.one_percent.rate", Some((1.9, 2.2))),
    ("switch.wakeup.p99", None),
    ("switch.process_over_thread", None),
    ("switch.noise_floor", None),
    ("switch.futex.process.two_cpus.idle", Some((1.8, 2.2))),
    ("switch.futex.process.two_cpus.awake", Some((1.8, 2.2))),
];

#[test]
fn the_names_that_programs_rely_on_and_their_proof() {
    let _alone = one_at_a_time();
    let place = Place::new();
    let two = has_two_cpus();
    let mut wanted: BTreeSet<&str> = NAMES.map(|(id, _)| id).into();
    for _ in 0..RUNS {
        let run = place.run(&QUICK).ended(0).json();
        for (id, bounds) in NAMES {
            let found = finding(&run, id);
            if id.contains("two_cpus") && !two {
                assert!(text(&found["why"]).starts_with("needs two CPUs"), "{found}");
            } else if found["value"].is_null() {
                assert_eq!(found["outcome"], "refused", "{found}");
                continue;
            } else if let Some((least, most)) = bounds {
                let switches = found["proof"]["switches_per_round_trip"].as_f64();
                assert!(switches.is_some_and(|it| (least..=most).contains(&it)), "{found}");
            }
            wanted.remove(id);
        }
        if wanted.is_empty() {
            return;
        }
    }
    panic!("no number in {RUNS} runs: {wanted:?}");
}

#[test]
fn a_survey_asks_of_switches_what_quick_asks() {
    let _alone = one_at_a_time();
    let ids = |words: &[&str]| -> BTreeSet<String> {
        let run = Place::new().run(words).ended(0).json();
        let found = list(&section(&run, "switch")["findings"]);
        found.iter().map(|it| text(&it["id"]).to_owned()).collect()
    };
    let survey = ids(&["--only", "switch", "--json", "--time", "500ms"]);
    assert_eq!(survey, ids(&QUICK));
}

#[test]
fn a_run_is_shown_again_and_compared() {
    let _alone = one_at_a_time();
    let place = Place::new();
    for name in ["a.json", "b.json"] {
        let words = ["switch", "--quick", "--time", "300ms", "--out", name];
        let printed = place.run(&words).ended(0).stdout;
        assert!(printed.contains("What does a context switch cost"), "{printed}");
        assert_eq!(place.run(&["report", name]).ended(0).stdout, printed);
    }
    let compared = place.run(&["compare", "a.json", "b.json", "--json"]).ended(0).json();
    finding(&compared, "compare.switch.futex.process.same_cpu");
}

/// The forked partner of a worker, at this moment.
fn partner(command: u32) -> Option<Seen> {
    children(command).iter().find_map(|worker| children(worker.pid).into_iter().next())
}

#[test]
fn nothing_outlives_a_run() {
    let _alone = one_at_a_time();
    let place = Place::new();
    let mut child = spawn(&mut place.fathom(&QUICK));
    let mut family = BTreeSet::new();
    let mut partners = 0;
    while child.try_wait().expect("a child of ours").is_none() && partners < 10 {
        partners += usize::from(partner(child.id()).is_some());
        family.extend(descendants(child.id()));
    }
    let id = child.id();
    finish(child, WAIT_MAX).ended(0);
    assert!(partners > 0 && family.len() >= 5, "{family:?}");
    nothing_is_left(id, &family.into_iter().collect::<Vec<_>>());
    assert_eq!(place.names(), [""; 0]);
}

/// Half of them are killed as soon as there is a partner.
#[test]
fn sudden_death_takes_partners_along() {
    let _alone = one_at_a_time();
    let place = Place::new();
    let mut partners = 0;
    for (turn, after) in moments(20, Duration::from_millis(1200)).into_iter().enumerate() {
        let family = death(&place, &QUICK, |child| {
            thread::sleep(after);
            if turn % 2 == 0 {
                wait_for(Duration::from_millis(500), || partner(child.id()));
            }
        });
        let parents: BTreeSet<u32> = family.iter().map(|it| it.parent).collect();
        partners += usize::from(parents.len() > 1);
    }
    assert!(partners >= 3, "only {partners} commands were killed while a worker had a partner");
}

/// Stops a partner while it is the other one's turn to wait; none where the command ends first.
fn stop_a_partner(child: &Child) -> Option<Seen> {
    let stopped = wait_for(Duration::from_secs(20), || {
        let partner = partner(child.id())?;
        partner.signal(Signal::STOP).then_some(())?;
        // Where its last turn was over its worker ends it, stopped or not.
        thread::sleep(Duration::from_millis(200));
        let worker_waits = || look(partner.parent).is_some_and(|it| it.state == 'S');
        (partner.lives() && worker_waits()).then_some(partner)
    });
    stopped.filter(Seen::lives)
}

#[test]
fn a_partner_that_is_stopped_is_given_up() {
    let _alone = one_at_a_time();
    let place = Place::new();
    for _ in 0..RUNS {
        let child = spawn(&mut place.fathom(&["switch", "--quick", "--json", "--time", "3s"]));
        let id = child.id();
        // Of a worker's first round nothing is recorded.
        wait_for_seasoned_worker(id, Duration::from_millis(400), WAIT_MAX).expect("a worker");
        let partner = stop_a_partner(&child);
        let said = finish(child, WAIT_MAX).ended(0);
        let run = said.json();
        nothing_is_left(id, &partner.clone().into_iter().collect::<Vec<_>>());
        assert_eq!((said.stderr.as_str(), &run["ended"]), ("", &Value::from("complete")));
        let late = refusals(&run, "switch").into_iter().find(|it| it["kind"] == "timed_out");
        let Some(late) = late.filter(|_| partner.is_some()) else { continue };
        assert!(late["waited_ms"].as_u64().is_some_and(|ms| ms >= 2000), "{late}");
        place.write("run.json", said.stdout);
        let told = place.run(&["report", "run.json"]).ended(0).stdout;
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        let only = refusals(&run, "switch").len() == 1;
        assert!(!only || told.contains("no answer within"), "{told}");
        return;
    }
    panic!("no partner could be stopped in {RUNS} runs");
}

/// A stopped partner can't see that its worker is gone.
#[test]
fn sudden_death_takes_a_stopped_partner_along() {
    let _alone = one_at_a_time();
    let place = Place::new();
    let words = ["switch", "--quick", "--time", "1m"];
    let mut stopped = None;
    let family = death(&place, &words, |child| stopped = stop_a_partner(child));
    let stopped = stopped.expect("a partner");
    assert!(family.iter().any(|it| it.pid == stopped.pid), "{stopped:?} of {family:?}");
}

/// What Ctrl-C does: the terminal signals the whole group, workers and their partners too.
fn interrupted(place: &Place, after: Duration) -> Value {
    let words = ["switch", "--quick", "--json", "--time", "1m"];
    let child = spawn(place.fathom(&words).process_group(0));
    wait_for_worker(child.id(), WAIT_MAX).expect("a worker");
    thread::sleep(after);
    kill_process_group(Pid::from_child(&child), Signal::INT).expect("a group of ours");
    let id = child.id();
    let run = finish(child, WAIT_MAX).ended(130).json();
    nothing_is_left(id, &[]);
    run
}

#[test]
fn an_interrupted_run_keeps_its_rounds() {
    let _alone = one_at_a_time();
    let place = Place::new();
    // A busy machine may need long for a round.
    for after in [1, 2, 4, 8, 16].map(Duration::from_secs) {
        let run = interrupted(&place, after);
        assert_eq!(run["ended"], "interrupted");
        assert_eq!(section(&run, "switch")["recorded"]["stopped"], "interrupted");
        let lost = ["crashed", "broken", "timed_out"];
        let lost = |it: &Value| lost.contains(&text(&it["kind"]));
        assert!(!refusals(&run, "switch").iter().any(lost), "{:?}", refusals(&run, "switch"));
        let cases = columns(&run, "switch");
        let rounds: Vec<&Value> = cases.iter().map(|case| &case["round"]).collect();
        assert!(rounds.windows(2).all(|pair| pair[0] == pair[1]), "{rounds:?}");
        if rounds.first().is_some_and(|round| !list(round).is_empty()) {
            return;
        }
    }
    panic!("no round was finished");
}

/// A worker that is asked by this test.
struct Asked {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Asked {
    fn start(command: &mut Command) -> Self {
        let own = std::process::id().to_string();
        let mut child = spawn(command.args(["__worker", "switch", &own]).stdin(Stdio::piped()));
        let asks = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, asks, answers }
    }

    /// A trial's answer: of a case whose levels are words such as `do=wait rivals=2`.
    fn ask(&mut self, levels: &str) -> Value {
        let level = |word: &str| {
            let (factor, level) = word.split_once('=').expect("a level");
            (factor.to_owned(), Value::from(level))
        };
        let levels: serde_json::Map<String, Value> = levels.split(' ').map(level).collect();
        let allowed = rustix::thread::sched_getaffinity(None).expect("the CPUs of this thread");
        let cpus = (0..rustix::thread::CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu));
        let ask = serde_json::json!({
            "case": { "id": "x", "levels": levels },
            "window": { "secs": 0, "nanos": 2_000_000 },
            "cpus": cpus.collect::<Vec<_>>(), "start": 0, "seed": 1,
        });
        writeln!(self.asks, "{ask}").expect("a worker that listens");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("an answer");
        json(&line)
    }

    /// Its threads, its children, its open files, and the memory that it shares with them.
    fn holds(&self) -> [usize; 4] {
        let id = self.child.id();
        let count = |what: &str| fs::read_dir(format!("/proc/{id}/{what}")).expect("/proc").count();
        let maps = fs::read_to_string(format!("/proc/{id}/maps")).expect("/proc");
        let shared = maps.lines().filter(|line| line.contains("/dev/zero")).count();
        [count("task"), children(id).len(), count("fd"), shared]
    }

    fn end(self) {
        drop(self.asks);
        finish(self.child, WAIT_MAX).ended(0);
    }
}

#[test]
fn a_trial_leaves_its_worker_as_it_was() {
    let _alone = one_at_a_time();
    let place = Place::new();
    let mut worker = Asked::start(&mut place.command::<&str>(FATHOM, &[]));
    // The memory of working sets is kept from the first trial on.
    worker.ask("do=work access=own how=switched bytes=524288");
    let before = worker.holds();
    assert_eq!(before[0], 1, "one thread");
    for levels in [
        "do=ping_pong medium=futex partner=process placement=same_cpu",
        "do=ping_pong medium=pipe partner=thread placement=free",
        "do=ping_pong medium=eventfd partner=process placement=two_cpus.awake pairs=0-1",
        "do=ping_pong medium=socketpair partner=thread placement=two_cpus.idle pairs=0-1",
        "do=ping_pong medium=sched_yield partner=process placement=two_cpus.idle pairs=0-1",
        "do=ping_pong medium=futex partner=process placement=two_cpus.idle pairs=4000-0",
        "do=ping_pong medium=futex partner=thread placement=two_cpus.awake pairs=4000-0",
        "do=loop medium=pipe",
        "do=line pair=0-1",
        "do=line pair=0-4000",
        "do=wait class=batch rivals=4",
        "do=wait class=fifo rivals=1",
        "do=work access=own how=switched bytes=524288",
        "do=work access=reads how=alternating bytes=16384",
    ] {
        let answer = worker.ask(levels);
        assert!(answer["Ok"].is_object() || answer["Err"]["kind"].is_string(), "{answer}");
        // A thread that was waited for may be listed a moment longer.
        let as_before = || (worker.holds() == before).then_some(());
        wait_for(Duration::from_secs(1), as_before)
            .unwrap_or_else(|| panic!("{levels}: {:?}, not {before:?}", worker.holds()));
    }
    let id = worker.child.id();
    worker.end();
    assert_eq!(workers(id), []);
}

#[test]
fn an_ordinary_user_is_told_which_limit_forbids_a_class() {
    let _alone = one_at_a_time();
    if getrlimit(Resource::Rtprio).current != Some(0) {
        return println!("skipped: any user may have real-time priorities here");
    }
    let place = Place::new();
    let program = place.copy_for_anybody();
    let mut command = place.command::<&str>(&program, &[]);
    let mut worker = Asked::start(as_ordinary_user(&mut command));
    let refused = worker.ask("do=wait class=fifo rivals=0");
    assert_eq!(refused["Err"]["kind"], "not_permitted", "{refused}");
    assert!(text(&refused["Err"]["now"]).contains("(ulimit -r) is 0"), "{refused}");
    assert!(text(&refused["Err"]["fix"]).contains("rtprio in limits.conf"), "{refused}");
    // The worker is whole, and other classes are everybody's.
    for class in ["other", "batch"] {
        let answer = worker.ask(&format!("do=wait class={class} rivals=0"));
        assert!(answer["Ok"]["proof"]["due"].is_number(), "{answer}");
    }
    worker.end();
}
