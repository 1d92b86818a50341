//! The finding as it stands in a run file: one flat object, checked on the way in.
//!
//! `value`, `low` and `high` are null exactly where there is no number, and then `why` is there.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use super::{Basis, Better, Estimate, Expected, Finding, Outcome, Reference, RestsOn, Verdict};
use crate::{Refusal, Unit};

#[derive(Serialize, Deserialize)]
pub(super) struct Flat {
    id: String,
    unit: Unit,
    better: Better,
    outcome: Word,
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    basis: Option<Basis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refusal: Option<Refusal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    within_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rests_on: Option<RestsOn>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected: Option<Expected>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    references: Vec<Reference>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    proof: BTreeMap<String, f64>,
    text: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    tabled: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Measured,
    Derived,
    Never,
    NotRun,
    Refused,
}

/// How a finding in a file contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongFinding {
    id: String,
    fault: &'static str,
}

impl fmt::Display for WrongFinding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "finding {:?}: {}", self.id, self.fault)
    }
}

impl std::error::Error for WrongFinding {}

impl From<Finding> for Flat {
    fn from(finding: Finding) -> Self {
        let estimate = finding.outcome.estimate().cloned();
        let why = finding.outcome.why();
        let (word, refusal, within_ns) = match finding.outcome {
            Outcome::Measured(_) => (Word::Measured, None, None),
            Outcome::Derived(_) => (Word::Derived, None, None),
            Outcome::Never { within_ns } => (Word::Never, None, Some(within_ns)),
            Outcome::NotRun { .. } => (Word::NotRun, None, None),
            Outcome::Refused(refusal) => (Word::Refused, Some(refusal), None),
        };
        Self {
            id: finding.id,
            unit: finding.unit,
            better: finding.better,
            outcome: word,
            value: estimate.as_ref().map(|it| it.value),
            low: estimate.as_ref().map(|it| it.low),
            high: estimate.as_ref().map(|it| it.high),
            basis: estimate.as_ref().map(|it| it.basis),
            why,
            refusal,
            within_ns,
            rests_on: finding.rests_on,
            verdict: finding.verdict,
            expected: finding.expected,
            references: finding.references,
            proof: finding.proof,
            text: finding.text,
            tabled: finding.tabled,
            advice: finding.advice,
        }
    }
}

impl TryFrom<Flat> for Finding {
    type Error = WrongFinding;

    fn try_from(flat: Flat) -> Result<Self, WrongFinding> {
        let wrong = |fault| WrongFinding { id: flat.id.chars().take(80).collect(), fault };
        if !is_dotted_id(&flat.id) {
            return Err(wrong("an id is lower-case words joined by dots"));
        }
        let outcome = outcome_of(&flat).map_err(wrong)?;
        Ok(Self {
            id: flat.id,
            unit: flat.unit,
            better: flat.better,
            outcome,
            rests_on: flat.rests_on,
            verdict: flat.verdict,
            expected: flat.expected,
            references: flat.references,
            proof: flat.proof,
            text: flat.text,
            tabled: flat.tabled,
            advice: flat.advice,
        })
    }
}

fn outcome_of(flat: &Flat) -> Result<Outcome, &'static str> {
    let numbers = (flat.value, flat.low, flat.high, flat.basis);
    match (flat.outcome, numbers) {
        (Word::Measured | Word::Derived, (Some(value), Some(low), Some(high), Some(basis))) => {
            // Written so that a NaN fails it too.
            if !(low <= value && value <= high && low.is_finite() && high.is_finite()) {
                return Err("the value does not lie within its interval");
            }
            let estimate = Estimate { value, low, high, basis };
            let measured = flat.outcome == Word::Measured;
            Ok(if measured { Outcome::Measured(estimate) } else { Outcome::Derived(estimate) })
        }
        (Word::Measured | Word::Derived, _) => Err("value, low, high or basis is missing"),
        (_, (None, None, None, None)) => match flat.outcome {
            Word::Never => flat
                .within_ns
                .map(|within_ns| Outcome::Never { within_ns })
                .ok_or("within_ns is missing"),
            Word::NotRun => {
                flat.why.clone().map(|why| Outcome::NotRun { why }).ok_or("why is missing")
            }
            _ => flat.refusal.clone().map(Outcome::Refused).ok_or("refusal is missing"),
        },
        _ => Err("there is a number where none was measured"),
    }
}

fn is_dotted_id(id: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b))
    };
    id.len() <= 200 && id.contains('.') && id.split('.').all(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(outcome: Outcome) -> Finding {
        let id = "syscall.getppid.cost";
        Finding::new(id, Unit::Nanoseconds, Better::Lower, outcome, "It costs 193 ns here.")
    }

    #[test]
    fn every_outcome_survives_a_round_trip() {
        let basis = Basis::Rounds { rounds: 10, starts: 5 };
        let estimate = Estimate { value: 193.0, low: 190.0, high: 197.0, basis };
        for outcome in [
            Outcome::Measured(estimate.clone()),
            Outcome::Derived(estimate),
            Outcome::Never { within_ns: 30_000_000_000 },
            Outcome::NotRun { why: "needs two CPUs".into() },
            Outcome::Refused(Refusal::TimedOut { waited_ms: 10 }),
        ] {
            let before = finding(outcome);
            let text = serde_json::to_string(&before).unwrap();
            assert_eq!(serde_json::from_str::<Finding>(&text).unwrap(), before, "{text}");
        }
    }

    #[test]
    fn numbers_are_null_exactly_where_nothing_was_measured() {
        let refused = finding(Outcome::Refused(Refusal::Crashed { signal: 11 }));
        let json = serde_json::to_value(&refused).unwrap();
        for key in ["value", "low", "high", "basis"] {
            assert!(json.as_object().unwrap().contains_key(key) && json[key].is_null(), "{key}");
        }
        assert_eq!(json["why"], "the worker was ended by signal 11");
    }

    #[test]
    fn a_finding_that_contradicts_itself_is_refused() {
        let measured = r#"{"id":"a.b","unit":"ns","better":"lower","text":"",
            "outcome":"measured","basis":{"kind":"exact"},"#;
        let refused = r#"{"id":"a.b","unit":"ns","better":"lower","text":"","basis":null,
            "outcome":"refused","#;
        for (rest, fault) in [
            (format!(r#"{measured}"value":3,"low":4,"high":5}}"#), "within its interval"),
            (format!(r#"{measured}"value":3,"low":1,"high":null}}"#), "is missing"),
            (format!(r#"{refused}"value":null,"low":null,"high":null}}"#), "refusal is missing"),
            (format!(r#"{refused}"value":3,"low":1,"high":5}}"#), "where none was measured"),
            (
                format!(r#"{measured}"value":3,"low":1,"high":5}}"#).replace("a.b", "A b"),
                "an id is",
            ),
        ] {
            let error = serde_json::from_str::<Finding>(&rest).unwrap_err().to_string();
            assert!(error.contains(fault), "{error} should say {fault}");
        }
    }
}
