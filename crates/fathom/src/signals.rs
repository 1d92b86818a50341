//! Ctrl-C, SIGTERM and SIGHUP as a flag: the run ends after the trial under way, and is kept.

use std::sync::{Arc, atomic::AtomicBool};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
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
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        let ends = i32::from(INTERRUPTED);
        flag::register_conditional_shutdown(signal, ends, Arc::clone(&interrupted))
            .and_then(|_| flag::register(signal, Arc::clone(&interrupted)))
            .map_err(|error| Failure::midway(format!("signals can't be caught: {error}")))?;
    }
    Ok(interrupted)
}
