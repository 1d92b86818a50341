//! The report as a file: which commands write it, where it may not go, and that it names nobody.

mod common;

use std::fs;

use common::{
    Place, answer, as_ordinary_user,
    names::{names_nobody, names_of_ours},
    section, set_mode,
};

const PAGE: &str = "page.html";

/// What a reader sees, and every attribute: the page without its scripts and its style.
fn seen(page: &str) -> String {
    let mut out = String::new();
    for part in page.split("<script").flat_map(|part| part.split("<style")) {
        let rest = ["</script>", "</style>"].iter().find_map(|end| Some(part.split_once(end)?.1));
        out.push_str(rest.unwrap_or(part));
    }
    out
}

#[track_caller]
fn is_page(place: &Place, name: &str, says: &str) {
    let page = place.read(name);
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{page:.300}");
    assert!(seen(&page).contains(says), "{name} should say {says}");
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
}

#[test]
fn every_command_that_prints_a_run_writes_it() {
    let place = Place::new();
    for (words, says) in [
        (&["syscall", "--time", "300ms", "--out", "a.json"][..], "entering the kernel cost?"),
        (&["syscall", "--time", "300ms", "--out", "b.json"], "Measure again"),
        (&["clock", "--time", "300ms"], "Do timestamps collide"),
        (&["switch", "--quick", "--time", "300ms"], "What does a context switch cost"),
        (&["--skip", "switch", "--time", "300ms", "--out", "s.json"], "On this page"),
        (&["--only", "syscall", "--time", "300ms", "--json"], "On this page"),
        (&["machine"], "Facts"),
        (&["report", "a.json"], "entering the kernel cost?"),
        (&["report", "a.json", "--json"], "entering the kernel cost?"),
        (&["compare", "a.json", "b.json"], "Did anything change"),
    ] {
        let said = place.run(&[words, &["--html", PAGE]].concat()).ended(0);
        assert!(said.stderr.ends_with("fathom: the report is in page.html\n"), "{said:?}");
        is_page(&place, PAGE, says);
        fs::remove_file(place.file(PAGE)).unwrap();
    }
    assert_eq!(place.names(), ["a.json", "b.json", "s.json"], "nothing unasked");
}

/// The page of a survey is where it is wanted, and there is only one.
#[test]
fn a_survey_writes_its_page_once() {
    let place = Place::new();
    place.run(&["--only", "syscall", "--time", "300ms", "--html", PAGE]).ended(0);
    assert_eq!(place.names(), ["fathom-run.json", PAGE]);
    let again = place.run(&["report", "fathom-run.json", "--html", "again.html"]).ended(0);
    assert_eq!(place.read("again.html"), place.read(PAGE), "{again:?}");
}

#[test]
fn a_page_takes_no_runs_place() {
    let place = Place::new();
    place.run(&["syscall", "--time", "300ms", "--out", "a.json"]).ended(0);
    place.run(&["syscall", "--time", "300ms", "--out", "b.json"]).ended(0);
    let before = place.read("a.json");
    fs::hard_link(place.file("a.json"), place.file("linked.json")).unwrap();
    for words in [
        &["report", "a.json", "--html", "a.json"][..],
        &["report", "a.json", "--html", "linked.json"],
        &["compare", "a.json", "b.json", "--html", "./a.json"],
        &["syscall", "--time", "1h", "--out", "x", "--html", "x"],
    ] {
        let said = place.run(words).ended(2);
        assert!(said.stderr.contains("--html") && said.stdout.is_empty(), "{words:?}: {said:?}");
        assert_eq!(place.read("a.json"), before);
    }
}

#[test]
fn a_wrong_place_is_refused_before_measuring() {
    let place = Place::new();
    for html in ["/no/such/folder/x.html", ".", "/dev/null/x.html", ""] {
        for words in [&["--time", "1h"][..], &["syscall", "--time", "1h"], &["machine"]] {
            let said = place.run(&[words, &["--html", html]].concat()).ended(2);
            assert!(said.stdout.is_empty(), "{words:?} {html}: {said:?}");
        }
    }
    assert_eq!(place.names(), [""; 0]);
    fs::create_dir(place.file("fathom-report.html")).unwrap();
    let said = place.run(&["--time", "1h"]).ended(3);
    assert!(said.stderr.contains("--html FILE"), "{said:?}");
    assert_eq!(place.names(), ["fathom-report.html"]);
    for words in [&["man", "--html", PAGE][..], &["completions", "fish", "--html", PAGE]] {
        place.run(words).ended(2);
    }
}

/// A page that can't be written loses neither the run nor what is printed.
#[test]
fn a_full_disk_loses_only_the_page() {
    let place = Place::new();
    let words = ["syscall", "--time", "300ms", "--out", "run.json", "--html", "/dev/full"];
    let said = place.run(&words).ended(4);
    assert!(said.stdout.contains("What does entering the kernel cost?"), "{said:?}");
    assert!(said.stderr.contains("the run is in run.json"), "{said:?}");
    assert!(said.stderr.contains("can't write /dev/full"), "{said:?}");
    assert_eq!(section(&common::json(&place.read("run.json")), "syscall")["name"], "syscall");
}

/// As run by an ordinary user, in a folder with a name of its own.
#[test]
fn a_page_names_nobody() {
    let (home, place) = (Place::new(), Place::new());
    let program = home.copy_for_anybody();
    set_mode(place.path(), 0o777);
    let mut names = names_of_ours(&place);
    let mut command = place.command(&program, &["--time", "300ms"]);
    for variable in ["USER", "LOGNAME", "HOSTNAME", "HOME"] {
        command.env(variable, format!("telltale-{variable}"));
    }
    names.push(("a variable of the environment", "telltale".to_owned()));
    answer(as_ordinary_user(&mut command)).ended(0);
    let page = place.read("fathom-report.html");
    is_page(&place, "fathom-report.html", "On this page");
    names_nobody(&seen(&page), &names);
    assert!(!page.contains("telltale"));
}

/// A page written under another spelling of the run's own name took its place, and all was well.
#[test]
fn a_page_never_takes_a_runs_place() {
    let place = Place::new();
    place.run(&["syscall", "--time", "300ms", "--out", "a.json"]).ended(0);
    place.run(&["syscall", "--time", "300ms", "--out", "b.json"]).ended(0);
    std::os::unix::fs::symlink("new.json", place.file("link")).unwrap();
    let before = (place.read("a.json"), place.names());
    for words in [
        &["survey", "--time", "300ms", "--html", "fathom-run.json"][..],
        &["survey", "--time", "300ms", "--html", "./fathom-run.previous.json"],
        &["syscall", "--time", "300ms", "--out", "x", "--html", "x"],
        &["syscall", "--time", "300ms", "--out", "x", "--html", "./x"],
        &["syscall", "--time", "300ms", "--out", "link", "--html", "new.json"],
        &["report", "a.json", "--html", "./a.json"],
        &["compare", "a.json", "b.json", "--html", "b.json"],
        &["compare", "a.json", "b.json", "--out", "./a.json"],
    ] {
        let said = place.run(words).ended(2);
        assert_eq!((said.stderr.lines().count(), said.stdout.as_str()), (1, ""), "{said:?}");
        assert!((place.read("a.json"), place.names()) == before, "{words:?}: {:?}", place.names());
    }
}
