//! Whether an SPDX licence expression can be satisfied with the licences on our list.

use spdx::{Expression, ParseError, ParseMode};

/// Licences that ask for no more than a notice. Copyleft is left out even where it ends at the file
/// (MPL-2.0), because a static binary mixes everything.
const ALLOWED: [&str; 12] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "0BSD",
    "CC0-1.0",
    "Unlicense",
];

/// True where some choice among the ORs leaves allowed licences only.
///
/// `MIT/Apache-2.0`, from before the registry asked for expressions, reads as OR.
/// Fails on what is no expression or names a licence that SPDX does not list.
pub fn is_allowed(expression: &str) -> Result<bool, ParseError> {
    let mode = ParseMode { allow_slash_as_or_operator: true, ..ParseMode::STRICT };
    let expression = Expression::parse_mode(expression, mode)?;
    Ok(expression.evaluate(|term| ALLOWED.contains(&term.to_string().as_str())))
}

#[test]
fn expressions_are_satisfied_or_not() {
    #[track_caller]
    fn row(expression: &str, expected: Option<bool>) {
        assert_eq!(is_allowed(expression).ok(), expected, "{expression}");
    }
    for allowed in ALLOWED {
        row(allowed, Some(true));
    }
    row("MIT OR Apache-2.0", Some(true));
    row("MIT/Apache-2.0", Some(true));
    row("MIT / GPL-3.0-only", Some(true));
    row("MIT OR Apache-2.0 OR LGPL-2.1-or-later", Some(true));
    row("MPL-2.0", Some(false));
    row("MPL-2.0 OR MIT", Some(true));
    row("MPL-2.0 AND MIT", Some(false));
    row("(MIT OR Apache-2.0) AND Unicode-3.0", Some(true));
    row("(MIT OR Apache-2.0) AND CDDL-1.0", Some(false));
    // AND binds tighter: MIT alone satisfies the first, nothing but both the second.
    row("MIT OR GPL-2.0-only AND GPL-3.0-only", Some(true));
    row("(MIT OR GPL-2.0-only) AND GPL-3.0-only", Some(false));
    row("Apache-2.0 WITH LLVM-exception OR GPL-2.0-only", Some(true));
    row("GPL-2.0-only WITH Classpath-exception-2.0", Some(false));
    row("MIT WITH LLVM-exception", Some(false));
    row("LicenseRef-ours", Some(false));
    row("MIT OR", None);
    row("(MIT", None);
    row("Beerware-7", None);
    row("", None);
}
