//! The two calls of the C library that have no safe wrapper.

use std::mem::MaybeUninit;

/// What getrusage(2) counts for the calling thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadUsage {
    /// It gave the CPU up.
    pub voluntary_switches: u64,
    /// The CPU was taken from it.
    pub involuntary_switches: u64,
    /// Page faults that needed no disk.
    pub minor_faults: u64,
    /// Page faults that did.
    pub major_faults: u64,
}

/// The counts of the calling thread; zeros if the kernel refuses, which RUSAGE_THREAD (Linux
/// 2.6.26) with a valid address leaves no reason for.
pub fn thread_usage() -> ThreadUsage {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to writable memory of exactly the type that the call fills.
    let _ = unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) };
    // SAFETY: a struct of integers, zeroed above: valid whether or not the call filled it.
    let usage = unsafe { usage.assume_init() };
    let count = |count: libc::c_long| u64::try_from(count).unwrap_or(0);
    ThreadUsage {
        voluntary_switches: count(usage.ru_nvcsw),
        involuntary_switches: count(usage.ru_nivcsw),
        minor_faults: count(usage.ru_minflt),
        major_faults: count(usage.ru_majflt),
    }
}

/// The C library that this program is linked with: `glibc 2.36`, `musl`.
#[cfg(target_env = "gnu")]
pub fn libc_name() -> Option<String> {
    // SAFETY: takes nothing, and returns a static string that ends in a zero byte.
    let version = unsafe { std::ffi::CStr::from_ptr(libc::gnu_get_libc_version()) };
    Some(format!("glibc {}", version.to_string_lossy()))
}

/// The C library that this program is linked with: `glibc 2.36`, `musl`.
#[cfg(not(target_env = "gnu"))]
pub fn libc_name() -> Option<String> {
    // musl does not tell its version to programs.
    cfg!(target_env = "musl").then(|| "musl".to_owned())
}
