//! Comparing runs from the command line: verdicts, thresholds, and words that can't be compared.

mod common;

use std::fs;

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
    // Beside other tests the starts of so short a run can differ so much that even this is
    // inconclusive, rightly; then another run has a chance.
    let slower = (0..5).map(|_| {
        a_run_and_its_double(&place, 8.0);
        json(&place.run(&["compare", "a.json", "b.json", "--json"]).ended(0).stdout)
    });
    let mut slower = slower.filter(|run| verdict(run, "syscall.gettid.cost") == "slower");
    let slower = slower.next().expect("a run in which eight times as long is slower");
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

/// A name, and what is done to a good run that leaves nothing in it to compare.
type Useless = (&'static str, fn(&mut Value));

const USELESS: [Useless; 6] = [
    ("schema-0.json", |run| run["schema"] = Value::from(0)),
    ("schema-9.json", |run| run["schema"] = Value::from(9)),
    ("untried.json", |run| run["sections"][0]["recorded"] = Value::Null),
    ("unfinished.json", |run| run["sections"][0]["recorded"]["trials"] = Value::from([0; 0])),
    ("sectionless.json", |run| run["sections"] = Value::from([0; 0])),
    ("renamed.json", |run| {
        for finding in run["sections"][0]["findings"].as_array_mut().expect("findings") {
            let id = finding["id"].as_str().expect("an id").replace("syscall", "other");
            finding["id"] = Value::from(id);
        }
    }),
];

/// Two runs, and beside them every file that is no second one.
fn a_place_of_bad_input() -> Place {
    let place = Place::new();
    a_run_and_its_double(&place, 8.0);
    place.run(&["machine", "--out", "m.json"]).ended(0);
    place.run(&["compare", "a.json", "b.json", "--out", "c.json"]).ended(0);
    for (name, spoil) in USELESS {
        let mut run = json(&place.read("b.json"));
        spoil(&mut run);
        place.write(name, run.to_string());
    }
    let whole = place.read("a.json");
    place.write("copy.json", &whole);
    place.write("cut.json", &whole[..whole.len() / 2]);
    place.write("empty.json", "");
    fs::create_dir(place.file("folder")).expect("a folder");
    fs::hard_link(place.file("a.json"), place.file("hard.json")).expect("a link");
    std::os::unix::fs::symlink("a.json", place.file("soft.json")).expect("a link");
    place
}

#[test]
fn what_can_not_be_compared_is_refused_in_one_line() {
    let place = a_place_of_bad_input();
    for (words, says) in [
        (&["a.json"][..], "two runs"),
        (&[], "<RUN>"),
        (&["a.json", "b.json", "m.json"], "A... -- B..."),
        (&["a.json", "a.json"], "a.json: named twice"),
        (&["a.json", "--", "./a.json"], "./a.json: named twice"),
        (&["a.json", "folder/../a.json"], "named twice"),
        (&["a.json", "soft.json"], "soft.json: named twice"),
        (&["a.json", "hard.json"], "hard.json: named twice"),
        (&["a.json", "b.json", "--", "soft.json"], "named twice"),
        (&["a.json", "copy.json"], "a.json and copy.json hold the same run"),
        (&["a.json", "none.json"], "none.json: No such file"),
        (&["a.json", "folder"], "folder: Is a directory"),
        (&["a.json", "empty.json"], "empty.json: the file is empty"),
        (&["a.json", "cut.json"], "cut.json: the file ends in the middle"),
        (&["a.json", "schema-0.json"], "schema-0.json: not a run file"),
        (&["schema-9.json", "a.json"], "schema-9.json: written by a newer Fathom"),
        (&["a.json", "untried.json"], "untried.json: no trials"),
        (&["a.json", "b.json", "--", "untried.json"], "untried.json: no trials"),
        (&["a.json", "unfinished.json"], "unfinished.json: no trials"),
        (&["sectionless.json", "a.json"], "sectionless.json: no trials"),
        (&["a.json", "m.json"], "m.json: no trials"),
        (&["a.json", "c.json"], "c.json: no trials"),
        (&["a.json", "renamed.json"], "no finding in common"),
        (&["a.json", "b.json", "--fail-if-slower=x"], "per cent"),
        (&["a.json", "b.json", "--time", "1s"], "--time"),
    ] {
        refused(&place, words, says);
    }
}

#[track_caller]
fn refused(place: &Place, words: &[&str], says: &str) {
    let said = place.run(&[&["compare"], words].concat()).ended(2);
    assert_eq!((said.stdout.as_str(), said.stderr.lines().count()), ("", 1), "{said:?}");
    assert!(
        said.stderr.starts_with("fathom: ") && said.stderr.contains(says),
        "{words:?}: {said:?}"
    );
}

const GETTID: &str = "syscall.gettid.cost";
const BOTH: &str = "syscall.gettid.cost,syscall.loop.cost";

#[test]
fn a_bad_pair_is_refused_in_one_line() {
    let place = a_place_of_bad_input();
    for (words, says) in [
        (&["a.json", "--pair", "syscall.gettid.cost,syscall.none.cost"][..], "syscall.none.cost"),
        (&["a.json", "--pair", "syscall.gettid.cost,compare.changed.count"], "compare.changed"),
        (&["a.json", "--pair", GETTID], "two findings"),
        (&["a.json", "--pair", "syscall.gettid.cost,"], "two findings"),
        (&["a.json", "--pair", "a.b,c.d,e.f"], "two findings"),
        (&["a.json", "--pair", "a.b,a.b"], "both are a.b"),
        (&["a.json", "--pair", ""], "two findings"),
        (&["a.json", "--pair", BOTH, "--pair", BOTH], "given twice"),
        (&["--pair", BOTH], "<RUN>"),
        (&["a.json", "b.json", "--pair", BOTH], "one run"),
        (&["--pair", BOTH, "a.json", "--", "b.json"], "one run"),
        (&["m.json", "--pair", BOTH], "m.json: no trials"),
        (&["untried.json", "--pair", BOTH], "untried.json: no trials"),
        (&["none.json", "--pair", BOTH], "none.json"),
    ] {
        refused(&place, words, says);
    }
}

#[test]
fn two_findings_of_one_run_are_held_against_each_other() {
    let place = Place::new();
    a_run_and_its_double(&place, 1.0);
    // The empty loop enters no kernel: on every machine a call takes many times as long.
    let pair = ["a.json", "--pair", "syscall.loop.cost,syscall.gettid.cost"];
    let said = place.run(&[&["compare"], &pair[..]].concat()).ended(0);
    assert!(said.stdout.contains(" is slower than"), "{said:?}");
    let json = [&["compare", "--json"], &pair[..]].concat();
    let id = "syscall.gettid.cost.over.syscall.loop.cost";
    assert_eq!(verdict(&place.run(&json).ended(0).json(), id), "slower");
    place.run(&[&["compare", "--fail-if-slower"], &pair[..]].concat()).ended(1);
    let several =
        ["compare", "a.json", "--pair", BOTH, "--pair", "syscall.canary,syscall.gettid.cost"];
    let said = place.run(&[&several[..], &["--out", "p.json"]].concat()).ended(0);
    let run = common::json(&place.read("p.json"));
    assert_eq!(verdict(&run, "syscall.loop.cost.over.syscall.gettid.cost"), "faster");
    assert_eq!(verdict(&run, "syscall.gettid.cost.over.syscall.canary"), "not_comparable");
    assert_eq!(place.run(&["report", "p.json"]).ended(0).stdout, said.stdout);
}

/// What one of the sides lacks is counted, and what has no trials behind it is told: nothing that
/// a run holds goes without a word.
#[test]
fn every_common_finding_has_a_verdict() {
    let place = Place::new();
    a_run_and_its_double(&place, 1.0);
    let mut run = json(&place.read("b.json"));
    run["sections"][0]["findings"]
        .as_array_mut()
        .expect("findings")
        .retain(|it| it["id"] != GETTID);
    place.write("b.json", run.to_string());
    let compared = place.run(&["compare", "a.json", "b.json", "--json"]).ended(0).json();
    for finding in findings(&run) {
        let id = common::text(&finding["id"]);
        let verdict = verdict(&compared, id);
        let behind = finding["rests_on"].is_object() && finding["value"].is_number();
        assert_eq!(verdict != "not_comparable", behind, "{id}: {verdict}");
        assert_ne!(verdict, "none", "{id}");
    }
    let headline = findings(&compared)[0];
    assert_eq!(headline["proof"]["one_sided"], 1.0, "{headline}");
    assert!(common::text(&headline["text"]).contains("1 not on both sides"), "{headline}");
    assert_eq!(verdict(&compared, GETTID), "none");
}

#[test]
fn a_comparison_is_a_run_like_any_other() {
    let place = Place::new();
    a_run_and_its_double(&place, 8.0);
    let said = place.run(&["compare", "a.json", "b.json", "--out", "c.json"]).ended(0);
    assert_eq!(place.run(&["report", "c.json"]).ended(0).stdout, said.stdout);
}
