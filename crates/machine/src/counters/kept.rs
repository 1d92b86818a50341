//! A file of /proc that is kept open and read again from its start.
//!
//! Reading at offset 0 makes the kernel print the file anew.

use std::fs::File;

use crate::text::FILE_BYTES_MAX;

/// Enough for every file here but a large machine's /proc/stat; then the buffer grows.
const BYTES_START: usize = 4096;

/// An open file, where there is one, and room for its text.
pub struct Kept {
    file: Option<File>,
    buffer: Vec<u8>,
    reads: u64,
}

impl Kept {
    /// Opens the file; if that fails, every read gives `None`.
    pub fn open(path: &str) -> Kept {
        Kept { file: File::open(path).ok(), buffer: vec![0; BYTES_START], reads: 0 }
    }

    /// How many read calls this took so far.
    pub fn reads(&self) -> u64 {
        self.reads
    }

    /// The file's present content, cut at [`FILE_BYTES_MAX`]; `None` where it cannot be read.
    pub fn read(&mut self) -> Option<&[u8]> {
        let file = self.file.as_ref()?;
        loop {
            self.reads += 1;
            let length = rustix::io::pread(file, &mut self.buffer[..], 0).ok()?;
            // A full buffer may hold half a file. Reading on would mix two moments: start again.
            if length < self.buffer.len() || length as u64 >= FILE_BYTES_MAX {
                return Some(&self.buffer[..length]);
            }
            self.buffer.resize(2 * length, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_reads_as_none() {
        assert!(Kept::open("/proc/no/such/file").read().is_none());
        assert!(Kept::open("/proc").read().is_none());
    }

    #[test]
    fn a_file_that_never_ends_is_cut() {
        let length = Kept::open("/dev/zero").read().map(<[u8]>::len);
        assert_eq!(length, Some(FILE_BYTES_MAX as usize));
    }

    #[test]
    fn a_file_is_read_anew_each_time() {
        let mut kept = Kept::open("/proc/self/stat");
        let (once, twice) = (kept.read().map(<[u8]>::len), kept.read().map(<[u8]>::len));
        assert!(once.is_some_and(|length| length > 0) && twice.is_some_and(|length| length > 0));
        assert_eq!(kept.reads(), 2);
    }
}
