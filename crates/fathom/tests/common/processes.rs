//! Processes as /proc shows them, and signals to those that a test itself started.
//!
//! A signal goes by a descriptor of the process, opened before a last look at who that is, so that
//! a recycled id is never hit.

use std::{
    collections::BTreeSet,
    fs, thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// The hidden sub-command of workers.
pub const WORKER: &str = "__worker";
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// One process at one moment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    pub pid: u32,
    pub parent: u32,
    /// `R`, `S`, `T`, `Z`, as in proc_pid_stat(5).
    pub state: char,
    /// In clock ticks since boot: with the id it names one process for ever.
    pub started: u64,
}

impl Seen {
    /// The words that it was started with.
    pub fn words(&self) -> Vec<String> {
        let bytes = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }

    /// Whether it still runs, or is stopped, but is not merely waiting to be buried.
    pub fn lives(&self) -> bool {
        look(self.pid).is_some_and(|now| now.started == self.started && now.state != 'Z')
    }

    /// Sends a signal to this very process; false where it is gone.
    pub fn signal(&self, signal: Signal) -> bool {
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw).expect("an id");
        let Ok(descriptor) = pidfd_open(pid, PidfdFlags::empty()) else { return false };
        self.lives() && pidfd_send_signal(descriptor, signal).is_ok()
    }
}

/// The process of this id.
pub fn look(pid: u32) -> Option<Seen> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything.
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    Some(Seen {
        pid,
        state: fields.first()?.chars().next()?,
        parent: fields.get(1)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
    })
}

/// All processes.
pub fn all() -> Vec<Seen> {
    let entries = fs::read_dir("/proc").expect("/proc");
    let id = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    entries.filter_map(Result::ok).filter_map(id).filter_map(look).collect()
}

/// The living children of a process.
pub fn children(pid: u32) -> Vec<Seen> {
    all().into_iter().filter(|it| it.parent == pid && it.state != 'Z').collect()
}

/// The living children of a process, and theirs, and so on.
pub fn descendants(pid: u32) -> Vec<Seen> {
    let all = all();
    let mut family = BTreeSet::from([pid]);
    let mut found: Vec<Seen> = Vec::new();
    loop {
        let more: Vec<Seen> = all
            .iter()
            .filter(|it| family.contains(&it.parent) && !family.contains(&it.pid))
            .cloned()
            .collect();
        if more.is_empty() {
            return found.into_iter().filter(|it| it.state != 'Z').collect();
        }
        family.extend(more.iter().map(|it| it.pid));
        found.extend(more);
    }
}

/// The living workers of the command with this id, whoever their parent is by now.
pub fn workers(command: u32) -> Vec<Seen> {
    let command = command.to_string();
    let is_one = |seen: &Seen| {
        let words = seen.words();
        let place = words.iter().position(|word| word == WORKER);
        place.is_some_and(|place| words.get(place + 2) == Some(&command))
    };
    all().into_iter().filter(|it| it.state != 'Z' && is_one(it)).collect()
}

/// Waits for a worker of this command; none where the bound passes without one.
pub fn wait_for_worker(command: u32, within: Duration) -> Option<Seen> {
    wait_for(within, || children(command).into_iter().find(is_worker))
}

/// Waits for a worker that has been seen to live for this long.
pub fn wait_for_seasoned_worker(command: u32, age: Duration, within: Duration) -> Option<Seen> {
    let mut first: Option<(Seen, Instant)> = None;
    wait_for(within, || {
        let now = children(command).into_iter().find(is_worker)?;
        match &first {
            Some((seen, since)) if seen.pid == now.pid && seen.started == now.started => {
                (since.elapsed() >= age).then_some(now)
            }
            _ => {
                first = Some((now, Instant::now()));
                None
            }
        }
    })
}

fn is_worker(seen: &Seen) -> bool {
    seen.words().iter().any(|word| word == WORKER)
}

/// Asks until there is an answer, or the bound has passed.
pub fn wait_for<T>(within: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let begin = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        if begin.elapsed() > within {
            return None;
        }
        thread::sleep(LOOK_AGAIN);
    }
}
