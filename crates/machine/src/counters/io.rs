//! /proc/thread-self/io: how many reading and writing system calls the thread made.
//!
//! Pure. Source: proc_pid_io(5). A kernel without I/O accounting has no such file; a hardened one
//! may forbid it.

use std::io::Read;

use crate::text;

/// System calls of one thread, successful or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoCalls {
    /// read, pread, readv and their like. Not recv.
    pub reads: u64,
    /// write, pwrite, writev and their like. Not send.
    pub writes: u64,
}

impl IoCalls {
    /// What came since an earlier reading of the same thread.
    pub fn since(&self, earlier: &IoCalls) -> IoCalls {
        IoCalls {
            reads: self.reads.saturating_sub(earlier.reads),
            writes: self.writes.saturating_sub(earlier.writes),
        }
    }
}

/// Reads /proc/thread-self/io; `None` unless both counts are there.
pub fn parse(reader: impl Read) -> Option<IoCalls> {
    let text = text::read(reader);
    let count = |wanted| text::fields(&text).find(|(key, _)| *key == wanted)?.1.parse().ok();
    Some(IoCalls { reads: count("syscr")?, writes: count("syscw")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let whole = "rchar: 6976\nwchar: 12\nsyscr: 10\nsyscw: 3\nread_bytes: 0\nwrite_bytes: 0\n\
                     cancelled_write_bytes: 0\n";
        let rows = [
            (whole, Some(IoCalls { reads: 10, writes: 3 })),
            ("syscr: 10\n", None),
            ("syscr: 10\nsyscw: x\n", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(parse(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn counts_that_went_back_are_no_negative_difference() {
        let (more, less) = (IoCalls { reads: 5, writes: 9 }, IoCalls { reads: 3, writes: 10 });
        assert_eq!(more.since(&less), IoCalls { reads: 2, writes: 0 });
    }
}
