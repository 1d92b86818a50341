//! Whether the CPU's own counter may be used as a clock here, and if not, why not.

use std::fmt;

use record::Refusal;

use super::sys;

/// Why the time stamp counter is no clock on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoTsc {
    /// The CPU is of another kind, and has none.
    OtherArchitecture,
    /// It changes its rate with the CPU's, or stops in its sleep.
    NotInvariant,
    /// This process would be ended by a signal.
    Forbidden,
    /// The kernel found it to be wrong, or unequal between CPUs, and does not offer it.
    Distrusted {
        /// The clock sources that it does offer.
        offered: String,
    },
}

impl fmt::Display for NoTsc {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherArchitecture => out.write_str("a TSC: only x86-64 CPUs have one"),
            Self::NotInvariant => {
                out.write_str("an invariant TSC: this one changes its rate with the CPU's")
            }
            Self::Forbidden => out.write_str("leave to read the TSC: PR_SET_TSC forbids it"),
            Self::Distrusted { offered } => {
                write!(out, "a TSC that the kernel trusts: it offers {offered} only")
            }
        }
    }
}

impl From<NoTsc> for Refusal {
    fn from(reason: NoTsc) -> Self {
        Self::Missing { what: reason.to_string() }
    }
}

const AVAILABLE: &str = "/sys/devices/system/clocksource/clocksource0/available_clocksource";

/// Whether the counter may be used here.
pub(super) fn usable() -> Result<(), NoTsc> {
    // Where the kernel's list can't be read, the CPU's own word has to do.
    let offered = std::fs::read_to_string(AVAILABLE).ok();
    let x86 = cfg!(target_arch = "x86_64");
    judge(x86, sys::tsc_is_invariant(), sys::tsc_read_is_fatal(), offered.as_deref())
}

/// The first reason against it. The kernel takes the TSC out of its list of clock sources when its
/// watchdog, or a comparison of the CPUs, finds it wrong.
fn judge(
    x86: bool,
    invariant: bool,
    fatal: Option<bool>,
    offered: Option<&str>,
) -> Result<(), NoTsc> {
    if !x86 {
        return Err(NoTsc::OtherArchitecture);
    }
    if fatal == Some(true) {
        return Err(NoTsc::Forbidden);
    }
    if !invariant {
        return Err(NoTsc::NotInvariant);
    }
    match offered {
        Some(list) if !list.split_whitespace().any(|source| source == "tsc") => {
            let offered = list.split_whitespace().collect::<Vec<_>>().join(", ");
            Err(NoTsc::Distrusted { offered })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_name() {
        let distrusted = NoTsc::Distrusted { offered: "hpet, acpi_pm".into() };
        for (x86, invariant, fatal, offered, expected) in [
            (true, true, Some(false), Some("tsc hpet acpi_pm \n"), Ok(())),
            (true, true, None, None, Ok(())),
            (true, true, Some(false), Some("kvm-clock tsc acpi_pm\n"), Ok(())),
            (false, true, Some(false), Some("arch_sys_counter\n"), Err(NoTsc::OtherArchitecture)),
            (true, false, Some(false), Some("tsc\n"), Err(NoTsc::NotInvariant)),
            (true, true, Some(true), Some("tsc\n"), Err(NoTsc::Forbidden)),
            (true, true, Some(false), Some("hpet acpi_pm \n"), Err(distrusted)),
            (
                true,
                true,
                Some(false),
                Some("tsc-early hpet\n"),
                Err(NoTsc::Distrusted { offered: "tsc-early, hpet".into() }),
            ),
        ] {
            assert_eq!(judge(x86, invariant, fatal, offered), expected, "{offered:?}");
        }
    }
}
