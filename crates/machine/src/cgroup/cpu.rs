//! The CPU controller: so much CPU time in each period.
//!
//! Source: Documentation/scheduler/sched-bwc.rst; cgroup-v2.rst, "cpu.max".

use record::CpuQuota;

use super::{Group, Version, smallest};
use crate::source::{self, Source};

/// The kernel's default period, where cpu.max names none.
const PERIOD_US_DEFAULT: f64 = 100_000.0;

/// How much CPU time the group grants.
pub(super) fn quota(source: &dyn Source, group: &Group) -> CpuQuota {
    let limit = |folder: String| limit(source, group.version, &folder);
    smallest(group.folders().filter_map(limit)).map_or(CpuQuota::Unlimited, CpuQuota::Cpus)
}

/// The limit that one group sets, in CPUs; `None` where it sets none.
fn limit(source: &dyn Source, version: Version, folder: &str) -> Option<f64> {
    match version {
        Version::One => {
            // -1 stands for no limit.
            let quota_us = source::number(source, &format!("{folder}/cpu.cfs_quota_us"))?;
            let period_us = source::number(source, &format!("{folder}/cpu.cfs_period_us"))?;
            cpus(quota_us, period_us)
        }
        Version::Two => cpu_max(&source::word(source, &format!("{folder}/cpu.max"))?),
    }
}

/// `150000 100000`: microseconds of CPU time in each period of microseconds.
fn cpu_max(text: &str) -> Option<f64> {
    let mut words = text.split_whitespace();
    // No limit is the word max, which is no number.
    let quota_us = words.next()?.parse::<u64>().ok()?;
    match words.next() {
        Some(period_us) => cpus(quota_us as f64, period_us.parse::<u64>().ok()? as f64),
        None => cpus(quota_us as f64, PERIOD_US_DEFAULT),
    }
}

fn cpus(quota_us: f64, period_us: f64) -> Option<f64> {
    let cpus = quota_us / period_us;
    (cpus.is_finite() && cpus > 0.0).then_some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cgroup::tests::{V2, limits_of};

    fn of(group: &str, mount: &str, files: &[(&str, &str)]) -> Option<CpuQuota> {
        limits_of(group, mount, files).cpu_quota
    }

    #[test]
    fn cpu_max_texts() {
        let rows = [
            ("150000 100000", Some(1.5)),
            ("50000", Some(0.5)),
            ("max 100000", None),
            ("100000 0", None),
            ("0 100000", None),
            ("-1 100000", None),
            ("1 x", None),
        ];
        for (text, expected) in rows {
            assert_eq!(cpu_max(text), expected, "{text}");
        }
    }

    #[test]
    fn the_smallest_limit_on_the_way_up_wins() {
        let rows = [
            ("max 100000", "200000 100000", CpuQuota::Cpus(2.0)),
            ("100000 100000", "200000 100000", CpuQuota::Cpus(1.0)),
            ("300000 100000", "200000 100000", CpuQuota::Cpus(2.0)),
            ("max 100000", "max 100000", CpuQuota::Unlimited),
        ];
        for (own, parent, expected) in rows {
            let files = [("/a/b/cgroup.procs", "1"), ("/a/b/cpu.max", own), ("/a/cpu.max", parent)];
            assert_eq!(of("0::/a/b", V2, &files), Some(expected), "{own}, {parent}");
        }
    }

    #[test]
    fn a_group_without_the_controller_has_its_parents_limit() {
        let files = [("/a/b/cgroup.procs", "1"), ("/cpu.max", "50000 100000")];
        assert_eq!(of("0::/a/b", V2, &files), Some(CpuQuota::Cpus(0.5)));
    }

    #[test]
    fn a_container_on_v1_finds_its_group_at_the_mount_itself() {
        let mount = "36 35 0:31 /docker/7f /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu";
        let files = [
            ("/cpu/cgroup.procs", "1"),
            ("/cpu/cpu.cfs_quota_us", "25000"),
            ("/cpu/cpu.cfs_period_us", "50000"),
        ];
        assert_eq!(of("3:cpu:/docker/7f", mount, &files), Some(CpuQuota::Cpus(0.5)));
    }
}
