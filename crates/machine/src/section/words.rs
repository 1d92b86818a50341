//! Numbers, amounts and sets of CPUs in words.

use std::fmt::Display;

use crate::cpu_list_text;

/// Said of what could not be found out.
pub(super) const UNKNOWN: &str = "not known";

/// A set of CPUs longer than this is cut: a row should fit a line or two.
const SET_LETTERS_MAX: usize = 32;

/// Of more sets than this, the first two and the last are shown.
const SETS_MAX: usize = 4;

pub(super) fn known(value: Option<impl Display>) -> String {
    value.map_or(UNKNOWN.into(), |value| value.to_string())
}

pub(super) fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// A cache's size: whole KiB or MiB.
pub(super) fn cache_size(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 20 && b % (1 << 20) == 0 => format!("{} MiB", b >> 20),
        b => format!("{} KiB", b >> 10),
    }
}

/// An amount of memory in its largest unit, with a decimal from 1 GiB on.
pub(super) fn memory(bytes: u64) -> String {
    let gib = bytes as f64 / f64::from(1 << 30);
    match bytes {
        b if b >= 1 << 40 => format!("{:.1} TiB", gib / 1024.0),
        b if b >= 1 << 30 => format!("{gib:.1} GiB"),
        b if b >= 1 << 20 => format!("{:.0} MiB", gib * 1024.0),
        b => format!("{} KiB", b >> 10),
    }
}

/// `0-3,8`; a set that is too long to read is cut: `0,2,4 ... 126`.
pub(super) fn set(cpus: &[usize]) -> String {
    let text = cpu_list_text(cpus);
    let last = match cpus.last() {
        Some(last) if text.len() > SET_LETTERS_MAX => last,
        Some(_) => return text,
        None => return "none".into(),
    };
    let runs: Vec<&str> = text.splitn(4, ',').take(3).collect();
    format!("{} ... {last}", runs.join(","))
}

/// `0,4 | 1,5`; of many sets the first two and the last.
pub(super) fn sets<'a>(groups: impl IntoIterator<Item = &'a Vec<usize>>) -> String {
    let groups: Vec<&Vec<usize>> = groups.into_iter().collect();
    let shown: Vec<String> = match groups.as_slice() {
        [first, second, .., last] if groups.len() > SETS_MAX => {
            vec![set(first), set(second), "...".into(), set(last)]
        }
        all => all.iter().map(|group| set(group)).collect(),
    };
    shown.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_memory() {
        let rows = [
            (0, "0 KiB"),
            (4096, "4 KiB"),
            (512 << 20, "512 MiB"),
            (3 << 29, "1.5 GiB"),
            (24_684_092 << 10, "23.5 GiB"),
            (3 << 39, "1.5 TiB"),
        ];
        for (bytes, expected) in rows {
            assert_eq!(memory(bytes), expected);
        }
    }

    #[test]
    fn sets_stay_readable() {
        let even: Vec<usize> = (0..128).step_by(2).collect();
        let rows = [
            (vec![], "none"),
            (vec![0], "0"),
            ((0..64).collect(), "0-63"),
            ((0..16).chain(64..80).collect(), "0-15,64-79"),
            (even, "0,2,4 ... 126"),
        ];
        for (cpus, expected) in rows {
            assert_eq!(set(&cpus), expected);
        }
    }

    #[test]
    fn many_sets_are_told_by_the_first_and_the_last() {
        let pairs: Vec<Vec<usize>> = (0..64).map(|cpu| vec![cpu, cpu + 64]).collect();
        assert_eq!(sets(&pairs), "0,64 | 1,65 | ... | 63,127");
        assert_eq!(sets(&pairs[..4]), "0,64 | 1,65 | 2,66 | 3,67");
        let interleaved: Vec<Vec<usize>> =
            (0..4).map(|first| (first..256).step_by(4).collect()).collect();
        assert!(sets(&interleaved).len() < 80, "{}", sets(&interleaved));
    }
}
