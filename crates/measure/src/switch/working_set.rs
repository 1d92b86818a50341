//! What a switch costs two sides that have work to do: their memory leaves the caches meanwhile.
//!
//! Each turn does the same work on a set of memory. The work is timed with a switch after each
//! turn, alone, and with both sides' sets in turn but no switch: all in the same rounds.

use std::{
    cell::RefCell,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use lab::{Timed, Trial, timed};
use machine::counters::ThreadWatch;
use record::{Observation, Refusal};

use super::{
    channel::{Channel, Medium},
    partner::{Kind, Places, beside, no, turns},
    pingpong::{self, PER_TRIP, Placement},
    sys::{LINE_BYTES, Shared},
};

/// Nanoseconds per turn: its work, and the switch after it where there is one.
pub(super) const TURN: &str = "turn";
/// Random reads of a turn, at the most: of a larger set they are a sample.
const READS_MAX: usize = 1 << 14;
/// The set is of whole pages, as the article's.
pub const PAGE_BYTES: usize = 4096;

/// What a turn does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Both sides write all of one set that they share, as in the article.
    SharedWrites,
    /// Each side writes all of a set of its own.
    OwnWrites,
    /// Each side reads lines of a set of its own, at random.
    OwnReads,
}

/// All of them, in the order in which they are shown.
pub(super) const ACCESSES: [Access; 3] =
    [Access::OwnWrites, Access::SharedWrites, Access::OwnReads];

impl Access {
    /// The word of the case's id, and of the finding's, where it needs one.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::SharedWrites => "shared",
            Self::OwnWrites => "own",
            Self::OwnReads => "reads",
        }
    }

    fn sets(self) -> usize {
        if self == Self::SharedWrites { 1 } else { 2 }
    }
}

/// How much memory two sides take whose sets have this size, in bytes.
pub fn memory_bytes(set_bytes: usize) -> usize {
    set_bytes.saturating_mul(2)
}

/// With what the work is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Two processes on one CPU take turns.
    Switched,
    /// One side's work over and over.
    Alone,
    /// Both sides' work in turn, by one thread.
    Alternating,
}

/// All of them.
pub(super) const HOWS: [How; 3] = [How::Switched, How::Alone, How::Alternating];

impl How {
    /// The word of the case's id.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Switched => "switched",
            Self::Alone => "alone",
            Self::Alternating => "alternating",
        }
    }
}

thread_local! {
    /// The memory of the trials before, in a worker that runs many: the kernel takes longer to hand
    /// out a large set than most trials last.
    static KEPT: RefCell<Option<Arc<Shared>>> = const { RefCell::new(None) };
}

/// So much memory at least, with all of its pages there.
fn memory(bytes: usize) -> Result<Arc<Shared>, Refusal> {
    KEPT.with_borrow_mut(|kept| {
        if let Some(memory) = kept.as_ref().filter(|memory| memory.bytes() >= bytes) {
            return Ok(memory.clone());
        }
        // Never both at once.
        *kept = None;
        let memory = Shared::new(bytes).map_err(|error| Refusal::Missing {
            what: format!("{bytes} bytes of memory for the working set ({error})"),
        })?;
        memory.populate(0, bytes);
        Ok(kept.insert(Arc::new(memory)).clone())
    })
}

/// The memory of both sides.
struct Sets {
    memory: Arc<Shared>,
    access: Access,
    bytes: usize,
    /// Where each side's random reads are; in a forked partner a copy of its own.
    random: [AtomicU64; 2],
}

impl Sets {
    fn new(access: Access, bytes: usize, seed: u64) -> Result<Self, Refusal> {
        let memory = memory(bytes.saturating_mul(access.sets()))?;
        let random = [seed | 1, seed.rotate_left(32) | 1].map(AtomicU64::new);
        Ok(Self { memory, access, bytes, random })
    }

    fn begin(&self, side: usize) -> usize {
        if self.access == Access::SharedWrites { 0 } else { side * self.bytes }
    }

    /// Gives a forked partner its pages, so that none is missing later.
    fn populate(&self, side: usize) {
        self.memory.populate(self.begin(side), self.bytes);
    }

    /// One turn's work.
    fn work(&self, side: usize) {
        match self.access {
            Access::SharedWrites | Access::OwnWrites => {
                self.memory.fill(self.begin(side), self.bytes, 1);
            }
            Access::OwnReads => self.read(side),
        }
    }

