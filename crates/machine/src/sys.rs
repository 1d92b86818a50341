//! The calls of the C library that have no safe wrapper.

use std::{mem::MaybeUninit, ptr};

/// What getrusage(2) counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The CPU was given up.
    pub voluntary_switches: u64,
    /// The CPU was taken away.
    pub involuntary_switches: u64,
    /// Page faults that needed no disk.
    pub minor_faults: u64,
    /// Page faults that did.
    pub major_faults: u64,
    /// CPU time, in the program and in the kernel on its behalf.
    pub cpu_ns: u64,
}

impl Usage {
    /// What came since an earlier reading.
    pub fn since(&self, earlier: &Usage) -> Usage {
        Usage {
            voluntary_switches: self.voluntary_switches.saturating_sub(earlier.voluntary_switches),
            involuntary_switches: self
                .involuntary_switches
                .saturating_sub(earlier.involuntary_switches),
            minor_faults: self.minor_faults.saturating_sub(earlier.minor_faults),
            major_faults: self.major_faults.saturating_sub(earlier.major_faults),
            cpu_ns: self.cpu_ns.saturating_sub(earlier.cpu_ns),
        }
    }
}

/// The counts of the calling thread; `None` if the kernel, or a filter before it, refuses.
pub fn thread_usage() -> Option<Usage> {
    usage(libc::RUSAGE_THREAD)
}

/// The counts of all children that have ended and were waited for.
pub fn children_usage() -> Option<Usage> {
    usage(libc::RUSAGE_CHILDREN)
}

/// The counts of this process, all threads together.
pub fn own_usage() -> Option<Usage> {
    usage(libc::RUSAGE_SELF)
}

fn usage(whose: libc::c_int) -> Option<Usage> {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to writable memory of exactly the type that the call fills.
    let done = unsafe { libc::getrusage(whose, usage.as_mut_ptr()) };
    if done != 0 {
        return None;
    }
    // SAFETY: a struct of integers, zeroed above and filled by the call.
    let usage = unsafe { usage.assume_init() };
    let count = |count: libc::c_long| u64::try_from(count).unwrap_or(0);
    let time_ns =
        |time: libc::timeval| count(time.tv_sec) * 1_000_000_000 + count(time.tv_usec) * 1000;
    Some(Usage {
        voluntary_switches: count(usage.ru_nvcsw),
        involuntary_switches: count(usage.ru_nivcsw),
        minor_faults: count(usage.ru_minflt),
        major_faults: count(usage.ru_majflt),
        cpu_ns: time_ns(usage.ru_utime) + time_ns(usage.ru_stime),
    })
}

/// Whether the C library has the locale that the environment asks for, as far as characters are
/// concerned. musl says yes to every name.
pub fn character_locale_is_installed() -> bool {
    // SAFETY: the name is a static string that ends in a zero byte, and no locale is changed. The
    // call reads the environment, which no thread of this program writes.
    let locale = unsafe { libc::newlocale(libc::LC_CTYPE_MASK, c"".as_ptr(), ptr::null_mut()) };
    if locale.is_null() {
        return false;
    }
    // SAFETY: made above, and used nowhere.
    unsafe { libc::freelocale(locale) };
    true
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
