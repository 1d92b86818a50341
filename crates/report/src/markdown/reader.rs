//! What somebody else's reader of Markdown finds in a page, for the tests: its words, and that it
//! holds nothing which acts.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// What GitHub reads, and nothing that it does not.
const DIALECT: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_MATH)
    .union(Options::ENABLE_GFM);

/// The text of each block or cell, in order, with everything that is shown.
///
/// # Panics
/// On HTML other than our own folds, and on whatever else no text of a run may become.
#[track_caller]
pub(crate) fn read(page: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut text = String::new();
    for event in Parser::new_ext(page, DIALECT) {
        match event {
            Event::Text(more) => text.push_str(&more),
            Event::Html(tag) => assert!(is_ours(&tag), "{tag:?} in\n{page}"),
            Event::Start(tag) => assert!(is_expected(&tag), "{tag:?} in\n{page}"),
            Event::End(TagEnd::Strong | TagEnd::HtmlBlock) => {}
            // A row or a list ends after what it holds has ended.
            Event::End(TagEnd::TableHead | TagEnd::TableRow | TagEnd::Table | TagEnd::List(_)) => {}
            Event::End(_) => texts.push(std::mem::take(&mut text)),
            other => panic!("{other:?} in\n{page}"),
        }
    }
    texts
}

fn is_expected(tag: &Tag<'_>) -> bool {
    match tag {
        Tag::Heading { level, .. } => *level as usize == 2,
        Tag::List(number) => number.is_none(),
        Tag::Paragraph | Tag::Strong | Tag::Item | Tag::CodeBlock(_) | Tag::HtmlBlock => true,
        Tag::Table(_) | Tag::TableHead | Tag::TableRow | Tag::TableCell => true,
        _ => false,
    }
}

/// Our tags stand on lines of their own, and what is between them has none.
fn is_ours(line: &str) -> bool {
    let line = line.trim_end();
    let summary = line.strip_prefix("<summary>").and_then(|rest| rest.strip_suffix("</summary>"));
    summary.map_or(matches!(line, "<details>" | "</details>"), |text| {
        !text.contains(['<', '>']) && text.split('&').skip(1).all(|rest| rest.starts_with('#'))
    })
}

/// What a reader sees: the space that parts words for trackers is invisible.
pub(crate) fn seen(text: &str) -> String {
    text.replace('\u{200b}', "")
}

/// Whether a tracker would still make something of the finished page's text.
pub(crate) fn is_recognisable(text: &str) -> bool {
    let text = text.to_lowercase();
    let follows = |sign: char, test: fn(char) -> bool| {
        text.split(sign).skip(1).any(|rest| rest.starts_with(test))
    };
    follows('@', |c| c.is_alphanumeric() || c == '_')
        || follows('#', |c| c.is_alphanumeric())
        || follows('!', |c| c.is_ascii_digit())
        || ["://", "www."].iter().any(|address| address_in(&text, address))
}

fn address_in(text: &str, address: &str) -> bool {
    text.match_indices(address).any(|(at, _)| {
        address != "www." || !text[..at].ends_with(|before: char| before.is_alphanumeric())
    })
}
