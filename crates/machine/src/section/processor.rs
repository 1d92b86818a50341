//! Rows on CPUs: which, how they share cores, caches and memory, and how fast they may run.

use std::collections::{BTreeMap, BTreeSet};

use record::{Cache, CacheKind, CpuQuota, Frequency, Hypervisor, Machine, NumaNode, Smt};

use super::{
    Row,
    words::{UNKNOWN, cache_size, counted, known, memory, set, sets},
};
use crate::cpu_list_text;

pub(super) fn rows(machine: &Machine) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |what: &str, value: String| rows.push((what.to_owned(), value));
    row("CPU", format!("{} ({})", known(machine.cpu_model.as_ref()), machine.architecture));
    row("topology", topology(machine));
    row("threads per core", threads(machine));
    for cache in &machine.caches {
        let kind = match cache.kind {
            CacheKind::Data => "d",
            CacheKind::Instruction => "i",
            CacheKind::Unified => "",
        };
        row(&format!("L{}{kind} cache", cache.level), shared(cache, machine.cpus.len()));
    }
    row("data TLB", tlb(&machine.data_tlb_pages));
    row("NUMA", numa(&machine.numa));
    row("frequency", machine.frequency.as_ref().map_or("not visible".into(), frequency));
    row("may run on CPUs", cpu_list_text(&machine.affinity));
    row(
        "CPU quota",
        match machine.cpu_quota {
            Some(CpuQuota::Unlimited) => "none".into(),
            Some(CpuQuota::Cpus(cpus)) => format!("{cpus:.2} CPUs"),
            None => UNKNOWN.into(),
        },
    );
    rows
}

/// `2 CPUs, 1 package, 2 cores`, as far as it is known.
fn topology(machine: &Machine) -> String {
    let cpus = machine.cpus.len();
    let mut words = vec![counted(cpus, "CPU")];
    let packages: BTreeSet<u32> = machine.cpus.iter().filter_map(|cpu| cpu.package).collect();
    let cores: BTreeSet<(Option<u32>, u32)> =
        machine.cpus.iter().filter_map(|cpu| Some((cpu.package, cpu.core?))).collect();
    // Where a CPU does not tell its core, nobody knows how many there are.
    if machine.cpus.iter().all(|cpu| cpu.package.is_some() && cpu.core.is_some()) && cpus > 0 {
        words.push(counted(packages.len(), "package"));
        // Numbers of cores may start anew in every cluster; who shares a core is certain.
        let certain = match *machine.threads_per_core {
            [threads] => cpus.checked_div(threads as usize),
            _ => None,
        };
        words.push(counted(certain.unwrap_or(cores.len()), "core"));
    }
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for kind in machine.cpus.iter().filter_map(|cpu| cpu.kind.as_deref()) {
        *kinds.entry(kind).or_default() += 1;
    }
    words.extend(kinds.into_iter().map(|(kind, n)| format!("{n} of the {kind} kind")));
    words.join(", ")
}

/// `2 (SMT on)`. Beneath a hypervisor two CPUs may be threads of one core, whatever is shown.
fn threads(machine: &Machine) -> String {
    let threads: Vec<String> = machine.threads_per_core.iter().map(u32::to_string).collect();
    let threads = if threads.is_empty() { UNKNOWN.into() } else { threads.join(" or ") };
    let smt = match machine.smt {
        Some(Smt::On) => "SMT on",
        Some(Smt::Off) => "SMT off",
        Some(Smt::NotSupported) => "SMT not supported",
        Some(Smt::Unused) => "SMT not in use",
        None => return threads,
    };
    match machine.hypervisor {
        Some(Hypervisor::Named(_)) => format!("{threads} ({smt}, as the hypervisor shows it)"),
        _ => format!("{threads} ({smt})"),
    }
}

/// `2 x 32 MiB, each shared by 4 CPUs: 0-3 | 4-7`. Where kinds of core are mixed, other CPUs may
/// have another cache of this level.
fn shared(cache: &Cache, cpus: usize) -> String {
    let size = cache_size(cache.size_bytes);
    let by = match (cache.shared_by, cache.groups.len()) {
        (1, n) if n == 0 || n == cpus => "each of one CPU".to_owned(),
        (1, _) => format!("each of one CPU: {}", set(&cache.groups.concat())),
        (n, 0) => format!("each shared by {n} CPUs"),
        (_, 1) => format!("shared by CPUs {}", sets(&cache.groups)),
        (n, _) => format!("each shared by {n} CPUs: {}", sets(&cache.groups)),
    };
    format!("{} x {size}, {by}", cache.instances)
}

/// `72 pages of 4 KiB (288 KiB), then 3072 (12 MiB)`.
fn tlb(levels: &[u32]) -> String {
    let size = |pages: u32| cache_size(u64::from(pages) * 4096);
    let level = |(place, &pages): (usize, &u32)| match place {
        0 => format!("{pages} pages of 4 KiB ({})", size(pages)),
        _ => format!("{pages} ({})", size(pages)),
    };
    let levels: Vec<String> = levels.iter().enumerate().map(level).collect();
    if levels.is_empty() { UNKNOWN.into() } else { levels.join(", then ") }
}

/// `2 nodes, CPUs 0-3 | 4-7, memory 93.1 GiB | 94.4 GiB`.
fn numa(nodes: &[NumaNode]) -> String {
    if nodes.is_empty() {
        return UNKNOWN.into();
    }
    let cpus = sets(nodes.iter().map(|node| &node.cpus));
    let mut amounts: Vec<String> =
        nodes.iter().map(|node| known(node.memory_bytes.map(memory))).collect();
    let each = if amounts.len() > 1 { " each" } else { "" };
    let amounts = match amounts.iter().all(|amount| *amount == amounts[0]) {
        true => format!("{}{each}", amounts[0]),
        false if amounts.len() > 4 => {
            let last = amounts.pop().unwrap_or_default();
            format!("{} | {} | ... | {last}", amounts[0], amounts[1])
        }
        false => amounts.join(" | "),
    };
    format!("{}, CPUs {cpus}, memory {amounts}", counted(nodes.len(), "node"))
}

/// `acpi-cpufreq, governor schedutil, turbo on`.
fn frequency(frequency: &Frequency) -> String {
    let driver = match &frequency.driver {
        Some(driver) => driver.clone(),
        None => "driver not visible".into(),
    };
    let governors = match frequency.governors.as_slice() {
        [] => "governor not visible".into(),
        [only] => format!("governor {only}"),
        several => format!("governors {}", several.join(" and ")),
    };
    let turbo = match frequency.turbo {
        Some(true) => "turbo on",
        Some(false) => "turbo off",
        None => "turbo not visible",
    };
    format!("{driver}, {governors}, {turbo}")
}
