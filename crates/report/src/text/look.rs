//! Lines on a page: indents, wrapping and the few colours.

use textwrap::{Options, WordSplitter};

/// How wide, and whether in colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Columns.
    pub width: usize,
    /// Whether escape sequences may be used.
    pub colour: bool,
}

/// Narrower than this no plot can be set; wider than that prose can't be read.
const WIDTH_MIN: usize = 60;
const PROSE_MAX: usize = 100;
const INDENT: &str = "  ";

/// A page under way.
pub(super) struct Page {
    out: String,
    look: Look,
}

impl Page {
    pub(super) fn new(look: Look) -> Self {
        let width = look.width.max(WIDTH_MIN);
        Self { out: String::new(), look: Look { width, ..look } }
    }

    /// Columns within the indent.
    pub(super) fn inner_width(&self) -> usize {
        self.look.width - INDENT.len()
    }

    pub(super) fn end(self) -> String {
        self.out
    }

    /// What was written as single lines, without the indent of each.
    pub(super) fn unindented(self) -> String {
        let lines = self.out.lines().map(|line| line.strip_prefix(INDENT).unwrap_or(line));
        lines.collect::<Vec<_>>().join("\n")
    }

    pub(super) fn gap(&mut self) {
        self.out.push('\n');
    }

    pub(super) fn heading(&mut self, name: &str, question: &str) {
        for (place, line) in
            self.wrap(&format!("{name}  {question}"), "", INDENT).iter().enumerate()
        {
            let line = match line.strip_prefix(name) {
                Some(rest) if place == 0 => self.painted("1;36", name) + rest,
                _ => line.clone(),
            };
            self.out.push_str(&line);
            self.out.push('\n');
        }
    }

    /// One indented line, as it is.
    pub(super) fn line(&mut self, line: &str) {
        self.out.push_str(&format!("{INDENT}{}\n", line.trim_end()));
    }

    pub(super) fn prose(&mut self, text: &str) {
        self.wrapped(text, INDENT, INDENT, "");
    }

    pub(super) fn strong(&mut self, text: &str) {
        self.wrapped(text, INDENT, INDENT, "1");
    }

    pub(super) fn dim(&mut self, text: &str) {
        self.wrapped(text, "", INDENT, "2");
    }

    /// A word that names what follows, and the rest below itself.
    pub(super) fn item(&mut self, name: &str, text: &str) {
        let hang = " ".repeat(INDENT.len() + name.len());
        let lines = self.wrap(text, &hang, &hang);
        for (place, line) in lines.iter().enumerate() {
            let line = match place {
                0 => format!("{INDENT}{}{}", self.painted("33", name), line.trim_start()),
                _ => line.clone(),
            };
            self.out.push_str(&line);
            self.out.push('\n');
        }
    }

    /// `text` between escape sequences, where those may be used.
    pub(super) fn painted(&self, code: &str, text: &str) -> String {
        if self.look.colour && !code.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    fn wrapped(&mut self, text: &str, first: &str, rest: &str, code: &str) {
        for line in self.wrap(text, first, rest) {
            let line = self.painted(code, &line);
            self.out.push_str(&line);
            self.out.push('\n');
        }
    }

    fn wrap(&self, text: &str, first: &str, rest: &str) -> Vec<String> {
        let options = Options::new(self.look.width.min(PROSE_MAX))
            .initial_indent(first)
            .subsequent_indent(rest)
            .word_splitter(WordSplitter::NoHyphenation);
        textwrap::wrap(text, options).into_iter().map(String::from).collect()
    }
}
