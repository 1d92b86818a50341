//! /proc/thread-self/schedstat: how long the thread waited for a CPU.
//!
//! Pure. Source: the kernel's Documentation/scheduler/sched-stats.rst: nanoseconds on a CPU,
//! nanoseconds runnable but waiting, number of time slices.

use std::io::Read;

use crate::text;

/// The nanoseconds spent runnable without running; `None` where the kernel does not count them.
pub fn run_delay_ns(reader: impl Read) -> Option<u64> {
    let text = text::read(reader);
    let mut numbers = text.split_whitespace().map(|word| word.parse::<u64>().ok());
    let (_on_cpu_ns, delay_ns, slices) = (numbers.next()??, numbers.next()??, numbers.next()??);
    // A kernel that does not count prints zeros. A young thread may have two of them, as its time
    // on the CPU is added up late; but whoever reads this is in its first slice at least.
    (slices > 0).then_some(delay_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let rows = [
            ("749087 51606 2\n", Some(51606)),
            ("749087 0 1\n", Some(0)),
            ("0 0 1\n", Some(0)),
            ("0 0 0\n", None),
            ("749087 51606\n", None),
            ("a b c\n", None),
            ("1 18446744073709551616 1\n", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(run_delay_ns(text.as_bytes()), expected, "{text:?}");
        }
    }
}
