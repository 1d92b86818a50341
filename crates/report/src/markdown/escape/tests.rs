//! What becomes of text that was written to act, read back by another reader of Markdown.

use proptest::prelude::*;

use super::*;
use crate::markdown::reader::{is_recognisable, read, seen};

#[test]
fn what_acts_is_escaped_and_what_does_not_is_left_alone() {
    for (text, right) in [
        // Our own words stay as readable as they are.
        ("193 ns, 95 % µs ± (x); a/b's \"c\": 1 + 2 = 3 - 4.", ""),
        ("2026-11-20T18:00:00Z", ""),
        ("clock.realtime.collisions.threads_2.tight", ""),
        ("-12.3 ns", ""),
        ("0.475 ns", ""),
        ("close(-1) costs 1.5 µs", ""),
        ("Xeon @ 2.70GHz, C#, R & D", "Xeon @ 2.70GHz, C&#35;, R &#38; D"),
        // Markdown.
        ("a|b", "a&#124;b"),
        ("`x` ```", "&#96;x&#96; &#96;&#96;&#96;"),
        ("**x** _y_ __z__", "&#42;&#42;x&#42;&#42; &#95;y&#95; &#95;&#95;z&#95;&#95;"),
        ("~~x~~", "&#126;&#126;&#8203;x&#126;&#126;"),
        ("# x", "&#35; x"),
        ("- x", "&#45; x"),
        ("---", "&#45;--"),
        ("- - -", "&#45; - -"),
        ("+", "&#43;"),
        ("===", "&#61;=="),
        ("1. x", "1&#46; x"),
        ("2) x", "2&#41; x"),
        ("> x", "&#62; x"),
        ("    x", "x"),
        ("\\", "&#92;"),
        ("[x](y)", "&#91;x&#93;(y)"),
        ("![x](y)", "!&#91;x&#93;(y)"),
        ("[^1] [ ] [x]: y", "&#91;^1&#93; &#91; &#93; &#91;x&#93;: y"),
        ("$x$", "&#36;&#8203;x&#36;"),
        // HTML.
        ("<script>", "&#60;script&#62;"),
        ("<!--", "&#60;!--"),
        ("&amp;&#64;", "&#38;amp;&#38;&#35;&#8203;64;"),
        // What a tracker recognises in the finished page.
        ("@name", "@&#8203;name"),
        ("a@b.c", "a@&#8203;b.c"),
        ("see #123", "see &#35;&#8203;123"),
        ("o/r#1, GH-1, Gh-2", "o/r&#35;&#8203;1, GH-&#8203;1, Gh-&#8203;2"),
        ("!1 %2 ~3 &4", "!&#8203;1 %&#8203;2 &#126;&#8203;3 &#38;&#8203;4"),
        ("https://a.b", "https:&#8203;//a.b"),
        ("www.a.b, awww.c", "www&#8203;.a.b, awww.c"),
        (":smile: :100: 18:00:00", ":&#8203;smile: :&#8203;100: 18:00:00"),
        // Lines, escape sequences, and letters that run backwards.
        ("a\n# b\r\n", "a\u{fffd}&#35; b\u{fffd}\u{fffd}"),
        ("\x1b[2J\u{202e}", "\u{fffd}&#91;2J\u{fffd}"),
        ("", ""),
    ] {
        let right = if right.is_empty() { text } else { right };
        assert_eq!(escaped(text), right);
    }
    assert_eq!(escaped(&"\u{7c}".repeat(1_000_000)), format!("{}…", "&#124;".repeat(600)));
}

/// Pieces of what was written to act.
const PIECES: [&str; 67] = [
    "@name",
    "#123",
    "GH-1",
    "!1",
    "https://a.b/c",
    "www.a.b",
    "a@b.c",
    "mailto:a@b.c",
    ":+1:",
    "[x](y)",
    "![x](y)",
    "[x]",
    "[^1]",
    "[ ] ",
    "](",
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "<b",
    "</summary>",
    "</details>",
    "<https://a.b>",
    "&lt;",
    "&#64;",
    "&",
    ";",
    "`",
    "```",
    "~~~",
    "**",
    "__",
    "_",
    "*",
    "~~",
    "|",
    "\\",
    "\\|",
    "# ",
    "## ",
    "> ",
    "- ",
    "+ ",
    "* ",
    "1. ",
    "2) ",
    "---",
    "===",
    "    ",
    "\t",
    "\n",
    "\n\n",
    "\r",
    "\0",
    "$x$",
    "$$",
    "$`x`$",
    "| - |",
    ":--",
    "x",
    "é",
    "漢",
    "\u{a0}",
    "\u{3000}",
    "\u{202e}",
    "\u{200b}",
    "\u{fffd}",
];

/// Such pieces, and anything else.
fn hostile() -> impl Strategy<Value = String> {
    let known = prop::sample::select(PIECES.as_slice());
    let piece = prop_oneof![
        4 => known.prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[ -~]{1,6}",
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn hostile_text_is_read_as_nothing_but_text(text in hostile()) {
        let shown = one_line(&text).trim().to_owned();
        let safe = escaped(&text);
        prop_assert!(!safe.contains(char::is_control), "{safe:?}");
        // Ours are the only ones: whoever wrote the text can hide nothing with them.
        prop_assert!(!safe.contains('\u{200b}'), "{safe:?}");
        let table = |cells: &str| format!("| a | b |\n| :--- | ---: |\n{cells}\n");
        for (page, right) in [
            (safe.clone(), vec![shown.clone()]),
            (format!("**{safe}**"), vec![shown.clone()]),
            (format!("## a: {safe}"), vec![format!("a: {shown}").trim().to_owned()]),
            (format!("## {safe}"), vec![shown.clone()]),
            (format!("- {safe}"), vec![shown.clone()]),
            (format!("- x\n- {safe}\n"), vec!["x".to_owned(), shown.clone()]),
            (table(&format!("| {safe} | c |")), ["a", "b", &shown, "c"].map(str::to_owned).into()),
            (table(&format!("| c | {safe} |")), ["a", "b", "c", &shown].map(str::to_owned).into()),
            (format!("<details>\n<summary>{safe} (9 rows)</summary>\n\n</details>"), vec![]),
        ] {
            // Where nothing is shown there may be no block either; no page of ours has such.
            if !shown.is_empty() {
                let read = read(&page);
                prop_assert!(!read.iter().any(|it| is_recognisable(it)), "{page}\n{read:?}");
                let seen: Vec<String> = read.iter().map(|it| seen(it)).collect();
                prop_assert_eq!(seen, right, "{}", page);
            }
        }
    }
}
