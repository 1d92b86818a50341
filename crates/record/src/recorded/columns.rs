//! Trials as they stand in a run file: one object per case, one array per quantity.
//!
//! A minute's run holds some twenty thousand trials; as one object each they would take four times
//! the space. Where a trial has no value of a column, the column holds null.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{Observation, Part, Reading, Trial};
use crate::Refusal;

#[derive(Default, Serialize, Deserialize)]
struct Columns {
    case: String,
    start: Vec<u32>,
    round: Vec<u32>,
    at_ns: Vec<u64>,
    readings: BTreeMap<String, Vec<Option<f64>>>,
    /// Readings that are so many of so many, as pairs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    shares: BTreeMap<String, Vec<Option<Part>>>,
    proof: BTreeMap<String, Vec<Option<f64>>>,
    /// Refused trials, by their place in the columns.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    refused: BTreeMap<usize, Refusal>,
}

pub(super) fn serialize<S: Serializer>(trials: &[Trial], to: S) -> Result<S::Ok, S::Error> {
    let mut cases: Vec<Columns> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for trial in trials {
        let place = *places.entry(&trial.case).or_insert_with(|| {
            cases.push(Columns { case: trial.case.clone(), ..Columns::default() });
            cases.len() - 1
        });
        cases[place].push(trial);
    }
    cases.serialize(to)
}

/// A file is not to ask for much more memory than it has bytes: names are copied into each trial.
const NAME_BYTES_MAX: usize = 64;
/// An hour, the longest that a question can be asked for, yields less than half of it.
const CELLS_MAX: usize = 5_000_000;

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Trial>, D::Error> {
    let mut trials = Vec::new();
    let cases = Vec::<Columns>::deserialize(from)?;
    if cases.iter().map(Columns::cells).sum::<usize>() > CELLS_MAX {
        return Err(D::Error::custom("more trials than any run has"));
    }
    for columns in cases {
        columns.into_trials(&mut trials).map_err(D::Error::custom)?;
    }
    // Trials ran one after another, so the clock restores their order.
    trials.sort_by_key(|trial| (trial.at_ns, trial.round));
    Ok(trials)
}

impl Columns {
    fn push(&mut self, trial: &Trial) {
        let row = self.start.len();
        self.start.push(trial.start);
        self.round.push(trial.round);
        self.at_ns.push(trial.at_ns);
        match &trial.result {
            Ok(observation) => {
                for (metric, reading) in &observation.readings {
                    match reading {
                        Reading::Level(value) => put(&mut self.readings, metric, row, *value),
                        Reading::Share(part) => put(&mut self.shares, metric, row, *part),
                    }
                }
                for (counter, value) in &observation.proof {
                    put(&mut self.proof, counter, row, *value);
                }
            }
            Err(refusal) => drop(self.refused.insert(row, refusal.clone())),
        }
        for column in self.readings.values_mut().chain(self.proof.values_mut()) {
            column.resize(row + 1, None);
        }
        self.shares.values_mut().for_each(|column| column.resize(row + 1, None));
    }

    fn cells(&self) -> usize {
        self.start.len() * (1 + self.readings.len() + 2 * self.shares.len() + self.proof.len())
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        let columns = self.readings.keys().chain(self.shares.keys()).chain(self.proof.keys());
        columns.chain([&self.case])
    }

    fn into_trials(mut self, trials: &mut Vec<Trial>) -> Result<(), String> {
        let rows = self.start.len();
        if self.names().any(|name| name.len() > NAME_BYTES_MAX) {
            return Err("a name longer than any of ours".to_owned());
        }
        let columns = self.readings.values().chain(self.proof.values()).map(Vec::len);
        let columns = columns.chain(self.shares.values().map(Vec::len));
        let even = columns.chain([self.round.len(), self.at_ns.len()]);
        if even.into_iter().any(|len| len != rows) {
            return Err(format!("case {:?}: columns of different length", self.case));
        }
        if self.refused.keys().any(|&row| row >= rows) {
            return Err(format!("case {:?}: a refusal of a trial that is not there", self.case));
        }
        for row in 0..rows {
            let result = match self.refused.remove(&row) {
                Some(refusal) => Err(refusal),
                None => Ok(Observation {
                    readings: row_of(&self.readings, row)
                        .map(|(metric, value)| (metric, Reading::Level(value)))
                        .chain(
                            row_of(&self.shares, row)
                                .map(|(metric, part)| (metric, Reading::Share(part))),
                        )
                        .collect(),
                    proof: row_of(&self.proof, row).collect(),
                }),
            };
            let (start, round, at_ns) = (self.start[row], self.round[row], self.at_ns[row]);
            trials.push(Trial { start, round, case: self.case.clone(), at_ns, result });
        }
        Ok(())
    }
}

