//! What a single question lets one choose: checked against this machine, before it is measured.

use std::collections::BTreeSet;

use measure::{
    clock::{CHOOSE_CLOCKS, CHOOSE_THREADS},
    switch::{
        CHOOSE_PAIRS, CHOOSE_QUICK, CHOOSE_WORKING_SETS, PAGE_BYTES, SET_BYTES_MAX, memory_bytes,
    },
};
use record::{Choices, Quantity, Unit};

use crate::{failure::Failure, words::SwitchWords};

/// Which clocks, and how many threads, each once and in order; a thread has a CPU of its own.
///
/// # Errors
/// Where there are too few CPUs.
pub fn of_clock(clocks: Vec<String>, threads: &[String], cpus: usize) -> Result<Choices, Failure> {
    let mut counts = BTreeSet::new();
    for text in threads {
        let count = text.parse().ok().filter(|count| (2..=cpus).contains(count));
        counts.insert(count.ok_or_else(|| {
            let right = match cpus {
                1 => "this run may use one CPU, and two threads need two".to_owned(),
                _ => format!("give numbers from 2 to {cpus}, the CPUs that this run may use"),
            };
            Failure::wrong(format!("--threads {text}: {right}"))
        })?);
    }
    let mut choices = Choices::new();
    if !clocks.is_empty() {
        choices.insert(CHOOSE_CLOCKS.to_owned(), clocks);
    }
    if !counts.is_empty() {
        let counts = counts.iter().map(ToString::to_string).collect();
        choices.insert(CHOOSE_THREADS.to_owned(), counts);
    }
    Ok(choices)
}

/// Which working sets and which pairs of CPUs, each once.
///
/// # Errors
/// Where a set finds no memory, or a pair is none of the CPUs that the run may use.
pub fn of_switch(words: &SwitchWords, cpus: &[usize]) -> Result<Choices, Failure> {
    let mut choices = Choices::new();
    if words.quick {
        choices.insert(CHOOSE_QUICK.to_owned(), Vec::new());
    }
    let mut sets = BTreeSet::new();
    for text in &words.working_set {
        if !sets.insert(working_set(text)?) {
            return Err(Failure::wrong(format!("--working-set {text}: named twice")));
        }
    }
    if !sets.is_empty() {
        let sets = sets.iter().map(ToString::to_string).collect();
        choices.insert(CHOOSE_WORKING_SETS.to_owned(), sets);
    }
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    for text in &words.pairs {
        let [one, other] = pair(text, cpus)?;
        if pairs.iter().any(|it| *it == [one, other] || *it == [other, one]) {
            return Err(Failure::wrong(format!("--pairs {text}: named twice")));
        }
        pairs.push([one, other]);
    }
    if !pairs.is_empty() {
        let pairs = pairs.iter().map(|[one, other]| format!("{one}-{other}")).collect();
        choices.insert(CHOOSE_PAIRS.to_owned(), pairs);
    }
    Ok(choices)
}

/// The units that a size may have, and what each is worth.
const UNITS: [(&str, u64); 5] =
    [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1), ("", 1)];

/// A working set in bytes: whole pages, for which both sides together find memory.
fn working_set(text: &str) -> Result<u64, Failure> {
    let wrong = |why: String| Failure::wrong(format!("--working-set {text}: {why}"));
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = UNITS.iter().find(|(unit, _)| *unit == &text[digits.len()..]);
    let bytes = unit.zip(digits.trim().parse::<u64>().ok());
    let page = PAGE_BYTES as u64;
    let bytes = bytes
        .and_then(|((_, worth), count)| count.checked_mul(*worth))
        .filter(|bytes| *bytes > 0 && bytes.is_multiple_of(page))
        .ok_or_else(|| {
            wrong(format!(
                "give a whole number of KiB, MiB or GiB, as in 512KiB, in whole pages of {page} \
                 bytes"
            ))
        })?;
    let wanted = memory_bytes(usize::try_from(bytes).unwrap_or(usize::MAX)) as u64;
    let free = machine::memory_free_bytes().unwrap_or(u64::MAX);
    let shown = |bytes: u64| Quantity::new(bytes as f64, Unit::Bytes);
    // Half of it, because others live here too.
    if wanted > free / 2 {
        return Err(wrong(format!(
            "two sides of it take {}; of the {} that are free here a run takes half at most",
            shown(wanted),
            shown(free)
        )));
    }
    // A turn through more than this takes longer than a trial may.
    if bytes > SET_BYTES_MAX as u64 {
        return Err(wrong(format!("a set is {} at most", shown(SET_BYTES_MAX as u64))));
    }
    Ok(bytes)
}

fn pair(text: &str, cpus: &[usize]) -> Result<[usize; 2], Failure> {
    let may = machine::cpu_list_text(cpus);
    let wrong = |why: String| Failure::wrong(format!("--pairs {text}: {why}"));
    let numbers = text.split_once('-').and_then(|(one, other)| {
        let number = |text: &str| text.trim().parse::<usize>().ok();
        Some([number(one)?, number(other)?])
    });
    let [one, other] = numbers.ok_or_else(|| wrong("give two CPUs, as in 0-1".to_owned()))?;
    if one == other {
        return Err(wrong("a pair is two CPUs".to_owned()));
    }
    match [one, other].iter().find(|cpu| !cpus.contains(cpu)) {
        Some(cpu) => {
            Err(wrong(format!("CPU {cpu} is none of those that this run may use ({may})")))
        }
        None => Ok([one, other]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(failure: &Failure) -> String {
        format!("{failure:?}")
    }

    #[test]
    fn working_sets_are_sizes_of_whole_pages() {
        for (text, bytes) in
            [("512KiB", 524_288), ("1MiB", 1 << 20), ("4096", 4096), ("8192B", 8192)]
        {
            assert_eq!(working_set(text).map_err(|it| line(&it)), Ok(bytes), "{text}");
        }
        for text in
            ["512", "0", "", "KiB", "1.5MiB", "-4KiB", "512kb", "99999999999999GiB", "4KiBx"]
        {
            assert!(line(&working_set(text).unwrap_err()).contains("as in 512KiB"), "{text}");
        }
        let refused = line(&working_set("4194304GiB").unwrap_err());
        assert!(refused.contains("free here"), "{refused}");
        // Where there is less memory, that is told first.
        let refused = line(&working_set("2GiB").unwrap_err());
        assert!(refused.contains("at most"), "{refused}");
    }

    #[test]
    fn pairs_are_two_permitted_cpus_once() {
        let words = |pairs: &[&str]| SwitchWords {
            pairs: pairs.iter().map(|it| (*it).to_owned()).collect(),
            ..SwitchWords::default()
        };
        let chosen = of_switch(&words(&["0-3", "1-2"]), &[0, 1, 2, 3]).map_err(|it| line(&it));
        assert_eq!(chosen.unwrap()[CHOOSE_PAIRS], ["0-3", "1-2"]);
        for (pairs, said) in [
            (&["0-1", "1-0"][..], "named twice"),
            (&["0-9"], "CPU 9"),
            (&["1-1"], "two CPUs"),
            (&["0"], "as in 0-1"),
            (&["0-1-2"], "as in 0-1"),
            (&["a-b"], "as in 0-1"),
        ] {
            let refused = of_switch(&words(pairs), &[0, 1, 2, 3]).unwrap_err();
            assert!(line(&refused).contains(said), "{pairs:?}");
        }
    }
}
