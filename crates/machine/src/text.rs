//! Text as the kernel prints it: read with a cap, then taken apart line by line.
//!
//! Pure. Nothing here fails on odd text; what does not look like a line of its kind is passed over.

use std::io::Read;

/// No file is read further than this. The longest real one, /proc/cpuinfo, has about 1.5 KiB per
/// CPU, and what is read of it stands in its first blocks.
pub const FILE_BYTES_MAX: u64 = 1 << 20;

/// All that the reader gives, up to [`FILE_BYTES_MAX`]; bytes that are not UTF-8 are replaced.
///
/// A read that fails midway (a CPU that went offline, a process that ended) keeps what came before.
pub fn read(reader: impl Read) -> String {
    let mut bytes = Vec::new();
    // The error is not needed: a cut text lacks lines, and lacking lines are unknown facts.
    let _ = reader.take(FILE_BYTES_MAX).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The `key : value` lines, trimmed on both sides, in their order.
pub fn fields(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(key, value)| (key.trim(), value.trim()))
}

/// The text without surrounding space and zero bytes (device trees end strings so), if any is left.
pub fn word(text: &str) -> Option<String> {
    let word = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!word.is_empty()).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_stops_at_the_cap() {
        assert_eq!(read(std::io::repeat(b'x')).len() as u64, FILE_BYTES_MAX);
    }

    #[test]
    fn bytes_that_are_not_text_are_replaced() {
        assert_eq!(read(&b"a\xffb"[..]), "a\u{fffd}b");
    }

    #[test]
    fn fields_are_trimmed_and_other_lines_passed_over() {
        let text = "Name:\thead\n\nno colon\nse.x     :   1\ntime: 12:30\n";
        let found: Vec<_> = fields(text).collect();
        assert_eq!(found, [("Name", "head"), ("se.x", "1"), ("time", "12:30")]);
    }

    #[test]
    fn a_word_has_no_space_around_it_and_is_not_empty() {
        assert_eq!(word(" tsc \n").as_deref(), Some("tsc"));
        assert_eq!(word("linux,kvm\0").as_deref(), Some("linux,kvm"));
        assert_eq!(word(" \n\0"), None);
    }
}
