//! What the control groups grant this process: CPU time, memory, tasks.
//!
//! Pure, over a [`Source`]. Every group from the process's own up to the root of what is mounted
//! may set a limit, and the smallest wins. Inside a container the root that can be seen is usually
//! the container's own group: a limit above it is invisible, and is not reported. In version 1
//! every controller may have a hierarchy of its own, with other groups and another mount.
//! Not here: how each controller writes its limits; that is in a file per controller.
//! Source: cgroups(7), cgroup_namespaces(7), the kernel's Documentation/admin-guide/cgroup-v2.rst
//! and cgroup-v1/.

mod cpu;
mod memory;
mod pids;

use std::iter::successors;

use record::{CpuQuota, Limit};

use crate::{
    mountinfo::{self, Mount},
    source::{self, Source},
};

/// The kernel's longest path (PATH_MAX). What claims to be longer is not walked up.
const PATH_BYTES_MAX: usize = 4096;

/// What the groups grant; `None` each where the group can't be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// CPU time.
    pub cpu_quota: Option<CpuQuota>,
    /// Memory beyond which processes are killed.
    pub memory_max_bytes: Option<Limit>,
    /// Memory beyond which they are slowed down; version 2 only.
    pub memory_high_bytes: Option<Limit>,
    /// Threads and processes.
    pub tasks_max: Option<Limit>,
}

/// The limits of this process.
pub fn limits(source: &dyn Source) -> Limits {
    let Some(groups) = Groups::read(source) else { return Limits::default() };
    let memory = groups.group(source, "memory");
    Limits {
        cpu_quota: groups.group(source, "cpu").map(|group| cpu::quota(source, &group)),
        memory_max_bytes: memory.as_ref().map(|group| memory::max_bytes(source, group)),
        memory_high_bytes: memory.as_ref().map(|group| memory::high_bytes(source, group)),
        tasks_max: groups.group(source, "pids").map(|group| pids::max(source, &group)),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// The process's groups in all hierarchies, and where those are mounted.
struct Groups {
    own: String,
    mounts: Vec<Mount>,
}

impl Groups {
    fn read(source: &dyn Source) -> Option<Groups> {
        let own = source::text(source, "/proc/self/cgroup")?;
        let mounts = mountinfo::parse(source.open("/proc/self/mountinfo")?);
        Some(Groups { own, mounts })
    }

    /// The group that this controller puts the process in; `None` where it can't be seen.
    fn group(&self, source: &dyn Source, controller: &str) -> Option<Group> {
        let (version, path) = own_group(&self.own, controller)?;
        // The newest mount first: it hides an older one at the same place.
        let mut mounts = self.mounts.iter().rev().filter(|it| holds(it, version, controller));
        mounts.find_map(|mount| {
            let below = below(&mount.root, path)?;
            let group = Group { version, point: mount.point.clone(), below: below.to_owned() };
            // Every group has this file. Without it the group is hidden, and so would its limit be.
            source.open(&format!("{}/cgroup.procs", group.folder()))?;
            Some(group)
        })
    }
}

/// One group that can be seen.
struct Group {
    version: Version,
    /// Where its hierarchy is mounted.
    point: String,
    /// Where it lies below that: empty, or a path with a slash before it.
    below: String,
}

impl Group {
    fn folder(&self) -> String {
        format!("{}{}", self.point, self.below)
    }

    /// Its own folder and those of the groups above it, as far as they can be seen.
    fn folders(&self) -> impl Iterator<Item = String> {
        let places = successors(Some(self.below.as_str()), |below| {
            let below: &str = below;
            below.rfind('/').map(|slash| &below[..slash])
        });
        places.map(|below| format!("{}{below}", self.point))
    }
}

/// The smallest of the limits that groups set, if any does.
fn smallest<N: PartialOrd>(limits: impl Iterator<Item = N>) -> Option<N> {
    limits.reduce(|smallest, limit| if limit < smallest { limit } else { smallest })
}

/// The smallest number that a file of this name holds on the way up; `max`, which stands for no
/// limit, is none.
fn smallest_number(source: &dyn Source, group: &Group, name: &str) -> Limit {
    let number = |folder: String| source::number(source, &format!("{folder}/{name}"));
    smallest(group.folders().filter_map(number)).map_or(Limit::Unlimited, Limit::At)
}

/// The hierarchy that has the controller, and the process's group in it.
///
/// A controller is in one hierarchy only: where a v1 one has it, the v2 one beside it has not.
fn own_group<'a>(text: &'a str, controller: &str) -> Option<(Version, &'a str)> {
    let mut unified = None;
    for line in text.lines() {
        // hierarchy:controllers:path, and the path may hold colons.
        let mut parts = line.splitn(3, ':');
        let (Some(hierarchy), Some(controllers), Some(path)) =
            (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        if controllers.split(',').any(|it| it == controller) {
            return Some((Version::One, path));
        }
        if hierarchy == "0" && controllers.is_empty() {
            unified = Some((Version::Two, path));
        }
    }
    unified
}

fn holds(mount: &Mount, version: Version, controller: &str) -> bool {
    match version {
        Version::One => {
            mount.filesystem == "cgroup" && mount.options.iter().any(|option| option == controller)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bundle;

    pub(super) const V2: &str = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate";

    /// The limits of a process in these groups, of these mounts, with files below /sys/fs/cgroup.
    pub(super) fn limits_of(groups: &str, mounts: &str, files: &[(&str, &str)]) -> Limits {
        let mut text =
            format!("=== /proc/self/cgroup\n{groups}\n=== /proc/self/mountinfo\n{mounts}\n");
        for (path, content) in files {
            text += &format!("=== /sys/fs/cgroup{path}\n{content}\n");
        }
        limits(&Bundle::parse(text.as_bytes()))
    }

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
            assert_eq!(own_group(text, "cpu"), expected, "{text}");
        }
    }

    #[test]
    fn each_controller_of_version_1_has_a_group_of_its_own() {
        let text = "8:pids:/p\n4:memory:/m\n1:cpu,cpuacct:/c\n";
        let rows = [("pids", "/p"), ("memory", "/m"), ("cpu", "/c")];
        for (controller, group) in rows {
            assert_eq!(own_group(text, controller), Some((Version::One, group)), "{controller}");
        }
        assert_eq!(own_group(text, "io"), None);
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
    fn the_way_up_ends_at_the_mount() {
        let rows: [(&str, &[&str]); 2] = [("", &["/m"]), ("/a/b", &["/m/a/b", "/m/a", "/m"])];
        for (below, expected) in rows {
            let below = below.to_owned();
            let group = Group { version: Version::Two, point: "/m".to_owned(), below };
            assert_eq!(group.folders().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_group_that_cannot_be_seen_is_unknown() {
        let files = [("/cpu.max", "50000 100000"), ("/memory.max", "4096"), ("/pids.max", "9")];
        let elsewhere = "22 27 0:21 / /proc rw - proc proc rw";
        assert_eq!(limits_of("0::/a", V2, &files), Limits::default());
        assert_eq!(limits_of("0::/a", elsewhere, &files), Limits::default());
        let climbing = [("/../a/cgroup.procs", "1")];
        assert_eq!(limits_of("0::/../a", V2, &climbing), Limits::default());
    }
}
