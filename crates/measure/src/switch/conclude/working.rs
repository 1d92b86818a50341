//! What a switch costs sides that have work to do.
//!
//! In the same round, one turn of work was timed with a switch after it, alone, and with the other
//! side's set in turn; and a switch with nothing to do. What a turn with a switch takes beyond the
//! turn alone is the whole cost; less the bare switch it is what the caches and the TLB lose
//! (indirect; Li, Ding and Shen 2007, Quantifying the cost of context switch). Part of that two
//! sets cost each other even where one thread uses both.

use estimate::derived;
use record::{
    Align, Axis, Better, CacheKind, Estimate, Figure, Finding, Line, Machine, Outcome, Point,
    Recorded, Scale, Table, Unit,
};

use super::{
    super::{
        plan::{Plan, work_case},
        references,
        working_set::{ACCESSES, Access, How, PAGE_BYTES, TURN},
    },
    by_id, bytes, ns, why,
};

/// From one size to the next a page write that takes so much longer has passed a cache.
const KNEE_MIN: f64 = 1.25;

/// `512kib`: ids are lower-case.
fn size_word(size: usize) -> String {
    bytes(size).replace(' ', "").to_ascii_lowercase()
}

fn id(access: Access, size: usize, what: &str) -> String {
    let size = size_word(size);
    match access {
        Access::OwnWrites => format!("switch.working_set.{size}.{what}"),
        other => format!("switch.working_set.{}.{size}.{what}", other.name()),
    }
}

fn page_write_id(size: usize) -> String {
    format!("switch.page_write.{}", size_word(size))
}

/// What each side does in a turn.
fn words(access: Access, size: usize) -> String {
    let size = bytes(size);
    match access {
        Access::OwnWrites => format!("{size} of its own that each side writes per turn"),
        Access::SharedWrites => format!("{size} that both sides share and write per turn"),
        Access::OwnReads => format!("{size} of its own that each side reads at random per turn"),
    }
}

pub(super) fn findings(plan: &Plan, recorded: &Recorded, machine: &Machine) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (access, size) in plan.works().into_iter().filter(|(_, size)| *size > 0) {
        let largest = plan.sets.last() == Some(&size);
        let indirect = indirect(access, size, recorded);
        let mut total = total(access, size, largest, recorded);
        if plan.sets_are_chosen() {
            total.tabled = false;
            total.text.push_str(&of_it(&indirect));
        }
        findings.extend([total, indirect]);
        if access != Access::SharedWrites {
            findings.push(without_switching(access, size, recorded));
        }
    }
    let written: Vec<usize> = plan
        .works()
        .into_iter()
        .filter(|(access, size)| *access == Access::SharedWrites && *size > 0)
        .map(|(_, size)| size)
        .collect();
    findings.extend(written.iter().map(|size| page_write(*size, recorded)));
    for pair in written.windows(2) {
        findings.extend(knee([pair[0], pair[1]], recorded, machine));
    }
    findings
}

fn case(access: Access, how: How, size: usize) -> String {
    work_case(access, how, size)
}

/// A switch with nothing to do, in the same rounds.
fn bare() -> String {
    case(Access::OwnWrites, How::Switched, 0)
}

fn finding(
    id: String,
    name: &str,
    outcome: Outcome,
    proof_of: &str,
    recorded: &Recorded,
) -> Finding {
    let text = match outcome.estimate() {
        // Nothing here can be gained by switching.
        Some(it) if it.low <= 0.0 => {
            format!("{name}: not to be told from noise ({}).", it.interval(Unit::Nanoseconds))
        }
        Some(it) => format!("{name}: {} ({}).", ns(it.value), it.interval(Unit::Nanoseconds)),
        None => format!("{name}: no number; {}.", why(&outcome)),
    };
    Finding {
        proof: estimate::proof_of(recorded, proof_of),
        tabled: true,
        ..Finding::new(id, Unit::Nanoseconds, Better::Lower, outcome, text)
    }
}

