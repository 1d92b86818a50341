//! A file that appears under its name only when all of it has been written.
//!
//! It is opened before anything is measured, so that a wrong place is refused while nothing is
//! lost. Until it is whole it has no name at all (`O_TMPFILE`), so that even SIGKILL leaves nothing
//! behind. Only where the file system can't do that, and for the moment in which it takes an
//! earlier file's place, has it a temporary name beside its target (`.NAME.PID-N.part`) that
//! SIGKILL could leave.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write},
    os::{
        fd::AsRawFd,
        unix::fs::{FileTypeExt, OpenOptionsExt},
    },
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Where the file that had the name before is now, if it was kept.
    pub previous: Option<PathBuf>,
}

impl WholeFile {
    /// Opens a file that is to be at `path`; nothing is visible there yet.
    ///
    /// # Errors
    /// Where `path` is a folder or a disk, or nothing can be written there.
    pub fn create(path: &Path) -> io::Result<Self> {
        let target = followed(path)?;
        let Ok(metadata) = fs::metadata(&target) else {
            let (file, until_placed) = open_beside(&target)?;
            return Ok(Self { file, target, until_placed });
        };
        let kind = metadata.file_type();
        if kind.is_dir() {
            return Err(io::Error::from(Errno::ISDIR));
        }
        if kind.is_fifo() || kind.is_char_device() {
            // A pipe that nobody reads is refused (ENXIO) instead of waited for.
            let nonblocking = OFlags::NONBLOCK.bits() as i32;
            let file = OpenOptions::new().write(true).custom_flags(nonblocking).open(&target)?;
            rustix::io::ioctl_fionbio(&file, false)?;
            return Ok(Self { file, target, until_placed: UntilPlaced::Direct });
        }
        if !kind.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "neither a file nor a pipe"));
        }
        // A rename would replace even a file that its owner made read-only.
        rustix::fs::access(&target, Access::WRITE_OK)?;
        let (file, until_placed) = open_beside(&target)?;
        file.set_permissions(metadata.permissions())?;
        Ok(Self { file, target, until_placed })
    }

    /// Where the file will be, however its name was written: none for a pipe or a device, into
    /// which more than one may go.
    pub fn destination(&self) -> Option<PathBuf> {
        if matches!(self.until_placed, UntilPlaced::Direct) {
            return None;
        }
        let folder = self.target.parent().filter(|it| !it.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(self.target.file_name()?))
    }

    /// Writes all of `bytes` and gives the file its name. A file of that name is replaced in one
    /// step, or kept beside under the name `previous` where that is given.
    ///
    /// # Errors
    /// Where the disk is full or the folder went away; the earlier file then stands as it stood.
    pub fn place(mut self, bytes: &[u8], previous: Option<&str>) -> io::Result<Placed> {
        self.file.write_all(bytes)?;
        if matches!(self.until_placed, UntilPlaced::Direct) {
            return Ok(Placed { previous: None });
        }
        self.file.sync_data()?;
        let previous = previous.map(|name| self.target.with_file_name(name));
        match previous.filter(|_| fs::symlink_metadata(&self.target).is_ok()) {
            // The two change names in one step, so that at no moment there is no run; and beside
            // has a name of its own, so that two commands at once don't mix theirs up.
            Some(previous) => {
                let beside = self.beside()?;
                exchange(&beside, &self.target)?;
                if let Err(error) = fs::rename(&beside, &previous) {
                    // Beside is the earlier file now. Where even the way back fails, both stay.
                    if exchange(&beside, &self.target).is_err() {
                        self.until_placed = UntilPlaced::Unnamed;
                    }
                    let line =
                        format!("the one before can't become {}: {error}", previous.display());
                    return Err(io::Error::new(error.kind(), line));
                }
                self.until_placed = UntilPlaced::Unnamed;
                Ok(Placed { previous: Some(previous) })
            }
            None => {
                self.take_name()?;
                Ok(Placed { previous: None })
            }
        }
    }

    /// Gives the file its name, whatever has it now. Linking can't replace a file, so where one
    /// stands in the way the link is made beside it and renamed over it.
    fn take_name(&mut self) -> io::Result<()> {
        if matches!(self.until_placed, UntilPlaced::Unnamed) {
            match link_to(&self.file, &self.target) {
                Err(Errno::EXIST) => {}
                other => return other.map_err(io::Error::from),
            }
        }
        let beside = self.beside()?;
        fs::rename(&beside, &self.target)?;
        self.until_placed = UntilPlaced::Unnamed;
        Ok(())
    }

    /// The file's name beside its target; it is given one if it has none, and loses it again if
    /// this file is dropped.
    fn beside(&mut self) -> io::Result<PathBuf> {
        if let UntilPlaced::Named(beside) = &self.until_placed {
            return Ok(beside.clone());
        }
        let (beside, ()) = unused_name(&self.target, |name| Ok(link_to(&self.file, name)?))?;
        self.until_placed = UntilPlaced::Named(beside.clone());
        Ok(beside)
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

/// Where a path leads: links are followed, also one to a file that is not there yet.
fn followed(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => match fs::read_link(path) {
            Ok(to) => Ok(path.parent().unwrap_or(Path::new("")).join(to)),
            Err(_) => Ok(path.to_owned()),
        },
        other => other,
    }
}

