//! Where the files come from: the live machine, or a captured one in a single text file.
//!
//! The only I/O of a description. What the files mean is the parsers' business.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;

use crate::text;

/// A folder with more names than this is cut: the kernel's own have a few dozen.
const NAMES_MAX: usize = 4096;

/// Something that holds the files of a machine.
pub trait Source {
    /// The file at an absolute path; `None` where there is none or it may not be read.
    fn open(&self, path: &str) -> Option<Box<dyn Read + '_>>;

    /// The names in a folder, sorted; none where it cannot be read.
    fn names(&self, folder: &str) -> Vec<String>;

    /// Where a symbolic link leads; `None` where there is none or it may not be read.
    fn link(&self, path: &str) -> Option<String>;
}

/// The machine that runs this.
pub struct Live;

impl Source for Live {
    fn open(&self, path: &str) -> Option<Box<dyn Read + '_>> {
        // Without blocking: in an odd container a path may be a pipe that nobody writes.
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path).ok()?;
        Some(Box::new(file) as Box<dyn Read>)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let mut names: Vec<String> = entries
            .take(NAMES_MAX)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    }

    fn link(&self, path: &str) -> Option<String> {
        fs::read_link(path).ok()?.into_os_string().into_string().ok()
    }
}

/// A captured machine: files under headings of the form `=== /path`. A link is a file that holds
/// where it leads.
///
/// What stands before the first heading is a comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    files: BTreeMap<String, String>,
}

impl Bundle {
    /// Reads a bundle. Of two files of one path the later one counts.
    pub fn parse(reader: impl Read) -> Bundle {
        let mut files = BTreeMap::new();
        let mut path = None;
        for line in text::read(reader).split_inclusive('\n') {
            match line.strip_prefix("=== ") {
                Some(heading) if heading.starts_with('/') => {
                    let heading = heading.trim_end().to_owned();
                    files.insert(heading.clone(), String::new());
                    path = Some(heading);
                }
                _ => append(&mut files, path.as_deref(), line),
            }
        }
        Bundle { files }
    }
}

fn append(files: &mut BTreeMap<String, String>, path: Option<&str>, line: &str) {
    if let Some(content) = path.and_then(|path| files.get_mut(path)) {
        content.push_str(line);
    }
}

impl Source for Bundle {
    fn open(&self, path: &str) -> Option<Box<dyn Read + '_>> {
        self.files.get(path).map(|content| Box::new(content.as_bytes()) as Box<dyn Read>)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let child = |path: &String| {
            let name = path.strip_prefix(folder)?.strip_prefix('/')?.split('/').next()?;
            Some(name.to_owned())
        };
        let mut names: Vec<String> = self.files.keys().filter_map(child).collect();
        names.dedup();
        names.truncate(NAMES_MAX);
        names
    }

    fn link(&self, path: &str) -> Option<String> {
        text(self, path)
    }
}

/// The whole text of a file.
pub fn text(source: &dyn Source, path: &str) -> Option<String> {
    source.open(path).map(text::read)
}

/// The one word or sentence that a file holds; `None` also where it is empty.
pub fn word(source: &dyn Source, path: &str) -> Option<String> {
    text(source, path).as_deref().and_then(text::word)
}

/// The one number that a file holds.
pub fn number<N: std::str::FromStr>(source: &dyn Source, path: &str) -> Option<N> {
    word(source, path)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a comment\n=== /a/b\n1\n2\n=== /a/c/d\nword\n=== /a/c/e\n=== no path\n";

    #[test]
    fn a_bundle_gives_back_its_files() {
        let bundle = Bundle::parse(TEXT.as_bytes());
        let rows = [
            ("/a/b", Some("1\n2\n")),
            ("/a/c/e", Some("=== no path\n")),
            ("/a/c", None),
            ("", None),
        ];
        for (path, content) in rows {
            assert_eq!(text(&bundle, path).as_deref(), content, "{path}");
        }
        assert_eq!(word(&bundle, "/a/c/d").as_deref(), Some("word"));
        assert_eq!(number::<u32>(&bundle, "/a/c/d"), None);
    }

    #[test]
    fn a_bundle_lists_its_folders() {
        let bundle = Bundle::parse(TEXT.as_bytes());
        let rows: [(&str, &[&str]); 4] =
            [("/a", &["b", "c"]), ("/a/c", &["d", "e"]), ("/a/b", &[]), ("/", &[])];
        for (folder, names) in rows {
            assert_eq!(bundle.names(folder), names, "{folder}");
        }
    }

    #[test]
    fn what_is_not_there_is_no_error() {
        assert!(Live.open("/proc/no/such/file").is_none());
        assert!(Live.names("/proc/no/such/folder").is_empty());
        assert_eq!(Live.link("/proc/no/such/link"), None);
        assert_eq!(Live.link("/proc/cpuinfo"), None);
        // A folder opens, but reads as nothing.
        assert_eq!(word(&Live, "/proc"), None);
    }
}
