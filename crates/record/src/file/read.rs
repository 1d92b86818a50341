//! Reading a run file that anybody may have written: bounded, checked, and never a panic.

use std::{
    collections::BTreeSet,
    fmt,
    fs::File,
    io::{self, Read},
    path::Path,
};

use serde::Deserialize;

use crate::{Basis, Estimate, Figure, Finding, Run, SCHEMA, Unit};

/// The largest run file that is read. An hour, the longest that a question can be asked for, writes
/// less than a quarter of it.
pub const SIZE_BYTES_MAX: u64 = 128 << 20;

/// Why a file is not a run that this Fathom can read.
#[derive(Debug)]
pub enum ReadError {
    /// The file can't be opened or read.
    Io(io::Error),
    /// It is larger than [`SIZE_BYTES_MAX`].
    TooLarge,
    /// There is nothing in it.
    Empty,
    /// It is JSON, or not even that, but no run of Fathom.
    Foreign(String),
    /// A newer Fathom wrote it.
    Newer {
        /// The file's schema.
        schema: u64,
        /// The version of the Fathom that wrote it, where it says so.
        fathom: String,
    },
    /// It ends in the middle.
    Truncated,
    /// It claims to be a run and contradicts itself.
    Wrong(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(out, "{error}"),
            Self::TooLarge => {
                write!(out, "larger than {} MiB, which no run is", SIZE_BYTES_MAX >> 20)
            }
            Self::Empty => write!(out, "the file is empty"),
            Self::Foreign(why) => write!(out, "not a run file of Fathom ({why})"),
            Self::Newer { schema, fathom } => write!(
                out,
                "written by a newer Fathom ({fathom}, schema {schema}); \
                 this one reads up to {SCHEMA}"
            ),
            Self::Truncated => {
                write!(out, "the file ends in the middle; was its writing cut short?")
            }
            Self::Wrong(why) => write!(out, "not a valid run ({why})"),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads the run in the file at `path`.
///
/// # Errors
/// See [`ReadError`].
pub fn read(path: &Path) -> Result<Run, ReadError> {
    let file = File::open(path).map_err(ReadError::Io)?;
    if file.metadata().is_ok_and(|metadata| metadata.len() > SIZE_BYTES_MAX) {
        return Err(ReadError::TooLarge);
    }
    let mut bytes = Vec::new();
    file.take(SIZE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    if bytes.len() as u64 > SIZE_BYTES_MAX {
        return Err(ReadError::TooLarge);
    }
    from_json(&bytes)
}

/// The run in this JSON document.
///
/// # Errors
/// See [`ReadError`]; never [`ReadError::Io`].
pub fn from_json(bytes: &[u8]) -> Result<Run, ReadError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::Empty);
    }
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return Err(ReadError::Foreign("it is no JSON object".into()));
    }
    // The schema first: a newer layout must be called newer, not broken.
    let head: Head = serde_json::from_slice(bytes).map_err(|error| match cut(bytes, &error) {
        true => ReadError::Truncated,
        false => ReadError::Foreign(error.to_string()),
    })?;
    match head.schema {
        0 => return Err(ReadError::Foreign("schema 0 never was".into())),
        schema if schema > u64::from(SCHEMA) => {
            return Err(ReadError::Newer {
                schema,
                fathom: head.fathom.as_deref().unwrap_or("unknown").chars().take(40).collect(),
            });
        }
        _ => {}
    }
    let run: Run =
        serde_json::from_slice(bytes).map_err(|error| ReadError::Wrong(error.to_string()))?;
    check(&run).map_err(ReadError::Wrong)?;
    Ok(run)
}

/// Whether what is wrong is only that the document ends. Within a number or a word the parser does
/// not call that an end, but an error at the last byte.
fn cut(bytes: &[u8], error: &serde_json::Error) -> bool {
    let last_line = bytes.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let at_end = error.line() == lines && error.column() >= last_line.len();
    // What stands after a whole document is no cut either.
    let trailing = error.to_string().starts_with("trailing");
    error.is_eof() || (error.is_syntax() && at_end && !trailing)
}

/// The part of a run file that never changes its meaning.
#[derive(Deserialize)]
struct Head {
    schema: u64,
    fathom: Option<String>,
}