    fn read(&self, side: usize) {
        let lines = self.bytes / LINE_BYTES;
        let first = self.begin(side) / LINE_BYTES;
        let mut state = self.random[side].load(Ordering::Relaxed);
        let at_random = (0..lines.min(READS_MAX)).map(|_| {
            // Knuth's MMIX generator; its high bits pick the line.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            first + ((u128::from(state) * lines as u128) >> 64) as usize
        });
        std::hint::black_box(self.memory.read_lines(at_random));
        self.random[side].store(state, Ordering::Relaxed);
    }
}

/// One window of turns.
pub(super) fn trial(
    access: Access,
    how: How,
    bytes: usize,
    trial: &Trial,
) -> Result<Observation, Refusal> {
    let sets = Sets::new(access, bytes, trial.seed)?;
    let home = vec![trial.home_cpu()];
    let places = Places { here: home.clone(), there: home };
    match how {
        How::Switched => switched(&sets, &places, trial),
        How::Alone | How::Alternating => {
            lab::pin(&places.here)?;
            let timed = timed(&mut ThreadWatch::new(), trial.window, |count| {
                for _ in 0..count {
                    sets.work(0);
                    if how == How::Alternating {
                        sets.work(1);
                    }
                }
            })?;
            let per_call = if how == How::Alternating { 2.0 } else { 1.0 };
            Ok(timed.observe(TURN, timed.cost_ns() / per_call))
        }
    }
}

fn switched(sets: &Sets, places: &Places, trial: &Trial) -> Result<Observation, Refusal> {
    let medium = Medium::Futex;
    let channel =
        Channel::new(medium, false).map_err(|error| no("a channel between two sides", &error))?;
    let populated = AtomicU64::new(0);
    let there = || {
        // In the partner's own copy: its first turn finds its pages.
        if populated.swap(1, Ordering::Relaxed) == 0 {
            sets.populate(1);
        }
        sets.work(1);
    };
    let here = || sets.work(0);
    beside(Kind::Process, (medium, &channel), places, &there, |mut sides| {
        turns(&channel, 1, here)?;
        let mut broken = Ok(());
        let timed: Timed = timed(&mut sides, trial.window, |count| {
            if broken.is_ok() {
                broken = turns(&channel, count, here);
            }
        })?;
        broken?;
        let per_trip = pingpong::prove(medium, Placement::SameCpu, &timed)?;
        let mut seen = timed.observe(TURN, timed.cost_ns() / 2.0);
        seen.proof.insert(PER_TRIP.to_owned(), per_trip);
        Ok(seen)
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use lab::Case;

    use super::*;

    fn asked() -> Trial {
        let (case, window) = (Case::new("x", &[]), Duration::from_millis(1));
        let cpus = machine::describe().affinity;
        Trial { case, window, cpus, start: 0, seed: 3 }
    }

    #[test]
    fn more_work_takes_longer() {
        for access in ACCESSES {
            let turn = |bytes| {
                let seen = trial(access, How::Alone, bytes, &asked()).unwrap();
                seen.readings[TURN].level().unwrap()
            };
            // 512 times the memory, of which reads sample a quarter; other tests share the CPU.
            assert!(turn(1 << 22) > 16.0 * turn(1 << 13), "{access:?}");
        }
    }

    #[test]
    fn sets_of_their_own_lie_apart() {
        let sets = Sets::new(Access::OwnWrites, PAGE_BYTES, 1).unwrap();
        sets.work(1);
        let lines = PAGE_BYTES / LINE_BYTES;
        assert_eq!(sets.memory.read_lines(0..lines), 0);
        assert_eq!(sets.memory.read_lines(lines..2 * lines), lines as u64);
        let shared = Sets::new(Access::SharedWrites, PAGE_BYTES, 1).unwrap();
        shared.work(1);
        assert_eq!(shared.memory.read_lines(0..lines), lines as u64);
    }

    #[test]
    fn nothing_to_do_is_done_too() {
        let sets = Sets::new(Access::OwnReads, 0, 1).unwrap();
        sets.work(0);
        sets.work(1);
    }

    #[test]
    fn random_reads_stay_within_the_side_s_own_set() {
        let sets = Sets::new(Access::OwnReads, 64 * PAGE_BYTES, 1).unwrap();
        sets.memory.fill(sets.begin(1), sets.bytes, 1);
        // The other half is unwritten, and no read of it may change the sum: all ones.
        let (first, lines) = (64 * PAGE_BYTES / LINE_BYTES, 64 * PAGE_BYTES / LINE_BYTES);
        assert_eq!(sets.memory.read_lines(first..first + lines), lines as u64);
        (0..50).for_each(|_| sets.work(1));
        assert!(trial(Access::OwnReads, How::Alternating, PAGE_BYTES, &asked()).is_ok());
    }
}
