//! What would tell on whose machine a run was taken, and that a text holds none of it.

use std::{env, fs, net::IpAddr};

use super::Place;

/// What would tell whose run this is: what it is, and the word.
pub fn names_of_ours(place: &Place) -> Vec<(&'static str, String)> {
    let file = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let mut names = vec![
        ("host name", file("/proc/sys/kernel/hostname")),
        ("machine id", file("/etc/machine-id")),
        ("boot id", file("/proc/sys/kernel/random/boot_id")),
        ("folder", place.path().to_string_lossy().into_owned()),
    ];
    for (what, variable) in [("home", "HOME"), ("user", "USER"), ("user", "LOGNAME")] {
        names.push((what, env::var(variable).unwrap_or_default()));
    }
    let cards = fs::read_dir("/sys/class/net").into_iter().flatten().filter_map(Result::ok);
    names.extend(
        cards.map(|card| ("network address", file(&card.path().join("address").to_string_lossy()))),
    );
    // The kernel's own words hold these.
    names.retain(|(_, name)| !["", "/", "user", "(none)"].contains(&name.as_str()));
    names
}

fn holds_word(text: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word).any(|(at, _)| {
        !part(text[..at].chars().next_back()) && !part(text[at + word.len()..].chars().next())
    })
}

#[track_caller]
pub fn names_nobody(text: &str, names: &[(&str, String)]) {
    for (what, name) in names {
        assert!(!holds_word(text, name), "{what} {name}");
    }
    for word in text.split(|c: char| !(c.is_ascii_hexdigit() || ".:".contains(c))) {
        // A finding's text may end in a full stop.
        let word = word.trim_end_matches(['.', ':']);
        let address = word.parse::<IpAddr>().is_ok() && word.contains(|c: char| c != ':');
        assert!(!address, "an address: {word}");
        let digits = word.chars().all(|c| c.is_ascii_hexdigit());
        assert!(!(digits && word.len() >= 32), "an id: {word}");
    }
}
