//! What a machine is, as far as it decides what programs on it measure.
//!
//! `None` means "could not be found out"; a known absence has a word of its own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One machine's fingerprint. Holds no name, address or serial number of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// The instruction set: `x86_64`.
    pub architecture: String,
    /// The CPU's own name: `AMD EPYC`.
    pub cpu_model: Option<String>,
    /// The CPUs that are online.
    pub cpus: Vec<LogicalCpu>,
    /// How many threads the cores run, each number once: `[2]`; `[1, 2]` where kinds are mixed.
    pub threads_per_core: Vec<u32>,
    /// Whether cores run several threads.
    pub smt: Option<Smt>,
    /// The caches, each kind once.
    pub caches: Vec<Cache>,
    /// How many pages of 4 KiB each level of the data TLB holds, nearest first; none where the CPU
    /// does not tell.
    pub data_tlb_pages: Vec<u32>,
    /// The NUMA nodes; none where the kernel does not tell.
    pub numa: Vec<NumaNode>,
    /// What decides the CPUs' clock rate; `None` where it can't be seen, as in most virtual
    /// machines.
    pub frequency: Option<Frequency>,
    /// The CPUs that this process may run on.
    pub affinity: Vec<usize>,
    /// How much CPU time the control group grants.
    pub cpu_quota: Option<CpuQuota>,
    /// How much memory there is.
    pub memory: Option<Memory>,
    /// Memory beyond which the control group's processes are killed, in bytes.
    pub memory_max_bytes: Option<Limit>,
    /// Memory beyond which the control group is slowed down and made to give some back, in bytes.
    pub memory_high_bytes: Option<Limit>,
    /// How many threads and processes the control group may have.
    pub tasks_max: Option<Limit>,
    /// When ordinary memory is given in huge pages.
    pub huge_pages: Option<HugePages>,
    /// The kernel's release: `6.18.44`.
    pub kernel: Option<String>,
    /// Timer interrupts per second.
    pub tick_hz: Option<u32>,
    /// What the kernel reads the time from: `tsc`.
    pub clocksource: Option<String>,
    /// The step that CLOCK_MONOTONIC claims to have.
    pub clock_resolution_ns: Option<u64>,
    /// The smallest step that CLOCK_MONOTONIC was seen to make.
    pub clock_step_ns: Option<u64>,
    /// What the kernel runs under.
    pub hypervisor: Option<Hypervisor>,
    /// What container this runs in.
    pub container: Option<Container>,
    /// The kernel's own words on each CPU weakness, by the weakness's name.
    pub mitigations: BTreeMap<String, String>,
    /// The C library that programs here are linked with: `glibc 2.36`.
    pub libc: Option<String>,
    /// The locale that the environment asks for, as far as characters are concerned.
    pub locale: Option<Locale>,
    /// Whether system calls are filtered.
    pub seccomp: Option<Seccomp>,
    /// Whether a tracer is attached.
    pub traced: Option<bool>,
}

/// One hardware thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogicalCpu {
    /// Its number.
    pub cpu: usize,
    /// Its physical package.
    pub package: Option<u32>,
    /// Its core within the package.
    pub core: Option<u32>,
    /// Its kind, on machines that mix kinds: `performance`, `efficiency`.
    pub kind: Option<String>,
}

/// One kind of cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// 1 for the one nearest to the core.
    pub level: u8,
    /// What it holds.
    pub kind: CacheKind,
    /// The size of one.
    pub size_bytes: u64,
    /// How many CPUs share one.
    pub shared_by: u32,
    /// How many there are.
    pub instances: u32,
    /// The CPUs of each, in the order of their first CPU; none in files of before this was kept.
    #[serde(default)]
    pub groups: Vec<Vec<usize>>,
}

/// What a cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheKind {
    /// Data only.
    Data,
    /// Instructions only.
    Instruction,
    /// Both.
    Unified,
}

/// How much CPU time the control group grants.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CpuQuota {
    /// As much as there is.
    Unlimited,
    /// This many CPUs' worth.
    Cpus(f64),
}

/// Whether cores run several threads (SMT, hyper-threading).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Smt {
    /// At least one core does.
    On,
    /// The cores could, and none does.
    Off,
    /// The kernel found cores of one thread only: so are they made, set up or shown.
    NotSupported,
    /// None does, and the kernel does not say whether the cores could.
    Unused,
}

/// A NUMA node: CPUs and the memory that is near to them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumaNode {
    /// Its number.
    pub node: u32,
    /// Its CPUs; a node can be memory alone.
    pub cpus: Vec<usize>,
    /// Its memory.
    pub memory_bytes: Option<u64>,
}

