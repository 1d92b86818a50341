//! The memory controller: so many bytes, or the group is slowed down, or some of it is killed.
//!
//! Source: cgroup-v2.rst, "memory.max" and "memory.high"; cgroup-v1/memory.rst, "limit_in_bytes",
//! "use_hierarchy" and "hierarchical_memory_limit".

use record::Limit;

use super::{Group, Version, smallest, smallest_number};
use crate::source::{self, Source};

/// Version 1 has no word for "no limit": it prints the largest number of pages, in bytes. This one
/// is of pages of 64 KiB, and smaller pages make it larger; before Linux 3.19 it was larger still.
const UNLIMITED_BYTES_MIN: u64 = i64::MAX as u64 / (64 << 10) * (64 << 10);

/// The same on 32-bit machines, where pages are counted in 31 bits.
const UNLIMITED_BYTES_32: u64 = i32::MAX as u64 * 4096;

/// Beyond this, processes of the group are killed.
pub(super) fn max_bytes(source: &dyn Source, group: &Group) -> Limit {
    match group.version {
        Version::One => max_bytes_v1(source, group),
        Version::Two => smallest_number(source, group, "memory.max"),
    }
}

/// Beyond this, the group is slowed down and made to give memory back. Version 1 has nothing alike:
/// its soft limit binds only while the whole machine lacks memory.
pub(super) fn high_bytes(source: &dyn Source, group: &Group) -> Limit {
    match group.version {
        Version::One => Limit::Unlimited,
        Version::Two => smallest_number(source, group, "memory.high"),
    }
}

fn max_bytes_v1(source: &dyn Source, group: &Group) -> Limit {
    // A group above counts what is below it only where it is told to, as every one is since 5.11.
    let counts = |(step, folder): &(usize, String)| {
        *step == 0 || source::number(source, &format!("{folder}/memory.use_hierarchy")) != Some(0u8)
    };
    let folders = group.folders().enumerate().take_while(counts);
    let limits = folders.filter_map(|(_, folder)| {
        source::number(source, &format!("{folder}/memory.limit_in_bytes"))
    });
    let limits = limits.chain(hierarchical(source, group));
    smallest(limits.filter(|&bytes| !is_unlimited(bytes))).map_or(Limit::Unlimited, Limit::At)
}

/// What the kernel itself takes for the smallest: it sees the groups above the container too.
fn hierarchical(source: &dyn Source, group: &Group) -> Option<u64> {
    let stat = source::text(source, &format!("{}/memory.stat", group.folder()))?;
    let value = |line: &str| line.strip_prefix("hierarchical_memory_limit ")?.parse().ok();
    stat.lines().find_map(value)
}

fn is_unlimited(bytes: u64) -> bool {
    bytes >= UNLIMITED_BYTES_MIN || bytes == UNLIMITED_BYTES_32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cgroup::tests::{V2, limits_of};

    const V1: &str = "36 35 0:31 / /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory";
    const NONE: &str = "9223372036854771712";

    #[test]
    fn no_limit_is_the_largest_number_of_pages() {
        let rows = [
            (9_223_372_036_854_771_712, true),
            (9_223_372_036_854_710_272, true),
            (9_223_372_036_854_775_807, true),
            (u64::MAX, true),
            (8_796_093_018_112, true),
            (8_796_093_022_208, false),
            (1 << 62, false),
            (0, false),
        ];
        for (bytes, expected) in rows {
            assert_eq!(is_unlimited(bytes), expected, "{bytes}");
        }
    }

    #[test]
    fn version_2_limits_on_the_way_up() {
        let rows = [
            ("max", "max", Limit::Unlimited),
            ("max", "1048576", Limit::At(1 << 20)),
            ("4096", "1048576", Limit::At(4096)),
            ("2097152", "1048576", Limit::At(1 << 20)),
            ("0", "max", Limit::At(0)),
            ("-1", "nonsense", Limit::Unlimited),
        ];
        for (own, parent, expected) in rows {
            let files = [
                ("/a/cgroup.procs", "1"),
                ("/a/memory.max", own),
                ("/a/memory.high", parent),
                ("/memory.max", parent),
                ("/memory.high", own),
            ];
            let limits = limits_of("0::/a", V2, &files);
            assert_eq!(limits.memory_max_bytes, Some(expected), "{own}, {parent}");
            assert_eq!(limits.memory_high_bytes, Some(expected), "{own}, {parent}");
        }
    }

    #[test]
    fn version_1_limits_on_the_way_up() {
        let rows = [
            (NONE, NONE, "1", Limit::Unlimited),
            (NONE, "1048576", "1", Limit::At(1 << 20)),
            ("4096", "1048576", "1", Limit::At(4096)),
            // The parent counts its own processes only.
            (NONE, "1048576", "0", Limit::Unlimited),
            ("2097152", "1048576", "0", Limit::At(2 << 20)),
        ];
        for (own, parent, hierarchy, expected) in rows {
            let files = [
                ("/memory/a/cgroup.procs", "1"),
                ("/memory/a/memory.limit_in_bytes", own),
                ("/memory/a/memory.use_hierarchy", "0"),
                ("/memory/memory.limit_in_bytes", parent),
                ("/memory/memory.use_hierarchy", hierarchy),
            ];
            let limits = limits_of("4:memory:/a", V1, &files);
            assert_eq!(limits.memory_max_bytes, Some(expected), "{own}, {parent}, {hierarchy}");
            assert_eq!(limits.memory_high_bytes, Some(Limit::Unlimited));
        }
    }

    #[test]
    fn the_kernels_own_sum_sees_above_the_container() {
        let files = [
            ("/memory/cgroup.procs", "1"),
            ("/memory/memory.limit_in_bytes", NONE),
            ("/memory/memory.stat", "cache 0\nhierarchical_memory_limit 536870912\nrss 1"),
        ];
        let limits = limits_of("4:memory:/", V1, &files);
        assert_eq!(limits.memory_max_bytes, Some(Limit::At(512 << 20)));
    }
}
