//! A file as the rules see it, and the one shape in which they complain about it.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// A rule that a line breaks. The order of the fields is the order of printing.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The path, relative to the folder that is checked.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// The name of the rule.
    pub rule: &'static str,
    /// What is wrong, and what would be right.
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}: {}", self.file, self.line, self.rule, self.text)
    }
}

/// What the rules tell apart: Rust is parsed, C is measured by its braces, the rest is text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Rust,
    C,
    Other,
}

/// A text file.
pub struct Source {
    /// Relative to the folder that is checked, with `/` between the names.
    pub path: String,
    pub text: String,
}

impl Source {
    /// The file's text, or none where it is no text: an image, an archive, another encoding.
    pub fn read(folder: &Path, path: &str) -> Result<Option<Self>> {
        let bytes = fs::read(folder.join(path)).with_context(|| format!("read {path}"))?;
        let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
        Ok(text.map(|text| Self { path: path.to_owned(), text }))
    }

    /// None for a text that is not a source: a page, a manifest, a golden file.
    pub fn language(&self) -> Option<Language> {
        language(&self.path)
    }

    pub fn lines(&self) -> Vec<&str> {
        self.text.lines().collect()
    }

    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// A violation in this file.
    pub fn violation(&self, line: usize, rule: &'static str, text: String) -> Violation {
        Violation { file: self.path.clone(), line, rule, text }
    }
}

/// The complaint about a source file that is not text; other files may be whatever they like.
pub fn unreadable(path: &str) -> Option<Violation> {
    language(path)?;
    let text = "a source that is not UTF-8 text, save it as such".to_owned();
    Some(Violation { file: path.to_owned(), line: 1, rule: "encoding", text })
}

fn language(path: &str) -> Option<Language> {
    match Path::new(path).extension()?.to_str()? {
        "rs" => Some(Language::Rust),
        "c" | "h" => Some(Language::C),
        "go" | "java" | "py" | "js" | "css" | "sh" => Some(Language::Other),
        _ => None,
    }
}

/// Where `needle` begins in `line` without continuing a word to its left.
pub fn starts_of<'a>(line: &'a str, needle: &'a str) -> impl Iterator<Item = usize> + 'a {
    line.match_indices(needle)
        .map(|(at, _)| at)
        .filter(|&at| !line[..at].chars().next_back().is_some_and(continues_word))
}

/// Whether a letter next to a needle makes it a part of a longer name.
pub fn continues_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}
