//! Which cases there are on machines of all sizes.

use record::{Cache, LogicalCpu};

use super::*;

fn machine(cpus: usize, threads_per_core: usize) -> Machine {
    let cpu = |cpu: usize| LogicalCpu {
        cpu,
        package: Some(0),
        core: Some((cpu / threads_per_core) as u32),
        kind: None,
    };
    let cache = Cache {
        level: 3,
        kind: CacheKind::Unified,
        size_bytes: 32 << 20,
        shared_by: cpus as u32,
        instances: 1,
        groups: vec![(0..cpus).collect()],
    };
    Machine { cpus: (0..cpus).map(cpu).collect(), caches: vec![cache], ..Machine::default() }
}

fn plan(cpus: usize, choices: &Choices) -> Plan {
    Plan::new(&machine(cpus, 1), &(0..cpus).collect::<Vec<_>>(), choices)
}

fn ids(plan: &Plan) -> Vec<String> {
    plan.steps().into_iter().flatten().map(|case| case.id).collect()
}

fn choice(key: &str, values: &[&str]) -> Choices {
    [(key.to_owned(), values.iter().map(|it| (*it).to_owned()).collect())].into()
}

#[test]
fn case_ids_are_unique_and_fit_a_run_file() {
    for cpus in [1, 2, 4, 16, 64] {
        let mut all = ids(&plan(cpus, &Choices::new()));
        assert!(all.iter().all(|id| id.len() <= 64), "{all:?}");
        let before = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), before);
    }
}

#[test]
fn one_cpu_asks_nothing_that_needs_two() {
    let ids = ids(&plan(1, &Choices::new()));
    assert!(!ids.iter().any(|id| id.contains("two_cpus") || id.starts_with("line")), "{ids:?}");
    assert!(ids.contains(&"futex.process.same_cpu".to_owned()));
}

#[test]
fn a_quick_answer_has_one_short_step() {
    let plan = plan(2, &choice(CHOOSE_QUICK, &[]));
    assert_eq!(plan.steps().len(), 1);
    let ids = ids(&plan);
    for id in [
        "futex.process.same_cpu",
        "futex.thread.same_cpu",
        "futex.process.two_cpus.idle",
        "futex.process.two_cpus.awake",
        "wait.other.0",
        "work.own.switched.524288",
        "work.own.switched.0",
    ] {
        assert!(ids.contains(&id.to_owned()), "{id} in {ids:?}");
    }
    assert!(ids.len() < 20, "{ids:?}");
}

#[test]
fn working_sets_reach_four_times_the_last_cache() {
    let plan = plan(2, &Choices::new());
    assert_eq!((plan.sets[0], plan.sets[1]), (0, 16 << 10));
    assert_eq!(plan.sets.last(), Some(&(128 << 20)));
    let chosen = self::plan(2, &choice(CHOOSE_WORKING_SETS, &["524288", "4096"]));
    assert_eq!(chosen.sets, [0, 4096, 524_288]);
}

/// In a small container the largest sets would be the end of the worker.
#[test]
fn working_sets_leave_room_for_others() {
    let cpus = [0, 1];
    let small = Machine { memory_max_bytes: Some(Limit::At(64 << 20)), ..machine(2, 1) };
    let sets = Plan::new(&small, &cpus, &Choices::new()).sets;
    assert_eq!(sets.last(), Some(&(4 << 20)), "{sets:?}");
    // What was asked for is never left out without a word.
    let chosen = choice(CHOOSE_WORKING_SETS, &["16777216"]);
    assert_eq!(Plan::new(&small, &cpus, &chosen).sets, [0, 16 << 20]);
}

#[test]
fn all_pairs_of_few_cpus_and_one_of_each_kind_of_many() {
    assert_eq!(plan(4, &Choices::new()).pairs.len(), 6);
    let smt = machine(64, 2);
    let many = Plan::new(&smt, &(0..64).collect::<Vec<_>>(), &Choices::new());
    assert_eq!(many.pairs, [[0, 2], [0, 1]]);
    assert!(many.across.iter().all(|[one, other]| one / 2 != other / 2));
    let chosen = plan(4, &choice(CHOOSE_PAIRS, &["0-3"]));
    assert_eq!((chosen.pairs, chosen.across), (vec![[0, 3]], vec![[0, 3]]));
}

#[test]
fn steps_follow_each_other_until_all_have_run() {
    let plan = plan(2, &Choices::new());
    let mut so_far = Recorded::new(1, vec![0, 1], 1);
    let mut firsts = Vec::new();
    while let Step::Rounds { cases, .. } = plan.next(Duration::from_secs(20), &so_far) {
        firsts.push(cases[0].id.clone());
        so_far.trials.push(record::Trial {
            start: 0,
            round: 0,
            case: cases[0].id.clone(),
            at_ns: 1,
            result: Ok(record::Observation::default()),
        });
    }
    assert_eq!(firsts, ["futex.process.same_cpu", "wait.other.0", "work.own.switched.0"]);
}
