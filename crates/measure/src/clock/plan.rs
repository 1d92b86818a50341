//! Which cases there are: a pure function of the number of CPUs and of what was chosen.

use lab::Case;
use record::Choices;

use super::{
    clocks::{CLOCKS, Clock},
    collide::{ARRIVALS, Arrival},
    ids::{SCHEMES, Scheme},
};

/// The choice of clocks, by name; of all if there is none.
pub const CHOOSE_CLOCKS: &str = "clock";
/// The choice of numbers of threads.
pub const CHOOSE_THREADS: &str = "threads";

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    /// The CPUs that there are.
    pub cpus: usize,
    /// The clocks to be read by one thread.
    pub clocks: Vec<Clock>,
    /// The clocks to be read by several threads at once.
    pub colliding: Vec<Clock>,
    /// The clocks to be compared between CPUs.
    pub ordered: Vec<Clock>,
    /// How many threads those are; two or more.
    pub threads: Vec<usize>,
    /// The ways to make IDs.
    pub schemes: Vec<Scheme>,
}

impl Plan {
    /// The plan for so many CPUs.
    pub(super) fn of(cpus: usize, choices: &Choices) -> Self {
        let chosen = choices.get(CHOOSE_CLOCKS);
        let named = |names: &Vec<String>| -> Vec<Clock> {
            CLOCKS.into_iter().filter(|it| names.iter().any(|name| name == it.name())).collect()
        };
        let shared =
            |clocks: &[Clock]| clocks.iter().copied().filter(|it| it.is_shared()).collect();
        let threads = choices.get(CHOOSE_THREADS);
        let threads = threads.map(|all| all.iter().filter_map(|n| n.parse().ok()).collect());
        let threads = threads.unwrap_or_else(|| doublings(cpus));
        match chosen.map(named) {
            Some(clocks) => Self {
                cpus,
                colliding: shared(&clocks),
                ordered: shared(&clocks),
                clocks,
                threads,
                schemes: Vec::new(),
            },
            None => Self {
                cpus,
                clocks: CLOCKS.to_vec(),
                colliding: vec![Clock::Realtime],
                ordered: vec![Clock::Monotonic, Clock::Tsc],
                threads,
                schemes: SCHEMES.to_vec(),
            },
        }
    }

    /// The most threads.
    pub(super) fn threads_max(&self) -> usize {
        self.threads.iter().copied().max().unwrap_or(2)
    }

    /// The numbers of threads that make IDs: one, and the others.
    pub(super) fn makers(&self) -> Vec<usize> {
        [1].into_iter().chain(self.threads.iter().copied()).collect()
    }

    /// Every case that this machine has enough CPUs for.
    pub(super) fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for &clock in &self.clocks {
            cases.push(Case::new(&read_case(clock), &[DO_READ, ("clock", clock.name())]));
            cases.push(Case::new(&walk_case(clock), &[DO_WALK, ("clock", clock.name())]));
        }
        let fits = |threads: &usize| *threads <= self.cpus;
        for (&clock, &threads) in pairs(&self.colliding, &self.threads).filter(|it| fits(it.1)) {
            for arrival in ARRIVALS {
                let levels = [
                    DO_COLLIDE,
                    ("clock", clock.name()),
                    ("threads", &threads.to_string()),
                    ("arrival", arrival.name()),
                ];
                cases.push(Case::new(&collide_case(clock, threads, arrival), &levels));
            }
        }
        for &clock in self.ordered.iter().filter(|_| self.cpus > 1) {
            cases.push(Case::new(&order_case(clock), &[DO_ORDER, ("clock", clock.name())]));
        }
        for (&scheme, &threads) in pairs(&self.schemes, &self.makers()).filter(|it| fits(it.1)) {
            let threads_text = threads.to_string();
            let levels = [DO_ID, ("scheme", scheme.name()), ("threads", &threads_text)];
            cases.push(Case::new(&id_case(scheme, threads), &levels));
        }
        let twins = self.twins();
        let twins: Vec<Case> =
            cases.iter().filter(|case| twins.contains(&case.id)).map(Case::twin).collect();
        cases.extend(twins);
        cases
    }

    /// The cases that run under two labels: costs only, because a share has no ratio at zero.
    fn twins(&self) -> Vec<String> {
        let clocks = [Clock::Realtime, Clock::Monotonic].into_iter();
        let mut twins: Vec<String> =
            clocks.filter(|clock| self.clocks.contains(clock)).map(read_case).collect();
        if twins.is_empty() {
            twins.extend(self.clocks.first().copied().map(read_case));
        }
        twins
    }
}

