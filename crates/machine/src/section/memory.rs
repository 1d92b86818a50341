//! Rows on memory: how much there is, how much of it is granted, in which pages.

use record::{HugePages, Limit, Machine};

use super::{
    Row,
    words::{UNKNOWN, memory},
};

pub(super) fn rows(machine: &Machine) -> Vec<Row> {
    [
        ("memory", total(machine)),
        ("swap", swap(machine)),
        ("memory limit", limit(machine)),
        ("task limit", tasks(machine)),
        ("huge pages (THP)", huge_pages(machine)),
    ]
    .map(|(what, value)| (what.to_owned(), value))
    .into()
}

fn total(machine: &Machine) -> String {
    let Some(it) = &machine.memory else { return UNKNOWN.into() };
    let total = memory(it.total_bytes);
    match it.available_bytes {
        Some(bytes) => format!("{total}, {} of it available", memory(bytes)),
        None => total,
    }
}

fn swap(machine: &Machine) -> String {
    let Some(it) = &machine.memory else { return UNKNOWN.into() };
    match (it.swap_bytes, it.swap_free_bytes) {
        (Some(0), _) => "none".into(),
        (Some(bytes), Some(free)) => format!("{}, {} of it free", memory(bytes), memory(free)),
        (Some(bytes), None) => memory(bytes),
        (None, _) => UNKNOWN.into(),
    }
}

/// `512 MiB, slowed down from 400 MiB on`.
fn limit(machine: &Machine) -> String {
    let max = match machine.memory_max_bytes {
        Some(Limit::Unlimited) => "none".into(),
        Some(Limit::At(bytes)) => memory(bytes),
        None => return UNKNOWN.into(),
    };
    match machine.memory_high_bytes {
        Some(Limit::At(bytes)) => format!("{max}, slowed down from {} on", memory(bytes)),
        _ => max,
    }
}

fn tasks(machine: &Machine) -> String {
    match machine.tasks_max {
        Some(Limit::Unlimited) => "none".into(),
        Some(Limit::At(n)) => format!("{n} processes and threads"),
        None => UNKNOWN.into(),
    }
}

fn huge_pages(machine: &Machine) -> String {
    match &machine.huge_pages {
        Some(HugePages::Set { enabled, defrag: Some(defrag) }) => {
            format!("{enabled}, defrag {defrag}")
        }
        Some(HugePages::Set { enabled, defrag: None }) => enabled.clone(),
        Some(HugePages::NotBuiltIn) => "not built into the kernel".into(),
        None => UNKNOWN.into(),
    }
}
