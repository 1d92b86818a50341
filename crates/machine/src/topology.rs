//! Which CPUs are online, the package, core and kind of each, and how many share a core.
//!
//! Pure, over a [`Source`]. Source: the kernel's Documentation/admin-guide/cputopology.rst; for the
//! kinds on Intel its perf PMU folders cpu_core and cpu_atom, elsewhere Documentation/devicetree's
//! cpu-capacity.

use std::collections::{BTreeMap, BTreeSet};

use record::{LogicalCpu, Smt};

use crate::{
    cpu_list,
    source::{self, Source},
};

const CPUS: &str = "/sys/devices/system/cpu";
const PERFORMANCE: &str = "performance";
const EFFICIENCY: &str = "efficiency";

/// The CPUs that are online; the given ones where /sys does not say.
pub fn online(source: &dyn Source, otherwise: &[usize]) -> Vec<usize> {
    list(source, &format!("{CPUS}/online")).unwrap_or_else(|| {
        let mut cpus = otherwise.to_vec();
        cpus.sort_unstable();
        cpus.dedup();
        cpus
    })
}

/// Every online CPU with what is known of it.
pub fn cpus(source: &dyn Source, architecture: &str, online: &[usize]) -> Vec<LogicalCpu> {
    let kinds = kinds(source, architecture, online);
    let cpu = |&cpu: &usize| {
        // A kernel that does not know a number prints -1, which is no u32.
        let topology = |name| source::number(source, &format!("{CPUS}/cpu{cpu}/topology/{name}"));
        let kind = kinds.get(&cpu).map(|&kind| kind.to_owned());
        LogicalCpu {
            cpu,
            package: topology("physical_package_id"),
            core: topology("core_id"),
            kind,
        }
    };
    online.iter().map(cpu).collect()
}

/// Each number of threads that a core runs, ascending; none where that is hidden.
///
/// Numbers of cores would mislead: on some ARM machines they start anew in every cluster.
pub fn threads_per_core(source: &dyn Source, online: &[usize]) -> Vec<u32> {
    let threads = |cpu: &usize| {
        let file = |name| list(source, &format!("{CPUS}/cpu{cpu}/topology/{name}"));
        // The second name is the older one.
        let siblings = file("core_cpus_list").or_else(|| file("thread_siblings_list"))?;
        u32::try_from(siblings.len()).ok()
    };
    online.iter().filter_map(threads).collect::<BTreeSet<u32>>().into_iter().collect()
}

/// Whether cores run several threads.
pub fn smt(source: &dyn Source) -> Option<Smt> {
    let active: u8 = source::number(source, &format!("{CPUS}/smt/active"))?;
    if active == 1 {
        return Some(Smt::On);
    }
    match source::word(source, &format!("{CPUS}/smt/control"))?.as_str() {
        // Switched on, but the second threads of all cores are offline; or a number of threads.
        "off" | "forceoff" | "on" => Some(Smt::Off),
        number if number.parse::<u8>().is_ok() => Some(Smt::Off),
        "notsupported" => Some(Smt::NotSupported),
        // The architecture has no switch.
        "notimplemented" => Some(Smt::Unused),
        _ => None,
    }
}

fn list(source: &dyn Source, path: &str) -> Option<Vec<usize>> {
    cpu_list::parse(source.open(path)?).ok().filter(|cpus| !cpus.is_empty())
}

/// The kind of each CPU; empty on machines whose CPUs are all alike.
fn kinds(
    source: &dyn Source,
    architecture: &str,
    online: &[usize],
) -> BTreeMap<usize, &'static str> {
    match architecture {
        // On x86 cpu_capacity differs between cores of one kind too, by how high each may clock.
        "x86" | "x86_64" => intel_kinds(source),
        _ => capacity_kinds(source, online),
    }
}

fn intel_kinds(source: &dyn Source) -> BTreeMap<usize, &'static str> {
    let performance = list(source, "/sys/devices/cpu_core/cpus").unwrap_or_default();
    let efficiency = list(source, "/sys/devices/cpu_atom/cpus").unwrap_or_default();
    if performance.is_empty() || efficiency.is_empty() {
        return BTreeMap::new();
    }
    let performance = performance.into_iter().map(|cpu| (cpu, PERFORMANCE));
    performance.chain(efficiency.into_iter().map(|cpu| (cpu, EFFICIENCY))).collect()
}

