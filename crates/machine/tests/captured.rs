//! Whole captured machines, from their files to every fact that is told of them.

use machine::{Bundle, Called, describe_from};
use record::{Cache, CacheKind, CpuQuota, Hypervisor, LogicalCpu, Machine, Seccomp};

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

/// Level, what it holds, KiB, shared by, instances.
fn caches(rows: &[(u8, CacheKind, u64, u32, u32)]) -> Vec<Cache> {
    let cache = |&(level, kind, kib, shared_by, instances): &(u8, CacheKind, u64, u32, u32)| {
        Cache { level, kind, size_bytes: kib << 10, shared_by, instances }
    };
    rows.iter().map(cache).collect()
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
            (1, Data, 32, 2, 4),
            (1, Instruction, 32, 2, 4),
            (2, Unified, 1024, 2, 4),
            (3, Unified, 28160, 4, 2),
        ]),
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
            (1, Data, 64, 1, 4),
            (1, Instruction, 64, 1, 4),
            (2, Unified, 1024, 1, 4),
            (3, Unified, 32768, 4, 1),
        ]),
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
            (1, Data, 32, 1, 4),
            (1, Data, 48, 2, 2),
            (1, Instruction, 32, 2, 2),
            (1, Instruction, 64, 1, 4),
            (2, Unified, 1280, 2, 2),
            (2, Unified, 2048, 4, 1),
            (3, Unified, 12288, 8, 1),
        ]),
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
            (1, Data, 32, 2, 2),
            (1, Instruction, 32, 2, 2),
            (2, Unified, 512, 2, 2),
            (3, Unified, 32768, 4, 1),
        ]),
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
            (1, Data, 32, 1, 2),
            (1, Instruction, 32, 1, 2),
            (2, Unified, 256, 1, 2),
            (3, Unified, 20480, 1, 2),
        ]),
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
fn what_a_program_asked_goes_before_what_files_say() {
    let called = Called {
        architecture: "x86_64".to_owned(),
        affinity: Some(vec![2]),
        tick_hz: Some(250),
        clock_resolution_ns: Some(1),
        clock_step_ns: Some(10),
        hypervisor_signature: None,
        libc: text("glibc 2.36"),
    };
    let files = "=== /proc/self/status\nCpus_allowed_list:\t0-3\n";
    let expected = Machine {
        architecture: "x86_64".to_owned(),
        affinity: vec![2],
        tick_hz: Some(250),
        clock_resolution_ns: Some(1),
        clock_step_ns: Some(10),
        libc: text("glibc 2.36"),
        ..Machine::default()
    };
    assert_eq!(describe_from(&Bundle::parse(files.as_bytes()), called), expected);
}
