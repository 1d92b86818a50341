//! The machine that runs the tests, compared with what others say of it.
//!
//! In a container /sys, /proc/cpuinfo and the groups may be hidden or replaced: what is unknown is
//! passed over, what is told must agree.

use std::{collections::BTreeMap, fs, process::Command, thread};

use machine::{cpu_list_text, describe, parse_cpu_list};
use record::{Cache, CacheKind, Container, CpuQuota, Locale};
use serde_json::Value;

fn printed(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[test]
fn the_standard_library_counts_the_same_cpus() {
    let machine = describe();
    let available = thread::available_parallelism().map_or(0, usize::from);
    // The library takes the quota into account, and rounds it down, but not below one.
    let expected = match machine.cpu_quota {
        Some(CpuQuota::Cpus(cpus)) => machine.affinity.len().min((cpus as usize).max(1)),
        Some(CpuQuota::Unlimited) => machine.affinity.len(),
        None => return println!("skipped: needs a visible control group"),
    };
    assert_eq!(available, expected, "{:?} {:?}", machine.affinity, machine.cpu_quota);
}

#[test]
fn nproc_counts_the_same_cpus() {
    let machine = describe();
    match printed("nproc", &["--all"]) {
        // Installed CPUs, of which some may be offline.
        Some(all) => assert!(all.parse().is_ok_and(|all| machine.cpus.len() <= all), "{all}"),
        None => println!("skipped: needs nproc"),
    }
    let online = printed("getconf", &["_NPROCESSORS_ONLN"]);
    match online {
        Some(online) => assert_eq!(machine.cpus.len().to_string(), online),
        None => println!("skipped: needs getconf"),
    }
}

#[test]
fn cpuinfo_lists_the_same_cpus() {
    let machine = describe();
    let Ok(text) = fs::read_to_string("/proc/cpuinfo") else {
        return println!("skipped: needs /proc/cpuinfo");
    };
    let listed = text.lines().filter(|line| line.starts_with("processor\t:")).count();
    if listed > 0 {
        assert_eq!(machine.cpus.len(), listed);
    }
    if let Some(model) = machine.cpu_model.filter(|_| text.contains("model name")) {
        assert!(text.contains(&model), "{model}");
    }
}

#[test]
fn the_affinity_is_among_the_cpus() {
    let machine = describe();
    let online: Vec<usize> = machine.cpus.iter().map(|cpu| cpu.cpu).collect();
    assert!(!machine.affinity.is_empty());
    assert!(machine.affinity.iter().all(|cpu| online.contains(cpu)), "{machine:?}");
}

#[test]
fn the_kernel_and_the_clock_are_those_of_other_commands() {
    let machine = describe();
    if let (Some(kernel), Some(release)) = (&machine.kernel, printed("uname", &["-r"])) {
        assert_eq!(*kernel, release);
    }
    // Where getconf and this program come from one C library.
    let libc = printed("getconf", &["GNU_LIBC_VERSION"]);
    if let (Some(name), Some(libc)) = (machine.libc.filter(|name| name != "musl"), libc) {
        assert_eq!(name, libc);
    }
    let (step_ns, resolution_ns) = (machine.clock_step_ns, machine.clock_resolution_ns);
    assert!(step_ns >= resolution_ns, "{step_ns:?} {resolution_ns:?}");
}

/// What `lscpu -J` says, by field; newer ones nest fields within others.
fn lscpu() -> Option<BTreeMap<String, String>> {
    fn collect(rows: &Value, fields: &mut BTreeMap<String, String>) {
        for row in rows.as_array().into_iter().flatten() {
            if let (Some(field), Some(data)) = (row["field"].as_str(), row["data"].as_str()) {
                fields.insert(field.trim_end_matches(':').to_owned(), data.to_owned());
            }
            collect(&row["children"], fields);
        }
    }
    let said: Value = serde_json::from_str(&printed("lscpu", &["-J"])?).ok()?;
    let mut fields = BTreeMap::new();
    collect(&said["lscpu"], &mut fields);
    Some(fields)
}

#[test]
fn lscpu_tells_the_same_topology() {
    let Some(fields) = lscpu() else { return println!("skipped: needs lscpu") };
    let machine = describe();
    let online: Vec<usize> = machine.cpus.iter().map(|cpu| cpu.cpu).collect();
    if let Some(list) = fields.get("On-line CPU(s) list") {
        assert_eq!(parse_cpu_list(list), Ok(online));
    }
    // One number for a machine of several kinds would be a matter of taste.
    if let ([threads], Some(said)) = (&*machine.threads_per_core, fields.get("Thread(s) per core"))
    {
        assert_eq!(threads.to_string(), *said);
    }
    let Some(nodes) = fields.get("NUMA node(s)").filter(|_| !machine.numa.is_empty()) else {
        return println!("skipped in part: needs NUMA nodes");
    };
    assert_eq!(machine.numa.len().to_string(), *nodes);
    for node in &machine.numa {
        let said = fields.get(&format!("NUMA node{} CPU(s)", node.node)).map(|it| it.as_str());
        assert_eq!(parse_cpu_list(said.unwrap_or_default()).as_ref(), Ok(&node.cpus));
    }
}

#[test]
fn lscpu_tells_the_same_caches() {
    let columns = ["-J", "-B", "-C=NAME,ONE-SIZE,ALL-SIZE"];
    let said = printed("lscpu", &columns).and_then(|it| serde_json::from_str::<Value>(&it).ok());
    let Some(said) = said else { return println!("skipped: needs lscpu with -C") };
    let machine = describe();
    let bytes = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
    for row in said["caches"].as_array().into_iter().flatten() {
        let named = |cache: &&Cache| {
            let kind = match cache.kind {
                CacheKind::Data => "d",
                CacheKind::Instruction => "i",
                CacheKind::Unified => "",
            };
            row["name"].as_str() == Some(&format!("L{}{kind}", cache.level))
        };
        let same: Vec<&Cache> = machine.caches.iter().filter(named).collect();
        // Several are of several kinds of core, which lscpu adds up.
        let [cache] = same[..] else { continue };
        assert_eq!(bytes(&row["one-size"]), Some(cache.size_bytes), "{row}");
        let all_bytes = cache.size_bytes * u64::from(cache.instances);
        assert_eq!(bytes(&row["all-size"]), Some(all_bytes), "{row}");
    }
}

#[test]
fn getconf_and_free_count_the_same_memory() {
    let machine = describe();
    let Some(memory) = machine.memory else { return println!("skipped: needs /proc/meminfo") };
    assert!(memory.available_bytes.is_none_or(|bytes| bytes <= memory.total_bytes));
    assert!(memory.swap_free_bytes <= memory.swap_bytes);
    let number = |name| printed("getconf", &[name])?.parse::<u64>().ok();
    match number("_PHYS_PAGES").zip(number("PAGESIZE")) {
        // LXC replaces the file, and not what the C library asks the kernel.
        Some(_) if machine.container == Some(Container::Named("lxc".into())) => {}
        Some((pages, page_bytes)) => assert_eq!(memory.total_bytes, pages * page_bytes),
        None => println!("skipped: needs getconf"),
    }
    let Some(free) = printed("free", &["-b"]) else { return println!("skipped: needs free") };
    let row = |name: &str| free.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let total = |name| row(name)?.split_whitespace().next()?.parse::<u64>().ok();
    assert_eq!(total("Mem:"), Some(memory.total_bytes), "{free}");
    assert_eq!(total("Swap:"), memory.swap_bytes, "{free}");
}

#[test]
fn locale_names_the_same_one() {
    let Some(said) = printed("locale", &[]) else { return println!("skipped: needs locale") };
    let line = said.lines().find_map(|line| line.strip_prefix("LC_CTYPE="));
    let Some(said) = line.map(|name| name.trim_matches('"')) else {
        return println!("skipped: needs a locale that prints LC_CTYPE");
    };
    match describe().locale {
        Some(Locale::Set { name: Some(name), .. }) => assert_eq!(name, said),
        Some(Locale::Unset) => assert!(["C", "POSIX"].contains(&said), "{said}"),
        other => println!("skipped: needs the name of a locale, not {other:?}"),
    }
}

#[test]
fn caches_nest() {
    let machine = describe();
    for cache in &machine.caches {
        let mut sharers: Vec<usize> = cache.groups.iter().flatten().copied().collect();
        sharers.sort_unstable();
        assert_eq!(parse_cpu_list(&cpu_list_text(&sharers)), Ok(sharers), "one of each");
        let alike = |group: &Vec<usize>| group.len() == cache.shared_by as usize;
        assert!(cache.groups.iter().all(alike), "{cache:?}");
        let reached = cache.shared_by as usize * cache.instances as usize;
        assert!(reached <= machine.cpus.len(), "{cache:?}");
        assert!((1..=5).contains(&cache.level) && cache.size_bytes >= 1024, "{cache:?}");
    }
}
