//! `--markdown` on every command that prints a run: the same page each time, and nothing else on
//! standard output. What is in the page is tested where it is written, in `report`.

mod common;

use common::{Answer, Place};

/// The page that was printed.
#[track_caller]
fn page(said: Answer, section: &str) -> String {
    let page = said.ended(0).stdout;
    assert!(page.starts_with("Fathom "), "{page}");
    assert!(page.contains(&format!("\n\n## {section}: ")), "{page}");
    assert!(!page.contains(|c: char| c.is_control() && c != '\n'), "{page:?}");
    page
}

#[test]
fn every_command_that_prints_a_run_prints_it_as_markdown() {
    let place = Place::new();
    page(place.run(&["machine", "--markdown"]), "machine");
    for (name, seed) in [("a.json", "1"), ("b.json", "2")] {
        let words = ["--time", "300ms", "--seed", seed, "--out", name, "--markdown"];
        let said = place.run(&[&["syscall"], &words[..]].concat());
        assert!(said.stderr.contains(&format!("the run is in {name}")), "{said:?}");
        let printed = page(said, "syscall");
        assert!(printed.contains("\n| :--- | ---: |"), "{printed}");
        // Colours and the terminal's width have no part in it.
        let again = place.run(&["--markdown", "report", name, "--color=always"]);
        assert_eq!(page(again, "syscall"), printed);
    }
    let sides = ["compare", "a.json", "b.json", "--markdown"];
    assert!(page(place.run(&sides), "compare").contains("**The later side: "));
    let pair = ["--pair", "syscall.gettid.cost,syscall.getppid.cost", "--markdown"];
    page(place.run(&[&["compare", "a.json"], &pair[..]].concat()), "compare");
}

#[test]
fn a_survey_prints_markdown_and_keeps_its_run() {
    let place = Place::new();
    let said = place.run(&["--only", "syscall", "--time", "300ms", "--markdown"]);
    let printed = page(said, "machine");
    assert!(printed.contains("\n\n## syscall: "), "{printed}");
    assert_eq!(place.names(), ["fathom-report.html", "fathom-run.json"]);
    let again = place.run(&["report", "fathom-run.json", "--markdown"]);
    assert_eq!(page(again, "machine"), printed);
}
