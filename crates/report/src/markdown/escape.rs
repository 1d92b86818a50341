//! Text from a run file as text of a Markdown page: whatever it says, it is only read.
//!
//! Characters that Markdown or HTML would obey become numeric references, which both take for the
//! character itself and never for structure (CommonMark 0.31, 2.5); a backslash would not do within
//! a table's cell or a tag's line. Against what a tracker makes of the *finished* page - mentions,
//! issue numbers, addresses, emoji - no reference helps: GitHub still notifies for `&#64;name`
//! (github/cmark-gfm issue 181). There an invisible space parts what would be recognised.

use crate::one_line;

/// Zero width space, as a reference so that whoever reads the source sees it.
const PART: &str = "&#8203;";

/// `text` as Markdown that shows just that, on one line: in a paragraph, a heading, a list's item,
/// a table's cell or between HTML tags, at their beginning or after something. Very long text is
/// cut.
pub(super) fn escaped(text: &str) -> String {
    let clean = one_line(text);
    let clean = clean.trim();
    let mut out = String::with_capacity(clean.len());
    for (at, letter) in clean.char_indices() {
        let (before, after) = (&clean[..at], &clean[at + letter.len_utf8()..]);
        if letter == '.' && ends_with_word(before, "www") {
            out.push_str(PART);
        }
        if is_obeyed(letter, before, after) {
            out.push_str(&format!("&#{};", u32::from(letter)));
        } else {
            out.push(letter);
        }
        if is_recognised(letter, before, after) {
            out.push_str(PART);
        }
    }
    out
}

/// Whether Markdown or HTML would take this character for a command.
fn is_obeyed(letter: char, before: &str, after: &str) -> bool {
    match letter {
        '&' | '<' | '>' | '|' | '`' | '*' | '[' | ']' | '\\' | '~' | '#' | '$' => true,
        // Within a word, as in most of our ids, it emphasises nothing.
        '_' => {
            !(before.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric))
        }
        // Bullets, and lines across the page or under a heading; not the sign of a number.
        '-' | '+' | '=' => {
            before.is_empty() && !after.starts_with(|c: char| c != letter && !c.is_whitespace())
        }
        // The number of a list's item.
        '.' | ')' => is_number(before) && !after.starts_with(|c: char| !c.is_whitespace()),
        _ => false,
    }
}

/// Whether trackers would make something of a word that this character begins: GitHub of `@name`,
/// `#1`, `GH-1`, `$x$`, `:smile:` and addresses, GitLab also of `!1`, `&1`, `%1` and `~1`.
fn is_recognised(letter: char, before: &str, after: &str) -> bool {
    let next = after.chars().next();
    let next_is = |test: fn(char) -> bool| next.is_some_and(test);
    match letter {
        '@' | '$' => next_is(|c| !c.is_whitespace()),
        '!' | '&' => next_is(|c| c.is_ascii_digit()),
        '#' | '%' | '~' => next_is(|c| c.is_alphanumeric() || "\"_".contains(c)),
        '-' => ends_with_word(before, "gh") && next_is(|c| c.is_ascii_digit()),
        ':' => after.starts_with("//") || is_emoji(after),
        _ => false,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether `text` ends with this word, in whatever case.
fn ends_with_word(text: &str, word: &str) -> bool {
    let mut letters = text.chars().rev();
    word.chars().rev().all(|c| letters.next().is_some_and(|it| it.eq_ignore_ascii_case(&c)))
        && !letters.next().is_some_and(char::is_alphanumeric)
}

/// Whether a word and a colon follow; two digits between colons are a time of day.
fn is_emoji(after: &str) -> bool {
    let in_name = |c: char| c.is_ascii_alphanumeric() || "_+-".contains(c);
    let name = after.split(|c| !in_name(c)).next().unwrap_or("");
    let time = name.len() == 2 && is_number(name);
    !name.is_empty() && !time && after[name.len()..].starts_with(':')
}

#[cfg(test)]
mod tests;
