//! Pairs of CPUs: how near they are to each other, and how they are written.

use record::{CacheKind, LogicalCpu, Machine};

/// `0-1`.
pub(in super::super) fn pair_name([one, other]: [usize; 2]) -> String {
    format!("{one}-{other}")
}

/// Reads what [`pair_name`] wrote.
pub(in super::super) fn pair(text: &str) -> Option<[usize; 2]> {
    let (one, other) = text.split_once('-')?;
    Some([one.parse().ok()?, other.parse().ok()?])
}

/// Eight of them at the most, evenly spread: enough to draw from.
pub(super) fn spread(pairs: &[[usize; 2]]) -> Vec<[usize; 2]> {
    pairs.iter().copied().step_by(pairs.len().div_ceil(8).max(1)).collect()
}

/// All pairs of these CPUs by how near they are to each other: first those whose cores share the
/// last cache, then those of one package, of several packages, and last those of one core, whose
/// two threads are no two CPUs for many purposes. Kinds without a pair are left out.
pub(super) fn by_kind(machine: &Machine, cpus: &[usize]) -> Vec<Vec<[usize; 2]>> {
    let mut kinds: [Vec<[usize; 2]>; 4] = Default::default();
    let of = |cpu: usize| machine.cpus.iter().find(|it| it.cpu == cpu);
    let last = machine.caches.iter().filter(|it| it.kind != CacheKind::Instruction);
    let groups = last.max_by_key(|cache| cache.level).map_or(&[][..], |cache| &cache.groups);
    for (place, &one) in cpus.iter().enumerate() {
        for &other in &cpus[place + 1..] {
            let same = |key: fn(&LogicalCpu) -> Option<u32>| {
                let pair = of(one).and_then(key).zip(of(other).and_then(key));
                pair.is_some_and(|(one, other)| one == other)
            };
            let package = same(|cpu| cpu.package);
            let shares = groups.iter().any(|it| it.contains(&one) && it.contains(&other));
            let kind = match () {
                () if package && same(|cpu| cpu.core) => 3,
                () if shares => 0,
                () if package => 1,
                () => 2,
            };
            kinds[kind].push([one, other]);
        }
    }
    kinds.into_iter().filter(|kind| !kind.is_empty()).collect()
}
