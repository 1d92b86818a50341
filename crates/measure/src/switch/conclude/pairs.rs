//! Each pair of CPUs: a switch across it, and a cache line without the kernel.

use record::{Estimate, Figure, Finding, Labels, Recorded, Unit};

use super::{
    super::{
        channel::Medium,
        line::ONE_WAY,
        partner::Kind,
        pingpong::{Placement, SWITCH},
        plan::{Plan, line_case, pair_case, pair_name, ping_pong_case},
    },
    Metric, by_id,
};

const LINE: &str = "switch.line.";
const PAIR: &str = "switch.pair.";

/// `0_1`: ids have no dashes.
fn word(pair: [usize; 2]) -> String {
    pair_name(pair).replace('-', "_")
}

pub(super) fn findings(plan: &Plan, recorded: &Recorded) -> Vec<Finding> {
    let asked = |case: &str| recorded.of_case(case).next().is_some();
    let mut findings = Vec::new();
    for &pair in &plan.pairs {
        let name = pair_name(pair);
        let lines = Metric {
            id: format!("{LINE}{}", word(pair)),
            case: line_case(pair),
            metric: ONE_WAY,
            cpu_bound: false,
            name: format!("A cache line from CPU to CPU ({name}), without the kernel"),
        };
        let switches = Metric {
            id: format!("{PAIR}{}", word(pair)),
            case: pair_case(pair),
            metric: SWITCH,
            cpu_bound: false,
            name: format!("A switch between processes across idle CPUs ({name}), by futex"),
        };
        let both = [lines, switches].into_iter().filter(|metric| asked(&metric.case));
        findings.extend(both.map(|metric| metric.finding(recorded)));
    }
    findings
}

/// A heat map of each.
pub(super) fn figures(recorded: &Recorded, direct: &[Finding], pairs: &[Finding]) -> Vec<Figure> {
    let same =
        format!("switch.{}", ping_pong_case(Medium::Futex, Kind::Process, Placement::SameCpu));
    let same = by_id(direct, &same).and_then(|finding| finding.outcome.estimate());
    let maps = [
        ("A cache line from CPU to CPU, one way", LINE, None),
        ("A switch between processes, from CPU to CPU", PAIR, same),
    ];
    maps.into_iter()
        .filter_map(|(title, prefix, same)| map(title, prefix, same, recorded, pairs))
        .collect()
}

fn map(
    title: &str,
    prefix: &str,
    same: Option<&Estimate>,
    recorded: &Recorded,
    pairs: &[Finding],
) -> Option<Figure> {
    let value = |one: usize, other: usize| -> Option<f64> {
        if one == other {
            return same.map(|it| it.value);
        }
        let ids = [[one, other], [other, one]].map(|pair| format!("{prefix}{}", word(pair)));
        let found = ids.iter().find_map(|id| by_id(pairs, id));
        Some(found?.outcome.estimate()?.value)
    };
    let cpus = &recorded.cpus;
    let cells: Vec<Vec<Option<f64>>> =
        cpus.iter().map(|one| cpus.iter().map(|other| value(*one, *other)).collect()).collect();
    let any = pairs.iter().any(|it| it.id.starts_with(prefix) && it.outcome.estimate().is_some());
    let labels = |title: &str| Labels {
        title: title.to_owned(),
        labels: cpus.iter().map(usize::to_string).collect(),
    };
    any.then(|| Figure::HeatMap {
        title: title.to_owned(),
        unit: Unit::Nanoseconds,
        columns: labels("to CPU"),
        rows: labels("from CPU"),
        cells,
    })
}