/// What a case does.
pub(super) const DO: &str = "do";
pub(super) const READ: &str = "read";
pub(super) const WALK: &str = "walk";
pub(super) const COLLIDE: &str = "collide";
pub(super) const ORDER: &str = "order";
pub(super) const ID: &str = "id";
const DO_READ: (&str, &str) = (DO, READ);
const DO_WALK: (&str, &str) = (DO, WALK);
const DO_COLLIDE: (&str, &str) = (DO, COLLIDE);
const DO_ORDER: (&str, &str) = (DO, ORDER);
const DO_ID: (&str, &str) = (DO, ID);

pub(super) fn read_case(clock: Clock) -> String {
    format!("read.{}", clock.name())
}

pub(super) fn walk_case(clock: Clock) -> String {
    format!("walk.{}", clock.name())
}

pub(super) fn collide_case(clock: Clock, threads: usize, arrival: Arrival) -> String {
    format!("collide.{}.threads_{threads}.{}", clock.name(), arrival.name())
}

pub(super) fn order_case(clock: Clock) -> String {
    format!("order.{}", clock.name())
}

pub(super) fn id_case(scheme: Scheme, threads: usize) -> String {
    format!("id.{}.threads_{threads}", scheme.name())
}

/// Two, and every doubling up to all CPUs, and all.
fn doublings(cpus: usize) -> Vec<usize> {
    let mut threads: Vec<usize> = (1..).map(|power| 1 << power).take_while(|n| *n < cpus).collect();
    threads.push(cpus.max(2));
    threads
}

fn pairs<'a, A, B>(all: &'a [A], with: &'a [B]) -> impl Iterator<Item = (&'a A, &'a B)> {
    all.iter().flat_map(move |one| with.iter().map(move |other| (one, other)))
}

#[cfg(test)]
mod tests {
    use estimate::TWIN;

    use super::*;
    use crate::clock::CLOCK_NAMES;

    fn choices(key: &str, values: &[&str]) -> Choices {
        [(key.to_owned(), values.iter().map(|it| (*it).to_owned()).collect())].into()
    }

    fn ids(plan: &Plan) -> Vec<String> {
        plan.cases().into_iter().map(|case| case.id).collect()
    }

    #[test]
    fn threads_double_up_to_all_cpus() {
        for (cpus, expected) in [
            (1, vec![2]),
            (2, vec![2]),
            (3, vec![2, 3]),
            (8, vec![2, 4, 8]),
            (96, vec![2, 4, 8, 16, 32, 64, 96]),
        ] {
            assert_eq!(doublings(cpus), expected, "{cpus}");
        }
    }

    #[test]
    fn one_cpu_asks_nothing_that_needs_two() {
        let ids = ids(&Plan::of(1, &Choices::new()));
        assert!(ids.contains(&"read.tsc".into()) && ids.contains(&"id.uuid_v7.threads_1".into()));
        assert!(!ids.iter().any(|id| id.starts_with("collide") || id.starts_with("order")));
        assert!(!ids.iter().any(|id| id.contains("threads_2")), "{ids:?}");
    }

    #[test]
    fn case_ids_are_unique_and_fit_a_run_file() {
        let plan = Plan::of(512, &choices(CHOOSE_CLOCKS, &CLOCK_NAMES));
        for plan in [plan, Plan::of(512, &Choices::new())] {
            let mut all = ids(&plan);
            assert!(all.iter().all(|id| id.len() <= 64), "{all:?}");
            let before = all.len();
            all.sort();
            all.dedup();
            assert_eq!(all.len(), before);
            assert!(all.iter().any(|id| id.ends_with(TWIN)));
        }
    }

    #[test]
    fn what_was_chosen_is_all_that_is_asked() {
        let plan = Plan::of(8, &choices(CHOOSE_CLOCKS, &["tai", "thread_cpu"]));
        assert_eq!(plan.clocks, [Clock::Tai, Clock::ThreadCpu]);
        assert_eq!((&plan.colliding, &plan.ordered), (&vec![Clock::Tai], &vec![Clock::Tai]));
        assert!(ids(&plan).contains(&"collide.tai.threads_8.jittered".into()));
        assert!(plan.schemes.is_empty());
        let plan = Plan::of(8, &choices(CHOOSE_THREADS, &["3"]));
        assert_eq!((plan.threads_max(), plan.makers()), (3, vec![1, 3]));
    }
}
