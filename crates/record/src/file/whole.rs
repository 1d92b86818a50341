//! A file that appears under its name only when all of it has been written.
//!
//! It is opened before anything is measured, so that a wrong place is refused while nothing is
//! lost. Until it is whole it has no name at all (`O_TMPFILE`), so that even SIGKILL leaves nothing
//! behind. Where the file system can't do that, the file has a temporary name beside its target,
//! and only there may SIGKILL leave it.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write},
    os::{fd::AsRawFd, unix::fs::FileTypeExt},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{Access, AtFlags, CWD, Mode, OFlags, RenameFlags},
    io::Errno,
};

/// A file on its way to its name.
#[derive(Debug)]
pub struct WholeFile {
    file: File,
    target: PathBuf,
    until_placed: UntilPlaced,
}

#[derive(Debug)]
enum UntilPlaced {
    /// It has no name: when it is closed it is gone.
    Unnamed,
    /// It has this temporary name.
    Named(PathBuf),
    /// The target is a pipe or a device: it is written to as it stands.
    Direct,
}

/// What was done to place a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Whether a file of that name was there before and was kept under its other name.
    pub previous_kept: bool,
}

impl WholeFile {
    /// Opens a file that is to be at `path`; nothing is visible there yet.
    ///
    /// # Errors
    /// Where `path` is a folder, or nothing can be written there.
    pub fn create(path: &Path) -> io::Result<Self> {
        let target = match fs::canonicalize(path) {
            Ok(existing) => existing,
            Err(error) if error.kind() == ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(error),
        };
        if let Ok(metadata) = fs::metadata(&target) {
            let kind = metadata.file_type();
            if kind.is_dir() {
                return Err(io::Error::from(Errno::ISDIR));
            }
            if kind.is_fifo() || kind.is_char_device() || kind.is_socket() {
                let file = OpenOptions::new().write(true).open(&target)?;
                return Ok(Self { file, target, until_placed: UntilPlaced::Direct });
            }
            // A rename would replace even a file that its owner made read-only.
            rustix::fs::access(&target, Access::WRITE_OK)?;
        }
        let (file, until_placed) = open_beside(&target)?;
        Ok(Self { file, target, until_placed })
    }

    /// Writes all of `bytes` and gives the file its name. A file of that name is replaced in one
    /// step, or kept beside under the name `previous` where that is given.
    ///
    /// # Errors
    /// Where the disk is full or the folder went away; the earlier file then stands as it stood.
    pub fn place(mut self, bytes: &[u8], previous: Option<&str>) -> io::Result<Placed> {
        self.file.write_all(bytes)?;
        if matches!(self.until_placed, UntilPlaced::Direct) {
            return Ok(Placed { previous_kept: false });
        }
        self.file.sync_data()?;
        let previous = previous.map(|name| self.target.with_file_name(name));
        let previous = previous.filter(|_| fs::symlink_metadata(&self.target).is_ok());
        match &previous {
            // The new file takes the name of the one before the last, and then the two change
            // names in one step: at no moment is a run without a name.
            Some(previous) => {
                self.take_name(previous)?;
                exchange(previous, &self.target)?;
            }
            None => self.take_name(&self.target.clone())?,
        }
        Ok(Placed { previous_kept: previous.is_some() })
    }

    /// Gives the file this name, whatever has it now. Linking can't replace a file, so where one
    /// stands in the way the link is made beside it and renamed over it.
    fn take_name(&mut self, name: &Path) -> io::Result<()> {
        let beside = match &self.until_placed {
            UntilPlaced::Named(beside) => beside.clone(),
            UntilPlaced::Unnamed | UntilPlaced::Direct => match self.link_at(name) {
                Err(Errno::EXIST) => {
                    let beside = name_beside(name);
                    self.link_at(&beside)?;
                    beside
                }
                other => return other.map_err(io::Error::from),
            },
        };
        fs::rename(&beside, name).inspect_err(|_| drop(fs::remove_file(&beside)))?;
        self.until_placed = UntilPlaced::Unnamed;
        Ok(())
    }

    /// By way of /proc, because linking a bare descriptor needs a privilege.
    fn link_at(&self, name: &Path) -> Result<(), Errno> {
        let itself = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        rustix::fs::linkat(CWD, itself, CWD, name, AtFlags::SYMLINK_FOLLOW)
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let UntilPlaced::Named(path) = &self.until_placed {
            // Nothing can be done about a failure here, and the file is only a leftover.
            let _ = fs::remove_file(path);
        }
    }
}

fn open_beside(target: &Path) -> io::Result<(File, UntilPlaced)> {
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(0o666);
    match rustix::fs::open(folder, flags, mode) {
        Ok(fd) => Ok((File::from(fd), UntilPlaced::Unnamed)),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => {
            let name = name_beside(target);
            let file = OpenOptions::new().write(true).create_new(true).open(&name)?;
            Ok((file, UntilPlaced::Named(name)))
        }
        Err(error) => Err(error.into()),
    }
}

fn name_beside(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{}.part", std::process::id()))
}

/// Swaps the names of two files; where the file system can't in one step, in three.
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            let beside = name_beside(other);
            fs::rename(other, &beside)?;
            fs::rename(one, other).inspect_err(|_| drop(fs::rename(&beside, other)))?;
            fs::rename(&beside, one)
        }
        swapped => swapped.map_err(io::Error::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_visible_until_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let file = WholeFile::create(&path).unwrap();
        assert!(names_in(folder.path()).is_empty());
        assert!(!file.place(b"one", None).unwrap().previous_kept);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        drop(WholeFile::create(&path).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"one", "an abandoned file changes nothing");
        WholeFile::create(&path).unwrap().place(b"two", None).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names_in(folder.path()), ["run.json"]);
    }

    #[test]
    fn the_previous_file_is_kept_where_that_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let (path, old) = (folder.path().join("run.json"), folder.path().join("old.json"));
        for (bytes, kept) in [(b"one", false), (b"two", true), (b"six", true)] {
            let placed = WholeFile::create(&path).unwrap().place(bytes, Some("old.json")).unwrap();
            assert_eq!(placed.previous_kept, kept);
        }
        assert_eq!(
            (fs::read(&path).unwrap(), fs::read(&old).unwrap()),
            (b"six".into(), b"two".into())
        );
    }

    #[test]
    fn wrong_places_are_refused_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let kind = |path: &Path| WholeFile::create(path).unwrap_err().kind();
        assert_eq!(kind(folder.path()), ErrorKind::IsADirectory);
        assert_eq!(kind(&folder.path().join("no/such/run.json")), ErrorKind::NotFound);
    }

    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        let placed = WholeFile::create(Path::new("/dev/null")).unwrap().place(b"x", None).unwrap();
        assert!(!placed.previous_kept);
        let full = WholeFile::create(Path::new("/dev/full")).unwrap().place(b"x", None);
        assert_eq!(full.unwrap_err().kind(), ErrorKind::StorageFull);
        assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    }

    #[test]
    fn a_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
        fs::write(&real, b"old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        WholeFile::create(&link).unwrap().place(b"new", None).unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
