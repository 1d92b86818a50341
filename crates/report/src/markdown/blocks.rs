//! Blocks of a page with an empty line between any two, so that none can run into the next.

use super::escape::escaped;

/// Longer lists tell nobody more, and trackers refuse what has more than 65,536 characters.
const ITEMS_MAX: usize = 50;

/// A page under way.
pub(super) struct Blocks {
    out: String,
}

impl Blocks {
    pub(super) fn new() -> Self {
        Self { out: String::new() }
    }

    pub(super) fn end(mut self) -> String {
        self.out.push('\n');
        self.out
    }

    /// A block that is Markdown already; an empty one is none.
    pub(super) fn add(&mut self, block: impl AsRef<str>) {
        if block.as_ref().is_empty() {
            return;
        }
        if !self.out.is_empty() {
            self.out.push_str("\n\n");
        }
        self.out.push_str(block.as_ref());
    }

    /// A sentence in bold.
    pub(super) fn strong(&mut self, text: &str) {
        // Two pairs of stars around nothing are a line across the page.
        self.add(match escaped(text) {
            text if text.is_empty() => text,
            text => format!("**{text}**"),
        });
    }

    /// A paragraph for each.
    pub(super) fn paragraphs<'a>(&mut self, mut texts: impl Iterator<Item = &'a str>) {
        for text in texts.by_ref().take(ITEMS_MAX) {
            self.add(escaped(text));
        }
        self.left_out(texts.count(), "findings");
    }

    /// A list under its name in bold; nothing where it has no item.
    pub(super) fn list(&mut self, name: &str, mut items: impl Iterator<Item = String>) {
        let shown: Vec<String> =
            items.by_ref().take(ITEMS_MAX).map(|item| format!("- {}", escaped(&item))).collect();
        if shown.is_empty() {
            return;
        }
        self.strong(name);
        self.add(shown.join("\n"));
        self.left_out(items.count(), "");
    }

    /// Lines in which every character stands for itself.
    pub(super) fn fenced(&mut self, lines: &str) {
        // Only a longer fence than any within can end the block.
        let within = lines.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(3.max(within + 1));
        self.add(format!("{fence}text\n{lines}\n{fence}"));
    }

    /// How many of something are not here, where any are not.
    pub(super) fn left_out(&mut self, count: usize, what: &str) {
        if count > 0 {
            self.add(format!("... and {count} more {what}").trim_end());
        }
    }
}
