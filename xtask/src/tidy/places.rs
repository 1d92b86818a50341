//! No file names a place that only one developer, or one way of building, has.
//!
//! A registry's host belongs to the build tools' settings: a mirror or a build without a network
//! must not have to patch our files. A path of somebody's own folders helps nobody else. Lock files
//! are written by tools and are left alone. The needles are put together from halves, so that this
//! file does not find itself.

use super::source::{Source, Violation, starts_of};

/// The hosts that packages come from. A longer name stands before one that it contains.
const HOSTS: [&str; 6] = [
    concat!("static.crates", ".io"),
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("registry.npm", "js.org"),
    concat!("proxy.golang", ".org"),
    concat!("deb.debian", ".org"),
];

/// Folders of one machine.
const FOLDERS: [&str; 2] = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];

/// Only with a name behind it: the folder of all homes is generic and may be spoken of.
const HOMES: &str = concat!("/ho", "me/");

/// Rules `host-name` and `machine-path`; one violation of each per line says enough.
pub fn check(source: &Source, found: &mut Vec<Violation>) {
    if is_lock_file(source.file_name()) {
        return;
    }
    for (index, line) in source.text.lines().enumerate() {
        if let Some(host) = HOSTS.iter().find(|host| starts_of(line, host).next().is_some()) {
            let text = format!("`{host}`, leave hosts of packages to the tools' settings");
            found.push(source.violation(index + 1, "host-name", text));
        }
        if let Some(path) = machine_path(line) {
            let text = format!("`{path}` is one machine's folder, use a relative path");
            found.push(source.violation(index + 1, "machine-path", text));
        }
    }
}

fn is_lock_file(name: &str) -> bool {
    name.ends_with(".lock") || matches!(name, "package-lock.json" | "go.sum")
}

fn machine_path(line: &str) -> Option<&'static str> {
    let starts = |needle| starts_of(line, needle).filter(|&at| is_absolute(line, at));
    let named = |at: usize| {
        let name = line[at + HOMES.len()..].chars().next();
        name.is_some_and(|letter| letter.is_alphanumeric() || "_.-".contains(letter))
    };
    let folder = FOLDERS.into_iter().find(|&folder| starts(folder).next().is_some());
    folder.or_else(|| starts(HOMES).any(named).then_some(HOMES))
}

/// Whether the path that begins at `at` continues nothing: not `./x/`, `{base}/x/` or `$(pwd)/x/`.
fn is_absolute(line: &str, at: usize) -> bool {
    !line[..at].chars().next_back().is_some_and(|letter| ".-~})*".contains(letter))
}