fn open_beside(target: &Path) -> io::Result<(File, UntilPlaced)> {
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    match rustix::fs::open(folder, flags, Mode::from_raw_mode(0o666)) {
        // Without /proc an unnamed file could never be given a name.
        Ok(fd) if Path::new(&by_descriptor(&fd)).exists() => {
            Ok((File::from(fd), UntilPlaced::Unnamed))
        }
        Ok(_) | Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => {
            let open = |name: &Path| OpenOptions::new().write(true).create_new(true).open(name);
            let (name, file) = unused_name(target, open)?;
            Ok((file, UntilPlaced::Named(name)))
        }
        Err(error) => Err(error.into()),
    }
}

/// By way of /proc, because linking a bare descriptor needs a privilege.
fn by_descriptor(file: &impl AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

fn link_to(file: &File, name: &Path) -> Result<(), Errno> {
    rustix::fs::linkat(CWD, by_descriptor(file), CWD, name, AtFlags::SYMLINK_FOLLOW)
}

/// Makes something under a name beside `target` that nothing has yet. In containers all processes
/// may have the same id, so the id alone is no name.
fn unused_name<T>(
    target: &Path,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(PathBuf, T)> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    for attempt in 0.. {
        let part = format!(".{name}.{}-{attempt}.part", std::process::id());
        let beside = target.with_file_name(part);
        match make(&beside) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < 1000 => {}
            Err(error) => return Err(error),
            Ok(made) => return Ok((beside, made)),
        }
    }
    Err(io::Error::from(Errno::EXIST))
}

/// Swaps the names of two files; where the file system can't in one step, in three.
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            let (between, ()) = unused_name(other, |name| fs::hard_link(other, name))?;
            fs::rename(one, other).inspect_err(|_| drop(fs::remove_file(&between)))?;
            fs::rename(&between, one)
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
        assert_eq!(file.place(b"one", None).unwrap().previous, None);
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
            assert_eq!(placed.previous.is_some(), kept);
        }
        assert_eq!(
            (fs::read(&path).unwrap(), fs::read(&old).unwrap()),
            (b"six".into(), b"two".into())
        );
    }

    /// The earlier file was deleted when the name for it could not be taken.
    #[test]
    fn an_earlier_file_that_can_not_be_kept_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        WholeFile::create(&path).unwrap().place(b"one", None).unwrap();
        fs::create_dir(folder.path().join("old.json")).unwrap();
        let placed = WholeFile::create(&path).unwrap().place(b"two", Some("old.json"));
        let error = placed.unwrap_err();
        assert!(error.to_string().contains("old.json"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(names_in(folder.path()), ["old.json", "run.json"]);
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
        assert_eq!(placed.previous, None);
        let full = WholeFile::create(Path::new("/dev/full")).unwrap().place(b"x", None);
        assert_eq!(full.unwrap_err().kind(), ErrorKind::StorageFull);
        assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    }

    #[test]
    fn a_link_is_followed_even_to_a_file_that_is_not_there_yet() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
        std::os::unix::fs::symlink("real.json", &link).unwrap();
        for bytes in [b"new", b"two"] {
            WholeFile::create(&link).unwrap().place(bytes, None).unwrap();
            assert_eq!(fs::read(&real).unwrap(), bytes);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
    }

    #[test]
    fn who_may_read_it_stays_as_it_was() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        fs::write(&path, b"one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        WholeFile::create(&path).unwrap().place(b"two", None).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_leftover_of_the_same_process_id_is_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let leftover = format!(".run.json.{}-0.part", std::process::id());
        fs::write(folder.path().join(&leftover), b"half").unwrap();
        for bytes in [b"one", b"two"] {
            WholeFile::create(&path).unwrap().place(bytes, None).unwrap();
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
        assert_eq!(names_in(folder.path()), [leftover.as_str(), "run.json"]);
    }

    #[test]
    fn a_pipe_that_nobody_reads_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        rustix::fs::mknodat(CWD, &path, rustix::fs::FileType::Fifo, Mode::RWXU, 0).unwrap();
        assert!(WholeFile::create(&path).is_err());
    }
}
