//! Nothing half done is committed: it is done, or it is an issue.
//!
//! The needles are put together here from halves, so that this file does not find itself.

use super::source::{Source, Violation, continues_word, starts_of};

/// Macros that stand for missing code, or print for the one who is debugging.
const MACROS: [&str; 3] =
    [concat!("to", "do!"), concat!("unimple", "mented!"), concat!("db", "g!")];

/// Words that promise a later mend.
const WORDS: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// Rule `unfinished`.
pub fn check(source: &Source, found: &mut Vec<Violation>) {
    for (index, line) in source.lines().into_iter().enumerate() {
        let macros = MACROS.iter().filter(|needle| starts_of(line, needle).next().is_some());
        let words = WORDS.iter().filter(|word| has_word(line, word));
        for needle in macros.chain(words) {
            let text = format!("`{needle}`, finish it or open an issue");
            found.push(source.violation(index + 1, "unfinished", text));
        }
    }
}

fn has_word(line: &str, word: &str) -> bool {
    starts_of(line, word)
        .any(|at| !line[at + word.len()..].chars().next().is_some_and(continues_word))
}
