//! The syscall experiment: a real run in this process, and exact arithmetic on a made-up record.

use std::time::Duration;

use lab::{Context, Experiment, Live, Local, Request, Unwatched, conclude, conduct};
use measure::Syscall;
use record::{Machine, Observation, Outcome, Reading, Recorded, Refusal, Start, Stopped, Trial};

fn context() -> Context {
    let machine = machine::describe();
    let cpus = machine.affinity.clone();
    Context {
        machine,
        request: Request {
            budget: Duration::from_millis(200),
            cpus,
            seed: 7,
            choices: Default::default(),
        },
    }
}

/// Rounds in which every case costs what it is given.
fn made_up(cases: &[(&str, f64)]) -> Recorded {
    let trial = |round: u32, place: usize, &(case, cost): &(&str, f64)| Trial {
        start: round / 2,
        round,
        case: case.into(),
        at_ns: u64::from(round) * 100_000_000 + place as u64,
        result: Ok(Observation {
            readings: [("cost".to_owned(), Reading::Level(cost))].into(),
            proof: [("calls".to_owned(), 1000.0)].into(),
        }),
    };
    let round = |round| cases.iter().enumerate().map(move |(place, it)| trial(round, place, it));
    let start = Start { at_ns: 0, wall_ns: 1, foreign_cpus: None, steal_cpus: None };
    Recorded {
        budget_ns: 1,
        window_ns: 1,
        cpus: vec![0],
        seed: 7,
        choices: Default::default(),
        stopped: Stopped::Budget,
        starts: vec![start; 5],
        trials: (0..10).flat_map(round).collect(),
    }
}

fn outcome_of(recorded: Recorded, id: &str) -> (Outcome, String) {
    let context = Context { machine: Machine::default(), ..context() };
    let section = conclude(&Syscall, &context, recorded);
    let found = section.conclusion.findings.into_iter().find(|finding| finding.id == id);
    let found = found.unwrap_or_else(|| panic!("no finding {id}"));
    (found.outcome, found.text)
}

#[test]
fn a_real_run_concludes_to_the_same_section_when_it_is_read_back() {
    let context = context();
    let local = Local::new(&Syscall);
    let mut live = Live::new(10);
    let recorded = conduct(&Syscall, &context, &local, &mut live, &mut Unwatched).unwrap();
    assert!(recorded.rounds() >= 10 && recorded.starts.len() == 5);
    let section = conclude(&Syscall, &context, recorded.clone());
    let json = serde_json::to_string(&recorded).unwrap();
    let read: Recorded = serde_json::from_str(&json).unwrap();
    assert_eq!(read, recorded);
    assert_eq!(conclude(&Syscall, &context, read), section);
}

#[test]
fn derived_numbers_are_exact_arithmetic() {
    let cases = [("gettid", 200.0), ("clock_gettime.kernel", 300.0), ("clock_gettime.vdso", 25.0)];
    for (id, value, says) in [
        (
            "syscall.gettid.cost",
            200.0,
            "you 200 ns (95 %: 200 to 200 ns); Xeon E5-2620, 2013: 67 ns.",
        ),
        ("syscall.one_percent.rate", 50_000.0, "at 50,000 calls a second."),
        ("syscall.clock_gettime.vdso_speedup", 12.0, "12.0 times as fast"),
    ] {
        let (outcome, text) = outcome_of(made_up(&cases), id);
        let estimate = outcome.estimate().unwrap();
        assert!((estimate.value - value).abs() < 1e-9, "{id}: {estimate:?}");
        assert_eq!((estimate.low, estimate.high), (estimate.value, estimate.value));
        assert!(text.contains(says), "{text}");
    }
}

#[test]
fn without_trials_there_are_no_numbers() {
    let nothing = Recorded { trials: vec![], starts: vec![], ..made_up(&[]) };
    for id in ["syscall.gettid.cost", "syscall.one_percent.rate"] {
        let (outcome, text) = outcome_of(nothing.clone(), id);
        assert!(matches!(outcome, Outcome::NotRun { .. }), "{id}: {outcome:?}");
        assert!(text.contains("no number; no round was finished"), "{text}");
    }
}

#[test]
fn what_rests_on_a_refused_call_is_refused() {
    let mut recorded = made_up(&[("clock_gettime.kernel", 300.0), ("clock_gettime.vdso", 25.0)]);
    let refusal = Refusal::EventNotProven { seen: "the clock source has no vDSO".into() };
    for trial in &mut recorded.trials {
        if trial.case == "clock_gettime.vdso" {
            trial.result = Err(refusal.clone());
        }
    }
    let (outcome, text) = outcome_of(recorded, "syscall.clock_gettime.vdso_speedup");
    assert_eq!(outcome, Outcome::Refused(refusal));
    assert!(text.contains("no number"), "{text}");
}

#[test]
fn every_finding_has_the_name_that_other_programs_rely_on() {
    let context = Context { machine: Machine::default(), ..context() };
    let conclusion = Syscall.conclude(&context, &made_up(&[("gettid", 100.0)]));
    let ids: Vec<&str> = conclusion.findings.iter().map(|finding| finding.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "syscall.gettid.cost",
            "syscall.one_percent.rate",
            "syscall.getppid.cost",
            "syscall.close.cost",
            "syscall.read.cost",
            "syscall.write.cost",
            "syscall.sched_yield.cost",
            "syscall.futex_wake.cost",
            "syscall.clock_gettime.kernel.cost",
            "syscall.clock_gettime.vdso.cost",
            "syscall.loop.cost",
            "syscall.clock_gettime.vdso_speedup",
        ]
    );
}
