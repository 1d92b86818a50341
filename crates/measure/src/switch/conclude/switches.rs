//! The switches in tables and pictures.

use record::{Align, Bar, Figure, Finding, Table, Unit};

use super::{
    super::{
        channel::{MEDIA, Medium},
        partner::{KINDS, Kind},
        pingpong::{PER_TRIP, PLACEMENTS, Placement, ROUND_TRIP},
        plan::{LOOPS, Plan, loop_case, ping_pong_case},
    },
    by_id,
    direct::{futex, id, words},
    ns,
};

/// The numbers side by side, and each with what proves it.
pub(super) fn tables(plan: &Plan, findings: &[Finding]) -> [Table; 2] {
    let asked = plan.ping_pongs();
    let found =
        |medium, kind, placement| by_id(findings, &id(&ping_pong_case(medium, kind, placement)));
    let places: Vec<Placement> =
        PLACEMENTS.into_iter().filter(|place| asked.iter().any(|it| it.2 == *place)).collect();
    let heads = places.iter().map(|place| (short(*place), Align::Right));
    let columns: Vec<(&str, Align)> =
        [("by", Align::Left), ("between", Align::Left)].into_iter().chain(heads).collect();
    let mut side_by_side = Table::new("A switch, by where the two sides run", &columns);
    for (medium, kind) in MEDIA.iter().flat_map(|medium| KINDS.map(|kind| (*medium, kind))) {
        let cell = |place: &Placement| {
            found(medium, kind, *place).map(|it| it.cells()[0].clone()).unwrap_or_default()
        };
        let cells: Vec<String> = places.iter().map(cell).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            let names = [medium.name().to_owned(), kind.name().to_owned()];
            side_by_side.rows.push(names.into_iter().chain(cells).collect());
        }
    }
    side_by_side.rows.extend(LOOPS.iter().filter_map(|medium| {
        let calls = by_id(findings, &id(&loop_case(*medium)))?;
        let names = [medium.name(), "(calls)"].map(str::to_owned);
        // The calls of one thread alone have one place.
        let rest = vec![String::new(); places.len().saturating_sub(1)];
        Some(names.into_iter().chain([calls.cells()[0].clone()]).chain(rest).collect())
    }));
    let mut proofs = Table::new("What proves it: both sides together, per trial", &PROOF);
    for (medium, kind, placement) in asked {
        if let Some(finding) = found(medium, kind, placement) {
            proofs.rows.push(proof_row(medium, kind, placement, finding));
        }
    }
    [side_by_side, proofs]
}

const PROOF: [(&str, Align); 7] = [
    ("by", Align::Left),
    ("between", Align::Left),
    ("where", Align::Left),
    ("95 % interval", Align::Right),
    ("round trip", Align::Right),
    ("switches", Align::Right),
    ("moves", Align::Right),
];

fn proof_row(medium: Medium, kind: Kind, placement: Placement, finding: &Finding) -> Vec<String> {
    let [value, interval] = finding.cells();
    let interval = if interval.is_empty() { value } else { interval };
    let proof = |name: &str| finding.proof.get(name).copied();
    let count = |it: Option<f64>, digits| it.map(|it| format!("{it:.digits$}")).unwrap_or_default();
    vec![
        medium.name().to_owned(),
        kind.name().to_owned(),
        short(placement).to_owned(),
        interval,
        proof(ROUND_TRIP).map(|it| ns(it).to_string()).unwrap_or_default(),
        count(proof(PER_TRIP), 2),
        count(proof("migrations"), 0),
    ]
}

fn short(placement: Placement) -> &'static str {
    match placement {
        Placement::SameCpu => "one CPU",
        Placement::TwoIdle => "two idle",
        Placement::TwoAwake => "two awake",
        Placement::Free => "free",
    }
}

pub(super) fn figures(findings: &[Finding]) -> Vec<Figure> {
    let ours = PLACES.iter().filter_map(|&(kind, placement)| {
        let finding = by_id(findings, &id(&futex(kind, placement)))?;
        let partners = kind.name();
        Some((format!("{partners}, {}", words(placement)), finding))
    });
    let bars: Vec<Bar> = ours
        .flat_map(|(label, finding)| {
            let own = finding.outcome.estimate().map(|it| Bar::measured(label, it));
            let same = finding.id == id(&futex(Kind::Process, Placement::SameCpu));
            let theirs = finding.references.iter().filter(move |_| same).map(|it| {
                Bar::published(format!("process, on one CPU: {}, {}", it.machine, it.year), it)
            });
            own.into_iter().chain(theirs).collect::<Vec<_>>()
        })
        .collect();
    if bars.is_empty() {
        return Vec::new();
    }
    let title = "A switch by futex, here and elsewhere".to_owned();
    vec![Figure::Bars { title, unit: Unit::Nanoseconds, bars }]
}

/// What the picture shows.
const PLACES: [(Kind, Placement); 5] = [
    (Kind::Thread, Placement::SameCpu),
    (Kind::Process, Placement::SameCpu),
    (Kind::Process, Placement::TwoAwake),
    (Kind::Process, Placement::TwoIdle),
    (Kind::Process, Placement::Free),
];
