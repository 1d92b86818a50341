//! Text from a run file, made fit for a terminal: it may have been written to mislead one.

use std::borrow::Cow;

/// No sentence or cell of ours comes near it.
const CHARS_MAX: usize = 600;

/// `text` on one line, without anything that moves a cursor, changes a colour, reorders letters or
/// hides; each such character becomes U+FFFD. Very long text is cut.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let fine = |c: char| !is_treacherous(c);
    if text.len() <= CHARS_MAX && text.chars().all(fine) {
        return Cow::Borrowed(text);
    }
    let mut clean: String =
        text.chars().take(CHARS_MAX).map(|c| if fine(c) { c } else { '\u{fffd}' }).collect();
    if text.chars().count() > CHARS_MAX {
        clean.push('…');
    }
    Cow::Owned(clean)
}

/// Control characters, line and paragraph separators, bidirectional controls (CVE-2021-42574) and
/// other characters without a width.
pub(crate) fn is_treacherous(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_treacherous_reaches_the_terminal() {
        for (text, clean) in [
            ("193 ns, 95 % µs ±", "193 ns, 95 % µs ±"),
            ("\x1b[2Jgone\x07", "\u{fffd}[2Jgone\u{fffd}"),
            ("two\nlines\r", "two\u{fffd}lines\u{fffd}"),
            ("\u{9b}31m", "\u{fffd}31m"),
            ("a\u{202e}b\u{200b}c", "a\u{fffd}b\u{fffd}c"),
        ] {
            assert_eq!(one_line(text), clean);
        }
        assert_eq!(one_line(&"x".repeat(5000)).chars().count(), CHARS_MAX + 1);
    }
}
