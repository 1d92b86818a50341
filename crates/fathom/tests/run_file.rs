//! The run file against its description, with no type of the crates that write it: the shape, the
//! schedule, the numbers computed again from the trials, and that it names nobody.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{
    Place, answer, columns, finding_ids, findings, is_root, json, list,
    names::{names_nobody, names_of_ours},
    numbers, section, text,
};
use serde_json::Value;

#[track_caller]
fn measured_run(place: &Place, words: &[&str]) -> Value {
    place.run(&[&["syscall", "--json"], words].concat()).ended(0).json()
}

#[test]
fn the_run_has_the_shape_that_is_promised() {
    let place = Place::new();
    let run = place.run(&["--time", "1s", "--json", "--seed", "11"]).ended(0).json();
    assert_eq!(run["schema"], 1);
    assert_eq!(run["seed"], 11);
    assert_eq!(run["ended"], "complete");
    assert_eq!(run["fathom"], env!("CARGO_PKG_VERSION"));
    let started = text(&run["started_at"]);
    assert!(started.len() == 20 && started.contains('T') && started.ends_with('Z'), "{started}");
    assert_eq!(list(&run["machines"]).len(), 1);
    for section in list(&run["sections"]) {
        assert!(text(&section["question"]).ends_with('?'), "{}", section["question"]);
        assert!(section["workload_version"].as_u64().unwrap() >= 1);
        for part in ["findings", "tables", "figures", "caveats"] {
            assert!(section[part].is_array(), "{part} of {}", section["name"]);
        }
        for table in list(&section["tables"]) {
            let width = list(&table["columns"]).len();
            let rows = list(&table["rows"]);
            assert!(rows.iter().all(|row| row.as_array().unwrap().len() == width), "{table}");
        }
        for caveat in list(&section["caveats"]) {
            assert!(caveat["kind"].is_string() && caveat["text"].is_string(), "{caveat}");
        }
    }
}

#[test]
fn every_finding_keeps_its_promises() {
    let place = Place::new();
    // A run that measured, and one that had no time to.
    let whole = measured_run(&place, &["--time", "500ms"]);
    let report = place.run(&["machine", "--json"]).ended(0).json();
    for run in [&whole, &report] {
        let mut ids = BTreeSet::new();
        for finding in findings(run) {
            check_finding(finding);
            assert!(ids.insert(text(&finding["id"])), "{finding}");
        }
    }
    let ids = finding_ids(&whole);
    for id in [
        "syscall.getppid.cost",
        "syscall.gettid.cost",
        "syscall.close.cost",
        "syscall.read.cost",
        "syscall.write.cost",
        "syscall.sched_yield.cost",
        "syscall.futex_wake.cost",
        "syscall.clock_gettime.kernel.cost",
        "syscall.clock_gettime.vdso.cost",
        "syscall.clock_gettime.vdso_speedup",
        "syscall.one_percent.rate",
        "syscall.loop.cost",
        "syscall.noise_floor",
        "syscall.canary",
    ] {
        assert!(ids.contains(id), "{id} is not among {ids:?}");
    }
}

#[track_caller]
fn check_finding(finding: &Value) {
    let object = finding.as_object().expect("an object");
    let id = text(&finding["id"]);
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    let dotted = id.contains('.') && id.split('.').all(|it| !it.is_empty() && it.chars().all(word));
    assert!(dotted, "{id}");
    assert!(["ns", "1/s", "ratio", "share"].contains(&text(&finding["unit"])), "{id}");
    assert!(["lower", "higher", "neither"].contains(&text(&finding["better"])), "{id}");
    assert!(!text(&finding["text"]).is_empty(), "{id}");
    let outcome = text(&finding["outcome"]);
    let numbers = ["value", "low", "high", "basis"];
    assert!(numbers.iter().all(|key| object.contains_key(*key)), "{id}: {finding}");
    match outcome {
        "measured" | "derived" => {
            let [value, low, high] = ["value", "low", "high"].map(|key| finding[key].as_f64());
            assert!(low.is_some() && low <= value && value <= high, "{id}: {finding}");
            assert!(finding["basis"]["kind"].is_string(), "{id}: {finding}");
            assert!(!object.contains_key("why"), "{id}: {finding}");
        }
        "never" | "not_run" | "refused" => {
            assert!(numbers.iter().all(|key| finding[*key].is_null()), "{id}: {finding}");
            assert!(!text(&finding["why"]).is_empty(), "{id}: {finding}");
        }
        _ => panic!("{id}: {outcome}"),
    }
}

