//! Which cases there are, in which steps: a pure function of the machine and of what was chosen.

mod pairs;

use std::{collections::BTreeSet, time::Duration};

use lab::{Case, Context, Step};
use record::{CacheKind, Choices, Limit, Machine, Recorded};

use super::{
    channel::{MEDIA, Medium},
    partner::{KINDS, Kind},
    pingpong::{PLACEMENTS, Placement},
    wakeup::{CLASSES, RIVALS},
    working_set::{ACCESSES, Access, HOWS, How, PAGE_BYTES, memory_bytes},
};
use pairs::{by_kind, spread};
pub(super) use pairs::{pair, pair_name};

/// The choice of what a survey asks, and no more.
pub const CHOOSE_QUICK: &str = "quick";
/// The choice of working sets, in bytes.
pub const CHOOSE_WORKING_SETS: &str = "working-set";
/// The choice of pairs of CPUs: `0-1`.
pub const CHOOSE_PAIRS: &str = "pairs";

/// How narrow the intervals are to be.
const HALF_WIDTH_MAX: f64 = 0.02;
/// Up to so many CPUs every pair is asked about; of more, one pair of each kind.
const CPUS_MAX: usize = 16;
/// The working set of a quick answer: more than an L1 cache, less than an L2 on most machines.
const QUICK_SET_BYTES: usize = 512 << 10;
/// Each working set is so many times the one before, the first of them four pages.
const SET_STEP: usize = 4;
/// The largest is so many times the last cache.
const SET_CACHES: usize = 4;
/// Where no cache is known.
const CACHE_BYTES_ASSUMED: usize = 32 << 20;
/// A turn through a larger set takes too long to be measured among others.
pub const SET_BYTES_MAX: usize = 1 << 30;
/// Sets of one's own stop at the last cache: beyond it nothing can be lost to the other side.
const OWN_SET_CACHES: usize = 1;

/// The parts of the time that the steps get, and about how long a round of each takes.
const STEPS: [(f64, Duration); 3] = [
    (0.30, Duration::ZERO),
    (0.38, Duration::from_millis(550)),
    (0.32, Duration::from_millis(450)),
];

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    quick: bool,
    /// The pairs of CPUs that a switch across two is measured on.
    pub across: Vec<[usize; 2]>,
    /// The pairs that are asked about one by one.
    pub pairs: Vec<[usize; 2]>,
    /// The working sets, ascending; the first is empty.
    pub sets: Vec<usize>,
    /// Whether these sets were asked for,
    chosen_sets: bool,
    /// and whether these pairs were.
    chosen_pairs: bool,
    /// The size of the last cache, where it is known.
    last_cache_bytes: usize,
}

impl Plan {
    pub(super) fn of(context: &Context) -> Self {
        let (machine, request) = (&context.machine, &context.request);
        Self::new(machine, &request.cpus, &request.choices)
    }

    fn new(machine: &Machine, cpus: &[usize], choices: &Choices) -> Self {
        let quick = choices.contains_key(CHOOSE_QUICK);
        let last_cache_bytes = last_cache_bytes(machine).unwrap_or(CACHE_BYTES_ASSUMED);
        let room = memory_bytes_max(machine);
        let fits = |bytes: &usize| memory_bytes(*bytes) <= room;
        let sets: Vec<usize> = match choices.get(CHOOSE_WORKING_SETS) {
            // Whoever chose them was told where there is no room.
            Some(chosen) => chosen.iter().filter_map(|text| text.parse().ok()).collect(),
            None if quick => vec![QUICK_SET_BYTES],
            None => {
                let largest = (SET_CACHES * last_cache_bytes).min(SET_BYTES_MAX);
                ladder(largest).into_iter().filter(fits).collect()
            }
        };
        let sets: BTreeSet<usize> = [0].into_iter().chain(sets).collect();
        let kinds = by_kind(machine, cpus);
        let (across, pairs) = match choices.get(CHOOSE_PAIRS) {
            Some(chosen) => {
                let chosen: Vec<[usize; 2]> = chosen.iter().filter_map(|text| pair(text)).collect();
                (chosen.clone(), chosen)
            }
            None => {
                let all = || kinds.iter().flatten().copied();
                let one_each = kinds.iter().filter_map(|kind| kind.first().copied());
                let pairs =
                    if cpus.len() <= CPUS_MAX { all().collect() } else { one_each.collect() };
                (kinds.first().cloned().unwrap_or_default(), pairs)
            }
        };
        let chosen_sets = quick || choices.contains_key(CHOOSE_WORKING_SETS);
        let sets = sets.into_iter().collect();
        let chosen_pairs = choices.contains_key(CHOOSE_PAIRS);
        Self { quick, across, pairs, sets, chosen_sets, chosen_pairs, last_cache_bytes }
    }

