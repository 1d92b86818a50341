//! Comparing runs from the command line: verdicts, thresholds, and words that can't be compared.

mod common;

use common::{Place, findings, json};
use serde_json::Value;

/// A run of the command, and the same with every trial's cost changed by a factor.
fn a_run_and_its_double(place: &Place, factor: f64) {
    let said = place.run(&["syscall", "--time", "600ms", "--seed", "1", "--out", "a.json"]);
    said.ended(0);
    let mut run = json(&place.read("a.json"));
    let section = &mut run["sections"][0];
    for case in section["recorded"]["trials"].as_array_mut().expect("trials") {
        // The canary has no cost: the machine itself stayed as fast as it was.
        let costs = case["readings"].get_mut("cost").and_then(Value::as_array_mut);
        for cost in costs.into_iter().flatten() {
            *cost = Value::from(cost.as_f64().map(|cost| cost * factor));
        }
    }
    run["seed"] = Value::from(2);
    place.write("b.json", run.to_string());
}

fn verdict<'a>(run: &'a Value, id: &str) -> &'a str {
    let id = format!("compare.{id}");
    let found = findings(run).into_iter().find(|it| it["id"] == id.as_str());
    found.and_then(|it| it["verdict"].as_str()).unwrap_or("none")
}

#[test]
fn a_planted_slowdown_crosses_the_threshold() {
    let place = Place::new();
    a_run_and_its_double(&place, 8.0);
    let slower = json(&place.run(&["compare", "a.json", "b.json", "--json"]).ended(0).stdout);
    assert_eq!(verdict(&slower, "syscall.gettid.cost"), "slower");
    assert_eq!(verdict(&slower, "syscall.one_percent.rate"), "not_comparable");
    let faster = json(&place.run(&["compare", "b.json", "--json", "--", "a.json"]).ended(0).stdout);
    assert_eq!(verdict(&faster, "syscall.gettid.cost"), "faster");
    for (words, code) in [
        (&["compare", "a.json", "b.json", "--fail-if-slower"][..], 1),
        (&["compare", "a.json", "b.json", "--fail-if-slower=200"], 1),
        (&["compare", "a.json", "b.json", "--fail-if-slower=100000"], 0),
        (&["compare", "b.json", "a.json", "--fail-if-slower"], 0),
    ] {
        let said = place.run(words).ended(code);
        assert!(said.stdout.contains("The later side:"), "{said:?}");
    }
}

#[test]
fn what_can_not_be_compared_is_refused_in_one_line() {
    let place = Place::new();
    a_run_and_its_double(&place, 1.0);
    place.run(&["machine", "--out", "m.json"]).ended(0);
    for (words, says) in [
        (&["compare", "a.json"][..], "two runs"),
        (&["compare", "a.json", "b.json", "m.json"], "A... -- B..."),
        (&["compare", "a.json", "a.json"], "named twice"),
        (&["compare", "a.json", "--", "./a.json"], "named twice"),
        (&["compare", "a.json", "none.json"], "none.json"),
        (&["compare", "a.json", "m.json"], "no trials"),
        (&["compare", "a.json", "b.json", "--fail-if-slower=x"], "per cent"),
        (&["compare", "a.json", "b.json", "--time", "1s"], "--time"),
    ] {
        let said = place.run(words).ended(2);
        assert_eq!((said.stdout.as_str(), said.stderr.lines().count()), ("", 1), "{said:?}");
        assert!(said.stderr.contains(says), "{words:?}: {}", said.stderr);
    }
}

#[test]
fn a_comparison_is_a_run_like_any_other() {
    let place = Place::new();
    a_run_and_its_double(&place, 8.0);
    let said = place.run(&["compare", "a.json", "b.json", "--out", "c.json"]).ended(0);
    assert_eq!(place.run(&["report", "c.json"]).ended(0).stdout, said.stdout);
}