/// Sorted, and the middle one, or the middle between the two.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let (upper, lower) = (values.len() / 2, (values.len() - 1) / 2);
    (values[lower] + values[upper]) / 2.0
}

#[test]
fn values_are_the_medians_of_the_recorded_trials() {
    let run = measured_run(&Place::new(), &["--time", "1s"]);
    let mut compared = 0;
    for case in columns(&run, "syscall") {
        let id = text(&case["case"]);
        let (metric, id) = match id {
            "canary" => ("step", "syscall.canary".to_owned()),
            call => ("cost", format!("syscall.{call}.cost")),
        };
        let found = findings(&run).into_iter().find(|it| it["id"] == *id);
        // Twins have no finding of their own.
        let Some(found) = found.filter(|it| it["outcome"] == "measured") else { continue };
        let values = numbers(&case["readings"][metric]);
        assert_eq!(found["basis"]["rounds"], values.len(), "{id}");
        assert!(values.len() >= 10, "{id}: {} rounds", values.len());
        let (ours, theirs) = (median(values.clone()), found["value"].as_f64().unwrap());
        assert!((ours - theirs).abs() <= 1e-9 * ours, "{id}: {ours} and {theirs}");
        let within = |value: &&f64| (found["low"].as_f64()..).contains(&Some(**value));
        assert!(values.iter().any(|value| within(&value)), "{id}: no trial above its interval");
        compared += 1;
    }
    assert!(compared >= 8, "{compared} cases");
}

#[test]
fn every_round_holds_every_case_once_and_in_order() {
    let run = measured_run(&Place::new(), &["--time", "1s"]);
    let recorded = &section(&run, "syscall")["recorded"];
    let starts = list(&recorded["starts"]);
    assert_eq!(starts.len(), 5);
    let at: Vec<u64> = starts.iter().map(|start| start["at_ns"].as_u64().unwrap()).collect();
    assert!(at.is_sorted(), "{at:?}");
    let mut rounds: BTreeMap<u64, (u64, BTreeSet<String>)> = BTreeMap::new();
    let mut times: BTreeMap<u64, u64> = BTreeMap::new();
    for case in columns(&run, "syscall") {
        let [start, round, at_ns] =
            ["start", "round", "at_ns"].map(|key| whole_numbers(&case[key]));
        assert!(start.is_sorted() && round.is_sorted() && at_ns.is_sorted(), "{}", case["case"]);
        for column in ["readings", "proof"] {
            for (name, values) in case[column].as_object().unwrap() {
                assert_eq!(values.as_array().unwrap().len(), round.len(), "{name}");
            }
        }
        for ((start, round), at_ns) in start.iter().zip(&round).zip(&at_ns) {
            assert!((*start as usize) < starts.len());
            assert!(times.insert(*at_ns, *round).is_none(), "two trials at once");
            let (of, cases) = rounds.entry(*round).or_insert((*start, BTreeSet::new()));
            assert_eq!(of, start, "a round belongs to one start");
            assert!(cases.insert(text(&case["case"]).to_owned()));
        }
    }
    assert!(times.values().is_sorted(), "rounds follow one another");
    assert!(rounds.keys().copied().eq(0..rounds.len() as u64), "{:?}", rounds.keys());
    assert!(rounds.len() >= 10, "{} rounds", rounds.len());
    assert!(rounds.values().all(|(_, cases)| cases.len() == columns(&run, "syscall").len()));
}

fn whole_numbers(column: &Value) -> Vec<u64> {
    list(column).iter().map(|it| it.as_u64().expect("a whole number")).collect()
}