    /// The next step: the first whose cases have not been run.
    pub(super) fn next(&self, budget: Duration, so_far: &Recorded) -> Step {
        let done: BTreeSet<&str> = so_far.trials.iter().map(|trial| trial.case.as_str()).collect();
        let steps = self.steps();
        let whole = steps.len() == 1;
        for (cases, (share, round_about)) in steps.into_iter().zip(STEPS) {
            if cases.iter().any(|case| done.contains(case.id.as_str())) {
                continue;
            }
            let time = if whole { budget } else { budget.mul_f64(share) };
            return Step::Rounds { cases, time, half_width_max: HALF_WIDTH_MAX, round_about };
        }
        Step::Done
    }

    /// The cases of each step: handing the turn over, waiting for a CPU, having work to do. A quick
    /// answer has one step.
    fn steps(&self) -> Vec<Vec<Case>> {
        let steps = [self.handing_over(), self.waiting(), self.working()];
        if self.quick { vec![steps.into_iter().flatten().collect()] } else { steps.into() }
    }

    fn handing_over(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (medium, kind, placement) in self.ping_pongs() {
            cases.push(ping_pong(medium, kind, placement, &self.across));
        }
        cases.extend(LOOPS.map(|medium| Case::new(&loop_case(medium), &[DO_LOOP, by(medium)])));
        for &pair in self.pairs.iter().filter(|_| !self.quick || self.chosen_pairs) {
            let name = pair_name(pair);
            cases.push(Case::new(&line_case(pair), &[DO_LINE, ("pair", &name)]));
            cases.push(pair_ping_pong(pair));
        }
        let twins: Vec<Case> =
            cases.iter().filter(|case| TWINS.contains(&case.id.as_str())).map(Case::twin).collect();
        cases.extend(twins);
        cases
    }

    /// Every combination that makes sense here.
    pub(super) fn ping_pongs(&self) -> Vec<(Medium, Kind, Placement)> {
        let mut all = Vec::new();
        for medium in MEDIA {
            for kind in KINDS {
                for placement in PLACEMENTS {
                    let across = matches!(placement, Placement::TwoIdle | Placement::TwoAwake);
                    let odd = medium == Medium::SchedYield
                        && matches!(placement, Placement::TwoAwake | Placement::Free);
                    let asked = !self.quick || is_quick(medium, kind, placement);
                    if asked && !odd && (!across || !self.across.is_empty()) {
                        all.push((medium, kind, placement));
                    }
                }
            }
        }
        all
    }

    fn waiting(&self) -> Vec<Case> {
        self.waits()
            .into_iter()
            .map(|(class, rivals)| {
                let levels = [DO_WAIT, ("class", class), ("rivals", &rivals.to_string())];
                Case::new(&wait_case(class, rivals), &levels)
            })
            .collect()
    }

    /// Every class, and how many rivals.
    pub(super) fn waits(&self) -> Vec<(&'static str, usize)> {
        let all = CLASSES.iter().flat_map(|(_, class)| RIVALS.map(|rivals| (*class, rivals)));
        all.filter(|(class, rivals)| !self.quick || (*class == CLASSES[0].1 && *rivals <= 1))
            .collect()
    }

    fn working(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (access, bytes) in self.works() {
            for how in HOWS.into_iter().filter(|how| is_worked(access, *how, bytes)) {
                let text = bytes.to_string();
                let levels =
                    [DO_WORK, ("access", access.name()), ("how", how.name()), ("bytes", &text)];
                cases.push(Case::new(&work_case(access, how, bytes), &levels));
            }
        }
        cases
    }

    /// Whether somebody asked for these sets, or a survey for its one.
    pub(super) fn sets_are_chosen(&self) -> bool {
        self.chosen_sets
    }

    /// What is done with which sets.
    pub(super) fn works(&self) -> Vec<(Access, usize)> {
        let own_max = OWN_SET_CACHES * self.last_cache_bytes;
        let fits = |access: Access, bytes: usize| {
            self.chosen_sets || access != Access::OwnWrites || bytes <= own_max
        };
        ACCESSES
            .into_iter()
            .filter(|access| !self.quick || *access == Access::OwnWrites)
            .flat_map(|access| self.sets.iter().map(move |bytes| (access, *bytes)))
            .filter(|(access, bytes)| fits(*access, *bytes))
            .collect()
    }
}

/// Whether a case tells anything: with nothing to do there is nothing to do alone, and it is the
/// same for every access; one thread that alternates a shared set does what it does alone.
fn is_worked(access: Access, how: How, bytes: usize) -> bool {
    match (bytes, how) {
        (0, _) => access == Access::OwnWrites && how == How::Switched,
        (_, How::Alternating) => access != Access::SharedWrites,
        _ => true,
    }
}