fn indirect(access: Access, size: usize, recorded: &Recorded) -> Finding {
    let switched = case(access, How::Switched, size);
    let cases = [switched.as_str(), &case(access, How::Alone, size), &bare()];
    let outcome = derived(recorded, &cases, TURN, |it| it[0] - it[1] - it[2]);
    let name = format!("What caches and TLB lose per switch, with {}", words(access, size));
    finding(id(access, size, "indirect"), &name, outcome, &switched, recorded)
}

/// What of the whole is indirect.
fn of_it(indirect: &Finding) -> String {
    let interval = |it: &Estimate| it.interval(Unit::Nanoseconds);
    match indirect.outcome.estimate() {
        Some(it) if it.low > 0.0 => {
            format!(" Caches and TLB are {} of it ({}).", ns(it.value), interval(it))
        }
        Some(it) => format!(" What of it caches and TLB are is lost in noise ({}).", interval(it)),
        None => String::new(),
    }
}

fn total(access: Access, size: usize, largest: bool, recorded: &Recorded) -> Finding {
    let switched = case(access, How::Switched, size);
    let cases = [switched.as_str(), &case(access, How::Alone, size)];
    let outcome = derived(recorded, &cases, TURN, |it| it[0] - it[1]);
    let name = format!("All that a switch costs, with {}", words(access, size));
    let mut finding = finding(id(access, size, "total"), &name, outcome, &switched, recorded);
    if largest && access == Access::SharedWrites {
        finding.references.push(references::rule_of_thumb());
    }
    finding
}

/// What the other side's set takes from this one's without any switch.
fn without_switching(access: Access, size: usize, recorded: &Recorded) -> Finding {
    let both = case(access, How::Alternating, size);
    let cases = [both.as_str(), &case(access, How::Alone, size)];
    let outcome = derived(recorded, &cases, TURN, |it| it[0] - it[1]);
    let name =
        format!("Lost per turn by one thread that uses both sets, with {}", words(access, size));
    finding(id(access, size, "without_switching"), &name, outcome, &both, recorded)
}

fn page_write(size: usize, recorded: &Recorded) -> Finding {
    let alone = case(Access::SharedWrites, How::Alone, size);
    let pages = (size / PAGE_BYTES) as f64;
    let outcome = derived(recorded, &[&alone], TURN, |it| it[0] / pages);
    let name = format!("Writing a page of a set of {}", bytes(size));
    let mut finding = finding(page_write_id(size), &name, outcome, &alone, recorded);
    finding.references = references::of_page_write(size);
    finding
}

/// Where writing a page becomes dearer, and what ends there.
fn knee([before, after]: [usize; 2], recorded: &Recorded, machine: &Machine) -> Option<Finding> {
    let alone = |size| case(Access::SharedWrites, How::Alone, size);
    let per_page = (after / PAGE_BYTES) as f64 / (before / PAGE_BYTES) as f64;
    let outcome =
        derived(recorded, &[&alone(after), &alone(before)], TURN, |it| it[0] / it[1] / per_page);
    let it = outcome.estimate().filter(|it| it.low > KNEE_MIN)?.clone();
    let ends = ends_between(machine, before, after);
    let what = match ends.is_empty() {
        true => "no cache or TLB that is known here ends between".to_owned(),
        false => format!("between them ends {}", ends.join(" and ")),
    };
    let text = format!(
        "Writing a page takes {:.2} times as long in a set of {} as in one of {} ({}): {what}.",
        it.value,
        bytes(after),
        bytes(before),
        it.interval(Unit::Ratio).trim_end_matches('x'),
    );
    let id = format!("switch.page_write.knee_{}", size_word(after));
    Some(Finding::new(id, Unit::Ratio, Better::Neither, outcome, text))
}

