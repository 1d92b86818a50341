//! Sudden death: what is left of a command that is killed at any moment, and when to kill it.

use std::{
    fs,
    process::{Child, Stdio},
    time::Duration,
};

use super::{
    Place, WAIT_MAX, ended, names_in,
    processes::{Seen, descendants, wait_for, workers},
    spawn_as_it_is,
};

/// A process that was told to end with its parent may take so long.
const GRACE: Duration = Duration::from_secs(2);

/// A linear congruential generator: moments that differ, and are the same in every run.
pub fn moments(count: usize, below: Duration) -> Vec<Duration> {
    let mut state = 42u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        below.mul_f64((state >> 40) as f64 / (1u64 << 24) as f64)
    };
    (0..count).map(|_| next()).collect()
}

/// Kills a command after `until`, checks that nothing is left of it, and returns all the processes
/// that it had.
#[track_caller]
pub fn death(place: &Place, words: &[&str], until: impl FnOnce(&Child)) -> Vec<Seen> {
    let mut command = place.fathom(words);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = spawn_as_it_is(&mut command);
    until(&child);
    let family = descendants(child.id());
    child.kill().expect("a child of ours");
    ended(&mut child, WAIT_MAX);
    nothing_is_left(child.id(), &family);
    family
}

/// No process of a command that has ended, and no memory that has a name.
#[track_caller]
pub fn nothing_is_left(command: u32, family: &[Seen]) {
    // A forked child has the words of its parent, so that a worker's partner is found as one.
    let left = || -> Vec<Seen> {
        let alive = family.iter().filter(|it| it.lives()).cloned();
        alive.chain(workers(command)).collect()
    };
    wait_for(GRACE, || left().is_empty().then_some(()))
        .unwrap_or_else(|| panic!("of {command} there is left {:?}", left()));
    let pids: Vec<u32> = family.iter().map(|it| it.pid).chain([command]).collect();
    assert_eq!(segments_of(&pids), [""; 0]);
    let shared = names_in("/dev/shm".as_ref());
    assert!(!shared.iter().any(|name| name.contains("fathom")), "{shared:?}");
}

/// Segments of System V shared memory, by the process that made them (proc_sysvipc_shm(5)).
fn segments_of(pids: &[u32]) -> Vec<String> {
    let text = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
    let creator = |line: &str| line.split_whitespace().nth(4)?.parse::<u32>().ok();
    let of_ours = |line: &&str| creator(line).is_some_and(|pid| pids.contains(&pid));
    text.lines().skip(1).filter(of_ours).map(str::to_owned).collect()
}
