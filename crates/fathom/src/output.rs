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

/// Where a survey keeps its run, and the one before, and the page that shows it.
const RUN: &str = "fathom-run.json";
const PREVIOUS: &str = "fathom-run.previous.json";
const PAGE: &str = "fathom-report.html";

/// A file that is ready to be written.
pub struct Place {
    path: PathBuf,
    file: WholeFile,
    previous: Option<&'static str>,
}

/// The files that a run goes to.
#[derive(Default)]
pub struct Places {
    run: Option<Place>,
    page: Option<Place>,
}

impl Places {
    /// The places, each of its own: a page that took the run's, or the earlier run's, would be all
    /// that is left of it.
    fn apart(self) -> Result<Self, Failure> {
        let (Some(run), Some(page)) = (&self.run, &self.page) else { return Ok(self) };
        let at = run.file.destination();
        let earlier = at.as_ref().zip(run.previous).map(|(at, name)| at.with_file_name(name));
        let there = page.file.destination();
        if there.is_some() && (there == at || there == earlier) {
            let page = page.path.display();
            let line = format!("--html {page}: a run goes there; give the page another name");
            return Err(Failure::wrong(line));
        }
        Ok(self)
    }

    /// See [`Place::earlier`].
    pub fn earlier(&self) -> Option<&Path> {
        self.run.as_ref().and_then(Place::earlier)
    }
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

/// Opens the files that the run is to go to, before anything is measured.
///
/// # Errors
/// Where nothing can be written there.
pub fn reserve(request: &Request) -> Result<Places, Failure> {
    let mut places = reserve_named(&request.shown)?;
    // Whoever said where the run is to go gets no file beside it unasked.
    if request.survey && !request.shown.json && places.run.is_none() {
        places.run = Some(reserve_unasked(RUN, Some(PREVIOUS), "--out FILE")?);
        if places.page.is_none() {
            places.page = Some(reserve_unasked(PAGE, None, "--html FILE")?);
        }
    }
    places.apart()
}

/// Opens the files that were named.
fn reserve_named(shown: &Shown) -> Result<Places, Failure> {
    let named = |path: &Option<PathBuf>| {
        let place = path.as_ref().map(|path| open(path, None));
        place.transpose().map_err(Failure::wrong)
    };
    Places { run: named(&shown.out)?, page: named(&shown.html)? }.apart()
}

/// Nobody named this place, so where it can't be written no word was wrong.
fn reserve_unasked(
    name: &str,
    previous: Option<&'static str>,
    option: &str,
) -> Result<Place, Failure> {
    open(Path::new(name), previous)
        .map_err(|line| Failure::not_here(format!("{line}; name another place with {option}")))
}

fn open(path: &Path, previous: Option<&'static str>) -> Result<Place, String> {
    let file = WholeFile::create(path)
        .map_err(|error| format!("can't write {}: {error}", path.display()))?;
    Ok(Place { path: path.to_owned(), file, previous })
}

/// Writes the run to its files, if it has any, and prints it. A file that can't be written loses
/// nothing: the run is printed all the same, and the failure told after it.
///
/// # Errors
/// Where a file or standard output can't be written; not where standard output was closed.
pub fn save_and_print(run: &Run, shown: &Shown, places: Places) -> Result<Printed, Failure> {
    let json = record::file::to_json(run)
        .map_err(|error| Failure::midway(format!("the run can't be written as JSON: {error}")))?;
    let saved = [
        places.run.map(|place| save("run", place, json.as_bytes())),
        places.page.map(|place| save("report", place, report::html(run).as_bytes())),
    ];
    let printed = match shown {
        Shown { json: true, .. } => print(&json),
        Shown { markdown: true, .. } => print(&report::markdown(run)),
        _ => print(&report::text(run, shown.look)),
    };
    let mut failed = None;
    for saved in saved.into_iter().flatten() {
        match saved {
            Ok(where_it_is) => say(&where_it_is),
            // Each is told; the exit code is the same.
            Err(failure) => {
                if let Some(earlier) = failed.replace(failure) {
                    Failure::tell(&earlier);
                }
            }
        }
    }
    failed.map_or(Ok(()), Err)?;
    printed?;
    Ok(match run.ended {
        Ended::Interrupted => Printed::OfInterrupted,
        Ended::Complete | Ended::Failed(_) => Printed::Whole,
    })
}

/// The same for a run that took no time, so that nothing is lost if its files are opened only now.
///
/// # Errors
/// Likewise.
pub fn save_and_print_now(run: &Run, shown: &Shown) -> Result<Printed, Failure> {
    let places = reserve_named(shown)?;
    save_and_print(run, shown, places)
}

/// Writes the file, and says where it is.
fn save(what: &str, place: Place, bytes: &[u8]) -> Result<String, Failure> {
    let path = place.path.display().to_string();
    let placed = place
        .file
        .place(bytes, place.previous)
        .map_err(|error| Failure::midway(format!("can't write {path}: {error}")))?;
    // A link's target, and so the file beside it, may be in another folder.
    let linked = fs::symlink_metadata(&place.path).is_ok_and(|it| it.is_symlink());
    let kept = placed.previous.map(|kept| match (linked, place.previous) {
        (false, Some(name)) => format!("; the one before is now {name}"),
        _ => format!("; the one before is now {}", kept.display()),
    });
    let kept = kept.unwrap_or_default();
    Ok(format!("the {what} is in {path}{kept}"))
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
