//! The machine that runs the tests, compared with what others say of it.
//!
//! In a container /sys, /proc/cpuinfo and the groups may be hidden or replaced: what is unknown is
//! passed over, what is told must agree.

use std::{fs, process::Command, thread};

use machine::describe;
use record::CpuQuota;

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

#[test]
fn caches_nest() {
    let machine = describe();
    for cache in &machine.caches {
        let reached = cache.shared_by as usize * cache.instances as usize;
        assert!(reached <= machine.cpus.len(), "{cache:?}");
        assert!((1..=5).contains(&cache.level) && cache.size_bytes >= 1024, "{cache:?}");
    }
}