/// What the types can't hold: ids unique in the run, rows as wide as their table, trials of starts
/// that were recorded.
fn check(run: &Run) -> Result<(), String> {
    if run.machines.is_empty() {
        return Err("no machine".into());
    }
    let mut ids = BTreeSet::new();
    for section in &run.sections {
        for finding in &section.conclusion.findings {
            if !ids.insert(&finding.id) {
                return Err(format!("two findings are called {}", finding.id));
            }
            if !is_possible(finding) {
                return Err(format!("{}: a share that is none", finding.id));
            }
        }
        for table in &section.conclusion.tables {
            if table.rows.iter().any(|row| row.len() != table.columns.len()) {
                return Err(format!("section {:?}: a row does not fit its table", section.name));
            }
        }
        if !section.conclusion.figures.iter().all(fits) {
            return Err(format!("section {:?}: cells do not fit their heat map", section.name));
        }
        if let Some(recorded) = &section.recorded {
            let starts = recorded.starts.len();
            if recorded.trials.iter().any(|trial| trial.start as usize >= starts) {
                return Err(format!("section {:?}: a trial of no known start", section.name));
            }
            if recorded.trials.iter().any(|trial| trial.round == u32::MAX) {
                return Err(format!("section {:?}: a round that can't be", section.name));
            }
            let seen = recorded.trials.iter().filter_map(|trial| trial.result.as_ref().ok());
            let mut parts =
                seen.flat_map(|seen| seen.readings.values()).filter_map(|it| it.share());
            if parts.any(|part| part.events > part.of) {
                return Err(format!("section {:?}: more events than could be", section.name));
            }
        }
    }
    Ok(())
}

/// What was counted of so many can't be more than all. (Other shares can: a noise floor of 130 %.)
fn is_possible(finding: &Finding) -> bool {
    let counted = |it: &&Estimate| matches!(it.basis, Basis::Share { .. } | Basis::Count { .. });
    let share = finding.outcome.estimate().filter(|_| finding.unit == Unit::Share);
    share.filter(counted).is_none_or(|it| it.low >= 0.0 && it.high <= 1.0)
}

/// Whether a heat map has a cell for each pair of its labels.
fn fits(figure: &Figure) -> bool {
    let Figure::HeatMap { columns, rows, cells, .. } = figure else { return true };
    let wide = |row: &Vec<Option<f64>>| row.len() == columns.labels.len();
    cells.len() == rows.labels.len() && cells.iter().all(wide)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Ended, Labels, Machine, Unit};

    fn run() -> Run {
        Run {
            schema: SCHEMA,
            fathom: "0.1.0".into(),
            started_at: "2026-11-20T18:00:00Z".into(),
            seed: 1,
            ended: Ended::Complete,
            machines: vec![Machine::default()],
            sections: vec![],
        }
    }

    fn refused(bytes: &[u8]) -> String {
        from_json(bytes).expect_err("should be refused").to_string()
    }

    #[test]
    fn every_wrong_file_is_named_for_what_it_is() {
        let good = crate::file::to_json(&run()).unwrap();
        let newer = r#"{"schema":2,"fathom":"9.9.9","layout":["unknown"]}"#;
        let machineless = good.replace(r#""machines":[{"#, r#""machines":[],"other":[{"#);
        for (bytes, says) in [
            (&b""[..], "empty"),
            (b" \n", "empty"),
            (b"\x7fELF\x02", "not a run file"),
            (br#"{"name":"hyperfine"}"#, "not a run file"),
            (b"[1,2]", "no JSON object"),
            (br#"{"schema":1,"fathom":"0.1.0"}x"#, "not a run file"),
            (&good.as_bytes()[..good.len() / 2], "ends in the middle"),
            (newer.as_bytes(), "newer Fathom (9.9.9, schema 2)"),
            (machineless.as_bytes(), "no machine"),
            (br#"{"schema":1,"fathom":"0.1.0"}"#, "not a valid run"),
            ("[".repeat(100_000).as_bytes(), "not a run file"),
        ] {
            let text = refused(bytes);
            assert!(text.contains(says), "{text:?} should say {says:?}");
            assert!(!text.contains('\n'), "{text:?} is one line");
        }
        assert_eq!(from_json(good.as_bytes()).unwrap(), run());
    }

    #[test]
    fn a_heat_map_has_a_cell_for_each_pair() {
        let labels = |n: usize| Labels { title: "CPU".into(), labels: vec!["0".into(); n] };
        for (columns, rows, cells, right) in [
            (2, 1, vec![vec![Some(1.0), None]], true),
            (0, 0, vec![], true),
            (2, 2, vec![vec![Some(1.0), None]], false),
            (1, 1, vec![vec![Some(1.0), None]], false),
        ] {
            let (columns, rows) = (labels(columns), labels(rows));
            let unit = Unit::Nanoseconds;
            let map = Figure::HeatMap { title: "m".into(), unit, columns, rows, cells };
            assert_eq!(fits(&map), right, "{map:?}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = from_json(&bytes);
        }

        #[test]
        fn no_damage_to_a_good_file_makes_it_panic(at in 0usize..300, byte: u8) {
            let mut bytes = crate::file::to_json(&run()).unwrap().into_bytes();
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = from_json(&bytes);
        }
    }
}
