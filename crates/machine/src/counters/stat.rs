//! /proc/stat: what all CPUs together did since the machine started.
//!
//! Pure. Source: proc_stat(5). The times are in ticks of USER_HZ.

use std::io::Read;

use crate::text;

/// Ticks of all CPUs together, and the switches among threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// A program, the kernel or an interrupt ran.
    pub busy: u64,
    /// The hypervisor ran something else.
    pub steal: u64,
    /// Nothing ran; waiting for a disk is that too.
    pub idle: u64,
    /// Switches from one thread to another.
    pub context_switches: u64,
}

/// Reads /proc/stat; `None` unless both of its lines that matter are there.
pub fn parse(reader: impl Read) -> Option<Stat> {
    let text = text::read(reader);
    let line = |wanted| {
        let lines = text.lines().map(|line| line.split_once(' ').unwrap_or((line, "")));
        lines.filter(|(key, _)| *key == wanted).map(|(_, rest)| rest).next()
    };
    let times: Option<Vec<u64>> =
        line("cpu")?.split_whitespace().take(8).map(|word| word.parse().ok()).collect();
    // The times of guests, further on, are in user and nice already. Steal came with Linux 2.6.11.
    let (idle, steal, busy) = match *times? {
        [user, nice, system, idle, io_wait, irq, soft_irq, ref steal @ ..] => {
            let busy = [user, nice, system, irq, soft_irq];
            (idle.saturating_add(io_wait), steal.first().copied().unwrap_or(0), busy)
        }
        _ => return None,
    };
    Some(Stat {
        busy: busy.into_iter().fold(0, u64::saturating_add),
        steal,
        idle,
        context_switches: line("ctxt")?.trim().parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let captured = "cpu  1127 5 1238 133731 279 7 34 11 60 0\n\
                        cpu0 391 0 407 67381 17 0 9 1 0 0\n\
                        cpu1 735 0 830 66350 262 0 25 10 0 0\n\
                        intr 111813 0 0 1 1 15\nctxt 234516\nbtime 1763661180\nprocesses 3475\n\
                        procs_running 1\nprocs_blocked 0\n";
        let expected = Stat { busy: 2411, steal: 11, idle: 134010, context_switches: 234516 };
        let old = "cpu 10 0 5 100 1 0 2\nctxt 9\n";
        let old_expected = Stat { busy: 17, steal: 0, idle: 101, context_switches: 9 };
        let rows = [
            (captured, Some(expected)),
            (old, Some(old_expected)),
            ("cpu0 1 2 3 4 5 6 7 8\nctxt 9\n", None),
            ("cpu 1 2 3 4 5 6 7 8\n", None),
            ("cpu 1 2 3\nctxt 9\n", None),
            ("cpu 1 2 3 4 5 6 7 x\nctxt 9\n", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(parse(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn absurd_numbers_do_not_overflow() {
        let most = u64::MAX;
        let text = format!("cpu {most} {most} 0 {most} {most} 0 0 1\nctxt 0\n");
        let stat = parse(text.as_bytes()).unwrap();
        assert_eq!((stat.busy, stat.idle), (most, most));
    }
}
