//! Which crate may build on which: downwards only, and never sideways between experiments.

use toml::de::{DeTable, DeValue};

use super::source::{Source, Violation};

/// Every crate under `crates/`, with the ones that it may import (design, section 2).
/// What tests alone need (`[dev-dependencies]`) is free.
const ALLOWED: [(&str, &[&str]); 13] = [
    (
        "fathom",
        &[
            "measure", "traps", "failure", "balance", "inspect", "report", "lab", "estimate",
            "stats", "machine", "record",
        ],
    ),
    ("measure", &["lab", "estimate", "stats", "machine", "record"]),
    ("traps", &["lab", "estimate", "process", "stats", "machine", "record"]),
    ("failure", &["lab", "estimate", "process", "stats", "machine", "record"]),
    ("balance", &["stats", "record"]),
    ("inspect", &["process", "machine", "record"]),
    ("report", &["estimate", "stats", "record"]),
    ("lab", &["estimate", "stats", "machine", "record"]),
    ("process", &["record"]),
    ("machine", &["record"]),
    // Trials as numbers: the lab concludes a run from them, the report compares runs by them.
    ("estimate", &["stats", "record"]),
    ("stats", &[]),
    ("record", &[]),
];

/// What is built last, and therefore imported by nothing, wherever it stands.
const TOP: &str = "fathom";

/// Rule `imports`, on every `Cargo.toml`.
pub fn check(source: &Source, found: &mut Vec<Violation>) {
    if source.file_name() != "Cargo.toml" {
        return;
    }
    let mut complain = |at: usize, text: String| {
        let line = source.text[..at].matches('\n').count() + 1;
        found.push(source.violation(line, "imports", text));
    };
    match DeTable::parse(&source.text) {
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            complain(at, format!("not a manifest: {}", error.message()));
        }
        Ok(manifest) => match folder_under_crates(&source.path) {
            Some(folder) => check_crate(folder, manifest.get_ref(), &mut complain),
            None => check_other(manifest.get_ref(), &mut complain),
        },
    }
}

/// `record` for `crates/record/Cargo.toml`.
fn folder_under_crates(path: &str) -> Option<&str> {
    let folder = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
    (!folder.contains('/')).then_some(folder)
}

fn check_crate(folder: &str, manifest: &DeTable<'_>, complain: &mut impl FnMut(usize, String)) {
    // The table goes by name, so a crate must not hide behind another one than its folder's.
    if let Some((at, name)) = package_name(manifest).filter(|(_, name)| *name != folder) {
        complain(at, format!("`{name}` lives in crates/{folder}, give both the same name"));
    }
    let Some(allowed) = allowed(folder) else {
        complain(0, format!("`{folder}` is not known, add it to the table in {}", file!()));
        return;
    };
    for (at, import) in imports(manifest) {
        if is_ours(&import) && !allowed.contains(&import.as_str()) {
            let right = match allowed {
                [] => "nothing of ours".to_owned(),
                _ => allowed.join(", "),
            };
            complain(at, format!("`{folder}` imports `{import}`, it may import {right}"));
        }
    }
}

/// A package outside `crates/`: a library or a chore of its own. It may not import the top either.
fn check_other(manifest: &DeTable<'_>, complain: &mut impl FnMut(usize, String)) {
    for (at, import) in imports(manifest) {
        if import == TOP {
            complain(at, format!("imports `{TOP}`, nothing may: move what is shared downwards"));
        }
    }
}

fn allowed(folder: &str) -> Option<&'static [&'static str]> {
    ALLOWED.iter().find(|(name, _)| *name == folder).map(|(_, allowed)| *allowed)
}

fn is_ours(import: &str) -> bool {
    allowed(import).is_some() || import == "xtask"
}

fn package_name<'a>(manifest: &'a DeTable<'_>) -> Option<(usize, &'a str)> {
    let name = table(manifest, "package")?.get("name")?;
    Some((name.span().start, name.get_ref().as_str()?))
}

/// Where each dependency stands in the text, and the package that it names.
fn imports(manifest: &DeTable<'_>) -> Vec<(usize, String)> {
    let mut found = imports_of(manifest);
    for (_, target) in table(manifest, "target").into_iter().flatten() {
        found.extend(target.get_ref().as_table().map(imports_of).unwrap_or_default());
    }
    found
}

fn imports_of(manifest: &DeTable<'_>) -> Vec<(usize, String)> {
    ["dependencies", "build-dependencies"]
        .into_iter()
        .filter_map(|section| table(manifest, section))
        .flatten()
        .map(|(key, value)| {
            let renamed = value.get_ref().get("package").and_then(|name| name.get_ref().as_str());
            (key.span().start, renamed.unwrap_or(key.get_ref()).to_owned())
        })
        .collect()
}

fn table<'a, 'i>(manifest: &'a DeTable<'i>, key: &str) -> Option<&'a DeTable<'i>> {
    manifest.get(key).map(|value| value.get_ref()).and_then(DeValue::as_table)
}