/// The cases in the order in which they ran.
fn order(run: &Value) -> Vec<String> {
    let mut trials: Vec<(u64, String)> = Vec::new();
    for case in columns(run, "syscall") {
        let name = text(&case["case"]);
        trials.extend(whole_numbers(&case["at_ns"]).into_iter().map(|at| (at, name.to_owned())));
    }
    trials.sort();
    trials.into_iter().map(|(_, case)| case).collect()
}

#[test]
fn a_seed_fixes_the_schedule() {
    let place = Place::new();
    let asked = |seed: &str, time: &str| {
        let run = measured_run(&place, &["--seed", seed, "--time", time]);
        assert_eq!(run["seed"].to_string(), seed);
        (section(&run, "syscall")["recorded"]["seed"].clone(), order(&run))
    };
    let (short, long, again, other) =
        (asked("7", "300ms"), asked("7", "900ms"), asked("7", "300ms"), asked("8", "300ms"));
    let same = short.1.len().min(long.1.len());
    assert!(same >= 140, "{same} trials");
    assert_eq!(short.1[..same], long.1[..same], "a shorter run is a prefix of a longer one");
    let same = short.1.len().min(again.1.len());
    assert_eq!(short.1[..same], again.1[..same]);
    assert_eq!((&short.0, &short.0), (&long.0, &again.0), "the section's own seed");
    assert_ne!(short.0, other.0);
    assert_ne!(short.1[..100], other.1[..100]);
    // A survey asks the same question in the same order.
    let run = place
        .run(&["--skip", "switch", "--seed", "7", "--time", "300ms", "--json"])
        .ended(0)
        .json();
    let survey = order(&run);
    let same = short.1.len().min(survey.len());
    assert_eq!(short.1[..same], survey[..same]);
}

/// The least and the most of what may be typed; every JSON reader holds the greatest seed exactly.
#[test]
fn the_edges_of_what_may_be_typed_are_taken() {
    let place = Place::new();
    for seed in ["0", "9007199254740991"] {
        let run = measured_run(&place, &["--time", "100ms", "--seed", seed]);
        assert_eq!(run["seed"].as_f64().map(|it| format!("{it:.0}")).as_deref(), Some(seed));
        assert_eq!(section(&run, "syscall")["recorded"]["budget_ns"], 100_000_000);
    }
}

#[test]
fn without_a_seed_every_run_has_its_own() {
    let place = Place::new();
    let seeds: Vec<Value> =
        (0..3).map(|_| measured_run(&place, &["--time", "200ms"])["seed"].clone()).collect();
    assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2], "{seeds:?}");
    assert!(seeds.iter().all(|seed| seed.as_u64().is_some_and(|it| it < 1 << 53)), "{seeds:?}");
}

#[test]
fn a_run_names_nobody() {
    let place = Place::new();
    let mut names = names_of_ours(&place);
    let mut command = place.fathom(&["--time", "300ms", "--out", "own.json"]);
    for variable in ["USER", "LOGNAME", "HOSTNAME", "HOME"] {
        command.env(variable, format!("telltale-{variable}"));
    }
    names.push(("a variable of the environment", "telltale".to_owned()));
    let said = answer(&mut command).ended(0);
    names_nobody(&place.read("own.json"), &names);
    names_nobody(&said.stdout, &names);
    names_nobody(&answer(&mut place.fathom(&["machine"])).ended(0).stdout, &names);
}

/// A short host name may be part of another word; this one is not.
#[test]
fn a_run_does_not_name_its_host() {
    let place = Place::new();
    let script =
        r#"hostname telltale.example && exec "$0" --only syscall --time 300ms --out own.json"#;
    let program = common::FATHOM;
    let mut command = place.command("unshare", &["--uts", "sh", "-c", script, program]);
    let mapped = ["--map-root-user", "--uts", "sh", "-c", script, program];
    if !is_root() {
        command = place.command("unshare", &mapped);
    }
    let said = answer(&mut command);
    if said.code() != Some(0) && !place.file("own.json").exists() {
        return println!("skipped: needs unshare and hostname ({})", said.stderr.trim());
    }
    let said = said.ended(0);
    let text = place.read("own.json");
    assert!(!text.contains("telltale") && !said.stdout.contains("telltale"));
    assert_eq!(json(&text)["ended"], "complete");
}
