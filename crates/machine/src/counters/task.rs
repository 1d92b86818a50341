//! What happened to a thread, of this process or another, as seen from outside.
//!
//! The counts are the same ones that a thread reads of itself; here the kernel prints them for
//! whoever may see the thread. Source: proc_pid_status(5), voluntary_ctxt_switches and State.

use std::io::Read;

use super::{kept::Kept, sched};
use crate::text;

/// Counts over one thread's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskCounters {
    /// The CPU was given up.
    pub voluntary_switches: u64,
    /// The CPU was taken away.
    pub involuntary_switches: u64,
    /// It was moved to another CPU; `None` where the kernel does not say.
    pub migrations: Option<u64>,
    /// It waits for something, so that the counts stand still.
    pub asleep: bool,
}

/// Reads the counts of one thread, whoever runs it.
pub struct TaskWatch {
    status: Kept,
    sched: Kept,
}

impl TaskWatch {
    /// A watch on the thread `tid` of the process `pid`.
    pub fn of(pid: u32, tid: u32) -> Self {
        let file = |name: &str| Kept::open(&format!("/proc/{pid}/task/{tid}/{name}"));
        Self { status: file("status"), sched: file("sched") }
    }

    /// The counts, now; `None` where the thread is gone or may not be seen. Some 20 microseconds.
    pub fn read(&mut self) -> Option<TaskCounters> {
        let counters = parse(self.status.read()?)?;
        Some(TaskCounters { migrations: self.sched.read().and_then(sched::migrations), ..counters })
    }
}

/// Reads /proc/PID/task/TID/status.
fn parse(reader: impl Read) -> Option<TaskCounters> {
    let text = text::read(reader);
    let value = |wanted| text::fields(&text).find(|(key, _)| *key == wanted).map(|it| it.1);
    Some(TaskCounters {
        voluntary_switches: value("voluntary_ctxt_switches")?.parse().ok()?,
        involuntary_switches: value("nonvoluntary_ctxt_switches")?.parse().ok()?,
        migrations: None,
        asleep: value("State")?.starts_with('S'),
    })
}

#[cfg(test)]
mod tests {
    use std::{
        sync::mpsc,
        thread,
        time::{Duration, Instant},
    };

    use super::*;

    #[test]
    fn texts() {
        let text = |state: &str| {
            format!(
                "Name:\tState:\nState:\t{state}\n\
                 voluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n"
            )
        };
        for (state, asleep) in [("S (sleeping)", true), ("R (running)", false), ("D (disk)", false)]
        {
            let (voluntary_switches, involuntary_switches) = (12, 3);
            let expected =
                TaskCounters { voluntary_switches, involuntary_switches, migrations: None, asleep };
            assert_eq!(parse(text(state).as_bytes()), Some(expected));
        }
        assert_eq!(parse(&b"State:\tS (sleeping)\nvoluntary_ctxt_switches:\t1\n"[..]), None);
        assert_eq!(parse(&b""[..]), None);
    }

    /// A thread that is woken so many times has slept as often.
    #[test]
    fn a_thread_is_watched_from_outside() {
        const WAKES: u64 = 20;
        let (to, from) = mpsc::channel::<()>();
        let (tell, told) = mpsc::channel();
        let sleeper = thread::spawn(move || {
            tell.send(rustix::thread::gettid().as_raw_nonzero().get()).unwrap();
            from.iter().count()
        });
        let tid = told.recv().unwrap() as u32;
        let mut watch = TaskWatch::of(std::process::id(), tid);
        let mut asleep = || {
            let begin = Instant::now();
            loop {
                let seen = watch.read().unwrap();
                if seen.asleep {
                    return seen;
                }
                assert!(begin.elapsed() < Duration::from_secs(20));
                thread::yield_now();
            }
        };
        let before = asleep();
        for _ in 0..WAKES {
            to.send(()).unwrap();
            asleep();
        }
        assert!(asleep().voluntary_switches - before.voluntary_switches >= WAKES);
        drop(to);
        assert_eq!(sleeper.join().unwrap() as u64, WAKES);
        assert_eq!(TaskWatch::of(std::process::id(), tid).read(), None);
    }
}
