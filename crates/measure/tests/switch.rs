//! The context switch, live: every case runs tiny in this process and proves itself, or says why
//! not. What follows from the trials is in `switch_concluded.rs`.

use std::{
    fs,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use lab::{
    Case, Context, Experiment, Live, Local, Request, Step, Trial, Unwatched, conclude, conduct,
};
use measure::{
    Switch,
    switch::{CHOOSE_QUICK, CHOOSE_WORKING_SETS},
};
use record::{Choices, Observation, Recorded, Refusal};

/// One at a time: two of them would be each other's noise.
static LIVE: Mutex<()> = Mutex::new(());
/// Whatever else runs here may be what a trial sees, and then it refuses, rightly. It is not there
/// in all of so many.
const TRIES: u64 = 50;

fn one_at_a_time() -> MutexGuard<'static, ()> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn context(choices: Choices) -> Context {
    let machine = machine::describe();
    let cpus = machine.affinity.clone();
    let budget = Duration::from_millis(500);
    Context { machine, request: Request { budget, cpus, seed: 7, choices } }
}

fn quick() -> Choices {
    [(CHOOSE_QUICK.to_owned(), Vec::new())].into()
}

/// All there is, but for sets of memory that take long.
fn all() -> Choices {
    [(CHOOSE_WORKING_SETS.to_owned(), vec!["16384".to_owned(), "524288".to_owned()])].into()
}

/// The cases of all steps.
fn cases(context: &Context) -> Vec<Case> {
    let mut so_far = context.request.blank();
    let mut all = Vec::new();
    while let Ok(Step::Rounds { cases, .. }) = Switch.next(context, &so_far) {
        so_far.trials.push(record::Trial {
            start: 0,
            round: 0,
            case: cases[0].id.clone(),
            at_ns: 1,
            result: Ok(Observation::default()),
        });
        all.extend(cases);
    }
    all
}

fn case(context: &Context, id: &str) -> Case {
    let found = cases(context).into_iter().find(|case| case.id == id);
    found.unwrap_or_else(|| panic!("no case {id}"))
}

/// One tiny trial.
fn tried(context: &Context, case: &Case, seed: u64) -> Result<Observation, Refusal> {
    let (window, start) = (Duration::from_millis(2), seed as u32);
    let cpus = context.request.cpus.clone();
    Switch.trial(&Trial { case: case.clone(), window, cpus, start, seed })
}

/// What a trial of this case saw that proved itself.
fn proven(context: &Context, id: &str) -> Observation {
    let case = case(context, id);
    let mut refused = None;
    for seed in 0..TRIES {
        match tried(context, &case, seed) {
            Ok(seen) => return seen,
            Err(refusal) => refused = Some(refusal),
        }
    }
    panic!("{id}, tried {TRIES} times: {}", refused.expect("a refusal"))
}

/// The words of the refusals of a case that can't be proven.
fn refusals(context: &Context, id: &str) -> Vec<String> {
    let case = case(context, id);
    let said = |seed| match tried(context, &case, seed) {
        Ok(seen) => panic!("{id}: {seen:?}"),
        Err(refusal) => refusal.to_string(),
    };
    (0..3).map(said).collect()
}

fn has_two_cpus(context: &Context) -> bool {
    let two = context.request.cpus.len() >= 2;
    if !two {
        println!("skipped: needs two CPUs");
    }
    two
}

/// How many switches a round trip took, and the most that it may have: beside `most` one preemption
/// for each millisecond.
#[track_caller]
fn in_bounds(id: &str, seen: &Observation, least: f64, most: f64) {
    let per_trip = seen.proof["switches_per_round_trip"];
    let preempted = seen.proof["elapsed_ns"] / 1e6 / seen.proof["calls"];
    assert!((least..=most + preempted).contains(&per_trip), "{id}: {seen:?}");
}

/// A number that is one, and what was counted meanwhile.
#[track_caller]
fn has_numbers_and_proof(case: &Case, seen: &Observation) {
    let levels: Vec<f64> = seen.readings.values().filter_map(|it| it.level()).collect();
    let fine = |it: &f64| it.is_finite() && *it > 0.0;
    assert!(!levels.is_empty() && levels.iter().all(fine), "{}: {seen:?}", case.id);
    assert!(!seen.proof.is_empty(), "{}", case.id);
}