/// What decides the CPUs' clock rate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Frequency {
    /// What sets the rate: `intel_pstate`, `acpi-cpufreq`.
    pub driver: Option<String>,
    /// By what rule, each once: `powersave`, `performance`, `schedutil`.
    pub governors: Vec<String>,
    /// Whether the rate may rise above the nominal one while there is room for it.
    pub turbo: Option<bool>,
}

/// How much memory there is, as the kernel tells all its processes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// What the kernel has to give.
    pub total_bytes: u64,
    /// What it could give without swapping, by its own estimate.
    pub available_bytes: Option<u64>,
    /// Space for what is swapped out; 0 without any.
    pub swap_bytes: Option<u64>,
    /// How much of that is free.
    pub swap_free_bytes: Option<u64>,
}

/// How much of something the control group grants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// As much as there is.
    Unlimited,
    /// So much.
    At(u64),
}

/// When ordinary memory is given in huge pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HugePages {
    /// Never: the kernel can't.
    NotBuiltIn,
    /// As the kernel's settings say.
    Set {
        /// To whom: `always`, `madvise`, `never`.
        enabled: String,
        /// For whom a page fault waits until one is put together.
        defrag: Option<String>,
    },
}

/// What container this runs in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Container {
    /// Nothing shows any.
    NoneSeen,
    /// One of this kind: `docker`.
    Named(String),
    /// One of a kind that does not show.
    Nameless,
}

/// The locale that the environment asks for, as far as characters are concerned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Locale {
    /// None: no variable is set, and `C` it is.
    Unset,
    /// The one that this variable names.
    Set {
        /// `LC_ALL`, `LC_CTYPE` or `LANG`.
        variable: String,
        /// `de_DE.UTF-8`; `None` where it is no locale's name by its letters, and is not kept.
        name: Option<String>,
        /// Whether the C library has it; where it has not, programs get `C`.
        installed: Option<bool>,
    },
}

/// What the kernel runs under.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hypervisor {
    /// Nothing: the hardware itself.
    None,
    /// A hypervisor of this name.
    Named(String),
}

/// Whether system calls are filtered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seccomp {
    /// No filter.
    Off,
    /// Strict mode: read, write, _exit and sigreturn only.
    Strict,
    /// A filter program runs at every call.
    Filtered {
        /// How many filters are stacked, where the kernel says so.
        filters: Option<u32>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a machine of the first release looked like in its file.
    const OLDER: &str = r#"{
        "architecture": "x86_64", "cpu_model": null, "affinity": [0],
        "cpus": [{ "cpu": 0, "package": 0, "core": 0, "kind": null }],
        "caches": [{ "level": 1, "kind": "data", "size_bytes": 32768,
                     "shared_by": 1, "instances": 1 }],
        "cpu_quota": "unlimited", "hypervisor": "none", "seccomp": "off", "traced": false
    }"#;

    #[test]
    fn an_older_machine_still_reads_and_knows_nothing_of_what_came_later() {
        let machine: Machine = serde_json::from_str(OLDER).unwrap();
        assert_eq!(machine.caches[0].groups, Vec::<Vec<usize>>::new());
        assert_eq!(machine.cpu_quota, Some(CpuQuota::Unlimited));
        let later = (&machine.smt, &machine.memory, &machine.container, &machine.locale);
        assert_eq!(later, (&None, &None, &None, &None));
        assert_eq!((machine.numa.len(), machine.memory_max_bytes), (0, None));
    }

    #[test]
    fn what_is_written_is_read() {
        let machine = Machine {
            threads_per_core: vec![1, 2],
            smt: Some(Smt::NotSupported),
            numa: vec![NumaNode { node: 1, cpus: vec![], memory_bytes: Some(1 << 40) }],
            frequency: Some(Frequency { turbo: Some(false), ..Frequency::default() }),
            memory: Some(Memory { total_bytes: u64::MAX, ..Memory::default() }),
            memory_max_bytes: Some(Limit::At(0)),
            tasks_max: Some(Limit::Unlimited),
            huge_pages: Some(HugePages::Set { enabled: "madvise".into(), defrag: None }),
            container: Some(Container::Named("docker".into())),
            locale: Some(Locale::Set {
                variable: "LANG".into(),
                name: None,
                installed: Some(false),
            }),
            ..Machine::default()
        };
        let text = serde_json::to_string(&machine).unwrap();
        assert_eq!(serde_json::from_str::<Machine>(&text).unwrap(), machine);
        for word in [r#""smt":"not_supported""#, r#""memory_max_bytes":{"at":0}"#] {
            assert!(text.contains(word), "{text}");
        }
    }
}
