//! How long a thread that is due to run waits for its CPU, alone and among others.

use std::{ops::Range, thread, time::Duration};

use lab::Trial;
use machine::{clock, counters::ThreadWatch};
use record::{Observation, Part, Reading, Refusal};
use rustix::{
    fs::Timespec,
    io::Errno,
    process::{Resource, getrlimit},
    thread::{ClockId, clock_nanosleep_absolute, set_current_timer_slack},
};
use stats::Random;

use super::{partner::no, rivals::Rivals, sys::Class};

/// The longest wait of a trial, in nanoseconds.
pub(super) const LONGEST: &str = "longest";
/// In the proof: how often the thread was due,
pub(super) const DUE: &str = "due";
/// and how often it slept until then: otherwise it was late and found itself due already.
pub(super) const SLEPT: &str = "slept";

/// How often the thread is due.
const PERIOD_NS: u64 = 100_000;
/// A trial lasts at least so long: a shorter one would hardly see a whole turn of its rivals.
pub(super) const TRIAL_MIN: Duration = Duration::from_millis(20);

/// About what a rival's turn lasts: a tick at 250 Hz, and a slice of EEVDF on few CPUs.
const SLICE_NS: u64 = 4_000_000;

/// The waits that are told apart: ten per decade, from 1 µs to 1 s.
pub(super) const THRESHOLDS: usize = 61;
const PER_DECADE: f64 = 10.0;
const FIRST_NS: f64 = 1000.0;

/// The threshold of this place, in nanoseconds: three digits, as it is named.
pub(super) fn threshold_ns(place: usize) -> f64 {
    let exact = FIRST_NS * 10f64.powf(place as f64 / PER_DECADE);
    let digit = 10f64.powf((exact.log10() + 1e-9).floor() - 2.0);
    (exact / digit).round() * digit
}

/// The metric of the waits beyond a threshold: a share of all.
pub(super) fn beyond(place: usize) -> String {
    format!("beyond_{}", threshold_ns(place).round())
}

/// The scheduling classes that are asked about.
pub(super) const CLASSES: [(Class, &str); 3] =
    [(Class::Other, "other"), (Class::Batch, "batch"), (Class::Fifo, "fifo")];

/// How many rivals a thread may have on its CPU.
pub(super) const RIVALS: [usize; 5] = [0, 1, 2, 4, 8];

/// One trial: a thread of `class` that is due in even steps, on a CPU with so many `rivals`.
pub(super) fn trial(class: Class, rivals: usize, trial: &Trial) -> Result<Observation, Refusal> {
    let cpu = trial.home_cpu();
    trial.pin_home()?;
    let rivals = Rivals::start(cpu, rivals)?;
    let before = rivals.rounds();
    let lasts = trial.window.max(TRIAL_MIN);
    let due = (lasts.as_nanos() as u64 / PERIOD_NS).max(1);
    // A thread of its own: what it becomes, the worker must not stay.
    let waiter = thread::Builder::new().spawn({
        let (seed, settling) = (trial.seed, rivals.count() * SLICE_NS / PERIOD_NS);
        move || wait(class, cpu, settling..settling + due, seed)
    });
    let waiter = waiter.map_err(|error| no("another thread", &error))?;
    let seen = waiter
        .join()
        .unwrap_or_else(|_| Err(Refusal::Broken { seen: "a thread panicked".into() }))?;
    rivals.prove(before)?;
    observe(&seen)
}

/// What the waiting thread saw.
struct Seen {
    waits_ns: Vec<u64>,
    slept: u64,
    /// Switches that the kernel counted, where it may be asked.
    switches: Option<u64>,
    migrations: Option<u64>,
}

/// Waits for each time that it is due and notes how late it runs. A thread that comes so late that
/// it is due again already notes each of those too: whoever asks at such a time waits as well, and
/// leaving that out would hide the longest waits (coordinated omission).
///
/// `noted` are the turns that count. Those before let the newcomer settle among its rivals: the
/// scheduler lets each of them have a turn before it.
fn wait(class: Class, cpu: usize, noted: Range<u64>, seed: u64) -> Result<Seen, Refusal> {
    lab::pin(&[cpu])?;
    // The kernel may else put off the timer of an ordinary thread by 50 µs.
    let _ = set_current_timer_slack(std::num::NonZeroU64::new(1));
    class.enter().map_err(|error| not_permitted(class, &error))?;
    let mut watch = ThreadWatch::new();
    let mut waits_ns = Vec::with_capacity(noted.clone().count());
    let mut before = watch.read();
    let mut slept = 0;
    // Not in step with the timer tick, nor with the trial before.
    let begin_ns = clock::now_ns() + PERIOD_NS + Random::new(seed).below(PERIOD_NS as usize) as u64;
    for turn in 0..noted.end {
        if turn == noted.start {
            (before, slept) = (watch.read(), 0);
        }
        let due_ns = begin_ns + turn * PERIOD_NS;
        if clock::now_ns() < due_ns {
            sleep_until(due_ns)?;
            slept += 1;
        }
        if noted.contains(&turn) {
            waits_ns.push(clock::now_ns().saturating_sub(due_ns));
        }
    }
    let counted = watch.read().since(&before);
    let switches = counted.usage.map(|usage| usage.voluntary_switches);
    Ok(Seen { waits_ns, slept, switches, migrations: counted.migrations })
}

