//! The caches, each kind once, and who shares them.
//!
//! Pure, over a [`Source`]. Every CPU lists every cache it can reach, so that one shared by eight
//! CPUs is listed eight times: a cache is told from another by its level, what it holds and who
//! shares it. Source: the kernel's Documentation/ABI/testing/sysfs-devices-system-cpu.

use std::collections::{BTreeMap, BTreeSet};

use record::{Cache, CacheKind};

use crate::{
    cpu_list,
    source::{self, Source},
};

/// Real CPUs reach four or five.
const INDEX_MAX: usize = 16;

/// One cache. No CPU has two of one level and kind, so that its sharers tell it from others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct One {
    level: u8,
    kind: CacheKind,
    size_bytes: u64,
    shared: Vec<usize>,
}

/// The caches of the CPUs given, nearest first.
pub fn caches(source: &dyn Source, online: &[usize]) -> Vec<Cache> {
    let mut seen = BTreeSet::new();
    for &cpu in online {
        seen.extend((0..INDEX_MAX).map_while(|index| one(source, cpu, index)).flatten());
    }
    let mut alike: BTreeMap<(u8, CacheKind, u64, usize), Vec<Vec<usize>>> = BTreeMap::new();
    for One { level, kind, size_bytes, shared } in seen {
        alike.entry((level, kind, size_bytes, shared.len())).or_default().push(shared);
    }
    let cache = |((level, kind, size_bytes, shared_by), groups): (_, Vec<Vec<usize>>)| Cache {
        level,
        kind,
        size_bytes,
        shared_by: count(shared_by),
        instances: count(groups.len()),
        groups,
    };
    alike.into_iter().map(cache).collect()
}

/// The cache of this index: `None` where there is none, `Some(None)` where the kernel hides its
/// size, as it does on many ARM machines whose firmware does not tell.
fn one(source: &dyn Source, cpu: usize, index: usize) -> Option<Option<One>> {
    let file = |name| format!("/sys/devices/system/cpu/cpu{cpu}/cache/index{index}/{name}");
    let level = source::number(source, &file("level"))?;
    let kind = source::word(source, &file("type"));
    let size = source::word(source, &file("size"));
    let shared = source.open(&file("shared_cpu_list")).and_then(|list| cpu_list::parse(list).ok());
    let shared = shared.filter(|cpus| !cpus.is_empty()).unwrap_or_else(|| vec![cpu]);
    let known = kind.as_deref().and_then(kind_of).zip(size.as_deref().and_then(size_bytes));
    Some(known.map(|(kind, size_bytes)| One { level, kind, size_bytes, shared }))
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn kind_of(word: &str) -> Option<CacheKind> {
    match word {
        "Data" => Some(CacheKind::Data),
        "Instruction" => Some(CacheKind::Instruction),
        "Unified" => Some(CacheKind::Unified),
        _ => None,
    }
}

/// `48K` in bytes. The kernel prints whole KiB; the larger units are for bundles written by hand.
fn size_bytes(word: &str) -> Option<u64> {
    let unit = match word.bytes().last()? {
        b'K' => 1 << 10,
        b'M' => 1 << 20,
        b'G' => 1 << 30,
        _ => return word.parse().ok(),
    };
    word[..word.len() - 1].parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bundle;

    #[test]
    fn sizes() {
        let rows = [
            ("48K", Some(48 << 10)),
            ("32M", Some(32 << 20)),
            ("1G", Some(1 << 30)),
            ("512", Some(512)),
            ("K", None),
            ("-1K", None),
            ("18446744073709551615K", None),
            ("4é", None),
            ("", None),
        ];
        for (word, expected) in rows {
            assert_eq!(size_bytes(word), expected, "{word}");
        }
    }

    fn index(cpu: usize, index: usize, [level, kind, size, shared]: [&str; 4]) -> String {
        [("level", level), ("type", kind), ("size", size), ("shared_cpu_list", shared)]
            .map(|(name, value)| {
                format!("=== /sys/devices/system/cpu/cpu{cpu}/cache/index{index}/{name}\n{value}\n")
            })
            .concat()
    }

    #[test]
    fn a_shared_cache_counts_once_and_a_hidden_size_hides_that_cache_only() {
        let text = index(0, 0, ["1", "Data", "32K", "0"])
            + &index(0, 1, ["1", "Instruction", "", "0"])
            + &index(0, 2, ["2", "Unified", "1024K", "0-1"])
            + &index(1, 0, ["1", "Data", "32K", "1"])
            + &index(1, 1, ["1", "Mystery", "32K", "1"])
            + &index(1, 2, ["2", "Unified", "1024K", "0-1"]);
        let found = caches(&Bundle::parse(text.as_bytes()), &[0, 1]);
        let cache = |level, kind, size_bytes, shared_by, groups: Vec<Vec<usize>>| Cache {
            level,
            kind,
            size_bytes,
            shared_by,
            instances: groups.len() as u32,
            groups,
        };
        let expected = [
            cache(1, CacheKind::Data, 32 << 10, 1, vec![vec![0], vec![1]]),
            cache(2, CacheKind::Unified, 1 << 20, 2, vec![vec![0, 1]]),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn without_a_list_of_sharers_a_cache_is_its_own_cpus() {
        let text = index(0, 0, ["1", "Data", "32K", ""]) + &index(1, 0, ["1", "Data", "32K", "x"]);
        let found = caches(&Bundle::parse(text.as_bytes()), &[0, 1]);
        assert_eq!((found[0].shared_by, found[0].instances), (1, 2));
        assert_eq!(found[0].groups, [[0], [1]]);
    }
}