#[test]
fn every_case_proves_itself_or_says_why_not() {
    let _alone = one_at_a_time();
    for choices in [quick(), all()] {
        let context = context(choices);
        let mut unproven: Vec<Case> = cases(&context);
        let all = unproven.len();
        for seed in 0..5 {
            unproven.retain(|case| match tried(&context, case, seed) {
                Ok(seen) => {
                    has_numbers_and_proof(case, &seen);
                    false
                }
                Err(refusal) => {
                    assert!(refusal.worker_survives(), "{}: {refusal}", case.id);
                    assert!(refusal.to_string().len() > 30, "{}: {refusal}", case.id);
                    true
                }
            });
        }
        let left: Vec<&str> = unproven.iter().map(|case| case.id.as_str()).collect();
        assert!(2 * left.len() < all, "of {all}: {left:?}");
    }
}

#[test]
fn on_one_cpu_a_round_trip_is_two_switches_and_no_move() {
    let _alone = one_at_a_time();
    let context = context(all());
    for medium in ["futex", "pipe", "eventfd", "socketpair"] {
        for partner in ["thread", "process"] {
            let id = format!("{medium}.{partner}.same_cpu");
            let seen = proven(&context, &id);
            // A socket wakes its sender too, which goes back to sleep.
            let most = if medium == "socketpair" { 4.1 } else { 2.1 };
            in_bounds(&id, &seen, 1.9, most);
            assert!(
                seen.proof.get("migrations").is_none_or(|moves| *moves == 0.0),
                "{id} {seen:?}"
            );
            let cost = seen.readings["switch"].level().unwrap();
            let trip = seen.proof["elapsed_ns"] / seen.proof["calls"];
            let switches = trip / cost;
            assert!((switches / seen.proof["switches_per_round_trip"] - 1.0).abs() < 1e-9);
        }
    }
}

/// Whether a yield switches on one CPU is the scheduler's choice; either way nobody is misled.
#[test]
fn a_yield_on_one_cpu_is_proven_or_refused() {
    let _alone = one_at_a_time();
    let context = context(all());
    for partner in ["thread", "process"] {
        let id = format!("sched_yield.{partner}.same_cpu");
        match tried(&context, &case(&context, &id), 1) {
            Ok(seen) => in_bounds(&id, &seen, 1.9, 2.1),
            Err(refusal) => assert!(refusal.to_string().contains("switches per round trip")),
        }
    }
}

#[test]
fn a_yield_across_two_cpus_switches_to_nobody() {
    let _alone = one_at_a_time();
    let context = context(all());
    if !has_two_cpus(&context) {
        return;
    }
    for partner in ["thread", "process"] {
        for said in refusals(&context, &format!("sched_yield.{partner}.two_cpus")) {
            assert!(said.contains("both sides ran at once, and yielded to nobody"), "{said}");
        }
    }
}

#[test]
fn across_two_cpus_a_side_sleeps_or_is_kept_awake() {
    let _alone = one_at_a_time();
    let context = context(all());
    if !has_two_cpus(&context) {
        return;
    }
    for partner in ["thread", "process"] {
        let idle = format!("futex.{partner}.two_cpus.idle");
        let awake = format!("futex.{partner}.two_cpus.awake");
        for id in [&idle, &awake] {
            let seen = proven(&context, id);
            in_bounds(id, &seen, 1.8, 2.1);
            let spins = seen.proof.get("idle_class_spins").copied();
            assert_eq!(spins.is_some(), *id == awake, "{id}: {seen:?}");
            assert!(spins.is_none_or(|spins| spins > 0.0), "{id}: {seen:?}");
            assert!(!seen.proof.contains_key("on_one_cpu_share"), "{id}: {seen:?}");
        }
    }
}

