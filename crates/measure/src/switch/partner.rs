//! The other side: a thread or a process that answers every turn until it is told to end.

use std::{
    io,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::Duration,
};

use lab::Counted;
use machine::{
    clock,
    counters::{TaskCounters, TaskWatch, ThreadWatch, thread_usage},
};
use record::Refusal;
use rustix::{io::Errno, thread::futex};

use super::{
    channel::{Channel, Medium, Side},
    sys::{Child, Shared},
};

/// What the partner is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Thread,
    Process,
}

/// Both.
pub(super) const KINDS: [Kind; 2] = [Kind::Process, Kind::Thread];

impl Kind {
    /// The word of the finding's id.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Process => "process",
        }
    }
}

/// Where the two sides may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// The CPUs of the side that measures.
    pub here: Vec<usize>,
    /// Its partner's.
    pub there: Vec<usize>,
}

/// Longer than any partner takes to get ready, unless it can't.
const READY_WITHIN: Duration = Duration::from_secs(1);
/// Longer than a partner takes to fall asleep after its last turn.
const ASLEEP_WITHIN_NS: u64 = 100_000_000;

/// What the two tell each other beside the turns.
struct Control {
    words: Shared,
}

/// The partner's state.
const PREPARING: u32 = 0;
const READY: u32 = 1;
const FAILED: u32 = 2;

impl Control {
    fn new() -> Result<Self, Refusal> {
        Ok(Self { words: Shared::words(3).map_err(|error| no("memory to share", &error))? })
    }

    fn state(&self) -> &AtomicU32 {
        self.words.word(0)
    }

    /// The partner's thread id, and where it failed, the error's number.
    fn told(&self) -> &AtomicU32 {
        self.words.word(1)
    }

    fn ended(&self) -> &AtomicU32 {
        self.words.word(2)
    }

    fn tell(&self, state: u32, told: u32) {
        self.told().store(told, Ordering::Relaxed);
        self.state().store(state, Ordering::Release);
        let _ = futex::wake(self.state(), futex::Flags::empty(), 1);
    }

    /// The thread id of the partner that is to run on `cpus`, once it is ready.
    fn ready(&self, cpus: &[usize]) -> Result<u32, Refusal> {
        let timeout = rustix::fs::Timespec { tv_sec: READY_WITHIN.as_secs() as i64, tv_nsec: 0 };
        let flags = futex::Flags::empty();
        while self.state().load(Ordering::Acquire) == PREPARING {
            match futex::wait(self.state(), flags, PREPARING, Some(&timeout)) {
                Ok(()) | Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => {
                    let seen = format!("the other side was not ready in time ({error})");
                    return Err(Refusal::EventNotProven { seen });
                }
            }
        }
        let told = self.told().load(Ordering::Relaxed);
        match self.state().load(Ordering::Relaxed) {
            READY => Ok(told),
            _ => Err(lab::not_placed(cpus, &io::Error::from_raw_os_error(told as i32))),
        }
    }
}

/// A refusal for want of something.
pub(super) fn no(what: &str, error: &dyn std::fmt::Display) -> Refusal {
    Refusal::Missing { what: format!("{what} ({error})") }
}

/// Answers each turn, after `work`, until told to end. What a forked child may do: see
/// [`Child::fork`].
fn answer(channel: &Channel, control: &Control, cpus: &[usize], work: &dyn Fn()) {
    if let Err(error) = machine::pin_to_any(cpus) {
        return control.tell(FAILED, error.raw_os_error().unwrap_or(0) as u32);
    }
    control.tell(READY, rustix::thread::gettid().as_raw_nonzero().get() as u32);
    while channel.wait(Side::There).is_ok() {
        if control.ended().load(Ordering::Relaxed) != 0 {
            return;
        }
        work();
        if channel.send(Side::Here).is_err() {
            return;
        }
    }
}

/// So many round trips to a partner that is ready, with `work` at the beginning of each.
pub(super) fn turns(channel: &Channel, count: u64, work: impl Fn()) -> Result<(), Refusal> {
    let trip = || {
        work();
        channel.send(Side::There)?;
        channel.wait(Side::Here)
    };
    let broke = |error| Refusal::Broken { seen: format!("the channel between the sides: {error}") };
    (0..count).try_for_each(|_| trip()).map_err(broke)
}

/// The counts of both sides together, read when the partner sleeps: then its last switch is
/// counted.
pub(super) struct BothSides {
    own: ThreadWatch,
    partner: TaskWatch,
    partner_sleeps: bool,
    /// This side's switches while it waited for the partner to sleep: no part of any window.
    waiting: u64,
}

impl BothSides {
    fn new(partner: TaskWatch, medium: Medium) -> Self {
        Self { own: ThreadWatch::new(), partner, partner_sleeps: medium.sleeps(), waiting: 0 }
    }