/// What a survey asks of switches.
fn is_quick(medium: Medium, kind: Kind, placement: Placement) -> bool {
    medium == Medium::Futex
        && (kind == Kind::Process || placement == Placement::SameCpu)
        && placement != Placement::Free
}

/// What a case does.
pub(super) const DO: &str = "do";
pub(super) const PING_PONG: &str = "ping_pong";
pub(super) const LOOP: &str = "loop";
pub(super) const LINE: &str = "line";
pub(super) const WAIT: &str = "wait";
pub(super) const WORK: &str = "work";
const DO_PING_PONG: (&str, &str) = (DO, PING_PONG);
const DO_LOOP: (&str, &str) = (DO, LOOP);
const DO_LINE: (&str, &str) = (DO, LINE);
const DO_WAIT: (&str, &str) = (DO, WAIT);
const DO_WORK: (&str, &str) = (DO, WORK);

/// The media whose calls are also timed without anybody to switch to.
pub(super) const LOOPS: [Medium; 2] = [Medium::Futex, Medium::Pipe];
/// The cases that run under two labels.
const TWINS: [&str; 2] = ["futex.process.same_cpu", "futex.thread.same_cpu"];

fn by(medium: Medium) -> (&'static str, &'static str) {
    ("medium", medium.name())
}

fn ping_pong(medium: Medium, kind: Kind, placement: Placement, across: &[[usize; 2]]) -> Case {
    let levels =
        [DO_PING_PONG, by(medium), ("partner", kind.name()), ("placement", placement.name())];
    let mut case = Case::new(&ping_pong_case(medium, kind, placement), &levels);
    if matches!(placement, Placement::TwoIdle | Placement::TwoAwake) {
        let names: Vec<String> = spread(across).into_iter().map(pair_name).collect();
        case.levels.insert("pairs".to_owned(), names.join(","));
    }
    case
}

/// A switch between the CPUs of one pair, as processes do it.
fn pair_ping_pong(pair: [usize; 2]) -> Case {
    let mut case = ping_pong(Medium::Futex, Kind::Process, Placement::TwoIdle, &[pair]);
    case.id = pair_case(pair);
    case
}

pub(super) fn ping_pong_case(medium: Medium, kind: Kind, placement: Placement) -> String {
    // A yield wakes nobody, so whether the other CPU is awake makes no case of its own.
    let place = match (medium, placement) {
        (Medium::SchedYield, Placement::TwoIdle) => "two_cpus",
        _ => placement.name(),
    };
    format!("{}.{}.{place}", medium.name(), kind.name())
}

pub(super) fn loop_case(medium: Medium) -> String {
    format!("loop.{}", medium.name())
}

pub(super) fn line_case(pair: [usize; 2]) -> String {
    format!("line.{}", pair_name(pair))
}

pub(super) fn pair_case(pair: [usize; 2]) -> String {
    format!("pair.{}", pair_name(pair))
}

pub(super) fn wait_case(class: &str, rivals: usize) -> String {
    format!("wait.{class}.{rivals}")
}

pub(super) fn work_case(access: Access, how: How, bytes: usize) -> String {
    format!("work.{}.{}.{bytes}", access.name(), how.name())
}

/// What both sides' sets may take: a quarter of what is free, as far as that is known.
fn memory_bytes_max(machine: &Machine) -> usize {
    let available = machine.memory.as_ref().and_then(|memory| memory.available_bytes);
    let limit = match machine.memory_max_bytes {
        Some(Limit::At(bytes)) => Some(bytes),
        _ => None,
    };
    let least = [available, limit].into_iter().flatten().min();
    least.map_or(usize::MAX, |bytes| usize::try_from(bytes / 4).unwrap_or(usize::MAX))
}

/// Powers of four of four pages, up to and with the largest.
fn ladder(largest: usize) -> Vec<usize> {
    let first = 4 * PAGE_BYTES;
    let steps = std::iter::successors(Some(first), |bytes| bytes.checked_mul(SET_STEP));
    let largest = largest / PAGE_BYTES * PAGE_BYTES;
    steps.take_while(|bytes| *bytes < largest).chain([largest]).collect()
}

/// The size of one of the largest caches that hold data.
pub(super) fn last_cache_bytes(machine: &Machine) -> Option<usize> {
    let data = machine.caches.iter().filter(|cache| cache.kind != CacheKind::Instruction);
    Some(data.max_by_key(|cache| cache.level)?.size_bytes as usize)
}

#[cfg(test)]
mod tests;
