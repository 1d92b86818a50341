//! What was compared, so that a comparison can be told from another: a line per run.

use record::{Align, Run, Section, Table};

use super::{NAME, STAMP_CHARS_MAX};
use crate::said::machine;

const TITLE: &str = "What was compared";
/// The sides, in the order in which they are told.
pub(super) const BEFORE: &str = "Before";
pub(super) const AFTER: &str = "After";
/// Where findings of one run were held against each other.
pub(super) const WITHIN: &str = "Within";

/// Which runs were on which side.
pub(super) fn table(sides: &[(&str, &[Run])]) -> Table {
    let columns = [
        ("side", Align::Left),
        ("when", Align::Left),
        ("Fathom", Align::Left),
        ("seed", Align::Right),
        ("machine", Align::Left),
    ];
    let mut table = Table::new(TITLE, &columns);
    for (side, runs) in sides {
        table.rows.extend(runs.iter().map(|run| {
            let when = run.started_at.chars().take(STAMP_CHARS_MAX).collect();
            let machine = run.machines.first().map(machine).unwrap_or_default();
            vec![(*side).to_owned(), when, run.fathom.clone(), run.seed.to_string(), machine]
        }));
    }
    table
}

/// The sides of a comparison in a line each, as its table has them: `Before`, and what that was.
pub(crate) fn told(sections: &[Section]) -> Vec<(&'static str, String)> {
    let compared = sections.iter().filter(|section| section.name == NAME);
    let mut tables = compared.flat_map(|section| &section.conclusion.tables);
    let Some(table) = tables.find(|table| table.title == TITLE) else { return Vec::new() };
    let told = |side: &'static str| {
        let mut runs = table.rows.iter().filter(|row| row.first().is_some_and(|it| it == side));
        let [_, when, fathom, seed, machine] = runs.next()?.as_slice() else { return None };
        let more = match runs.count() {
            0 => String::new(),
            1 => "; and 1 more run".to_owned(),
            more => format!("; and {more} more runs"),
        };
        Some((side, format!("{when}, Fathom {fathom}, seed {seed}; {machine}{more}")))
    };
    [BEFORE, AFTER, WITHIN].into_iter().filter_map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::run;

    #[test]
    fn a_side_is_told_in_a_line() {
        let mut later = run();
        (later.seed, later.started_at) = (7, "2026-11-21T08:00:00Z".into());
        let (before, after) = ([run()], [later, run(), run()]);
        let mut section = run().sections.remove(0);
        section.conclusion.tables = vec![table(&[(BEFORE, &before), (AFTER, &after)])];
        assert_eq!(told(std::slice::from_ref(&section)), [], "no comparison");
        section.name = NAME.into();
        let machine = "AMD EPYC, 0 CPUs, under KVM; Linux 6.18.44";
        assert_eq!(
            told(&[section]),
            [
                ("Before", format!("2026-11-20T18:00:00Z, Fathom 0.1.0, seed 42; {machine}")),
                (
                    "After",
                    format!(
                        "2026-11-21T08:00:00Z, Fathom 0.1.0, seed 7; {machine}; and 2 more runs"
                    )
                ),
            ]
        );
    }
}