/// The caches and TLBs that hold the smaller set and not the larger.
fn ends_between(machine: &Machine, before: usize, after: usize) -> Vec<String> {
    let caches = machine.caches.iter().filter(|cache| cache.kind != CacheKind::Instruction);
    let caches = caches.map(|cache| {
        let data = if cache.kind == CacheKind::Data { "d" } else { "" };
        (format!("L{}{data}", cache.level), cache.size_bytes as usize)
    });
    let tlbs = machine.data_tlb_pages.iter().enumerate().map(|(place, pages)| {
        (format!("what the L{} TLB maps", place + 1), *pages as usize * PAGE_BYTES)
    });
    let ends = caches.chain(tlbs).filter(|(_, size)| (before..after).contains(size));
    ends.map(|(name, size)| format!("{name} ({})", bytes(size))).collect()
}

pub(super) fn table(plan: &Plan, findings: &[Finding]) -> Table {
    let columns = [
        ("per turn", Align::Left),
        ("set", Align::Right),
        ("a switch costs", Align::Right),
        ("of it indirect", Align::Right),
        ("95 % interval", Align::Right),
        ("without switching", Align::Right),
    ];
    let mut table = Table::new("A switch between processes that have work to do", &columns);
    for (access, size) in plan.works().into_iter().filter(|(_, size)| *size > 0) {
        let cells = |what: &str| {
            let found = by_id(findings, &id(access, size, what));
            let noise = |it: &&Finding| it.outcome.estimate().is_some_and(|it| it.low <= 0.0);
            let [value, interval] = found.map(Finding::cells).unwrap_or_default();
            [if found.filter(noise).is_some() { "noise".to_owned() } else { value }, interval]
        };
        let [total, _] = cells("total");
        let [indirect, interval] = cells("indirect");
        let [without, _] = cells("without_switching");
        let access = match access {
            Access::OwnWrites => "writes its own",
            Access::SharedWrites => "writes a shared",
            Access::OwnReads => "reads its own",
        };
        let size = bytes(size);
        table.rows.push(vec![access.to_owned(), size, total, indirect, interval, without]);
    }
    table
}

pub(super) fn figures(plan: &Plan, findings: &[Finding]) -> Vec<Figure> {
    let sizes: Vec<usize> = plan.sets.iter().copied().filter(|size| *size > 0).collect();
    if sizes.len() < 2 {
        return Vec::new();
    }
    let line = |label: &str, id: &dyn Fn(usize) -> String| Line {
        label: label.to_owned(),
        points: sizes
            .iter()
            .filter_map(|size| {
                let it = by_id(findings, &id(*size))?.outcome.estimate()?.clone();
                let Estimate { value, low, high, .. } = it;
                Some(Point { x: *size as f64, value, low, high })
            })
            .collect(),
        reference: false,
    };
    let totals = ACCESSES.map(|access| {
        let label = match access {
            Access::OwnWrites => "each writes its own set",
            Access::SharedWrites => "both write one set",
            Access::OwnReads => "each reads its own set at random",
        };
        line(label, &|size| id(access, size, "total"))
    });
    let theirs = Line {
        label: "Nehalem, 2010".to_owned(),
        points: sizes
            .iter()
            .flat_map(|size| {
                references::of_page_write(*size).into_iter().map(|it| Point {
                    x: *size as f64,
                    value: it.value,
                    low: it.value,
                    high: it.value,
                })
            })
            .collect(),
        reference: true,
    };
    let pages = [line("this machine", &page_write_id), theirs];
    let axis = |title: &str, unit| Axis { title: title.to_owned(), unit, scale: Scale::Log };
    let figure = |title: &str, y: &str, lines: Vec<Line>| Figure::Lines {
        title: title.to_owned(),
        x: axis("working set", Unit::Bytes),
        y: axis(y, Unit::Nanoseconds),
        lines: lines.into_iter().filter(|line| !line.points.is_empty()).collect(),
    };
    vec![
        figure("All that a switch costs, by working set", "per switch", totals.into()),
        figure("Writing a page, by working set", "per page", pages.into()),
    ]
}
