//! `fathom clock` as a user has it: the names that programs rely on, its own words, and its numbers
//! against somebody else's.

mod common;

use common::{Place, answer, columns, finding_ids, findings, numbers, section, text};
use serde_json::Value;

fn run(words: &[&str]) -> Value {
    let place = Place::new();
    place.run(&[&["clock", "--json", "--seed", "3"], words].concat()).ended(0).json()
}

#[track_caller]
fn finding<'a>(run: &'a Value, id: &str) -> &'a Value {
    let found = findings(run).into_iter().find(|finding| finding["id"] == id);
    found.unwrap_or_else(|| panic!("no finding {id}"))
}

fn value(run: &Value, id: &str) -> f64 {
    finding(run, id)["value"].as_f64().unwrap_or_else(|| panic!("{}", finding(run, id)))
}

/// The CPUs that a command of ours may use, which a quota does not lessen.
fn affinity() -> Vec<u64> {
    let machine = Place::new().run(&["machine", "--json"]).ended(0).json();
    let cpus = machine["machines"][0]["affinity"].as_array().expect("CPUs").clone();
    cpus.iter().filter_map(Value::as_u64).collect()
}

fn cpus() -> usize {
    affinity().len()
}

#[test]
fn the_names_that_programs_rely_on() {
    let run = run(&["--time", "2s"]);
    let ids = finding_ids(&run);
    for id in [
        "clock.realtime.step",
        "clock.realtime.read_cost",
        "clock.realtime.collisions.threads_2.tight",
        "clock.realtime.collisions.threads_2.jittered",
        "clock.monotonic.backwards",
        "clock.cpus.order_violations",
        "clock.id.timestamp.cost",
        "clock.id.atomic_counter.cost",
        "clock.id.thread_counter.cost",
        "clock.id.timestamp_counter.cost",
        "clock.id.uuid_v4.cost",
        "clock.id.uuid_v7.cost",
        "clock.noise_floor",
        "clock.canary",
    ] {
        assert!(ids.contains(id), "{id} in {ids:?}");
    }
    if cpus() < 2 {
        return println!("skipped the rest: needs two CPUs");
    }
    for arrival in ["tight", "jittered"] {
        let seen = finding(&run, &format!("clock.realtime.collisions.threads_2.{arrival}"));
        if seen["outcome"] == "refused" {
            // Beside the other tests the threads may not have run at the same time.
            assert!(text(&seen["why"]).contains("at the same time"), "{seen}");
            continue;
        }
        assert_eq!((text(&seen["unit"]), text(&seen["basis"]["kind"])), ("share", "share"));
        let share = seen["value"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&share), "{seen}");
        // Where the host moved the CPUs in most trials, nothing can be predicted.
        let ends = [&seen["expected"]["low"], &seen["expected"]["high"]].map(Value::as_f64);
        assert!(ends.iter().flatten().all(|end| (0.0..=1.0).contains(end)), "{seen}");
    }
}

/// The counted share and the one that step, gap and offset predict come from different pairs of
/// readings, so that they could differ. A busy machine spoils some trials, not most of them.
#[test]
fn chance_predicts_what_jittered_threads_collide() {
    if cpus() < 2 {
        return println!("skipped: needs two CPUs");
    }
    let run = run(&["--time", "2s", "--clock", "realtime"]);
    let case = columns(&run, "clock")
        .iter()
        .find(|case| case["case"] == "collide.realtime.threads_2.jittered")
        .expect("the case");
    let share = |pair: &Value| Some(pair[0].as_f64()? / pair[1].as_f64()?);
    let column = |name: &str| case["shares"][name].as_array().cloned().unwrap_or_default();
    let pairs = column("collided").into_iter().zip(column("by_chance"));
    let pairs = pairs.filter_map(|(seen, chance)| Some((share(&seen)?, share(&chance)?)));
    let pairs: Vec<(f64, f64)> = pairs.collect();
    if pairs.is_empty() {
        return println!("skipped: this clock's steps are too short to tell them apart");
    }
    let near = |(seen, chance): &&(f64, f64)| (seen - chance).abs() <= 0.02 + 0.1 * chance;
    let near = pairs.iter().filter(near).count();
    assert!(2 * near > pairs.len(), "{near} of {pairs:?}");
}

#[test]
fn one_cpu_is_enough_for_the_rest() {
    let run = run(&["--time", "500ms", "--cpus", &affinity()[0].to_string()]);
    for id in [
        "clock.realtime.collisions.threads_2.tight",
        "clock.realtime.collisions.threads_2.jittered",
        "clock.cpus.order_violations",
        "clock.id.uuid_v4.threads_2.cost",
    ] {
        let seen = finding(&run, id);
        assert_eq!((text(&seen["outcome"]), &seen["value"]), ("not_run", &Value::Null), "{seen}");
        assert!(text(&seen["why"]).starts_with("needs two CPUs"), "{seen}");
    }
    for id in ["clock.realtime.read_cost", "clock.id.uuid_v4.cost", "clock.monotonic.backwards"] {
        assert_eq!(finding(&run, id)["outcome"], "measured", "{id}");
    }
    assert!(section(&run, "clock")["findings"][0]["text"].is_string());
}

