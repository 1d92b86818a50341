//! What others measured.

use record::Reference;

const SOURCE: &str = "B. Sigoure, How long does it take to make a context switch? (2010-2013)";

/// Machine and year; then nanoseconds per switch by futex: of processes that were not pinned, of
/// processes on one CPU, and of threads on one CPU. The published program took it that each of its
/// round trips makes four switches.
const PUBLISHED: [(&str, u16, [f64; 3]); 6] = [
    ("Xeon 5150", 2010, [4300.0, 1900.0, 1700.0]),
    ("Xeon E5440", 2010, [3600.0, 1300.0, 1100.0]),
    ("Xeon E5520", 2010, [4500.0, 1400.0, 1300.0]),
    ("Xeon X5550", 2011, [3000.0, 1300.0, 1100.0]),
    ("Xeon L5630", 2011, [3000.0, 1600.0, 1400.0]),
    ("Xeon E5-2620", 2013, [3000.0, 1600.0, 1300.0]),
];

/// The columns above, by the case they are of.
const COLUMNS: [&str; 3] =
    ["futex.process.free", "futex.process.same_cpu", "futex.thread.same_cpu"];

/// The references of a ping-pong; empty where nobody's is known.
pub(super) fn of_case(case: &str) -> Vec<Reference> {
    let Some(column) = COLUMNS.iter().position(|it| *it == case) else { return Vec::new() };
    PUBLISHED
        .iter()
        .map(|(machine, year, values)| reference(machine, *year, values[column]))
        .collect()
}

/// A page write, in nanoseconds, by how large a set is; of a CPU with 32 KiB of L1d and 256 KiB of
/// L2.
pub(super) fn of_page_write(set_bytes: usize) -> Vec<Reference> {
    const L1: usize = 32 << 10;
    const L2: usize = 256 << 10;
    const FAR: usize = 1 << 20;
    let value = match set_bytes {
        within if within <= L1 => 130.0,
        within if within <= L2 => 180.0,
        within if within <= FAR => return Vec::new(),
        _ => 750.0,
    };
    vec![reference("Nehalem", 2010, value)]
}

/// What a switch with a working set was said to cost in the worst case.
pub(super) fn rule_of_thumb() -> Reference {
    reference("rule of thumb, worst case", 2010, 30_000.0)
}

fn reference(machine: &str, year: u16, value: f64) -> Reference {
    Reference { machine: machine.to_owned(), year, value, source: SOURCE.to_owned() }
}
