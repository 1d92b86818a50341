//! Waits in pictures.

use estimate::total;
use record::{Axis, Figure, Finding, Line, Point, Recorded, Scale, Unit};

use super::{
    super::{
        plan::{Plan, wait_case},
        wakeup::{CLASSES, RIVALS, THRESHOLDS, beyond, threshold_ns},
    },
    by_id,
    waiting::{P99, id, shown},
};

/// How the waits of an ordinary thread fall; and how the slowest hundredth grows with its rivals.
pub(super) fn figures(plan: &Plan, findings: &[Finding], recorded: &Recorded) -> Vec<Figure> {
    let class = CLASSES[0].1;
    let asked = plan.waits();
    let fallen = asked.iter().filter(|(asked, _)| *asked == class).map(|(_, rivals)| Line {
        label: match rivals {
            0 => "alone on its CPU".to_owned(),
            1 => "beside 1 rival".to_owned(),
            many => format!("beside {many} rivals"),
        },
        points: later_than(recorded, &wait_case(class, *rivals)),
        reference: false,
    });
    let classes = CLASSES.iter().map(|(_, class)| Line {
        label: shown(class),
        points: RIVALS.iter().filter_map(|rivals| p99(findings, class, *rivals)).collect(),
        reference: false,
    });
    let axis = |title: &str, unit, scale| Axis { title: title.to_owned(), unit, scale };
    let figure = |title: &str, x, y, lines: Vec<Line>| {
        let lines: Vec<Line> = lines.into_iter().filter(|it| !it.points.is_empty()).collect();
        (!lines.is_empty()).then(|| Figure::Lines { title: title.to_owned(), x, y, lines })
    };
    let late = figure(
        "How many wakes run later than that",
        axis("from due to running", Unit::Nanoseconds, Scale::Log),
        axis("share of all wakes", Unit::Share, Scale::Log),
        fallen.collect(),
    );
    let slowest = figure(
        "99 % of wakes wait no longer than",
        axis("threads that always want to run on the CPU", Unit::Count, Scale::Linear),
        axis("from due to running", Unit::Nanoseconds, Scale::Log),
        classes.collect(),
    );
    // Two points make no curve.
    let several = asked.len() > 2;
    late.into_iter().chain(slowest.filter(|_| several)).collect()
}

/// The share of all waits beyond each threshold, as far as there are any.
fn later_than(recorded: &Recorded, case: &str) -> Vec<Point> {
    let point = |place: usize| {
        let part = total(recorded, case, &beyond(place));
        let value = part.events as f64 / part.of.max(1) as f64;
        (part.events > 0).then(|| Point { x: threshold_ns(place), value, low: value, high: value })
    };
    (0..THRESHOLDS).map_while(point).collect()
}

fn p99(findings: &[Finding], class: &str, rivals: usize) -> Option<Point> {
    let it = by_id(findings, &id(class, rivals, P99))?.outcome.estimate()?;
    Some(Point { x: rivals as f64, value: it.value, low: it.low, high: it.high })
}
