//! One row per rule: a planted source, and the rule that it must break.

use std::fs;

use tempfile::TempDir;

use super::check;

const LIB: &str = "crates/stats/src/lib.rs";
const HEADER: &str = "//! A module.\n";
const ROOT_HEADER: &str = "//! A crate.\n//!\n//! Not here: tea.\n//!\n//! Run: `cargo test`\n";

/// The rules that a folder with these files breaks, in the order of printing.
fn rules(files: &[(&str, &str)]) -> Vec<&'static str> {
    planted(files).violations.into_iter().map(|violation| violation.rule).collect()
}

fn planted(files: &[(&str, &str)]) -> super::Report {
    let folder = TempDir::new().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    check(folder.path()).unwrap()
}

/// A single file breaks exactly these rules.
#[track_caller]
fn row(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(rules(&[(path, text)]), expected, "{path}:\n{text}");
}

/// A module with a header breaks exactly these rules.
#[track_caller]
fn module(path: &str, body: &str, expected: &[&str]) {
    row(path, &format!("{HEADER}{body}"), expected);
}

/// `count` times the same line.
fn repeated(line: &str, count: usize) -> String {
    format!("{line}\n").repeat(count)
}

#[test]
fn a_clean_folder_passes_and_is_summed_up() {
    let body = "\nfn f() {\n}\n\n/// # Safety\n/// None.\nfn g() {}\n";
    let report = planted(&[
        (LIB, &format!("{ROOT_HEADER}{body}")),
        ("crates/stats/Cargo.toml", "[package]\nname = \"stats\"\n"),
        ("README.md", "Anything goes here.\n"),
    ]);
    assert_eq!(report.violations, []);
    let files = "source files 1, median 12 lines, max 12 (crates/stats/src/lib.rs)";
    let functions = "functions 2, median 2 lines, max 2 (f in crates/stats/src/lib.rs)";
    assert_eq!(report.summary(), format!("tidy: 3 files; {files}; {functions}\n"));
}

#[test]
fn an_empty_folder_has_a_summary() {
    assert_eq!(planted(&[]).summary(), "tidy: 0 files; source files 0; functions 0\n");
}

#[test]
fn files_and_lines_have_a_length() {
    let long = repeated("// A line.", 500);
    module("a.rs", &long, &["file-length"]);
    row("a.js", &long, &["file-length"]);
    row("a.md", &long, &[]);
    module("a.rs", &repeated("// A line.", 399), &[]);
    module("a.rs", &format!("// {}\n", "x".repeat(98)), &["line-length"]);
    module("a.rs", &format!("// {}\n", "ä".repeat(97)), &[]);
    module("a.rs", &format!("// https://example.org/{}\n", "x".repeat(98)), &[]);
    module("a.rs", &format!("// {} https://example.org\n", "x ".repeat(60)), &["line-length"]);
    row("a.c", &format!("// {}\n", "x".repeat(98)), &["line-length"]);
    row("a.js", &format!("// {}\n", "x".repeat(98)), &[]);
}

#[test]
fn functions_have_a_length() {
    let body = repeated("    let _ = 1;", 88);
    let function = format!("fn f() {{\n{body}}}\n");
    module("a.rs", &function, &["function-length"]);
    module("a.rs", &format!("struct S;\nimpl S {{\n{function}}}\n"), &["function-length"]);
    module("a.rs", &format!("trait T {{\n{function}}}\n"), &["function-length"]);
    module("a.rs", &format!("mod m {{\n#[test]\n{function}}}\n"), &["function-length"]);
    module("a.rs", &format!("fn g() {{\n{function}}}\n"), &["function-length"; 2]);
    module("a.rs", &format!("fn f() {{\n{}}}\n", repeated("    let _ = 1;", 68)), &[]);
    row("a.c", &format!("// C.\nint f(void)\n{{\n{body}}}\n"), &["function-length"]);
    row("a.c", &format!("// C.\nint t[] = {{\n{body}}};\n"), &[]);
}

