//! Whole captured machines, from their files to every fact that is told of them.

use machine::{Bundle, Called, describe_from, parse_cpu_list};
use record::{
    Cache, CacheKind, Container, CpuQuota, Frequency, HugePages, Hypervisor, Limit, Locale,
    LogicalCpu, Machine, Memory, NumaNode, Seccomp, Smt,
};

/// Describes a captured machine; `vendor` is what its CPUID would say, and all else that only a
/// running program could ask is unknown.
fn described(text: &str, architecture: &str, vendor: Option<&[u8; 12]>) -> Machine {
    let called = Called {
        architecture: architecture.to_owned(),
        hypervisor_signature: vendor.copied(),
        ..Called::default()
    };
    describe_from(&Bundle::parse(text.as_bytes()), called)
}

fn cpus(rows: &[(usize, u32, u32, Option<&str>)]) -> Vec<LogicalCpu> {
    let cpu = |&(cpu, package, core, kind): &(usize, u32, u32, Option<&str>)| LogicalCpu {
        cpu,
        package: Some(package),
        core: Some(core),
        kind: kind.map(str::to_owned),
    };
    rows.iter().map(cpu).collect()
}

/// Level, what it holds, KiB, the CPUs of each.
fn caches(rows: &[(u8, CacheKind, u64, &[&str])]) -> Vec<Cache> {
    let cache = |&(level, kind, kib, groups): &(u8, CacheKind, u64, &[&str])| {
        let groups: Vec<Vec<usize>> = groups.iter().map(|it| list(it)).collect();
        let (shared_by, instances) = (groups[0].len() as u32, groups.len() as u32);
        Cache { level, kind, size_bytes: kib << 10, shared_by, instances, groups }
    };
    rows.iter().map(cache).collect()
}

fn list(cpus: &str) -> Vec<usize> {
    parse_cpu_list(cpus).unwrap_or_default()
}

/// Number, CPUs, KiB.
fn nodes(rows: &[(u32, &str, u64)]) -> Vec<NumaNode> {
    let node = |&(node, cpus, kib): &(u32, &str, u64)| NumaNode {
        node,
        cpus: list(cpus),
        memory_bytes: Some(kib << 10),
    };
    rows.iter().map(node).collect()
}

/// All in KiB.
fn memory(total: u64, available: Option<u64>, swap: u64, swap_free: u64) -> Option<Memory> {
    Some(Memory {
        total_bytes: total << 10,
        available_bytes: available.map(|kib| kib << 10),
        swap_bytes: Some(swap << 10),
        swap_free_bytes: Some(swap_free << 10),
    })
}

fn frequency(driver: &str, governor: &str, turbo: bool) -> Option<Frequency> {
    Some(Frequency {
        driver: text(driver),
        governors: vec![governor.to_owned()],
        turbo: Some(turbo),
    })
}

fn huge_pages(enabled: &str, defrag: &str) -> Option<HugePages> {
    Some(HugePages::Set { enabled: enabled.to_owned(), defrag: text(defrag) })
}

