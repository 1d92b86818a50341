//! How much CPU time the control group grants.
//!
//! Pure, over a [`Source`]. Every group from the process's own up to the root of what is mounted
//! may set a limit, and the smallest wins. Inside a container the root that can be seen is usually
//! the container's own group: a limit above it is invisible, and is not reported.
//! Source: cgroups(7), cgroup_namespaces(7), the kernel's Documentation/admin-guide/cgroup-v2.rst
//! and Documentation/scheduler/sched-bwc.rst.

use record::CpuQuota;

use crate::{
    mountinfo::{self, Mount},
    source::{self, Source},
};

/// The kernel's longest path (PATH_MAX). What claims to be longer is not walked up.
const PATH_BYTES_MAX: usize = 4096;

/// The kernel's default period, where cpu.max names none.
const PERIOD_US_DEFAULT: f64 = 100_000.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// The quota of this process; `None` where its group cannot be seen.
pub fn quota(source: &dyn Source) -> Option<CpuQuota> {
    let groups = source::text(source, "/proc/self/cgroup")?;
    let (version, group) = own_group(&groups)?;
    let mounts = mountinfo::parse(source.open("/proc/self/mountinfo")?);
    // The newest mount first: it hides an older one at the same place.
    let mut mounts = mounts.iter().rev().filter(|mount| holds_cpu(mount, version));
    mounts.find_map(|mount| {
        let below = below(&mount.root, group)?;
        // Every group has this file. Without it the group is hidden, and so would its limit be.
        source.open(&format!("{}{below}/cgroup.procs", mount.point))?;
        Some(smallest_limit(source, version, &mount.point, below))
    })
}

/// The hierarchy that has the CPU controller, and the process's group in it.
///
/// A controller is in one hierarchy only: where a v1 one has it, the v2 one beside it has not.
fn own_group(text: &str) -> Option<(Version, &str)> {
    let mut unified = None;
    for line in text.lines() {
        // hierarchy:controllers:path, and the path may hold colons.
        let mut parts = line.splitn(3, ':');
        let (Some(hierarchy), Some(controllers), Some(path)) =
            (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        if controllers.split(',').any(|controller| controller == "cpu") {
            return Some((Version::One, path));
        }
        if hierarchy == "0" && controllers.is_empty() {
            unified = Some((Version::Two, path));
        }
    }
    unified
}

fn holds_cpu(mount: &Mount, version: Version) -> bool {
    match version {
        Version::One => {
            mount.filesystem == "cgroup" && mount.options.iter().any(|option| option == "cpu")
        }
        Version::Two => mount.filesystem == "cgroup2",
    }
}

/// Where a group lies below a mount of `root`: empty, or a path with a slash before it.
///
/// A group outside the mount, or outside the namespace (its path climbs with `..`), has no place.
fn below<'a>(root: &str, group: &'a str) -> Option<&'a str> {
    let rest = group.strip_prefix(root.trim_end_matches('/'))?.trim_end_matches('/');
    let inside = rest.is_empty() || rest.starts_with('/');
    let climbs = root.split('/').chain(rest.split('/')).any(|name| name == "..");
    (inside && !climbs && rest.len() < PATH_BYTES_MAX).then_some(rest)
}

fn smallest_limit(source: &dyn Source, version: Version, point: &str, below: &str) -> CpuQuota {
    let mut smallest = f64::INFINITY;
    let mut below = below;
    loop {
        let limit = limit(source, version, &format!("{point}{below}"));
        smallest = smallest.min(limit.unwrap_or(f64::INFINITY));
        match below.rfind('/') {
            Some(slash) => below = &below[..slash],
            None => break,
        }
    }
    if smallest.is_finite() { CpuQuota::Cpus(smallest) } else { CpuQuota::Unlimited }
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
    use crate::Bundle;

    #[test]
    fn own_groups() {
        let rows = [
            ("0::/a/b\n", Some((Version::Two, "/a/b"))),
            ("4:cpuacct,cpu:/x\n0::/y\n", Some((Version::One, "/x"))),
            ("0::/y\n4:cpuset:/x\n", Some((Version::Two, "/y"))),
            ("0::/a:b\n", Some((Version::Two, "/a:b"))),
            ("1:name=systemd:/\n", None),
            ("nonsense\n", None),
        ];
        for (text, expected) in rows {
            assert_eq!(own_group(text), expected, "{text}");
        }
    }

    #[test]
    fn places_below_a_mount() {
        let rows = [
            ("/", "/", Some("")),
            ("/", "/a/b", Some("/a/b")),
            ("/docker/7f", "/docker/7f", Some("")),
            ("/docker/7f", "/docker/7f/init", Some("/init")),
            ("/docker/7f", "/docker/7f0", None),
            ("/docker/7f", "/", None),
            ("/", "/../other", None),
            ("/..", "/../other", None),
        ];
        for (root, group, expected) in rows {
            assert_eq!(below(root, group), expected, "{root} {group}");
        }
    }

    #[test]
    fn a_path_longer_than_the_kernels_has_no_place() {
        assert_eq!(below("/", &"/a".repeat(PATH_BYTES_MAX)), None);
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

    const V2: &str = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate";

    fn of(group: &str, mount: &str, files: &[(&str, &str)]) -> Option<CpuQuota> {
        let mut text =
            format!("=== /proc/self/cgroup\n{group}\n=== /proc/self/mountinfo\n{mount}\n");
        for (path, content) in files {
            text += &format!("=== /sys/fs/cgroup{path}\n{content}\n");
        }
        quota(&Bundle::parse(text.as_bytes()))
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
    fn a_group_that_cannot_be_seen_is_unknown() {
        let files = [("/cpu.max", "50000 100000")];
        assert_eq!(of("0::/a", V2, &files), None);
        assert_eq!(of("0::/../a", V2, &[("/../a/cgroup.procs", "1")]), None);
        assert_eq!(of("0::/a", "22 27 0:21 / /proc rw - proc proc rw", &files), None);
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