    /// The partner's counts, once it sleeps.
    fn asleep(&mut self) -> Option<TaskCounters> {
        let until_ns = clock::now_ns() + ASLEEP_WITHIN_NS;
        loop {
            match self.partner.read() {
                Some(seen) if self.partner_sleeps && !seen.asleep && clock::now_ns() < until_ns => {
                    // It may need this CPU to get there.
                    rustix::thread::sched_yield();
                }
                seen => return seen,
            }
        }
    }
}

impl Counted for BothSides {
    fn read(&mut self) -> Vec<(&'static str, f64)> {
        let before = thread_usage();
        let theirs = self.asleep();
        let ours = self.own.read();
        let (Some(theirs), Some(before), Some(usage)) = (theirs, before, ours.usage) else {
            return Vec::new();
        };
        self.waiting += usage.since(&before).involuntary_switches;
        let (voluntary, involuntary) = (
            usage.voluntary_switches + theirs.voluntary_switches,
            usage.involuntary_switches + theirs.involuntary_switches - self.waiting,
        );
        let migrations = ours.migrations.zip(theirs.migrations).map(|(a, b)| (a + b) as f64);
        [("voluntary_switches", voluntary as f64), ("involuntary_switches", involuntary as f64)]
            .into_iter()
            .chain(migrations.map(|count| ("migrations", count)))
            .collect()
    }
}

/// Runs `body` beside a partner that does `work` in each of its turns and then hands it back.
///
/// # Errors
/// Where there can be no partner, and the refusals of `body`.
pub(super) fn beside<T>(
    kind: Kind,
    (medium, channel): (Medium, &Channel),
    places: &Places,
    work: &(dyn Fn() + Sync),
    body: impl FnOnce(BothSides) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    lab::pin(&places.here)?;
    let control = Control::new()?;
    let answer = || answer(channel, &control, &places.there, work);
    let measure = |pid: u32| {
        let tid = control.ready(&places.there)?;
        let partner = TaskWatch::of(pid, tid);
        body(BothSides::new(partner, medium))
    };
    match kind {
        Kind::Process => {
            let child = Child::fork(answer).map_err(|error| no("another process", &error))?;
            measure(child.pid())
        }
        Kind::Thread => thread::scope(|scope| {
            let spawned = thread::Builder::new().spawn_scoped(scope, answer);
            spawned.map_err(|error| no("another thread", &error))?;
            let measured = measure(std::process::id());
            control.ended().store(1, Ordering::Relaxed);
            let _ = channel.send(Side::There);
            measured
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        let cpu = machine::describe().affinity[0];
        Places { here: vec![cpu], there: vec![cpu] }
    }

    /// On one CPU every round trip takes two switches, and both sides' are counted.
    #[test]
    fn two_switches_make_a_round_trip() {
        for kind in KINDS {
            for medium in [Medium::Futex, Medium::Pipe, Medium::Eventfd] {
                let channel = Channel::new(medium, kind == Kind::Thread).unwrap();
                let link = (medium, &channel);
                let per_trip = beside(kind, link, &places(), &|| {}, |mut sides| {
                    let mut switches = || sides.read().iter().take(2).map(|it| it.1).sum::<f64>();
                    let before = switches();
                    turns(&channel, 1000, || {})?;
                    Ok((switches() - before) / 1000.0)
                });
                // Other tests share the CPU, and preempt both.
                let per_trip = per_trip.unwrap();
                assert!(per_trip >= 1.99, "{medium:?} {kind:?} {per_trip}");
            }
        }
    }

    /// Who waited for its partner to sleep counted its own yields, half a switch too many in
    /// windows of few round trips.
    #[test]
    fn waiting_for_the_partner_to_sleep_is_no_switch_of_the_window() {
        let channel = Channel::new(Medium::Futex, false).unwrap();
        let link = (Medium::Futex, &channel);
        // Other tests preempt this one now and then, so most of many tries are enough.
        let exact = beside(Kind::Process, link, &places(), &|| {}, |mut sides| {
            let mut exact = 0;
            for _ in 0..40 {
                let before: f64 = sides.read().iter().take(2).map(|it| it.1).sum();
                turns(&channel, 1, || {})?;
                let after: f64 = sides.read().iter().take(2).map(|it| it.1).sum();
                exact += u32::from(after - before == 2.0);
            }
            Ok(exact)
        });
        assert!(exact.as_ref().is_ok_and(|exact| *exact > 20), "{exact:?}");
    }

    #[test]
    fn a_partner_that_can_t_be_placed_is_a_refusal() {
        let nowhere = Places { there: vec![1_000_000], ..places() };
        for kind in KINDS {
            let channel = Channel::new(Medium::Futex, false).unwrap();
            let link = (Medium::Futex, &channel);
            let refused = beside(kind, link, &nowhere, &|| {}, |_| Ok(()));
            let said = refused.unwrap_err().to_string();
            assert!(said.contains("sched_setaffinity"), "{said}");
        }
    }
}
