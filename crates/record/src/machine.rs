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
    /// The caches, each kind once.
    pub caches: Vec<Cache>,
    /// The CPUs that this process may run on.
    pub affinity: Vec<usize>,
    /// How much CPU time the control group grants.
    pub cpu_quota: Option<CpuQuota>,
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
    /// The kernel's own words on each CPU weakness, by the weakness's name.
    pub mitigations: BTreeMap<String, String>,
    /// The C library that programs here are linked with: `glibc 2.36`.
    pub libc: Option<String>,
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