/// Kinds by `cpu_capacity`, which is 1024 for the machine's fastest core.
fn capacity_kinds(source: &dyn Source, online: &[usize]) -> BTreeMap<usize, &'static str> {
    let capacity = |&cpu: &usize| {
        Some((cpu, source::number::<u32>(source, &format!("{CPUS}/cpu{cpu}/cpu_capacity"))?))
    };
    let capacities: Vec<(usize, u32)> = online.iter().filter_map(capacity).collect();
    let highest = capacities.iter().map(|&(_, capacity)| capacity).max();
    if capacities.iter().all(|&(_, capacity)| Some(capacity) == highest) {
        return BTreeMap::new();
    }
    let kind = |capacity| if Some(capacity) == highest { PERFORMANCE } else { EFFICIENCY };
    capacities.into_iter().map(|(cpu, capacity)| (cpu, kind(capacity))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bundle;

    fn capacities(capacities: &[u32]) -> Bundle {
        let file = |(cpu, capacity)| format!("=== {CPUS}/cpu{cpu}/cpu_capacity\n{capacity}\n");
        let text: String = capacities.iter().enumerate().map(file).collect();
        Bundle::parse(text.as_bytes())
    }

    fn kinds_of(source: &Bundle, architecture: &str) -> Vec<Option<String>> {
        cpus(source, architecture, &[0, 1, 2]).into_iter().map(|cpu| cpu.kind).collect()
    }

    #[test]
    fn the_highest_capacity_is_performance() {
        let (high, low) = (Some(PERFORMANCE.to_owned()), Some(EFFICIENCY.to_owned()));
        let rows = [
            ("aarch64", vec![446, 446, 1024], vec![low.clone(), low.clone(), high.clone()]),
            ("aarch64", vec![250, 871, 1024], vec![low.clone(), low.clone(), high.clone()]),
            ("aarch64", vec![1024, 1024, 1024], vec![None, None, None]),
            ("aarch64", vec![1024, 512], vec![high, low, None]),
            ("aarch64", vec![], vec![None, None, None]),
            ("x86_64", vec![1024, 990, 990], vec![None, None, None]),
        ];
        for (architecture, given, expected) in rows {
            assert_eq!(kinds_of(&capacities(&given), architecture), expected, "{given:?}");
        }
    }

    #[test]
    fn smt_by_its_two_files() {
        let rows = [
            ("1", "on", Some(Smt::On)),
            ("1", "notimplemented", Some(Smt::On)),
            ("1", "2", Some(Smt::On)),
            ("0", "on", Some(Smt::Off)),
            ("0", "off", Some(Smt::Off)),
            ("0", "forceoff", Some(Smt::Off)),
            ("0", "1", Some(Smt::Off)),
            ("0", "notsupported", Some(Smt::NotSupported)),
            ("0", "notimplemented", Some(Smt::Unused)),
            ("0", "new word", None),
            ("0", "", None),
            ("", "on", None),
        ];
        for (active, control, expected) in rows {
            let text =
                format!("=== {CPUS}/smt/active\n{active}\n=== {CPUS}/smt/control\n{control}\n");
            assert_eq!(smt(&Bundle::parse(text.as_bytes())), expected, "{active} {control}");
        }
        assert_eq!(smt(&Bundle::default()), None);
    }

    #[test]
    fn threads_are_counted_by_who_shares_a_core() {
        let rows: [(&str, [&str; 3], &[u32]); 4] = [
            ("thread_siblings_list", ["0", "1", "2"], &[1]),
            ("core_cpus_list", ["0,2", "1", "0,2"], &[1, 2]),
            ("core_cpus_list", ["0-3", "0-3", ""], &[4]),
            ("core_id", ["0", "1", "0"], &[]),
        ];
        for (name, lists, expected) in rows {
            let file = |(cpu, list)| format!("=== {CPUS}/cpu{cpu}/topology/{name}\n{list}\n");
            let text: String = lists.into_iter().enumerate().map(file).collect();
            let found = threads_per_core(&Bundle::parse(text.as_bytes()), &[0, 1, 2]);
            assert_eq!(found, expected, "{name} {lists:?}");
        }
    }

    #[test]
    fn one_intel_list_alone_makes_no_kinds() {
        let bundle = Bundle::parse(&b"=== /sys/devices/cpu_core/cpus\n0-2\n"[..]);
        assert_eq!(kinds_of(&bundle, "x86_64"), [None, None, None]);
    }

    #[test]
    fn what_cpuinfo_counted_serves_where_sys_is_silent() {
        let rows: [(&str, &[usize]); 3] =
            [("0-1\n", &[0, 1]), ("0-4294967295\n", &[3, 5]), ("\n", &[3, 5])];
        for (text, expected) in rows {
            let bundle = Bundle::parse(format!("=== {CPUS}/online\n{text}").as_bytes());
            assert_eq!(online(&bundle, &[5, 3, 5]), expected, "{text}");
        }
    }

    #[test]
    fn an_unknown_package_is_none() {
        let text = format!("=== {CPUS}/cpu0/topology/physical_package_id\n-1\n");
        let found = cpus(&Bundle::parse(text.as_bytes()), "aarch64", &[0]);
        assert_eq!(found, [LogicalCpu { cpu: 0, package: None, core: None, kind: None }]);
    }
}
