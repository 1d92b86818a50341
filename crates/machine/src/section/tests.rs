//! What the rows say, and when a caveat is due.

use record::{
    Cache, CacheKind, Container, CpuQuota, Frequency, HugePages, Hypervisor, Limit, Locale,
    LogicalCpu, Memory, NumaNode, Smt,
};

use super::*;

#[track_caller]
fn says(machine: &Machine, what: &str, value: &str) {
    let section = section(machine);
    let row = section.conclusion.tables[0].rows.iter().find(|row| row[0] == what);
    assert_eq!(row.map(|row| row[1].as_str()), Some(value), "{what}");
}

fn blank() -> Machine {
    Machine::default()
}

#[test]
fn an_unknown_machine_says_so_in_every_row() {
    let known_absence = ["topology", "frequency", "may run on CPUs", "clock step"];
    for row in &section(&blank()).conclusion.tables[0].rows {
        let says_so = row[1].starts_with("not known") || known_absence.contains(&row[0].as_str());
        assert!(says_so, "{row:?}");
    }
    says(&blank(), "frequency", "not visible");
}

/// Where one CPU did not tell its core, cores were guessed from those that did.
#[test]
fn cores_are_counted_only_where_every_cpu_tells_its_own() {
    let cpu = |cpu, core| LogicalCpu { cpu, package: Some(0), core, kind: None };
    for (cores, shown) in
        [([Some(0), Some(1)], "2 CPUs, 1 package, 2 cores"), ([Some(0), None], "2 CPUs")]
    {
        let cpus = vec![cpu(0, cores[0]), cpu(1, cores[1])];
        let machine = Machine { cpus, threads_per_core: vec![1], ..blank() };
        says(&machine, "topology", shown);
    }
}

#[test]
fn threads_of_a_core() {
    let under = || Some(Hypervisor::Named("KVM".into()));
    let rows = [
        (vec![2], Some(Smt::On), None, "2 (SMT on)"),
        (vec![1, 2], Some(Smt::On), None, "1 or 2 (SMT on)"),
        (vec![1], Some(Smt::Off), Some(Hypervisor::None), "1 (SMT off)"),
        (vec![1], Some(Smt::Unused), None, "1 (SMT not in use)"),
        (
            vec![1],
            Some(Smt::NotSupported),
            under(),
            "1 (SMT not supported, as the hypervisor shows it)",
        ),
        (vec![1], None, under(), "1"),
        (vec![], None, None, "not known"),
    ];
    for (threads_per_core, smt, hypervisor, value) in rows {
        let machine = Machine { threads_per_core, smt, hypervisor, ..blank() };
        says(&machine, "threads per core", value);
    }
}

/// Two packages of 32 cores of two threads each: 128 CPUs, and no row runs over the page.
#[test]
fn a_large_machine_stays_readable() {
    let core = |cpu: usize| vec![cpu, cpu + 64];
    let slice = |of: usize| (8 * of..8 * of + 8).flat_map(core).collect::<Vec<usize>>();
    let sorted = |mut cpus: Vec<usize>| {
        cpus.sort_unstable();
        cpus
    };
    let cache = |level, groups: Vec<Vec<usize>>| Cache {
        level,
        kind: CacheKind::Unified,
        size_bytes: 32 << 20,
        shared_by: groups[0].len() as u32,
        instances: groups.len() as u32,
        groups,
    };
    let node = |node: u32| NumaNode {
        node,
        cpus: (node as usize..128).step_by(2).collect(),
        memory_bytes: Some((250 + u64::from(node)) << 30),
    };
    let machine = Machine {
        caches: vec![
            cache(2, (0..64).map(core).collect()),
            cache(3, (0..8).map(|of| sorted(slice(of))).collect()),
        ],
        numa: vec![node(0), node(1)],
        ..blank()
    };
    let of_cores = "64 x 32 MiB, each shared by 2 CPUs: 0,64 | 1,65 | ... | 63,127";
    says(&machine, "L2 cache", of_cores);
    let of_slices =
        "8 x 32 MiB, each shared by 16 CPUs: 0-7,64-71 | 8-15,72-79 | ... | 56-63,120-127";
    says(&machine, "L3 cache", of_slices);
    let nodes = "2 nodes, CPUs 0,2,4 ... 126 | 1,3,5 ... 127, memory 250.0 GiB | 251.0 GiB";
    says(&machine, "NUMA", nodes);
    let alike = Machine { numa: vec![node(0); 9], ..blank() };
    let even = "0,2,4 ... 126";
    let nodes = format!("9 nodes, CPUs {even} | {even} | ... | {even}, memory 250.0 GiB each");
    says(&alike, "NUMA", &nodes);
}

#[test]
fn a_cache_of_some_cpus_says_of_which() {
    let of = |groups: Vec<Vec<usize>>| {
        let cpu = |cpu| LogicalCpu { cpu, package: None, core: None, kind: None };
        let cache = Cache {
            level: 1,
            kind: CacheKind::Data,
            size_bytes: 32 << 10,
            shared_by: groups[0].len() as u32,
            instances: groups.len() as u32,
            groups,
        };
        Machine { cpus: (0..4).map(cpu).collect(), caches: vec![cache], ..blank() }
    };
    let rows: [(Vec<Vec<usize>>, &str); 4] = [
        ((0..4).map(|cpu| vec![cpu]).collect(), "4 x 32 KiB, each of one CPU"),
        (vec![vec![2], vec![3]], "2 x 32 KiB, each of one CPU: 2-3"),
        (vec![vec![0, 1, 2, 3]], "1 x 32 KiB, shared by CPUs 0-3"),
        (vec![vec![0, 2], vec![1, 3]], "2 x 32 KiB, each shared by 2 CPUs: 0,2 | 1,3"),
    ];
    for (groups, value) in rows {
        says(&of(groups), "L1d cache", value);
    }
}