fn within(name: &str) -> Option<Container> {
    Some(Container::Named(name.to_owned()))
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn named(name: &str) -> Option<Hypervisor> {
    Some(Hypervisor::Named(name.to_owned()))
}

/// Takes the mitigations out after comparing a few of them with what is expected.
fn check_mitigations(machine: &mut Machine, count: usize, some: &[(&str, &str)]) {
    let mitigations = std::mem::take(&mut machine.mitigations);
    assert_eq!(mitigations.len(), count);
    for (name, words) in some {
        assert_eq!(mitigations.get(*name).map(String::as_str), Some(*words), "{name}");
    }
}

#[test]
fn a_server_of_two_packages_with_two_threads_per_core() {
    use CacheKind::{Data, Instruction, Unified};
    let mut machine = described(include_str!("machines/xeon-server.txt"), "x86_64", None);
    check_mitigations(
        &mut machine,
        12,
        &[
            ("mds", "Not affected"),
            ("mmio_stale_data", "Mitigation: Clear CPU buffers; SMT vulnerable"),
        ],
    );
    let expected = Machine {
        architecture: "x86_64".to_owned(),
        cpu_model: text("Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz"),
        cpus: cpus(&[
            (0, 0, 0, None),
            (1, 1, 0, None),
            (2, 0, 1, None),
            (3, 1, 1, None),
            (4, 0, 0, None),
            (5, 1, 0, None),
            (6, 0, 1, None),
            (7, 1, 1, None),
        ]),
        caches: caches(&[
            (1, Data, 32, &["0,4", "1,5", "2,6", "3,7"]),
            (1, Instruction, 32, &["0,4", "1,5", "2,6", "3,7"]),
            (2, Unified, 1024, &["0,4", "1,5", "2,6", "3,7"]),
            (3, Unified, 28160, &["0,2,4,6", "1,3,5,7"]),
        ]),
        threads_per_core: vec![2],
        smt: Some(Smt::On),
        numa: nodes(&[(0, "0,2,4,6", 97_634_580), (1, "1,3,5,7", 99_070_036)]),
        frequency: frequency("intel_cpufreq", "schedutil", true),
        memory: memory(196_704_616, Some(186_018_000), 8_388_604, 8_388_604),
        memory_max_bytes: Some(Limit::Unlimited),
        memory_high_bytes: Some(Limit::Unlimited),
        tasks_max: Some(Limit::At(508_034)),
        huge_pages: huge_pages("madvise", "madvise"),
        container: Some(Container::NoneSeen),
        affinity: (0..8).collect(),
        cpu_quota: Some(CpuQuota::Unlimited),
        kernel: text("5.15.0-119-generic"),
        clocksource: text("tsc"),
        hypervisor: Some(Hypervisor::None),
        seccomp: Some(Seccomp::Off),
        traced: Some(false),
        ..Machine::default()
    };
    assert_eq!(machine, expected);
}

#[test]
fn an_arm_server_that_names_its_cpus_by_numbers() {
    use CacheKind::{Data, Instruction, Unified};
    let mut machine = described(include_str!("machines/arm-server.txt"), "aarch64", None);
    check_mitigations(&mut machine, 5, &[("spectre_v2", "Mitigation: CSV2, BHB")]);
    let expected = Machine {
        architecture: "aarch64".to_owned(),
        cpu_model: text("Neoverse-N1"),
        cpus: cpus(&[(0, 0, 0, None), (1, 0, 1, None), (2, 0, 2, None), (3, 0, 3, None)]),
        caches: caches(&[
            (1, Data, 64, &["0", "1", "2", "3"]),
            (1, Instruction, 64, &["0", "1", "2", "3"]),
            (2, Unified, 1024, &["0", "1", "2", "3"]),
            (3, Unified, 32768, &["0-3"]),
        ]),
        threads_per_core: vec![1],
        smt: Some(Smt::Unused),
        numa: nodes(&[(0, "0-3", 7_918_280)]),
        memory: memory(7_918_280, Some(7_200_000), 0, 0),
        memory_max_bytes: Some(Limit::Unlimited),
        memory_high_bytes: Some(Limit::Unlimited),
        tasks_max: Some(Limit::Unlimited),
        huge_pages: huge_pages("madvise", "madvise"),
        container: Some(Container::NoneSeen),
        affinity: (0..4).collect(),
        cpu_quota: Some(CpuQuota::Unlimited),
        kernel: text("6.1.102-111.182.amzn2023.aarch64"),
        clocksource: text("arch_sys_counter"),
        hypervisor: named("Amazon EC2"),
        seccomp: Some(Seccomp::Off),
        traced: Some(false),
        ..Machine::default()
    };
    assert_eq!(machine, expected);
}

#[test]
fn a_laptop_with_two_kinds_of_core_under_a_debugger() {
    use CacheKind::{Data, Instruction, Unified};
    let (fast, small) = (Some("performance"), Some("efficiency"));
    let mut machine = described(include_str!("machines/hybrid-laptop.txt"), "x86_64", None);
    check_mitigations(
        &mut machine,
        9,
        &[("reg_file_data_sampling", "Mitigation: Clear Register File")],
    );
    let expected = Machine {
        architecture: "x86_64".to_owned(),
        cpu_model: text("12th Gen Intel(R) Core(TM) i7-1255U"),
        cpus: cpus(&[
            (0, 0, 0, fast),
            (1, 0, 0, fast),
            (2, 0, 4, fast),
            (3, 0, 4, fast),
            (4, 0, 8, small),
            (5, 0, 9, small),
            (6, 0, 10, small),
            (7, 0, 11, small),
        ]),
        caches: caches(&[
            (1, Data, 32, &["4", "5", "6", "7"]),
            (1, Data, 48, &["0-1", "2-3"]),
            (1, Instruction, 32, &["0-1", "2-3"]),
            (1, Instruction, 64, &["4", "5", "6", "7"]),
            (2, Unified, 1280, &["0-1", "2-3"]),
            (2, Unified, 2048, &["4-7"]),
            (3, Unified, 12288, &["0-7"]),
        ]),
        threads_per_core: vec![1, 2],
        smt: Some(Smt::On),
        numa: nodes(&[(0, "0-7", 16_071_524)]),
        frequency: frequency("intel_pstate", "powersave", false),
        memory: memory(16_071_524, Some(6_120_000), 8_388_604, 7_340_028),
        memory_max_bytes: Some(Limit::Unlimited),
        memory_high_bytes: Some(Limit::Unlimited),
        tasks_max: Some(Limit::Unlimited),
        huge_pages: huge_pages("always", "madvise"),
        container: Some(Container::NoneSeen),
        affinity: (0..8).collect(),
        cpu_quota: Some(CpuQuota::Unlimited),
        kernel: text("6.12.6-arch1-1"),
        clocksource: text("tsc"),
        hypervisor: Some(Hypervisor::None),
        seccomp: Some(Seccomp::Off),
        traced: Some(true),
        ..Machine::default()
    };
    assert_eq!(machine, expected);
}

#[test]
fn a_container_whose_parent_group_has_a_quota() {
    use CacheKind::{Data, Instruction, Unified};
    let mut machine =
        described(include_str!("machines/container-quota.txt"), "x86_64", Some(b"KVMKVMKVM\0\0\0"));
    check_mitigations(&mut machine, 6, &[("spec_rstack_overflow", "Mitigation: Safe RET")]);
    let expected = Machine {
        architecture: "x86_64".to_owned(),
        cpu_model: text("AMD EPYC 7B13"),
        cpus: cpus(&[(0, 0, 0, None), (1, 0, 0, None), (2, 0, 1, None), (3, 0, 1, None)]),
        caches: caches(&[
            (1, Data, 32, &["0-1", "2-3"]),
            (1, Instruction, 32, &["0-1", "2-3"]),
            (2, Unified, 512, &["0-1", "2-3"]),
            (3, Unified, 32768, &["0-3"]),
        ]),
        threads_per_core: vec![2],
        smt: Some(Smt::On),
        numa: nodes(&[(0, "0-3", 16_374_584)]),
        memory: memory(16_374_584, Some(13_100_000), 0, 0),
        // The container's own group kills at 2 GiB, the one below slows down at 1.5 GiB.
        memory_max_bytes: Some(Limit::At(2 << 30)),
        memory_high_bytes: Some(Limit::At(3 << 29)),
        tasks_max: Some(Limit::At(1024)),
        huge_pages: huge_pages("madvise", "madvise"),
        container: within("kubernetes"),
        affinity: vec![0, 1, 3],
        cpu_quota: Some(CpuQuota::Cpus(1.5)),
        kernel: text("6.1.90+"),
        clocksource: text("kvm-clock"),
        hypervisor: named("KVM"),
        seccomp: Some(Seccomp::Filtered { filters: Some(1) }),
        traced: Some(false),
        ..Machine::default()
    };
    assert_eq!(machine, expected);
}

#[test]
fn an_old_host_with_cgroup_v1() {
    use CacheKind::{Data, Instruction, Unified};
    // Without a word from CPUID, the flag and the firmware's vendor name the hypervisor.
    let mut machine = described(include_str!("machines/cgroup-v1-host.txt"), "x86_64", None);
    check_mitigations(&mut machine, 6, &[("meltdown", "Mitigation: PTI")]);
    let expected = Machine {
        architecture: "x86_64".to_owned(),
        cpu_model: text("Intel(R) Xeon(R) CPU E5-2650 v2 @ 2.60GHz"),
        cpus: cpus(&[(0, 0, 0, None), (1, 2, 0, None)]),
        caches: caches(&[
            (1, Data, 32, &["0", "1"]),
            (1, Instruction, 32, &["0", "1"]),
            (2, Unified, 256, &["0", "1"]),
            (3, Unified, 20480, &["0", "1"]),
        ]),
        threads_per_core: vec![1],
        memory: memory(3_880_512, None, 2_097_148, 1_048_576),
        // The memory controller's mount is hidden, and there is no pids controller.
        memory_max_bytes: None,
        tasks_max: None,
        huge_pages: huge_pages("always", "always"),
        container: Some(Container::NoneSeen),
        affinity: vec![0, 1],
        // 125 ms in every 50 ms; the parent would grant 4.
        cpu_quota: Some(CpuQuota::Cpus(2.5)),
        kernel: text("3.10.0-1160.118.1.el7.x86_64"),
        clocksource: text("tsc"),
        hypervisor: named("VMware"),
        seccomp: Some(Seccomp::Off),
        traced: Some(false),
        ..Machine::default()
    };
    assert_eq!(machine, expected);
}

#[test]
fn a_docker_container_with_limits_in_cgroup_v1() {
    use CacheKind::{Data, Unified};
    let mut machine =
        described(include_str!("machines/docker-v1.txt"), "x86_64", Some(b"KVMKVMKVM\0\0\0"));
    check_mitigations(&mut machine, 1, &[]);
    let expected = Machine {
        architecture: "x86_64".to_owned(),
        cpu_model: text("Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz"),
        cpus: cpus(&[(0, 0, 0, None), (1, 0, 0, None)]),
        threads_per_core: vec![2],
        smt: Some(Smt::On),
        caches: caches(&[(1, Data, 32, &["0-1"]), (2, Unified, 1024, &["0-1"])]),
        numa: nodes(&[(0, "0-1", 7_911_824)]),
        affinity: vec![0, 1],
        cpu_quota: Some(CpuQuota::Cpus(0.5)),
        memory: memory(7_911_824, Some(600_000), 0, 0),
        // Set above the container: only the kernel's own sum tells.
        memory_max_bytes: Some(Limit::At(512 << 20)),
        memory_high_bytes: Some(Limit::Unlimited),
        tasks_max: Some(Limit::At(100)),
        huge_pages: huge_pages("madvise", "madvise"),
        kernel: text("5.4.0-1103-aws"),
        clocksource: text("kvm-clock"),
        hypervisor: named("KVM"),
        container: within("docker"),
        seccomp: Some(Seccomp::Filtered { filters: None }),
        traced: Some(false),
        ..Machine::default()
    };
    assert_eq!(machine, expected);
}

/// Ids, paths and names that stand in the files read.
#[test]
fn nothing_that_identifies_comes_out() {
    let machines = [
        include_str!("machines/docker-v1.txt"),
        include_str!("machines/container-quota.txt"),
        include_str!("machines/hybrid-laptop.txt"),
    ];
    for text in machines {
        let machine = described(text, "x86_64", None);
        let shown = format!("{machine:?} {:?}", machine::section(&machine));
        for word in ["7f0f8e2a", "/var/lib", "/docker", "kubelet", "user-1000", "a b", "overlay"] {
            assert!(!shown.contains(word), "{word} in {shown}");
        }
    }
}

#[test]
fn what_a_program_asked_goes_before_what_files_say() {
    let called = Called {
        architecture: "x86_64".to_owned(),
        affinity: Some(vec![2]),
        tick_hz: Some(250),
        clock_resolution_ns: Some(1),
        clock_step_ns: Some(10),
        hypervisor_signature: None,
        data_tlb_pages: vec![64, 1536],
        libc: text("glibc 2.36"),
        locale: Some(Locale::Unset),
    };
    let files = "=== /proc/self/status\nCpus_allowed_list:\t0-3\n";
    let expected = Machine {
        architecture: "x86_64".to_owned(),
        affinity: vec![2],
        tick_hz: Some(250),
        clock_resolution_ns: Some(1),
        clock_step_ns: Some(10),
        data_tlb_pages: vec![64, 1536],
        libc: text("glibc 2.36"),
        locale: Some(Locale::Unset),
        ..Machine::default()
    };
    assert_eq!(describe_from(&Bundle::parse(files.as_bytes()), called), expected);
}
