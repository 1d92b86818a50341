//! How long a file and a line may be.

use super::source::{Language, Source, Violation};

/// More than a reader keeps in mind; a longer file has two subjects (design, section 8).
const FILE_LINES_MAX: usize = 400;

/// What rustfmt breaks code at; comments, strings and C it leaves to us.
const LINE_COLUMNS_MAX: usize = 100;

/// Rules `file-length` (every source) and `line-length` (Rust and C).
pub fn check(source: &Source, language: Language, found: &mut Vec<Violation>) {
    let lines = source.lines();
    if lines.len() > FILE_LINES_MAX {
        let text = format!(
            "{} lines, at most {FILE_LINES_MAX}: move one of its subjects to a file of its own",
            lines.len()
        );
        found.push(source.violation(FILE_LINES_MAX + 1, "file-length", text));
    }
    if language == Language::Other {
        return;
    }
    for (index, line) in lines.iter().enumerate() {
        let columns = columns_without_address(line);
        if columns > LINE_COLUMNS_MAX {
            let text = format!("{columns} columns, at most {LINE_COLUMNS_MAX}: break the line");
            found.push(source.violation(index + 1, "line-length", text));
        }
    }
}

/// Characters of the line. An address cannot be broken: where one makes the line too long, the
/// line counts without it.
fn columns_without_address(line: &str) -> usize {
    let columns = line.chars().count();
    let is_address = |word: &&str| word.contains("://");
    if columns <= LINE_COLUMNS_MAX {
        return columns;
    }
    columns - line.split_whitespace().find(is_address).map_or(0, |word| word.chars().count())
}
