//! What stands behind the sentences: others' numbers, and every finding with its id.

use record::{Align, Basis, Estimate, Finding, Outcome, Quantity, Unit};

use super::{
    markup::{Markup, is_dotted_id},
    tables::{self, class, scrolled},
};

/// No question has as many; all of them are in the run.
const FINDINGS_MAX: usize = 1000;

/// What others measured of the same thing, beside what was found here.
pub(super) fn references(page: &mut Markup, findings: &[Finding]) {
    let all = findings.iter().map(|finding| finding.references.len()).sum();
    let rows: Vec<[String; 6]> = findings
        .iter()
        .flat_map(|finding| finding.references.iter().map(move |reference| (finding, reference)))
        .take(tables::ROWS_MAX)
        .map(|(finding, it)| {
            let here = finding.outcome.estimate().map_or("no number".to_owned(), |estimate| {
                Quantity::new(estimate.value, finding.unit).to_string()
            });
            let theirs = Quantity::new(it.value, finding.unit).as_published();
            let year = it.year.to_string();
            [finding.id.clone(), here, theirs, it.machine.clone(), year, it.source.clone()]
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    let columns = [
        ("finding", Align::Left),
        ("here", Align::Right),
        ("elsewhere", Align::Right),
        ("machine", Align::Left),
        ("year", Align::Right),
        ("source", Align::Left),
    ];
    let cells = rows.iter().map(|row| row.iter().map(String::as_str).collect());
    tables::grid(page, "What others measured", &columns, cells, all);
}

/// Every finding, folded away. Those that are said further up have their anchor there.
pub(super) fn all(page: &mut Markup, findings: &[Finding], said: &[&str]) {
    if findings.is_empty() {
        return;
    }
    page.open("details", &[("class", "all")]);
    let count = findings.len();
    let plural = if count == 1 { "" } else { "s" };
    page.leaf("summary", &[], &format!("All {count} finding{plural}, by id"));
    let columns = [
        ("id", Align::Left),
        ("value", Align::Right),
        ("low", Align::Right),
        ("high", Align::Right),
        ("unit", Align::Left),
        ("outcome", Align::Left),
        ("basis", Align::Left),
        ("finding", Align::Left),
    ];
    let mut put = 0;
    scrolled(page, "All findings", |page| {
        tables::head(page, &columns);
        page.open("tbody", &[]);
        let rows = page.each(findings.iter(), FINDINGS_MAX, |page, finding| {
            row(page, finding, said.contains(&finding.id.as_str()));
        });
        put = rows.len();
        page.close("tbody");
    });
    page.left_out(count - put, "findings");
    page.close("details");
}

fn row(page: &mut Markup, finding: &Finding, is_said: bool) {
    let anchor = is_dotted_id(&finding.id);
    match anchor && !is_said {
        true => page.open("tr", &[("id", &finding.id)]),
        false => page.open("tr", &[]),
    }
    page.within("th", &[("scope", "row"), ("class", "words")], |page| match anchor {
        true => page.leaf("a", &[("href", &format!("#{}", finding.id))], &finding.id),
        false => page.text(&finding.id),
    });
    let estimate = finding.outcome.estimate();
    let numbers = [
        estimate.map(|it| it.value),
        estimate.filter(|it| claims_interval(it)).map(|it| it.low),
        estimate.filter(|it| claims_interval(it)).map(|it| it.high),
    ];
    for number in numbers {
        let text = number.map(scalar).unwrap_or_default();
        page.leaf("td", &[class(Align::Right)], &text);
    }
    page.leaf("td", &[class(Align::Left)], unit(finding.unit));
    page.leaf("td", &[class(Align::Left)], outcome(&finding.outcome));
    page.leaf("td", &[class(Align::Left)], &estimate.map(|it| basis(it.basis)).unwrap_or_default());
    page.leaf("td", &[("class", "words sentence")], &finding.text);
    page.close("tr");
}

pub(super) fn claims_interval(estimate: &Estimate) -> bool {
    match estimate.basis {
        Basis::Rounds { .. } | Basis::Share { .. } | Basis::Spread { .. } => true,
        Basis::Count { .. } | Basis::Extreme { .. } | Basis::Exact => false,
    }
}

/// The number as a program would take it: in the finding's own unit, to six digits.
fn scalar(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || !size.is_finite() || !(1e-4..1e15).contains(&size) {
        return if size == 0.0 { "0".to_owned() } else { format!("{value:.5e}") };
    }
    let decimals = (5 - size.log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Nanoseconds => "ns",
        Unit::PerSecond => "1/s",
        Unit::Ratio => "ratio",
        Unit::Count => "count",
        Unit::Bytes => "bytes",
        Unit::Share => "share",
    }
}

fn outcome(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Measured(_) => "measured",
        Outcome::Derived(_) => "derived",
        Outcome::Never { .. } => "never",
        Outcome::NotRun { .. } => "not run",
        Outcome::Refused(_) => "refused",
    }
}

fn basis(basis: Basis) -> String {
    match basis {
        Basis::Rounds { rounds, starts } => format!("{rounds} rounds, {starts} starts"),
        Basis::Spread { rounds } => format!("{rounds} rounds, no interval"),
        Basis::Share { rounds, starts } => format!("share, {rounds} rounds, {starts} starts"),
        Basis::Count { of } => format!("all of {of}"),
        Basis::Extreme { of } => format!("extreme of {of}"),
        Basis::Exact => "exact".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_six_digits_and_no_more() {
        for (value, text) in [
            (0.0, "0"),
            (102.58735817797623, "102.587"),
            (10.0, "10"),
            (1.0, "1"),
            (288_968.0, "288968"),
            (0.013653031416682726, "0.013653"),
            (4_000_000.0, "4000000"),
            (1e300, "1.00000e300"),
            (-3.5, "-3.5"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(scalar(value), text);
        }
    }
}
