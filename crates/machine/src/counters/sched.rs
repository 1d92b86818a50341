//! /proc/thread-self/sched: how often the thread changed its CPU.
//!
//! Pure. The file is for people and undocumented; it is there where the kernel was built with
//! scheduler debugging. Source: the kernel's kernel/sched/debug.c, proc_sched_show_task.

use std::io::Read;

use crate::text;

/// How often the thread was moved to another CPU; `None` where the kernel does not say.
pub fn migrations(reader: impl Read) -> Option<u64> {
    let text = text::read(reader);
    // The first line holds the thread's name, which may be anything.
    let lines = text.split_once('\n')?.1;
    text::fields(lines).find(|(key, _)| *key == "se.nr_migrations")?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let head = "head (3475, #threads: 1)\n\
                    -------------------------------------------------------------------\n\
                    se.exec_start                                :        684204.857972\n";
        let rows = [
            ("se.nr_migrations                             :                    7\n", Some(7)),
            ("se.nr_migrations : -1\n", None),
            ("nr_switches                                  :                    1\n", None),
        ];
        for (line, expected) in rows {
            assert_eq!(migrations(format!("{head}{line}").as_bytes()), expected, "{line}");
        }
        assert_eq!(migrations(&b"se.nr_migrations:9 (1, #threads: 1)\n"[..]), None);
        assert_eq!(migrations(&b""[..]), None);
    }
}
