//! How much memory this process may still ask for.

use std::sync::OnceLock;

use record::Limit;

use crate::{Live, Source, cgroup, memory};

/// What the kernel holds to be available to programs without swapping, or the control group's limit
/// where that is less, in bytes; none where neither is known.
///
/// What the group uses already is not subtracted: most of it is cache that it would give back.
pub fn memory_free_bytes() -> Option<u64> {
    // It takes a walk up the groups, and hardly ever changes.
    static LIMIT: OnceLock<Option<u64>> = OnceLock::new();
    let limit = LIMIT.get_or_init(|| limit(&Live));
    [available(&Live), *limit].into_iter().flatten().min()
}

fn available(source: &dyn Source) -> Option<u64> {
    memory::parse(source.open("/proc/meminfo")?)?.available_bytes
}

fn limit(source: &dyn Source) -> Option<u64> {
    match cgroup::limits(source).memory_max_bytes {
        Some(Limit::At(bytes)) => Some(bytes),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bundle;

    #[test]
    fn the_kernels_word_and_the_groups_limit_are_read() {
        let bundle = Bundle::parse(
            "=== /proc/meminfo\nMemTotal: 9000 kB\nMemAvailable: 2048 kB\n\
             === /proc/self/cgroup\n0::/a\n\
             === /proc/self/mountinfo\n\
             30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n\
             === /sys/fs/cgroup/a/cgroup.procs\n1\n\
             === /sys/fs/cgroup/a/memory.max\n1048576\n"
                .as_bytes(),
        );
        assert_eq!((available(&bundle), limit(&bundle)), (Some(2 << 20), Some(1 << 20)));
        assert_eq!((available(&Bundle::default()), limit(&Bundle::default())), (None, None));
        assert!(memory_free_bytes().is_none_or(|bytes| bytes > 0));
    }
}