fn sleep_until(due_ns: u64) -> Result<(), Refusal> {
    let (tv_sec, tv_nsec) = ((due_ns / 1_000_000_000) as i64, (due_ns % 1_000_000_000) as i64);
    loop {
        match clock_nanosleep_absolute(ClockId::Monotonic, &Timespec { tv_sec, tv_nsec }) {
            Ok(()) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(no("a timer", &error)),
        }
    }
}

fn not_permitted(class: Class, error: &std::io::Error) -> Refusal {
    let limit = getrlimit(Resource::Rtprio).current.unwrap_or(u64::MAX);
    match class {
        Class::Fifo => Refusal::NotPermitted {
            now: format!(
                "SCHED_FIFO: {error}; this user's limit of priorities (ulimit -r) is {limit}"
            ),
            fix: "run as root, or let the limit be 1 or more (rtprio in limits.conf)".into(),
        },
        _ => Refusal::NotPermitted {
            now: format!("sched_setscheduler: {error}"),
            fix: "let the filter allow sched_setscheduler".into(),
        },
    }
}

fn observe(seen: &Seen) -> Result<Observation, Refusal> {
    let of = seen.waits_ns.len() as u64;
    // The kernel's own count: each sleep gives the CPU up, but for one whose time had just come.
    if let Some(switches) = seen.switches.filter(|switches| 2 * switches < seen.slept) {
        let seen = format!("{switches} switches of a thread that slept {} times", seen.slept);
        return Err(Refusal::EventNotProven { seen });
    }
    let late = (0..THRESHOLDS).map(|place| {
        let is_late = |wait: &&u64| **wait as f64 > threshold_ns(place);
        let events = seen.waits_ns.iter().filter(is_late).count() as u64;
        (beyond(place), Reading::Share(Part { events, of }))
    });
    let longest = seen.waits_ns.iter().copied().max().unwrap_or(0);
    let longest = (LONGEST.to_owned(), Reading::Level(longest as f64));
    let proof = [(DUE, of), (SLEPT, seen.slept)].map(|(name, n)| (name.to_owned(), n as f64));
    let switches = seen.switches.map(|n| ("voluntary_switches".to_owned(), n as f64));
    let migrations = seen.migrations.map(|n| ("migrations".to_owned(), n as f64));
    Ok(Observation {
        readings: late.chain([longest]).collect(),
        proof: proof.into_iter().chain(switches).chain(migrations).collect(),
    })
}

#[cfg(test)]
mod tests {
    use lab::Case;

    use super::*;

    fn asked() -> Trial {
        let (case, window) = (Case::new("x", &[]), Duration::from_millis(2));
        let cpus = machine::describe().affinity;
        Trial { case, window, cpus, start: 0, seed: 3 }
    }

    fn beyond_of(seen: &Observation, place: usize) -> Part {
        seen.readings[&beyond(place)].share().unwrap()
    }

    #[test]
    fn every_wake_that_is_due_is_counted_once() {
        for rivals in [0, 2] {
            let seen = trial(Class::Other, rivals, &asked()).unwrap();
            let due = TRIAL_MIN.as_nanos() as u64 / PERIOD_NS;
            assert_eq!(seen.proof[DUE], due as f64);
            assert!(seen.proof[SLEPT] <= due as f64);
            let parts: Vec<Part> = (0..THRESHOLDS).map(|place| beyond_of(&seen, place)).collect();
            assert!(parts.iter().all(|part| part.of == due));
            assert!(parts.is_sorted_by(|one, next| one.events >= next.events), "{parts:?}");
            let longest = seen.readings[LONGEST].level().unwrap();
            let beyond = (0..THRESHOLDS).filter(|place| threshold_ns(*place) < longest).count();
            assert!(parts[..beyond].iter().all(|part| part.events > 0));
            assert!(parts[beyond..].iter().all(|part| part.events == 0));
        }
    }

    #[test]
    fn a_class_that_is_not_permitted_says_which_limit() {
        match trial(Class::Fifo, 0, &asked()) {
            Ok(seen) => assert!(seen.proof[DUE] > 0.0),
            Err(refusal) => assert!(refusal.to_string().contains("ulimit -r"), "{refusal}"),
        }
        let refused = not_permitted(Class::Fifo, &std::io::Error::from(Errno::PERM)).to_string();
        assert!(refused.contains("ulimit -r") && refused.contains("root"), "{refused}");
    }

    /// Waits that came while the thread was still late were not counted by many a program.
    #[test]
    fn who_comes_late_has_missed_more_than_one() {
        let seen = Seen {
            waits_ns: vec![1_000_000, 900_000, 800_000, 100_000, 2000],
            slept: 2,
            switches: Some(2),
            migrations: None,
        };
        let seen = observe(&seen).unwrap();
        let place = (0..THRESHOLDS).find(|place| threshold_ns(*place) >= 300_000.0).unwrap();
        assert_eq!(beyond_of(&seen, place), Part { events: 3, of: 5 });
        let lie = Seen { waits_ns: vec![1], slept: 1, switches: Some(0), migrations: None };
        assert!(observe(&lie).is_err());
    }

    #[test]
    fn thresholds_are_named_by_whole_nanoseconds() {
        assert_eq!((beyond(0), beyond(10)), ("beyond_1000".into(), "beyond_10000".into()));
        assert_eq!(threshold_ns(THRESHOLDS - 1), 1e9);
        assert_eq!([threshold_ns(1), threshold_ns(7)], [1260.0, 5010.0]);
    }
}
