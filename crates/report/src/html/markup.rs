//! The page under way: elements, and text that can be nothing but text.
//!
//! All text and every attribute goes through [`escaped`]; what does not is of our own making and
//! says so by its name.

use super::STYLE_ID;
use crate::{clean::is_treacherous, one_line};

/// More than the end of any part takes: what it says of what was cut, a question's method.
const END_BYTES: usize = 20_000;

/// A page under way, or a part of one. A run that somebody made up can say more than a page that is
/// to be sent around has room for.
pub(super) struct Markup {
    out: String,
    /// How long it may become by what [`Markup::each`] puts.
    bytes_max: usize,
}

pub(super) type Attributes<'a> = &'a [(&'a str, &'a str)];

/// Within a line of text; all others begin a line of the file, so that it can be read and compared.
const INLINE: [&str; 12] = [
    "a", "button", "code", "em", "option", "small", "span", "strong", "summary", "td", "th", "time",
];

impl Markup {
    pub(super) fn new() -> Self {
        Self::up_to(usize::MAX)
    }

    /// A part whose lists are cut before it is longer than that.
    pub(super) fn up_to(bytes_max: usize) -> Self {
        Self { out: String::new(), bytes_max }
    }

    pub(super) fn end(mut self) -> String {
        self.out.push('\n');
        self.out
    }

    pub(super) fn bytes(&self) -> usize {
        self.out.len()
    }

    fn room(&self) -> usize {
        self.bytes_max.saturating_sub(self.bytes())
    }

    /// Puts items until there are `max` of them, or there is no room for the next and for the end
    /// of what they are in. What came of those that were put.
    pub(super) fn each<T, U>(
        &mut self,
        items: impl Iterator<Item = T>,
        max: usize,
        mut put: impl FnMut(&mut Self, T) -> U,
    ) -> Vec<U> {
        let mut all = Vec::new();
        for item in items.take(max) {
            if self.room() <= END_BYTES {
                break;
            }
            // One item alone can be long, which is known once it is there.
            let mut part = Self::up_to(self.room() - END_BYTES);
            let it = put(&mut part, item);
            if !self.fit(part) {
                break;
            }
            all.push(it);
        }
        all
    }

    /// Says how many of something are not here, where any are not.
    pub(super) fn left_out(&mut self, count: usize, what: &str) {
        if count > 0 {
            self.leaf("p", &[("class", "cut")], &format!("... and {count} more {what}"));
        }
    }

    /// Another part, whole.
    pub(super) fn part(&mut self, part: Self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str(&part.out);
    }

    /// Another part, if there is room for all of it.
    pub(super) fn fit(&mut self, part: Self) -> bool {
        let fits = part.bytes() < self.room();
        if fits {
            self.part(part);
        }
        fits
    }

    pub(super) fn open(&mut self, tag: &str, attributes: Attributes<'_>) {
        if !INLINE.contains(&tag) && !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push('<');
        self.out.push_str(tag);
        for (name, value) in attributes {
            self.out.push_str(&format!(" {name}=\"{}\"", escaped(&one_line(value))));
        }
        self.out.push('>');
    }

    pub(super) fn close(&mut self, tag: &str) {
        self.out.push_str(&format!("</{tag}>"));
    }

    /// An element that has no content and no end.
    pub(super) fn void(&mut self, tag: &str, attributes: Attributes<'_>) {
        self.open(tag, attributes);
    }

    /// Text from anywhere: one line, at most as long as [`one_line`] lets it be.
    pub(super) fn text(&mut self, text: &str) {
        self.out.push_str(&escaped(&one_line(text)));
    }

    /// Text in lines that were put together from such text.
    pub(super) fn lines(&mut self, text: &str) {
        self.out.push_str(&escaped(text));
    }

    pub(super) fn leaf(&mut self, tag: &str, attributes: Attributes<'_>, text: &str) {
        self.within(tag, attributes, |page| page.text(text));
    }

    pub(super) fn within(
        &mut self,
        tag: &str,
        attributes: Attributes<'_>,
        content: impl FnOnce(&mut Self),
    ) {
        self.open(tag, attributes);
        content(self);
        self.close(tag);
    }

    /// Markup of our own making.
    pub(super) fn trusted(&mut self, markup: &str) {
        self.out.push_str(markup);
    }

    /// A script of our own, or data in a shape that no script element can end in the middle of:
    /// base64, or what [`as_data`] made.
    pub(super) fn script(&mut self, attributes: Attributes<'_>, script: &str) {
        self.within("script", attributes, |page| page.trusted(script));
    }

    /// A style sheet of our own.
    pub(super) fn style(&mut self, attributes: Attributes<'_>, style: &str) {
        self.within("style", attributes, |page| page.trusted(style));
    }
}

/// Text as markup that means just that text, between tags and within quotes alike, and moves no
/// letters about on the screen. The two quotes are numbers, because the charts' labels know few
/// names of characters.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push('\n'),
            _ if is_treacherous(letter) => out.push('\u{fffd}'),
            _ => out.push(letter),
        }
    }
    out
}

/// A label for the charts, whose text is a small markup of its own.
pub(super) fn label(text: &str) -> String {
    escaped(&one_line(text))
}

/// JSON that holds nothing by which a script element could end or begin.
pub(super) fn as_data(value: &serde_json::Value) -> String {
    let json = value.to_string();
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Whether a word can be an id of the page without standing in the way of a script: what is dotted
/// is no name of anything in a window. One dotted id is the page's own.
pub(super) fn is_dotted_id(word: &str) -> bool {
    word.contains('.') && is_plain(word) && word != STYLE_ID
}

/// Whether a word holds nothing but letters, digits and what joins them.
pub(super) fn is_plain(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !word.is_empty() && word.len() <= 200 && word.chars().all(plain) && !word.starts_with('-')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_stays_text() {
        for (text, markup) in [
            ("193 ns ± 2 %", "193 ns ± 2 %"),
            ("</script><b>", "&lt;/script&gt;&lt;b&gt;"),
            ("a=\"b\" c='d' &amp;", "a=&#34;b&#34; c=&#39;d&#39; &amp;amp;"),
        ] {
            assert_eq!(escaped(text), markup);
        }
        let mut page = Markup::new();
        page.leaf("p", &[("title", "\"><script>")], "a\u{202e}b\u{0}\n<c>");
        assert_eq!(
            page.end(),
            "<p title=\"&#34;&gt;&lt;script&gt;\">a\u{fffd}b\u{fffd}\u{fffd}&lt;c&gt;</p>\n"
        );
    }

    #[test]
    fn data_ends_no_script() {
        let data = as_data(&json!({ "label": "</script><!--&" }));
        assert_eq!(data, r#"{"label":"\u003c/script\u003e\u003c!--\u0026"}"#);
        let back: serde_json::Value = serde_json::from_str(&data).unwrap();
        assert_eq!(back["label"], "</script><!--&");
    }

    #[test]
    fn an_id_is_no_name_of_a_window() {
        assert!(is_dotted_id("syscall.getppid.cost"));
        for id in ["", "Plotly", "MathJax", "a b.c", "a.\"b", &"a.".repeat(200)] {
            assert!(!is_dotted_id(id), "{id}");
        }
    }
}
