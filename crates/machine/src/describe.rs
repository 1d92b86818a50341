//! A machine's fingerprint, put together from its files and from what it answered.

use record::Machine;

use crate::{
    Called, Live, Source, caches, cgroup, cpuinfo, hypervisor, mitigations, source, status,
    topology,
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
    let clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    Machine {
        cpus: topology::cpus(source, &called.architecture, &online),
        caches: caches::caches(source, &online),
        affinity: called.affinity.or(status.affinity).unwrap_or_default(),
        cpu_quota: cgroup::quota(source),
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
        cpu_model: cpuinfo.model,
        mitigations: mitigations::mitigations(source),
        libc: called.libc,
        seccomp: status.seccomp,
        traced: status.traced,
        architecture: called.architecture,
    }
}