#[test]
fn what_is_chosen_is_all_that_is_asked() {
    let place = Place::new();
    let words = ["clock", "--clock", "tai,thread_cpu", "--time", "300ms", "--out", "run.json"];
    let printed = place.run(&words).ended(0).stdout;
    let run = common::json(&place.read("run.json"));
    let named = |id: &&str| !["clock.noise_floor", "clock.canary"].contains(id);
    for id in finding_ids(&run).into_iter().filter(named) {
        let chosen = ["clock.tai.", "clock.thread_cpu.", "clock.cpus.order_violations.tai"];
        assert!(chosen.iter().any(|start| id.starts_with(start)), "{id}");
    }
    assert_eq!(place.run(&["report", "run.json"]).ended(0).stdout, printed);
    assert_eq!(section(&run, "clock")["recorded"]["choices"]["clock"][1], "thread_cpu");
}

/// Coarse clocks move at timer interrupts, whose rate the kernel tells by another way.
#[test]
fn a_coarse_clocks_step_is_the_timers() {
    let run = run(&["--time", "500ms", "--clock", "monotonic_coarse"]);
    let Some(hz) = run["machines"][0]["tick_hz"].as_f64() else {
        return println!("skipped: the kernel does not tell its timer's rate");
    };
    let ratio = value(&run, "clock.monotonic_coarse.step") * hz / 1e9;
    assert!((0.99..1.01).contains(&ratio), "{ratio}");
}

/// Two experiments time the same reading in loops of their own.
#[test]
fn two_experiments_agree_on_a_reading() {
    let place = Place::new();
    let run = place.run(&["--skip", "switch", "--json", "--time", "3s"]).ended(0).json();
    let vdso = finding(&run, "syscall.clock_gettime.vdso.cost");
    let Some(vdso) = vdso["value"].as_f64() else {
        return println!("skipped: no vDSO clock here");
    };
    // The machine's speed may change between the sections, at most by 1.4 here; and twice again for
    // the busy machines that tests run on.
    let ratio = value(&run, "clock.monotonic.read_cost") / vdso;
    assert!((0.4..2.5).contains(&ratio), "{ratio}");
}

/// The kernel enters at each reading of a CPU clock, and at none of the wall's: strace sees which.
#[test]
fn strace_sees_which_clocks_enter_the_kernel() {
    let place = Place::new();
    let probe = place.command("strace", &["-o", "probe", "true"]).status();
    if !probe.is_ok_and(|status| status.success()) {
        return println!("skipped: needs strace, and leave to trace");
    }
    let mut words = vec!["-f", "-o", "calls", "-e", "trace=clock_gettime", common::FATHOM];
    words.extend(["clock", "--clock", "realtime,thread_cpu", "--time", "100ms", "--json"]);
    let run = answer(&mut place.command("strace", &words)).ended(0).json();
    let calls = place.read("calls");
    let entered = |name: &str| calls.matches(&format!("clock_gettime({name},")).count() as f64;
    let claimed = |case: &str| -> f64 {
        let case = columns(&run, "clock").iter().find(|it| it["case"] == case).expect("the case");
        numbers(&case["proof"]["calls"]).iter().sum()
    };
    let (wall, cpu) = (claimed("read.realtime"), claimed("read.thread_cpu"));
    assert!(cpu > 0.0 && entered("CLOCK_THREAD_CPUTIME_ID") >= cpu, "{cpu}");
    let read = columns(&run, "clock").iter().find(|it| it["case"] == "read.realtime");
    let answered = numbers(&read.expect("the case")["proof"]["enters_kernel"]);
    let seen = entered("CLOCK_REALTIME");
    println!("CLOCK_REALTIME: {wall} readings claimed, {seen} entered the kernel");
    if answered.iter().all(|enters| *enters == 0.0) {
        assert!(seen < wall / 10.0, "{seen} of {wall}");
    } else {
        assert!(seen >= wall, "{seen} of {wall}");
    }
}

#[test]
fn wrong_choices_are_told_in_one_line() {
    let beyond = (cpus() + 1).to_string();
    let first = affinity()[0].to_string();
    for (words, says) in [
        (&["--clock", "sundial"][..], &["'sundial'", "--clock", "realtime, monotonic"][..]),
        (&["--clock", ""], &["--clock"]),
        (&["--clock", "realtime,"], &["--clock"]),
        (&["--threads", "1"], &["--threads 1"]),
        (&["--threads", "0"], &["--threads 0"]),
        (&["--threads", "-2"], &["--threads -2"]),
        (&["--threads", "two"], &["--threads two"]),
        (&["--threads", ""], &["--threads"]),
        (&["--threads", &beyond], &["--threads", "CPU"]),
        (&["--threads", "99999999999999999999"], &["--threads"]),
        (&["--threads", "2", "--cpus", &first], &["--threads 2", "one CPU"]),
    ] {
        let place = Place::new();
        let said = place.run(&[&["clock"], words].concat()).ended(2);
        assert_eq!((said.stderr.lines().count(), said.stdout.as_str()), (1, ""), "{said:?}");
        for part in says {
            assert!(said.stderr.contains(part), "{words:?}: {}", said.stderr);
        }
    }
    let place = Place::new();
    let said = place.run(&["syscall", "--clock", "realtime"]).ended(2);
    assert!(said.stderr.contains("--clock"), "{}", said.stderr);
}
