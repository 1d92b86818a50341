//! The style of the house as a test: which rules there are, and what they say together.
//!
//! One file per family of rules. A rule looks at one file at a time and knows nothing of the
//! others; it says what is wrong and what would be right. There is no list of exceptions: a rule
//! that needs one is the wrong rule.

mod functions;
mod functions_c;
mod header;
mod imports;
mod places;
mod size;
mod source;
mod unfinished;
mod unsafety;

#[cfg(test)]
mod tests;

use std::path::Path;

use anyhow::Result;

use crate::{Outcome, checkout};
use functions::Function;
use source::{Language, Source, Violation};

/// What the rules found in one folder.
#[derive(Default)]
struct Report {
    violations: Vec<Violation>,
    /// Files looked at, sources or not.
    files: usize,
    /// Lines of each source file, with its path.
    file_lines: Vec<(usize, String)>,
    /// Lines of each function, with its place.
    function_lines: Vec<(usize, String)>,
}

/// Checks every file of `folder`; the text is one line per violation, or a summary.
pub fn run(folder: &Path) -> Result<Outcome> {
    let report = check(folder)?;
    let clean = report.violations.is_empty();
    let text = match clean {
        true => report.summary(),
        false => report.violations.iter().map(|violation| format!("{violation}\n")).collect(),
    };
    Ok(Outcome { text, clean })
}

fn check(folder: &Path) -> Result<Report> {
    let mut report = Report::default();
    for path in checkout::files(folder)? {
        report.files += 1;
        match Source::read(folder, &path)? {
            Some(source) => report.look_at(&source),
            None => report.violations.extend(source::unreadable(&path)),
        }
    }
    report.violations.sort();
    Ok(report)
}

impl Report {
    fn look_at(&mut self, source: &Source) {
        let found = &mut self.violations;
        places::check(source, found);
        imports::check(source, found);
        let Some(language) = source.language() else { return };
        size::check(source, language, found);
        unfinished::check(source, found);
        header::check(source, language, found);
        self.file_lines.push((source.lines().len(), source.path.clone()));
        match language {
            Language::Rust => self.look_at_rust(source),
            Language::C => self.count(source, functions_c::measure(&source.text)),
            Language::Other => {}
        }
    }

    fn look_at_rust(&mut self, source: &Source) {
        match syn::parse_file(&source.text) {
            Ok(syntax) => {
                unsafety::check(source, &syntax, &mut self.violations);
                self.count(source, functions::measure(&syntax));
            }
            Err(error) => {
                let text = format!("not Rust: {error}; whole files of Rust parse on their own");
                let line = error.span().start().line;
                self.violations.push(source.violation(line, "syntax", text));
            }
        }
    }

    fn count(&mut self, source: &Source, functions: Vec<Function>) {
        functions::check(source, &functions, &mut self.violations);
        for Function { name, lines, .. } in functions {
            self.function_lines.push((lines, format!("{name} in {}", source.path)));
        }
    }

    fn summary(&self) -> String {
        format!(
            "tidy: {} files; source files {}; functions {}\n",
            self.files,
            median_and_max(&self.file_lines),
            median_and_max(&self.function_lines),
        )
    }
}

/// How many there are, the upper median, and the longest with its place.
fn median_and_max(lengths: &[(usize, String)]) -> String {
    let mut sorted: Vec<&(usize, String)> = lengths.iter().collect();
    sorted.sort();
    match (sorted.get(sorted.len() / 2), sorted.last()) {
        (Some((median, _)), Some((max, place))) => {
            format!("{}, median {median} lines, max {max} ({place})", sorted.len())
        }
        _ => "0".to_owned(),
    }
}
