//! The calls counted by somebody else: strace sees every entry into the kernel that the command's
//! workers make, and the run file says how many there should be.

mod common;

use std::collections::BTreeMap;

use common::{Place, answer, columns, json, numbers, section};
use serde_json::Value;

const CALLS: [&str; 5] = ["gettid", "getppid", "close", "futex", "clock_gettime"];
/// Warm-up rounds (one to two rounds kept), guessing a window's calls, and reading counters all
/// make calls that are not in the record (all cases read a CPU clock). A traced call is so slow
/// that a window holds only ten.
const UNRECORDED_MAX: f64 = 4.0;
const UNRECORDED_PER_TRIAL_MAX: f64 = 100.0;

/// How many calls `strace -c` counted, by system call; of close only those that failed, because
/// files are closed all the time, and -1 never is.
fn counts(report: &str) -> BTreeMap<String, f64> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let name = *cells.last()?;
        let column = if name == "close" { 4 } else { 3 };
        Some((name.to_owned(), cells.get(column)?.parse().ok()?))
    };
    report.lines().filter_map(row).collect()
}

/// How many calls the recorded trials of a case, and of its twin, say they made; and how many
/// trials there are.
fn recorded(run: &Value, case: &str) -> (f64, f64) {
    let of_case = columns(run, "syscall").iter().filter(|it| {
        let name = it["case"].as_str().unwrap_or_default();
        name == case || name.strip_suffix(".twin") == Some(case)
    });
    let calls: Vec<f64> = of_case.flat_map(|it| numbers(&it["proof"]["calls"])).collect();
    (calls.iter().sum(), calls.len() as f64)
}

#[test]
fn strace_sees_the_calls_that_the_record_claims() {
    let place = Place::new();
    let filter = format!("trace={}", CALLS.join(","));
    let mut words = vec!["-f", "-c", "-o", "counts", "-e", &filter, common::FATHOM];
    words.extend(["syscall", "--json", "--time", "100ms"]);
    let probe = place.command("strace", &["-o", "probe", "true"]).status();
    if !probe.is_ok_and(|status| status.success()) {
        println!("skipped: needs strace, and leave to trace");
        return;
    }
    let run = json(&answer(&mut place.command("strace", &words)).ended(0).stdout);
    let seen = counts(&place.read("counts"));
    for (case, call) in [
        ("gettid", "gettid"),
        ("getppid", "getppid"),
        ("close", "close"),
        ("futex_wake", "futex"),
        ("clock_gettime.kernel", "clock_gettime"),
    ] {
        let ((claimed, trials), seen) = (recorded(&run, case), seen[call]);
        let most = claimed * UNRECORDED_MAX + trials * UNRECORDED_PER_TRIAL_MAX;
        let holds = (claimed..=most).contains(&seen);
        assert!(claimed > 0.0 && holds, "{call}: {claimed} recorded, strace saw {seen}");
    }
    let (by_vdso, _) = recorded(&run, "clock_gettime.vdso");
    let entered = seen["clock_gettime"];
    println!("clock_gettime: {by_vdso} by the vDSO, strace saw {entered} enter the kernel");
    if by_vdso > 0.0 {
        assert!(entered < by_vdso / 10.0, "the vDSO's {by_vdso} calls entered the kernel");
    }
    let caveats = section(&run, "syscall")["caveats"].as_array().expect("caveats");
    assert!(caveats.iter().any(|caveat| caveat["kind"] == "traced"), "{caveats:?}");
}
