//! Which facts change measurements: one sentence each, and only with evidence.

use record::{Caveat, CpuQuota, Frequency, Machine, Memory, NumaNode};

use super::words::memory;

/// Drivers whose `powersave` is not the rule of that name, but lets CPU or driver choose by load
/// (Documentation/admin-guide/pm/intel_pstate.rst and amd-pstate.rst, "active mode").
const CHOOSING_DRIVERS: [&str; 2] = ["intel_pstate", "amd-pstate-epp"];

/// Rules that follow the load (Documentation/admin-guide/pm/cpufreq.rst).
const FOLLOWING_GOVERNORS: [&str; 3] = ["conservative", "ondemand", "schedutil"];

/// Less than this share of memory to be had is little.
const AVAILABLE_SHARE_MIN: f64 = 0.1;

/// The nodes' memory and the machine's are counted at different moments and in different places.
const MEMORY_DIFFERENCE_MAX: f64 = 0.05;

pub(super) fn of(machine: &Machine) -> Vec<Caveat> {
    let found = [
        machine.frequency.as_ref().and_then(governor),
        quota(machine),
        machine.memory.as_ref().and_then(little),
        machine.memory.as_ref().and_then(|it| two_truths(it, &machine.numa)),
    ];
    found.into_iter().flatten().collect()
}

fn governor(frequency: &Frequency) -> Option<Caveat> {
    let chooses = frequency.driver.as_deref().is_some_and(|it| CHOOSING_DRIVERS.contains(&it));
    let text = match frequency.governors.as_slice() {
        [_, _, ..] => "CPUs have different frequency governors: the same work may run at \
                       different speeds on them."
            .to_owned(),
        [only] if only == "powersave" && !chooses => {
            "The frequency governor powersave asks for the lowest clock rate, whatever the load."
                .to_owned()
        }
        [only] if chooses && only == "powersave" || FOLLOWING_GOVERNORS.contains(&&**only) => {
            format!(
                "The frequency governor {only} lets the clock rate follow the load: what wakes an \
                 idle CPU runs slower at first."
            )
        }
        _ => return None,
    };
    Some(Caveat::new("governor", text))
}

fn quota(machine: &Machine) -> Option<Caveat> {
    let Some(CpuQuota::Cpus(cpus)) = machine.cpu_quota else { return None };
    let allowed = machine.affinity.len();
    // A quota of as many CPUs as there are stops nothing.
    (cpus < allowed as f64).then(|| {
        let text = format!(
            "The control group grants {cpus:.2} CPUs' worth of time on {allowed}: whoever uses it \
             up stands still until the next period."
        );
        Caveat::new("cpu_quota", text)
    })
}

fn little(it: &Memory) -> Option<Caveat> {
    let available = it.available_bytes?;
    let is_little = (available as f64) < AVAILABLE_SHARE_MIN * it.total_bytes as f64;
    is_little.then(|| {
        let text = format!(
            "Only {} of {} of memory are available: what needs more waits until some is freed.",
            memory(available),
            memory(it.total_bytes),
        );
        Caveat::new("memory", text)
    })
}

/// Containers may get a /proc/meminfo of their own (lxcfs) beside the nodes of the whole machine;
/// and a host may hand out memory piece by piece, which only the nodes show.
fn two_truths(it: &Memory, nodes: &[NumaNode]) -> Option<Caveat> {
    let of_nodes: Option<Vec<u64>> = nodes.iter().map(|node| node.memory_bytes).collect();
    let sum = of_nodes.filter(|all| !all.is_empty())?.into_iter().fold(0, u64::saturating_add);
    let larger = sum.max(it.total_bytes) as f64;
    let differ = sum.abs_diff(it.total_bytes) as f64 > MEMORY_DIFFERENCE_MAX * larger;
    differ.then(|| {
        let text = format!(
            "The kernel tells two amounts of memory, {} in all and {} in its NUMA nodes: one is \
             replaced, or the host gives memory only as it is needed.",
            memory(it.total_bytes),
            memory(sum),
        );
        Caveat::new("memory_sum", text)
    })
}
