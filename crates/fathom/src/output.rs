//! Where answers go: standard output, and a file that is whole or not there.

use std::{
    fs,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use record::{Ended, Run, file::WholeFile};

use crate::{
    failure::{Failure, say},
    request::{Request, Shown},
    signals::INTERRUPTED,
};

/// Where a survey keeps its run, and the one before.
const RUN: &str = "fathom-run.json";
const PREVIOUS: &str = "fathom-run.previous.json";

/// A file that is ready to be written.
pub struct Place {
    path: PathBuf,
    file: WholeFile,
    previous: Option<&'static str>,
}

impl Place {
    /// The run that this one takes the place of, where that is kept beside. A pipe or a device is
    /// none: reading it might never end.
    pub fn earlier(&self) -> Option<&Path> {
        let kept = self.previous.is_some() && self.path.is_file();
        kept.then_some(self.path.as_path())
    }
}

/// What became of a run that was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    Whole,
    OfInterrupted,
}

impl Printed {
    /// The exit code.
    pub fn code(self) -> ExitCode {
        match self {
            Self::Whole => ExitCode::SUCCESS,
            Self::OfInterrupted => ExitCode::from(INTERRUPTED),
        }
    }
}

/// Opens the file that the run is to go to, before anything is measured.
///
/// # Errors
/// Where nothing can be written there.
pub fn reserve(request: &Request) -> Result<Option<Place>, Failure> {
    match &request.shown.out {
        Some(path) => reserve_at(path, None).map(Some),
        None if request.survey && !request.shown.json => {
            reserve_at(Path::new(RUN), Some(PREVIOUS)).map(Some)
        }
        None => Ok(None),
    }
}

fn reserve_at(path: &Path, previous: Option<&'static str>) -> Result<Place, Failure> {
    let file = WholeFile::create(path).map_err(|error| {
        let line = format!("can't write {}: {error}", path.display());
        match previous {
            // Nobody named this place, so no word was wrong.
            Some(_) => Failure::not_here(line + "; name another place with --out FILE"),
            None => Failure::wrong(line),
        }
    })?;
    Ok(Place { path: path.to_owned(), file, previous })
}

/// Writes the run to its file, if it has one, and prints it. A file that can't be written loses
/// nothing: the run is printed all the same, and the failure told after it.
///
/// # Errors
/// Where the file or standard output can't be written; not where standard output was closed.
pub fn save_and_print(run: &Run, shown: &Shown, place: Option<Place>) -> Result<Printed, Failure> {
    let place = match (place, &shown.out) {
        (None, Some(path)) => Some(reserve_at(path, None)?),
        (place, _) => place,
    };
    let json = record::file::to_json(run)
        .map_err(|error| Failure::midway(format!("the run can't be written as JSON: {error}")))?;
    let saved = place.map(|place| save(place, json.as_bytes())).transpose();
    let printed = match shown {
        Shown { json: true, .. } => print(&json),
        Shown { markdown: true, .. } => print(&report::markdown(run)),
        _ => print(&report::text(run, shown.look)),
    };
    if let Some(where_it_is) = saved? {
        say(&where_it_is);
    }
    printed?;
    Ok(match run.ended {
        Ended::Interrupted => Printed::OfInterrupted,
        Ended::Complete | Ended::Failed(_) => Printed::Whole,
    })
}

/// Writes the file, and says where it is.
fn save(place: Place, json: &[u8]) -> Result<String, Failure> {
    let path = place.path.display().to_string();
    let placed = place
        .file
        .place(json, place.previous)
        .map_err(|error| Failure::midway(format!("can't write {path}: {error}")))?;
    // A link's target, and so the file beside it, may be in another folder.
    let linked = fs::symlink_metadata(&place.path).is_ok_and(|it| it.is_symlink());
    let kept = placed.previous.map(|kept| match (linked, place.previous) {
        (false, Some(name)) => format!("; the one before is now {name}"),
        _ => format!("; the one before is now {}", kept.display()),
    });
    let kept = kept.unwrap_or_default();
    Ok(format!("the run is in {path}{kept}"))
}

/// Prints to standard output; that nobody reads on is no failure.
///
/// # Errors
/// Where it can't be written for any other reason.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::midway(format!("can't write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}
