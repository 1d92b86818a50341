//! What this machine is, and the counters that tell how quiet it is.
//!
//! [`describe()`] reads the machine's fingerprint, [`counters`] says what happened to a thread and
//! to the machine while a trial ran, [`clock`] is the one clock that trials are timed with. Every
//! parser takes a reader or a [`Source`], so that a whole captured machine can be described in a
//! test. A fact that cannot be found out is `None`, never a guess and never a panic.
//!
//! Not here: no experiment, no statistics, no other process than this one, no advice.
//!
//! Run: `cargo test -p machine`

mod arm;
mod caches;
mod called;
mod cgroup;
pub mod clock;
mod container;
pub mod counters;
mod cpu_list;
mod cpuid;
mod cpuinfo;
mod describe;
mod free;
mod frequency;
mod huge_pages;
mod hypervisor;
mod locale;
mod memory;
mod mitigations;
mod mountinfo;
mod numa;
mod placement;
#[cfg(test)]
mod properties;
mod section;
mod source;
mod status;
mod sys;
mod text;
mod tlb;
mod topology;

pub use called::Called;
pub use cpu_list::{BadCpuList, parse_text as parse_cpu_list, shown as cpu_list_text};
pub use describe::{describe, describe_from};
pub use free::memory_free_bytes;
pub use placement::{fastest, pin_to, pin_to_any};
pub use section::section;
pub use source::{Bundle, Live, Source};
pub use status::is_traced;
