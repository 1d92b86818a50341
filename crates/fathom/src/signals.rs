//! Ctrl-C, SIGTERM and SIGHUP as a flag: the run ends after the trial under way, and is kept.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ},
    flag,
};

use crate::failure::Failure;

/// The exit code of an interrupted run.
pub const INTERRUPTED: u8 = 130;

/// A second signal this soon after the first is the same one: timeout(1) signals its child and then
/// its child's group.
const SAME_SIGNAL: Duration = Duration::from_millis(300);
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Whether a signal came, and whether the next one ends the command at once.
pub struct Signals {
    came: Arc<AtomicBool>,
    ends_at_once: Arc<AtomicBool>,
    first_seen: OnceLock<()>,
}

impl Signals {
    /// Whether a signal came. After the first time that one had, another one ends the command.
    pub fn came(&self) -> bool {
        let came = self.came.load(Ordering::Relaxed);
        if came {
            self.first_seen.get_or_init(|| arm(&self.ends_at_once));
        }
        came
    }

    /// From now on nobody asks any more whether one came: the second one ends the command all the
    /// same. Not called while anything is measured, because a thread listens.
    pub fn end_at_the_second(&self) {
        let (came, ends_at_once) = (Arc::clone(&self.came), Arc::clone(&self.ends_at_once));
        let ends_anyway = Arc::clone(&self.ends_at_once);
        let listening = thread::Builder::new().spawn(move || {
            while !came.load(Ordering::Relaxed) {
                thread::sleep(BETWEEN_LOOKS);
            }
            arm(&ends_at_once);
        });
        // Where no thread can be had, the first one has to do.
        ends_anyway.fetch_or(listening.is_err(), Ordering::Relaxed);
    }
}

/// Lets the next signal end the command, a while from now.
fn arm(ends_at_once: &Arc<AtomicBool>) {
    let later = Arc::clone(ends_at_once);
    let waiting = thread::Builder::new().spawn(move || {
        thread::sleep(SAME_SIGNAL);
        later.store(true, Ordering::Relaxed);
    });
    ends_at_once.fetch_or(waiting.is_err(), Ordering::Relaxed);
}

/// Catches the signals: the first is kept as a flag, the second ends the command at once.
///
/// # Errors
/// Where the kernel refuses a handler.
pub fn watch() -> Result<Signals, Failure> {
    let signals = Signals {
        came: Arc::new(AtomicBool::new(false)),
        ends_at_once: Arc::new(AtomicBool::new(false)),
        first_seen: OnceLock::new(),
    };
    let ignored = ignored();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // Whoever started us wants it ignored: nohup, or a shell that put us in the background.
        if ignored & (1 << (signal - 1)) != 0 {
            continue;
        }
        let ends = i32::from(INTERRUPTED);
        flag::register_conditional_shutdown(signal, ends, Arc::clone(&signals.ends_at_once))
            .and_then(|_| flag::register(signal, Arc::clone(&signals.came)))
            .map_err(|error| Failure::midway(format!("signals can't be caught: {error}")))?;
    }
    Ok(signals)
}

/// Makes a file larger than `ulimit -f` allows an error like a full disk, to be told as one.
///
/// # Errors
/// Where the kernel refuses a handler.
pub fn survive_file_limit() -> Result<(), Failure> {
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))
        .map(|_| ())
        .map_err(|error| Failure::midway(format!("signals can't be caught: {error}")))
}

/// The signals that are ignored, as the kernel's mask (proc(5), SigIgn); none where it can't be
/// read.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
