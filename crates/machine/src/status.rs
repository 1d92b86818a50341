//! /proc/self/status: what watches or limits this process.
//!
//! Pure. Source: proc_pid_status(5).

use std::io::Read;

use record::Seccomp;

use crate::{cpu_list, text};

/// What /proc/self/status says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Whether system calls are filtered; `None` where the kernel has no such filters.
    pub seccomp: Option<Seccomp>,
    /// Whether a tracer is attached.
    pub traced: Option<bool>,
    /// The CPUs that this process may run on.
    pub affinity: Option<Vec<usize>>,
}

/// Whether a tracer is attached to this process now; `None` where the kernel does not say.
pub fn is_traced() -> Option<bool> {
    parse(std::fs::File::open("/proc/self/status").ok()?).traced
}

/// Reads /proc/self/status.
pub fn parse(reader: impl Read) -> Status {
    let mut status = Status::default();
    let (mut mode, mut filters) = (None, None);
    for (key, value) in text::fields(&text::read(reader)) {
        match key {
            "Seccomp" => mode = value.parse::<u32>().ok(),
            // Since Linux 5.9.
            "Seccomp_filters" => filters = value.parse().ok(),
            "TracerPid" => status.traced = value.parse::<u32>().ok().map(|tracer| tracer != 0),
            "Cpus_allowed_list" => status.affinity = cpu_list::parse_text(value).ok(),
            _ => {}
        }
    }
    status.seccomp = match mode {
        Some(0) => Some(Seccomp::Off),
        Some(1) => Some(Seccomp::Strict),
        Some(2) => Some(Seccomp::Filtered { filters }),
        _ => None,
    };
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seccomp_modes() {
        let rows = [
            ("Seccomp:\t0\nSeccomp_filters:\t0\n", Some(Seccomp::Off)),
            ("Seccomp:\t1\n", Some(Seccomp::Strict)),
            ("Seccomp:\t2\nSeccomp_filters:\t3\n", Some(Seccomp::Filtered { filters: Some(3) })),
            ("Seccomp:\t2\n", Some(Seccomp::Filtered { filters: None })),
            ("Seccomp:\t7\n", None),
            ("Name:\tx\n", None),
        ];
        for (text, expected) in rows {
            assert_eq!(parse(text.as_bytes()).seccomp, expected, "{text}");
        }
    }

    #[test]
    fn tracer_and_cpus() {
        let text = "Name:\tx\nTracerPid:\t17\nCpus_allowed:\td\nCpus_allowed_list:\t0,2-3\n";
        let status = parse(text.as_bytes());
        assert_eq!(status.traced, Some(true));
        assert_eq!(status.affinity, Some(vec![0, 2, 3]));
        assert_eq!(parse(&b"TracerPid:\t0\n"[..]).traced, Some(false));
        assert_eq!(parse(&b""[..]), Status::default());
    }
}
