//! A machine's fingerprint, put together from its files and from what it answered.

use record::Machine;

use crate::{
    Called, Live, Source, caches, cgroup, container, cpuinfo, frequency, huge_pages, hypervisor,
    memory, mitigations, numa, source, status, topology,
};

/// The machine that runs this, as this process sees it. Never fails.
///
/// Takes a few milliseconds on a small machine, most of them for [`crate::clock::step_ns`], and
/// less than a second on a large one.
pub fn describe() -> Machine {
    describe_from(&Live, Called::live())
}

/// The machine whose files these are, and which answered so.
///
/// An unknown fact is `None`, or empty where there is a list; `affinity` is empty only then.
pub fn describe_from(source: &dyn Source, called: Called) -> Machine {
    let cpuinfo = source.open("/proc/cpuinfo").map(cpuinfo::parse).unwrap_or_default();
    let status = source.open("/proc/self/status").map(status::parse).unwrap_or_default();
    let online = topology::online(source, &cpuinfo.processors);
    let limits = cgroup::limits(source);
    let clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    Machine {
        cpus: topology::cpus(source, &called.architecture, &online),
        threads_per_core: topology::threads_per_core(source, &online),
        smt: topology::smt(source),
        caches: caches::caches(source, &online),
        data_tlb_pages: called.data_tlb_pages,
        numa: numa::nodes(source),
        frequency: frequency::frequency(source),
        affinity: called.affinity.or(status.affinity).unwrap_or_default(),
        cpu_quota: limits.cpu_quota,
        memory: source.open("/proc/meminfo").and_then(memory::parse),
        memory_max_bytes: limits.memory_max_bytes,
        memory_high_bytes: limits.memory_high_bytes,
        tasks_max: limits.tasks_max,
        huge_pages: huge_pages::huge_pages(source),
        kernel: source::word(source, "/proc/sys/kernel/osrelease"),
        tick_hz: called.tick_hz,
        clocksource: source::word(source, clock),
        clock_resolution_ns: called.clock_resolution_ns,
        clock_step_ns: called.clock_step_ns,
        hypervisor: hypervisor::hypervisor(
            source,
            cpuinfo.hypervisor_flag,
            called.hypervisor_signature,
        ),
        container: container::container(source),
        cpu_model: cpuinfo.model,
        mitigations: mitigations::mitigations(source),
        libc: called.libc,
        locale: called.locale,
        seccomp: status.seccomp,
        traced: status.traced,
        architecture: called.architecture,
    }
}
