//! The pids controller: so many tasks, which are processes and threads alike.
//!
//! Source: cgroup-v1/pids.rst; cgroup-v2.rst, "pids.max". Both versions write it alike.

use record::Limit;

use super::{Group, smallest_number};
use crate::Source;

/// How many tasks the group may have.
pub(super) fn max(source: &dyn Source, group: &Group) -> Limit {
    smallest_number(source, group, "pids.max")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cgroup::tests::{V2, limits_of};

    #[test]
    fn both_versions_write_it_alike() {
        let v1 = "40 31 0:36 / /sys/fs/cgroup rw,relatime - cgroup cgroup rw,pids";
        let rows = [
            ("max", "max", Limit::Unlimited),
            ("max", "4915", Limit::At(4915)),
            ("100", "4915", Limit::At(100)),
            ("", "x", Limit::Unlimited),
        ];
        for (own, parent, expected) in rows {
            let files = [("/a/cgroup.procs", "1"), ("/a/pids.max", own), ("/pids.max", parent)];
            for (group, mount) in [("0::/a", V2), ("8:pids:/a", v1)] {
                let found = limits_of(group, mount, &files).tasks_max;
                assert_eq!(found, Some(expected), "{group} {own} {parent}");
            }
        }
    }
}