fn put<V: Clone>(to: &mut BTreeMap<String, Vec<Option<V>>>, key: &str, row: usize, value: V) {
    let column = to.entry(key.to_owned()).or_default();
    column.resize(row, None);
    column.push(Some(value));
}

fn row_of<V: Copy>(
    columns: &BTreeMap<String, Vec<Option<V>>>,
    row: usize,
) -> impl Iterator<Item = (String, V)> {
    columns.iter().filter_map(move |(key, column)| column[row].map(|value| (key.clone(), value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Recorded, Stopped};

    fn trial(round: u32, case: &str, at_ns: u64, result: Result<f64, Refusal>) -> Trial {
        let observation = |value| Observation {
            readings: [("cost".to_owned(), Reading::Level(value))].into(),
            proof: [("calls".to_owned(), 1000.0)].into(),
        };
        Trial { start: round / 2, round, case: case.into(), at_ns, result: result.map(observation) }
    }

    fn recorded(trials: Vec<Trial>) -> Recorded {
        Recorded { stopped: Stopped::Budget, trials, ..Recorded::new(1, vec![0], 7) }
    }

    #[test]
    fn trials_survive_a_round_trip_in_their_order() {
        let before = recorded(vec![
            trial(0, "b", 10, Err(Refusal::TimedOut { waited_ms: 5 })),
            trial(0, "a", 20, Ok(193.5)),
            trial(1, "a", 30, Ok(0.1 + 0.2)),
            trial(1, "b", 40, Ok(-1.0)),
            trial(2, "a", 50, Err(Refusal::Crashed { signal: 11 })),
        ]);
        let text = serde_json::to_string(&before).unwrap();
        assert_eq!(serde_json::from_str::<Recorded>(&text).unwrap(), before, "{text}");
    }

    #[test]
    fn shares_survive_beside_levels() {
        let both = |events| Observation {
            readings: [
                ("cost".to_owned(), Reading::Level(27.0)),
                ("equal".to_owned(), Reading::Share(Part { events, of: u64::MAX })),
            ]
            .into(),
            proof: BTreeMap::new(),
        };
        let mut before = recorded(vec![trial(0, "a", 1, Ok(1.0)), trial(1, "a", 2, Ok(2.0))]);
        before.trials[1].result = Ok(both(3));
        before.choices = [("threads".to_owned(), vec!["2".to_owned()])].into();
        let text = serde_json::to_string(&before).unwrap();
        assert!(text.contains(r#""equal":[null,[3,18446744073709551615]]"#), "{text}");
        assert_eq!(serde_json::from_str::<Recorded>(&text).unwrap(), before);
    }

    #[test]
    fn a_small_file_can_not_ask_for_much_memory() {
        let long = recorded(vec![trial(0, &"x".repeat(65), 1, Ok(1.0))]);
        let text = serde_json::to_string(&long).unwrap();
        let error = serde_json::from_str::<Recorded>(&text).unwrap_err();
        assert!(error.to_string().contains("longer than any"), "{error}");
        let rows = vec!["0"; 3_000_000].join(",");
        let text = serde_json::to_string(&recorded(vec![trial(0, "a", 0, Ok(1.0))])).unwrap();
        let text = text.replace(r#""start":[0]"#, &format!(r#""start":[{rows}]"#));
        let error = serde_json::from_str::<Recorded>(&text).unwrap_err();
        assert!(error.to_string().contains("more trials"), "{error}");
    }

    #[test]
    fn uneven_columns_are_refused() {
        let text = serde_json::to_string(&recorded(vec![trial(0, "a", 1, Ok(1.0))])).unwrap();
        for (from, to, fault) in [
            (r#""cost":[1.0]"#, r#""cost":[1.0,2.0]"#, "different length"),
            (r#""round":[0]"#, r#""round":[]"#, "different length"),
            (
                r#""proof""#,
                r#""refused":{"9":{"kind":"timed_out","waited_ms":1}},"proof""#,
                "not there",
            ),
        ] {
            assert!(text.contains(from), "{text}");
            let error = serde_json::from_str::<Recorded>(&text.replace(from, to)).unwrap_err();
            assert!(error.to_string().contains(fault), "{error}");
        }
    }
}