/// A thread's looks were counted together with its partner's, so that none of them ever was due.
#[test]
fn where_the_scheduler_likes_it_is_told_where_that_was() {
    let _alone = one_at_a_time();
    let context = context(all());
    for medium in ["futex", "pipe"] {
        for partner in ["process", "thread"] {
            let id = format!("{medium}.{partner}.free");
            let seen = proven(&context, &id);
            let share = seen.proof.get("on_one_cpu_share").copied();
            assert!(share.is_some_and(|it| (0.0..=1.0).contains(&it)), "{id}: {seen:?}");
            if context.request.cpus.len() == 1 {
                assert_eq!(share, Some(1.0), "{id}: {seen:?}");
            }
        }
    }
}

#[test]
fn a_switch_with_work_to_do_is_proven_as_one_without() {
    let _alone = one_at_a_time();
    let context = context(all());
    for id in ["work.own.switched.0", "work.own.switched.16384", "work.shared.switched.524288"] {
        in_bounds(id, &proven(&context, id), 1.9, 2.1);
    }
    // Of work without a switch none is claimed.
    for id in ["work.own.alone.16384", "work.reads.alternating.16384"] {
        let seen = proven(&context, id);
        assert!(!seen.proof.contains_key("switches_per_round_trip"), "{id}: {seen:?}");
    }
}

/// Every wake that was due is in the counts, whether the thread slept until then or came too late.
#[test]
fn a_thread_that_is_due_is_counted_among_its_rivals() {
    let _alone = one_at_a_time();
    let context = context(all());
    for id in ["wait.other.0", "wait.other.2", "wait.batch.1"] {
        let seen = proven(&context, id);
        let (due, slept) = (seen.proof["due"], seen.proof["slept"]);
        assert!(due >= 120.0 && slept <= due, "{id}: {seen:?}");
        let shares: Vec<_> = seen.readings.values().filter_map(|it| it.share()).collect();
        assert!(shares.len() == 61 && shares.iter().all(|part| part.of as f64 == due), "{id}");
    }
}

fn lines_of(path: &str, of_what: &str) -> usize {
    fs::read_to_string(path)
        .expect("a file of /proc")
        .lines()
        .filter(|line| line.contains(of_what))
        .count()
}

/// But for the working sets' own, which a worker keeps for the next trial.
#[test]
fn a_trial_gives_its_memory_back() {
    let _alone = one_at_a_time();
    let context = context(quick());
    let maps = || lines_of("/proc/self/maps", "/dev/zero (deleted)");
    let before = maps();
    for case in cases(&context) {
        drop(tried(&context, &case, 3));
        assert!(maps() <= before + 1, "{}", case.id);
    }
}

#[test]
fn a_case_that_is_none_is_refused() {
    let context = context(quick());
    for levels in [
        &[][..],
        &[("do", "reboot")],
        &[("do", "ping_pong"), ("medium", "smoke"), ("partner", "thread"), ("placement", "free")],
        &[("do", "line"), ("pair", "0")],
        &[("do", "line"), ("pair", "")],
        &[("do", "wait"), ("class", "other"), ("rivals", "-1")],
        &[("do", "wait"), ("class", "best"), ("rivals", "1")],
        &[("do", "work"), ("access", "own"), ("how", "switched"), ("bytes", "many")],
    ] {
        let said = tried(&context, &Case::new("x", levels), 0).unwrap_err().to_string();
        assert!(said.contains("a case named \"x\""), "{levels:?}: {said}");
    }
}

#[test]
fn a_real_run_concludes_to_the_same_section_when_it_is_read_back() {
    let _alone = one_at_a_time();
    let context = context(quick());
    let local = Local::new(&Switch);
    let mut live = Live::new(10);
    let recorded = conduct(&Switch, &context, &local, &mut live, &mut Unwatched).unwrap();
    assert!(recorded.rounds() >= 10 && recorded.starts.len() == 5);
    let section = conclude(&Switch, &context, recorded.clone());
    let read: Recorded = serde_json::from_str(&serde_json::to_string(&recorded).unwrap()).unwrap();
    assert_eq!(read, recorded);
    assert_eq!(conclude(&Switch, &context, read), section);
}