#[test]
fn limits_and_amounts() {
    let memory = Memory {
        total_bytes: 16 << 30,
        available_bytes: Some(8 << 30),
        swap_bytes: Some(2 << 30),
        swap_free_bytes: Some(1 << 30),
    };
    let machine = Machine {
        memory: Some(memory.clone()),
        memory_max_bytes: Some(Limit::At(512 << 20)),
        memory_high_bytes: Some(Limit::At(400 << 20)),
        tasks_max: Some(Limit::At(4915)),
        ..blank()
    };
    says(&machine, "memory", "16.0 GiB, 8.0 GiB of it available");
    says(&machine, "swap", "2.0 GiB, 1.0 GiB of it free");
    says(&machine, "memory limit", "512 MiB, slowed down from 400 MiB on");
    says(&machine, "task limit", "4915 processes and threads");
    let free = Machine {
        memory: Some(Memory { swap_bytes: Some(0), ..memory }),
        memory_max_bytes: Some(Limit::Unlimited),
        memory_high_bytes: Some(Limit::Unlimited),
        tasks_max: Some(Limit::Unlimited),
        huge_pages: Some(HugePages::NotBuiltIn),
        container: Some(Container::NoneSeen),
        ..blank()
    };
    for what in ["swap", "memory limit", "task limit"] {
        says(&free, what, "none");
    }
    says(&free, "huge pages (THP)", "not built into the kernel");
    says(&free, "container", "none seen");
}

#[test]
fn locales() {
    let set = |name: Option<&str>, installed| {
        let name = name.map(str::to_owned);
        Machine {
            locale: Some(Locale::Set { variable: "LANG".into(), name, installed }),
            ..blank()
        }
    };
    says(&set(Some("C.UTF-8"), Some(true)), "locale", "C.UTF-8 (LANG)");
    says(&set(Some("C.UTF-8"), None), "locale", "C.UTF-8 (LANG)");
    let lacking = "de_DE (LANG); not installed, so that programs get C";
    says(&set(Some("de_DE"), Some(false)), "locale", lacking);
    says(&set(None, Some(true)), "locale", "no name of a locale (LANG)");
    let unset = Machine { locale: Some(Locale::Unset), ..blank() };
    says(&unset, "locale", "C (no variable is set)");
}

fn caveats(machine: &Machine) -> Vec<String> {
    section(machine).conclusion.caveats.into_iter().map(|it| it.text).collect()
}

#[test]
fn a_governor_is_told_of_by_what_it_does() {
    let rows: [(&str, &[&str], Option<&str>); 7] = [
        ("intel_pstate", &["powersave"], Some("follow the load")),
        ("amd-pstate-epp", &["powersave"], Some("follow the load")),
        ("acpi-cpufreq", &["powersave"], Some("lowest clock rate")),
        ("intel_cpufreq", &["schedutil"], Some("follow the load")),
        ("acpi-cpufreq", &["performance"], None),
        ("acpi-cpufreq", &["performance", "powersave"], Some("different")),
        ("acpi-cpufreq", &[], None),
    ];
    for (driver, governors, expected) in rows {
        let frequency = Frequency {
            driver: Some(driver.into()),
            governors: governors.iter().map(|&it| it.into()).collect(),
            turbo: None,
        };
        let said = caveats(&Machine { frequency: Some(frequency), ..blank() });
        assert_eq!(said.len(), usize::from(expected.is_some()), "{driver} {governors:?}");
        let holds = said.iter().zip(expected).all(|(text, words)| text.contains(words));
        assert!(holds, "{driver} {governors:?}: {said:?}");
    }
}

#[test]
fn a_quota_is_a_caveat_where_it_is_less_than_the_cpus() {
    for (quota, expected) in [(1.5, 1), (2.0, 0), (4.0, 0)] {
        let cpu_quota = Some(CpuQuota::Cpus(quota));
        let machine = Machine { cpu_quota, affinity: vec![0, 1], ..blank() };
        assert_eq!(caveats(&machine).len(), expected, "{quota}");
    }
}

#[test]
fn memory_that_lacks_or_does_not_add_up_is_a_caveat() {
    let of = |available_gib: u64, nodes_gib: &[u64]| {
        let memory = Memory {
            total_bytes: 100 << 30,
            available_bytes: Some(available_gib << 30),
            ..Memory::default()
        };
        let node = |gib: &u64| NumaNode { node: 0, cpus: vec![], memory_bytes: Some(gib << 30) };
        let numa = nodes_gib.iter().map(node).collect();
        caveats(&Machine { memory: Some(memory), numa, ..blank() })
    };
    let rows: [(u64, &[u64], &[&str]); 5] = [
        (50, &[], &[]),
        (50, &[50, 50], &[]),
        (50, &[49, 50], &[]),
        (9, &[100], &["Only 9.0 GiB"]),
        (50, &[31], &["31.0 GiB in its NUMA nodes"]),
    ];
    for (available_gib, nodes_gib, expected) in rows {
        let said = of(available_gib, nodes_gib);
        assert_eq!(said.len(), expected.len(), "{said:?}");
        assert!(said.iter().zip(expected).all(|(text, words)| text.contains(words)), "{said:?}");
    }
}
