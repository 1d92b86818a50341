//! Whatever a file holds, no parser panics; and what is written as the kernel writes it is read.

use proptest::prelude::*;

use crate::{
    Bundle, Called, clock, counters, cpu_list, cpuinfo, describe_from, memory, mountinfo, section,
    status, text,
};

/// Every path that a description opens, for two CPUs.
const PATHS: &[&str] = &[
    "/proc/cpuinfo",
    "/proc/self/status",
    "/proc/self/cgroup",
    "/proc/self/mountinfo",
    "/proc/sys/kernel/osrelease",
    "/proc/device-tree/hypervisor/compatible",
    "/sys/hypervisor/type",
    "/sys/class/dmi/id/sys_vendor",
    "/sys/class/dmi/id/product_name",
    "/sys/devices/cpu_core/cpus",
    "/sys/devices/cpu_atom/cpus",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/vulnerabilities/mds",
    "/sys/devices/system/cpu/cpu0/cpu_capacity",
    "/sys/devices/system/cpu/cpu1/cpu_capacity",
    "/sys/devices/system/cpu/cpu0/topology/core_id",
    "/sys/devices/system/cpu/cpu0/cache/index0/level",
    "/sys/devices/system/cpu/cpu0/cache/index0/type",
    "/sys/devices/system/cpu/cpu0/cache/index0/size",
    "/sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list",
    "/sys/fs/cgroup/cgroup.procs",
    "/sys/fs/cgroup/cpu.max",
    "/sys/fs/cgroup/cpu.cfs_quota_us",
    "/sys/fs/cgroup/cpu.cfs_period_us",
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory.limit_in_bytes",
    "/sys/fs/cgroup/memory.use_hierarchy",
    "/sys/fs/cgroup/memory.stat",
    "/sys/fs/cgroup/pids.max",
    "/proc/meminfo",
    "/proc/self/ns/pid",
    "/.dockerenv",
    "/run/systemd/container",
    "/sys/devices/system/cpu/smt/active",
    "/sys/devices/system/cpu/smt/control",
    "/sys/devices/system/cpu/cpu0/topology/core_cpus_list",
    "/sys/devices/system/cpu/cpufreq/boost",
    "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
    "/sys/devices/system/cpu/intel_pstate/no_turbo",
    "/sys/devices/system/node/node0/cpulist",
    "/sys/devices/system/node/node0/meminfo",
    "/sys/kernel/mm/transparent_hugepage/enabled",
];

/// Text made of the words that parsers look for, so that chance reaches their insides.
fn kernel_like() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "processor",
        "model name",
        "flags",
        "hypervisor",
        "CPU implementer",
        "CPU part",
        "0x41",
        "0xd0c",
        "cpu",
        "ctxt",
        "syscr",
        "syscw",
        "se.nr_migrations",
        "Seccomp",
        "TracerPid",
        "Cpus_allowed_list",
        "Data",
        "Unified",
        "32K",
        "max",
        "100000",
        "0::/",
        "4:cpu:/a",
        "4:memory:/a",
        "/docker/",
        "lowerdir=",
        "hierarchical_memory_limit ",
        "MemTotal",
        "MemAvailable",
        "SwapFree",
        " kB",
        "Node 0 ",
        "[always]",
        "[",
        "notsupported",
        "powersave",
        "pid:[4026531836]",
        "/",
        "/sys/fs/cgroup",
        "cgroup2",
        "cgroup",
        "-",
        " - ",
        "\\040",
        "\\",
        "..",
        ":",
        ": ",
        ",",
        " ",
        "\t",
        "\n",
        "0",
        "1",
        "0-1",
        "-1",
        "4294967295",
        "18446744073709551615",
        "é",
        "\0",
    ]);
    prop::collection::vec(words, 0..60).prop_map(|words| words.concat())
}

fn no_parser_panics(bytes: &[u8]) {
    let text = text::read(bytes);
    text::fields(&text).count();
    text::word(&text);
    let _ = cpu_list::parse(bytes);
    cpuinfo::parse(bytes);
    status::parse(bytes);
    memory::parse(bytes);
    mountinfo::parse(bytes);
    Bundle::parse(bytes);
    counters::io(bytes);
    counters::migrations(bytes);
    counters::run_delay_ns(bytes);
    counters::system(bytes, 100);
}

proptest! {
    #[test]
    fn parsers_take_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        no_parser_panics(&bytes);
    }

    #[test]
    fn parsers_take_any_text_of_their_own_words(text in kernel_like()) {
        no_parser_panics(text.as_bytes());
    }

    #[test]
    fn any_machine_can_be_described(
        files in prop::collection::vec((prop::sample::select(PATHS), kernel_like()), 0..25),
        signature in any::<Option<[u8; 12]>>(),
        architecture in prop::sample::select(vec!["x86_64", "aarch64", ""]),
    ) {
        let text: String =
            files.iter().map(|(path, content)| format!("=== {path}\n{content}\n")).collect();
        let called = Called {
            architecture: architecture.to_owned(),
            hypervisor_signature: signature,
            ..Called::default()
        };
        let machine = describe_from(&Bundle::parse(text.as_bytes()), called);
        prop_assert!(machine.cpus.len() <= cpu_list::CPU_MAX);
        let told = section(&machine);
        for caveat in &told.conclusion.caveats {
            prop_assert!(!caveat.text.contains(char::is_control), "{}", caveat.text);
        }
    }

    #[test]
    fn cpu_lists_are_read_as_written(cpus in prop::collection::btree_set(0..5000usize, 0..60)) {
        let cpus: Vec<usize> = cpus.into_iter().collect();
        prop_assert_eq!(cpu_list::parse(written(&cpus).as_bytes()), Ok(cpus));
    }

    #[test]
    fn a_step_is_never_above_the_smallest_common_difference(
        deltas_ns in prop::collection::vec(any::<u64>(), 0..50),
    ) {
        let step_ns = clock::step_of(&deltas_ns);
        let smallest_ns = deltas_ns.iter().copied().filter(|&delta_ns| delta_ns > 0).min();
        prop_assert_eq!(step_ns.is_some(), smallest_ns.is_some());
        // Means are kept in 53 bits.
        prop_assert!(step_ns.unwrap_or(0) as f64 <= smallest_ns.unwrap_or(0) as f64 + 1.0);
    }
}

/// The list as the kernel prints it: runs of neighbours as ranges.
fn written(cpus: &[usize]) -> String {
    let runs = cpus.chunk_by(|a, b| a + 1 == *b);
    let run = |run: &[usize]| match run {
        [first, .., last] => format!("{first}-{last}"),
        [one] => one.to_string(),
        [] => String::new(),
    };
    runs.map(run).collect::<Vec<_>>().join(",")
}
