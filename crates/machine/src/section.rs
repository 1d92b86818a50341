//! The machine as a section, like any answer.

use std::collections::{BTreeMap, BTreeSet};

use record::{
    Align, CacheKind, Conclusion, CpuQuota, Hypervisor, Machine, Quantity, Seccomp, Section, Table,
    Unit,
};

use crate::cpu_list_text;

const QUESTION: &str = "What is this machine, as far as it decides what programs measure on it?";
const UNKNOWN: &str = "not known";

/// What this machine is, as a section of a run.
pub fn section(machine: &Machine) -> Section {
    Section {
        name: "machine".into(),
        question: QUESTION.into(),
        workload_version: 1,
        recorded: None,
        conclusion: Conclusion {
            tables: vec![facts(machine), mitigations(machine)]
                .into_iter()
                .filter(|table| !table.rows.is_empty())
                .collect(),
            ..Conclusion::default()
        },
    }
}

fn facts(machine: &Machine) -> Table {
    let mut table = Table::new("Facts", &[("what", Align::Left), ("value", Align::Left)]);
    let known = |value: &Option<String>| value.clone().unwrap_or_else(|| UNKNOWN.into());
    let mut row = |what: &str, value: String| table.rows.push(vec![what.into(), value]);
    row("CPU", format!("{} ({})", known(&machine.cpu_model), machine.architecture));
    row("topology", topology(machine));
    for cache in &machine.caches {
        let kind = match cache.kind {
            CacheKind::Data => "d",
            CacheKind::Instruction => "i",
            CacheKind::Unified => "",
        };
        let shared = match cache.shared_by {
            1 => "each of one CPU".to_owned(),
            n => format!("each shared by {n} CPUs"),
        };
        let size = bytes(cache.size_bytes);
        let value = format!("{} x {size}, {shared}", cache.instances);
        row(&format!("L{}{kind} cache", cache.level), value);
    }
    row("may run on CPUs", cpu_list_text(&machine.affinity));
    row(
        "CPU quota",
        match machine.cpu_quota {
            Some(CpuQuota::Unlimited) => "none".into(),
            Some(CpuQuota::Cpus(cpus)) => format!("{cpus:.2} CPUs"),
            None => UNKNOWN.into(),
        },
    );
    row(
        "hypervisor",
        match &machine.hypervisor {
            Some(Hypervisor::None) => "none".into(),
            Some(Hypervisor::Named(name)) => name.clone(),
            None => UNKNOWN.into(),
        },
    );
    row("kernel", known(&machine.kernel));
    row("timer ticks", machine.tick_hz.map_or(UNKNOWN.into(), |hz| format!("{hz} a second")));
    row("clock source", known(&machine.clocksource));
    row("clock step", clock(machine));
    row("C library", known(&machine.libc));
    row("system call filter", seccomp(machine.seccomp));
    row(
        "tracer",
        match machine.traced {
            Some(true) => "attached".into(),
            Some(false) => "none".into(),
            None => UNKNOWN.into(),
        },
    );
    row(
        "CPU weaknesses",
        match machine.mitigations.len() {
            0 => UNKNOWN.into(),
            n => format!("{n} are known to the kernel; what concerns this CPU is below"),
        },
    );
    table
}

/// `2 CPUs: 1 package, 2 cores, 1 thread per core`, as far as it is known.
fn topology(machine: &Machine) -> String {
    let cpus = machine.cpus.len();
    let mut words = vec![counted(cpus, "CPU")];
    let packages: BTreeSet<u32> = machine.cpus.iter().filter_map(|cpu| cpu.package).collect();
    let cores: BTreeSet<(Option<u32>, u32)> =
        machine.cpus.iter().filter_map(|cpu| Some((cpu.package, cpu.core?))).collect();
    if !packages.is_empty() && !cores.is_empty() {
        words.push(counted(packages.len(), "package"));
        words.push(counted(cores.len(), "core"));
    }
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for kind in machine.cpus.iter().filter_map(|cpu| cpu.kind.as_deref()) {
        *kinds.entry(kind).or_default() += 1;
    }
    words.extend(kinds.into_iter().map(|(kind, n)| format!("{n} of the {kind} kind")));
    words.join(", ")
}

fn clock(machine: &Machine) -> String {
    let step = match machine.clock_step_ns {
        Some(ns) => format!("{} measured", Quantity::new(ns as f64, Unit::Nanoseconds)),
        None => "not measured".into(),
    };
    let claimed = machine.clock_resolution_ns.map(|ns| format!("; the kernel claims {ns} ns"));
    step + &claimed.unwrap_or_default()
}

fn seccomp(seccomp: Option<Seccomp>) -> String {
    match seccomp {
        Some(Seccomp::Off) => "none".into(),
        Some(Seccomp::Strict) => "strict".into(),
        Some(Seccomp::Filtered { filters: Some(n) }) => counted(n as usize, "seccomp filter"),
        Some(Seccomp::Filtered { filters: None }) => "seccomp".into(),
        None => UNKNOWN.into(),
    }
}

fn mitigations(machine: &Machine) -> Table {
    let columns = [("weakness", Align::Left), ("the kernel says", Align::Left)];
    let mut table = Table::new("CPU weaknesses that concern it", &columns);
    let concerns = |line: &&String| !line.starts_with("Not affected");
    let lines = machine.mitigations.iter().filter(|(_, line)| concerns(line));
    table.rows = lines.map(|(name, line)| vec![name.clone(), line.clone()]).collect();
    table
}

fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Cache sizes are whole KiB or MiB.
fn bytes(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 20 && b % (1 << 20) == 0 => format!("{} MiB", b >> 20),
        b => format!("{} KiB", b >> 10),
    }
}
