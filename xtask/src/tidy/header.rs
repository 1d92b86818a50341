//! Every file says what it is for before it says anything else.

use super::source::{Language, Source, Violation};

/// Rule `header`.
pub fn check(source: &Source, language: Language, found: &mut Vec<Violation>) {
    match language {
        Language::Rust => check_rust(source, found),
        Language::C if !source.text.starts_with("/*") && !source.text.starts_with("//") => {
            let text = "no header, begin with a comment that says what the file is for".to_owned();
            found.push(source.violation(1, "header", text));
        }
        Language::C | Language::Other => {}
    }
}

fn check_rust(source: &Source, found: &mut Vec<Violation>) {
    let lines = source.lines();
    // `#!` alone would be an attribute of the file, `#![...]`.
    let shebang = lines.first().is_some_and(|line| line.starts_with("#!") && !line.contains('['));
    let first = usize::from(shebang);
    let header: Vec<&str> =
        lines.iter().skip(first).map_while(|line| line.strip_prefix("//!")).collect();
    let mut complain =
        |text: &str| found.push(source.violation(first + 1, "header", text.to_owned()));
    if header.is_empty() {
        complain("no header, begin with `//!` lines: purpose, border, reasons");
    } else if is_crate_root(&source.path) {
        if !header.iter().any(|line| line.contains("Not here")) {
            complain("the crate does not say what it is not, add `//! Not here: ...`");
        }
        if !header.iter().any(|line| names_a_command(line)) {
            complain("no command that runs the crate or its tests, add \"//! Run: `...`\"");
        }
    }
}

fn is_crate_root(path: &str) -> bool {
    ["src/lib.rs", "src/main.rs"]
        .iter()
        .any(|root| path.strip_suffix(root).is_some_and(|p| p.is_empty() || p.ends_with('/')))
}

fn names_a_command(line: &str) -> bool {
    line.trim().strip_prefix("Run: `").is_some_and(|rest| rest.contains('`'))
}