#[test]
fn unsafe_has_a_place() {
    let body = "fn f() {\n    // SAFETY: a reason.\n    unsafe { g() }\n}\n";
    module("a.rs", body, &["unsafe-place"]);
    module("sys.rs", body, &[]);
    module("tests/sys/a.rs", body, &[]);
    module("system/sys_a.rs", body, &["unsafe-place"]);
    module("a.rs", "/// # Safety\n/// None.\nunsafe fn f() {}\n", &["unsafe-place"]);
    module("a.rs", "// SAFETY: a reason.\nunsafe impl Send for S {}\n", &["unsafe-place"]);
    module("a.rs", "// SAFETY: a reason.\nunsafe extern \"C\" {}\n", &["unsafe-place"]);
    module("a.rs", "type F = unsafe fn(i32);\nconst WORD: &str = \"unsafe {\";\n", &[]);
}

#[test]
fn unsafe_has_a_reason() {
    let bare = &["unsafe-reason"];
    module("sys.rs", "fn f() { unsafe { g() } }\n", bare);
    module("sys.rs", "fn f() {\n    unsafe { g() } // SAFETY: a reason.\n}\n", &[]);
    module(
        "sys.rs",
        "fn f() {\n    // SAFETY: a reason.\n    // More.\n    unsafe { g() }\n}\n",
        &[],
    );
    module("sys.rs", "fn f() {\n    // SAFETY: far.\n\n    unsafe { g() }\n}\n", bare);
    module("sys.rs", "fn f() {\n    // Safe.\n    unsafe { g() }\n}\n", bare);
    module("sys.rs", "unsafe impl Send for S {}\n", bare);
    module("sys.rs", "// SAFETY: a reason.\n#[cfg(test)]\nunsafe impl Send for S {}\n", &[]);
    let attribute = "#[expect(\n    dead_code,\n    reason = \"none\"\n)]\n";
    module("sys.rs", &format!("// SAFETY: a.\n{attribute}unsafe impl Send for S {{}}\n"), &[]);
    module("sys.rs", "unsafe extern \"C\" {}\n", bare);
    module("sys.rs", "#[unsafe(no_mangle)]\nfn f() {}\n", bare);
    module("sys.rs", "fn f() { assert!(unsafe { g() }); }\n", bare);
    module("sys.rs", "// SAFETY: a reason.\nstatic A: B =\n    unsafe { g() };\n", &[]);
}

#[test]
fn a_comment_serves_its_own_statement_only() {
    let above = |rest: &str| format!("fn f() {{\n    // SAFETY: a reason.\n    {rest}\n}}\n");
    module("sys.rs", &above("let a =\n        unsafe { g() };"), &[]);
    let inner = above("let a = || {\n        h();\n        unsafe { g() }\n    };");
    module("sys.rs", &inner, &["unsafe-reason"]);
}

#[test]
fn unsafe_functions_have_a_contract() {
    let bare = &["unsafe-contract"];
    module("sys.rs", "/// A function.\nunsafe fn f() {}\n", bare);
    module("sys.rs", "/// A.\n///\n/// # Safety\n/// None.\n#[inline]\nunsafe fn f() {}\n", &[]);
    module("sys.rs", "trait T {\n    unsafe fn f();\n}\n", bare);
    module("sys.rs", "impl S {\n    unsafe fn f() {}\n}\n", bare);
    module("sys.rs", "impl T for S {\n    unsafe fn f() {}\n}\n", &[]);
    module("sys.rs", "unsafe trait T {}\n", bare);
}

#[test]
fn files_have_a_header() {
    row("a.rs", "fn f() {}\n", &["header"]);
    row("tests/a.rs", "\n//! Too late.\n", &["header"]);
    row("benches/a.rs", "#![allow(x)]\n//! Too late.\n", &["header"]);
    row("a.rs", "#!/usr/bin/env run\n//! A script.\n", &[]);
    row("a.rs", "", &["header"]);
    row(LIB, HEADER, &["header", "header"]);
    row("src/main.rs", "//! Not here: tea.\n", &["header"]);
    row("xsrc/main.rs", HEADER, &[]);
    row(LIB, ROOT_HEADER, &[]);
    row("a.h", "#pragma once\n", &["header"]);
    row("a.h", "/* A header. */\n", &[]);
    row("a.py", "print(1)\n", &[]);
}

