//! Run files that are none, or lie: each is refused in one line that says what it is, and what is
//! merely strange is shown without harm to the terminal.

mod common;

use std::{
    fs::{self, File},
    iter,
};

use common::{Answer, Place, json};
use serde_json::{Value, json as value};

/// A real run of this machine, as text.
fn real_run() -> String {
    let place = Place::new();
    place.run(&["syscall", "--time", "300ms", "--seed", "7", "--json"]).ended(0).stdout
}

/// Reports the file `name`, which is to be refused with these words.
#[track_caller]
fn refused(place: &Place, name: &str, says: &str) {
    let before = place.names();
    let said = place.run(&["report", name]).ended(2);
    let line = &said.stderr;
    assert_eq!((said.stdout.as_str(), line.lines().count()), ("", 1), "{name}: {line}");
    assert!(line.starts_with(&format!("fathom: {name}: ")), "{line}");
    assert!(line.contains(says), "{name}: {line:?} should say {says:?}");
    assert!(!line.contains(|c: char| c.is_control() && c != '\n'), "{line:?}");
    assert!(line.chars().count() < 1000, "{name}: {} characters", line.chars().count());
    assert_eq!(place.names(), before, "{name}");
}

#[test]
fn what_is_no_run_is_refused_for_what_it_is() {
    let place = Place::new();
    refused(&place, "missing.json", "No such file");
    fs::create_dir(place.file("folder")).unwrap();
    refused(&place, "folder", "directory");
    let deep = "[".repeat(200_000);
    let closed = "]".repeat(200_000);
    let deep_within = format!(r#"{{"schema":1,"fathom":"0.1.0","x":{deep}{closed}}}"#);
    for (name, bytes, says) in [
        ("empty", &b""[..], "empty"),
        ("blank", b" \n\t\n", "empty"),
        ("foreign", br#"{"results":[{"command":"ls","mean":0.1}]}"#, "not a run file"),
        ("number", b"1", "not a run file"),
        ("null", b"null", "not a run file"),
        ("text", b"hello, world", "not a run file"),
        ("binary", b"\x7fELF\x02\x01\x01\0\0\0\xff\xfe", "not a run file"),
        ("utf16", b"\xff\xfe{\0}\0", "not a run file"),
        ("escapes", b"\x1b[2J\x1b]0;owned\x07", "not a run file"),
        ("zeros", &[0; 4096], "not a run file"),
        ("deep", deep.as_bytes(), "not a run file"),
        ("deep-within", deep_within.as_bytes(), "not a valid run"),
        ("old", br#"{"schema":0,"fathom":"0.0.1"}"#, "not a run file"),
        ("negative", br#"{"schema":-1,"fathom":"0.0.1"}"#, "not a run file"),
        ("newer", br#"{"schema":2,"fathom":"9.9.9","sections":{"as":"never"}}"#, "newer"),
        ("newest", br#"{"schema":18446744073709551615,"fathom":"\u001b[2J"}"#, "newer"),
        ("hollow", br#"{"schema":1,"fathom":"0.1.0"}"#, "not a valid run"),
        ("twice", br#"{"schema":1,"schema":1,"fathom":"0.1.0"}"#, "duplicate"),
    ] {
        place.write(name, bytes);
        refused(&place, name, says);
    }
}

#[test]
fn a_run_that_was_cut_anywhere_is_refused() {
    let (place, whole) = (Place::new(), real_run());
    let end = whole.trim_end().len();
    let evenly = (1..30).map(|part| end * part / 30);
    // Within a number, a word, a letter and an escaped one.
    let point = whole.find(r#""value":1"#).map_or(1, |at| at + whole[at..].find('.').unwrap_or(0));
    let null = whole.find("null").map_or(1, |at| at + 2);
    let escape = whole.find('\\').unwrap_or(1) + 1;
    let letter = whole.find(|c: char| !c.is_ascii()).unwrap_or(1) + 1;
    let within = [1, 2, 11, point + 1, null, letter, escape, end - 2, end - 1];
    for cut in evenly.chain(within) {
        place.write("cut.json", &whole.as_bytes()[..cut]);
        refused(&place, "cut.json", "ends in the middle");
    }
    // The last newline is no part of the document.
    place.write("cut.json", &whole.as_bytes()[..end]);
    place.run(&["report", "cut.json"]).ended(0);
    // And nothing may follow it.
    place.write("cut.json", format!("{whole}{whole}"));
    refused(&place, "cut.json", "not a run file");
}

#[test]
fn an_endless_file_is_given_up() {
    let place = Place::new();
    let file = File::create(place.file("sparse.json")).unwrap();
    file.set_len(600 << 20).unwrap();
    refused(&place, "sparse.json", "larger than ");
    let said = place.run(&["report", "/dev/zero"]).ended(2);
    assert!(said.stderr.contains(" MiB, which no run is"), "{said:?}");
}

/// Where a section's only findings, trials and tables are in a run of one question.
fn finding(run: &mut Value) -> &mut Value {
    &mut run["sections"][0]["findings"][0]
}

fn trials(run: &mut Value) -> &mut Value {
    let cases = run["sections"][0]["recorded"]["trials"].as_array_mut().expect("trials");
    cases.iter_mut().find(|it| it["case"] == "getppid").expect("a case")
}

fn table(run: &mut Value) -> &mut Value {
    &mut run["sections"][0]["tables"][0]
}

fn pop(array: &mut Value) {
    array.as_array_mut().expect("an array").pop();
}

/// A name, what is done to a good run, and what the refusal says.
type Lie = (&'static str, fn(&mut Value), &'static str);

const LIES: [Lie; 22] = [
    ("outside", |run| finding(run)["value"] = value!(1e300), "within its interval"),
    ("reversed", |run| finding(run)["low"] = value!(1e9), "within its interval"),
    ("missing", |run| finding(run)["high"] = Value::Null, "missing"),
    ("unfounded", |run| finding(run)["basis"] = Value::Null, "missing"),
    ("strange-outcome", |run| finding(run)["outcome"] = value!("guessed"), "guessed"),
    ("refused-with-number", |run| finding(run)["outcome"] = value!("refused"), "number"),
    ("text-number", |run| finding(run)["value"] = value!("193"), "not a valid run"),
    ("bad-id", |run| finding(run)["id"] = value!("\u{1b}[2J\n"), "id"),
    ("long-id", |run| finding(run)["id"] = value!("a.".repeat(100_000)), "id"),
    (
        "twice",
        |run| {
            let again = finding(run).clone();
            run["sections"][0]["findings"].as_array_mut().expect("findings").push(again);
        },
        "two findings",
    ),
    ("uneven-round", |run| pop(&mut trials(run)["round"]), "different length"),
    ("uneven-time", |run| pop(&mut trials(run)["at_ns"]), "different length"),
    ("uneven-start", |run| pop(&mut trials(run)["start"]), "different length"),
    ("uneven-reading", |run| pop(&mut trials(run)["readings"]["cost"]), "different length"),
    ("uneven-proof", |run| pop(&mut trials(run)["proof"]["calls"]), "different length"),
    ("no-start", |run| trials(run)["start"][0] = value!(5_000_000), "no known start"),
    ("last-round", |run| trials(run)["round"][0] = value!(u32::MAX), "round"),
    ("negative-round", |run| trials(run)["round"][0] = value!(-1), "not a valid run"),
    (
        "refused-nothing",
        |run| trials(run)["refused"] = value!({"999999": {"kind": "timed_out", "waited_ms": 1}}),
        "not there",
    ),
    ("narrow-row", |run| pop(&mut table(run)["rows"][0]), "does not fit"),
    ("no-column", |run| pop(&mut table(run)["columns"]), "does not fit"),
    ("no-machine", |run| run["machines"] = value!([]), "no machine"),
];

#[test]
fn a_run_that_contradicts_itself_is_refused() {
    let (place, good) = (Place::new(), real_run());
    for (name, lie, says) in LIES {
        let mut run = json(&good);
        lie(&mut run);
        place.write(name, run.to_string());
        refused(&place, name, says);
    }
    // Numbers that no JSON value of this test could hold.
    let number = finding(&mut json(&good))["value"].to_string();
    for (name, text) in [("endless", "1e400"), ("not-a-number", "NaN"), ("infinite", "Infinity")] {
        let lie = good.replace(&format!(r#""value":{number}"#), &format!(r#""value":{text}"#));
        assert_ne!(lie, good);
        place.write(name, lie);
        refused(&place, name, "not a ");
    }
}

const TREACHEROUS: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\r\n\u{202e}\u{200b}\u{9b}31m";

/// A name, and what is done to a good run that leaves it a run, if a strange one.
type Oddity = (&'static str, fn(&mut Value));

fn histogram(run: &mut Value) -> &mut Value {
    let figures = run["sections"][0]["figures"].as_array_mut().expect("figures");
    let found = figures.iter_mut().find(|it| it["kind"] == "distribution");
    &mut found.expect("a distribution")["histogram"]
}

fn bars(run: &mut Value) -> &mut Value {
    let figures = run["sections"][0]["figures"].as_array_mut().expect("figures");
    &mut figures.iter_mut().find(|it| it["kind"] == "bars").expect("bars")["bars"]
}

const ODDITIES: [Oddity; 20] = [
    ("treacherous-text", poison),
    ("endless-text", |run| finding(run)["text"] = value!("word ".repeat(200_000))),
    ("no-sections", |run| run["sections"] = value!([])),
    ("many-sections", |run| {
        let mut one = run["sections"][0].clone();
        one["findings"] = value!([]);
        run["sections"] = iter::repeat_n(one, 200).collect();
    }),
    ("no-rows", |run| table(run)["rows"] = value!([])),
    ("no-columns", |run| *table(run) = value!({"title": "", "columns": [], "rows": [[], []]})),
    ("many-rows", |run| {
        let row = table(run)["rows"][0].clone();
        table(run)["rows"] = iter::repeat_n(row, 50_000).collect();
    }),
    ("many-columns", |run| {
        let column = iter::repeat_n(value!({"title": "t", "align": "left"}), 500);
        let row: Value = iter::repeat_n(value!("cell"), 500).collect();
        *table(run) =
            value!({"title": "", "columns": column.collect::<Value>(), "rows": [row.clone(), row]});
    }),
    ("wide-cells", |run| table(run)["rows"][0][0] = value!("漢".repeat(5000))),
    ("full-histogram", |run| {
        histogram(run)["counts"] = value!([u64::MAX, u64::MAX, 1]);
        histogram(run)["below"] = value!(u64::MAX);
    }),
    ("overflowing-edges", |run| {
        histogram(run)["below"] = value!(u64::MAX);
        histogram(run)["above"] = value!(u64::MAX);
    }),
    ("empty-histogram", |run| histogram(run)["counts"] = value!([])),
    ("reversed-histogram", |run| histogram(run)["low"] = value!(1e308)),
    ("long-histogram", |run| {
        histogram(run)["counts"] = iter::repeat_n(value!(3), 300_000).collect();
    }),
    ("huge-bars", |run| {
        bars(run)[0]["value"] = value!(f64::MAX);
        bars(run)[1]["value"] = value!(-f64::MAX);
        bars(run)[2]["low"] = value!(f64::MIN_POSITIVE);
    }),
    ("zero-bars", |run| {
        let bars = bars(run).as_array_mut().expect("bars");
        bars.iter_mut().for_each(|bar| bar["value"] = value!(0.0));
    }),
    ("many-bars", |run| {
        let bar = bars(run)[0].clone();
        *bars(run) = iter::repeat_n(bar, 10_000).collect();
    }),
    ("long-bar", |run| bars(run)[0]["label"] = value!("x".repeat(100_000))),
    ("empty-machine", |run| run["machines"] = value!([{}])),
    ("unknown-fields", |run| run["sections"][0]["added_later"] = value!([1, {"a": null}])),
];

/// Puts treacherous text wherever a run holds text that is shown.
fn poison(run: &mut Value) {
    run["fathom"] = value!(TREACHEROUS);
    run["started_at"] = value!(TREACHEROUS);
    run["ended"] = value!({"failed": TREACHEROUS});
    run["machines"][0]["cpu_model"] = value!(TREACHEROUS);
    run["machines"][0]["kernel"] = value!(TREACHEROUS);
    run["machines"][0]["hypervisor"] = value!({"named": TREACHEROUS});
    let section = &mut run["sections"][0];
    section["name"] = value!(TREACHEROUS);
    section["question"] = value!(TREACHEROUS);
    for finding in section["findings"].as_array_mut().expect("findings") {
        finding["text"] = value!(TREACHEROUS);
        finding["advice"] = value!(TREACHEROUS);
    }
    section["caveats"] = value!([{"kind": TREACHEROUS, "text": TREACHEROUS}]);
    section["tables"][0]["title"] = value!(TREACHEROUS);
    section["tables"][0]["columns"][0]["title"] = value!(TREACHEROUS);
    section["tables"][0]["rows"][0][0] = value!(TREACHEROUS);
    for figure in section["figures"].as_array_mut().expect("figures") {
        figure["title"] = value!(TREACHEROUS);
    }
    bars(run)[0]["label"] = value!(TREACHEROUS);
}

#[test]
fn a_strange_run_is_shown_without_harm() {
    let (place, good) = (Place::new(), real_run());
    let mut harm = Vec::new();
    for (name, oddity) in ODDITIES {
        let mut run = json(&good);
        oddity(&mut run);
        place.write(name, run.to_string());
        for look in ["--color=never", "--color=always", "--markdown"] {
            let said = place.run(&["report", name, look]);
            harm.extend(harm_of(&said, look).map(|harm| format!("{name} {look}: {harm}")));
        }
        let again = place.run(&["report", name, "--json"]).ended(0).json();
        assert_eq!(sections(&again), sections(&run), "{name}: as JSON it is the same run");
    }
    assert!(harm.is_empty(), "{}", harm.join("\n"));
}

/// What is wrong with a report that should be long at most.
fn harm_of(said: &Answer, look: &str) -> Option<String> {
    if said.code() != Some(0) || !said.stderr.is_empty() {
        return Some(format!("{said:?}"));
    }
    // The colours that are ours are few.
    let mut text = said.stdout.clone();
    if look == "--color=always" {
        ["0", "1", "2", "33", "36", "1;36"]
            .iter()
            .for_each(|code| text = text.replace(&format!("\x1b[{code}m"), ""));
    }
    let treacherous = |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{200b}".contains(c);
    if let Some(line) = text.lines().find(|line| line.contains(treacherous)) {
        return Some(format!("treacherous: {line:?}"));
    }
    let lines = text.lines().count();
    (lines > 20_000 || text.len() > 4 << 20).then(|| format!("{lines} lines, {}", text.len()))
}

fn sections(run: &Value) -> usize {
    run["sections"].as_array().expect("sections").len()
}
