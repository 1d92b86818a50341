//! Ctrl-C, SIGTERM and SIGHUP as a flag: the run ends after the trial under way, and is kept.

use std::sync::{Arc, atomic::AtomicBool};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ},
    flag,
};

use crate::failure::Failure;

/// The exit code of an interrupted run.
pub const INTERRUPTED: u8 = 130;

/// A flag that the first signal sets; the second one ends the command at once.
///
/// # Errors
/// Where the kernel refuses a handler.
pub fn watch() -> Result<Arc<AtomicBool>, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let ignored = ignored();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // Whoever started us wants it ignored: nohup, or a shell that put us in the background.
        if ignored & (1 << (signal - 1)) != 0 {
            continue;
        }
        let ends = i32::from(INTERRUPTED);
        flag::register_conditional_shutdown(signal, ends, Arc::clone(&interrupted))
            .and_then(|_| flag::register(signal, Arc::clone(&interrupted)))
            .map_err(|error| Failure::midway(format!("signals can't be caught: {error}")))?;
    }
    Ok(interrupted)
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