#[test]
fn nothing_is_left_unfinished() {
    let unfinished = &["unfinished"];
    module("a.rs", concat!("fn f() { to", "do!() }\n"), unfinished);
    module("a.rs", concat!("fn f() { unimple", "mented!() }\n"), unfinished);
    module("a.rs", concat!("fn f() { db", "g!(1); }\n"), unfinished);
    row("a.py", concat!("# TO", "DO: later\n"), unfinished);
    row("a.sh", concat!("# FIX", "ME\n"), unfinished);
    row("a.css", concat!("/* XX", "X */\n"), unfinished);
    row("a.sh", concat!("mktemp /tmp/XX", "XX", "XX\n"), &[]);
    row("a.md", concat!("TO", "DO\n"), &[]);
}

#[test]
fn imports_run_downwards() {
    let manifest = |folder: &str, rest: &str, expected: &[&str]| {
        let text = format!("[package]\nname = \"{folder}\"\n{rest}\n");
        assert_eq!(rules(&[(&format!("crates/{folder}/Cargo.toml"), &text)]), expected, "{text}");
    };
    let forbidden = &["imports"];
    manifest("lab", "[dependencies]\nstats.workspace = true\nserde = \"1\"", &[]);
    manifest("stats", "[dependencies]\nlab.workspace = true", forbidden);
    manifest("stats", "[dependencies.lab]\nworkspace = true", forbidden);
    manifest("stats", "[build-dependencies]\nlab.workspace = true", forbidden);
    manifest("stats", "[target.'cfg(unix)'.dependencies]\nlab.workspace = true", forbidden);
    manifest("stats", "[dependencies]\nx = { package = \"lab\", path = \"../lab\" }", forbidden);
    manifest("stats", "[dev-dependencies]\nlab.workspace = true", &[]);
    manifest("traps", "[dependencies]\nprocess.workspace = true", &[]);
    manifest("measure", "[dependencies]\nprocess.workspace = true", forbidden);
    manifest("measure", "[dependencies]\ntraps.workspace = true", forbidden);
    manifest("report", "[dependencies]\nfathom.workspace = true", forbidden);
    manifest("unheard-of", "", forbidden);
    row("crates/lab/Cargo.toml", "[package]\nname = \"tools\"\n", forbidden);
    row("crates/lab/Cargo.toml", "[package\n", forbidden);
    row("probes/a/Cargo.toml", "[dependencies]\nfathom = \"1\"\n", forbidden);
    row("probes/a/Cargo.toml", "[dependencies]\ntonic = \"1\"\n", &[]);
}

#[test]
fn an_import_is_shown_on_its_line() {
    let text = "[package]\nname = \"stats\"\n\n[dependencies]\nserde = \"1\"\nlab = \"1\"\n";
    let report = planted(&[("crates/stats/Cargo.toml", text)]);
    let shown: Vec<String> = report.violations.iter().map(ToString::to_string).collect();
    let expected = "crates/stats/Cargo.toml:6: imports: \
        `stats` imports `lab`, it may import nothing of ours";
    assert_eq!(shown, [expected]);
}

#[test]
fn no_file_names_a_host_or_a_machine() {
    let host = concat!("see https://crates", ".io/x and https://crates", ".io/y\n");
    row("a.md", host, &["host-name"]);
    row("a.toml", concat!("https:/", "/regi", "stry.npm", "js.org/\n"), &["host-name"]);
    row("Cargo.lock", host, &[]);
    row("go.sum", host, &[]);
    for path in [concat!("/wo", "rk/x"), concat!("/ho", "me/ann"), concat!("/ro", "ot/x")] {
        row("a.md", &format!("in {path}\n"), &["machine-path"]);
        row("a.md", &format!("file://{path}\n"), &["machine-path"]);
        row("a.md", &format!("in .{path}, {{base}}{path}, up{path}\n"), &[]);
    }
    row("a.md", concat!("/home, /home/, /ho", "me/<name>, /proc/self, /tmp/x\n"), &[]);
}

#[test]
fn what_cannot_be_read_is_said() {
    module("a.rs", "fn f( {}\n", &["syntax"]);
    row("a.js", "\0", &["encoding"]);
    row("a.png", "\0", &[]);
}
