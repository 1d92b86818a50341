//! Lists of CPUs as the kernel prints them: `0-3,8,10-11`.
//!
//! Pure. Source: the kernel's bitmap_print_to_pagebuf and cpuset(7), "List format".

use std::fmt;
use std::io::Read;

use crate::text;

/// CPU numbers at and above this are refused. Linux is built for 8192 at the most; the room above
/// that is for kernels to come, and still bounds a list to half a megabyte.
pub const CPU_MAX: usize = 1 << 16;

/// Why a text is not a list of CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadCpuList {
    /// This part is neither a number nor a range.
    NotANumber(String),
    /// This number is above every CPU that Linux can have.
    TooLarge(usize),
    /// This number is not above the one before it. The kernel prints ascending lists only.
    NotAscending(usize),
}

impl fmt::Display for BadCpuList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadCpuList::NotANumber(part) => write!(f, "{part:?} is not a CPU or a range of CPUs"),
            BadCpuList::TooLarge(cpu) => write!(f, "CPU {cpu} is beyond {CPU_MAX}"),
            BadCpuList::NotAscending(cpu) => write!(f, "CPU {cpu} is out of order: CPUs ascend"),
        }
    }
}

impl std::error::Error for BadCpuList {}

/// Reads a list; see [`parse_text`].
///
/// # Errors
/// Those of [`parse_text`].
pub fn parse(reader: impl Read) -> Result<Vec<usize>, BadCpuList> {
    parse_text(&text::read(reader))
}

/// The CPUs of a list; an empty one is a list too.
///
/// # Errors
/// When the text is not an ascending list of numbers below 65,536. Nothing is allocated for a
/// range before both its ends are known to be small.
pub fn parse_text(text: &str) -> Result<Vec<usize>, BadCpuList> {
    let mut cpus = Vec::new();
    let text = text.trim();
    if text.is_empty() {
        return Ok(cpus);
    }
    for part in text.split(',') {
        let (first, last) = range(part.trim())?;
        if cpus.last().is_some_and(|&before| first <= before) || last < first {
            return Err(BadCpuList::NotAscending(first));
        }
        cpus.extend(first..=last);
    }
    Ok(cpus)
}

/// An ascending list as the kernel prints it.
pub fn shown(cpus: &[usize]) -> String {
    let run = |run: &[usize]| match run {
        [first, .., last] => format!("{first}-{last}"),
        [only] => only.to_string(),
        [] => String::new(),
    };
    cpus.chunk_by(|a, b| a + 1 == *b).map(run).collect::<Vec<_>>().join(",")
}

fn range(part: &str) -> Result<(usize, usize), BadCpuList> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    Ok((number(first, part)?, number(last, part)?))
}

fn number(text: &str, part: &str) -> Result<usize, BadCpuList> {
    // A number too long for the type is treated as not a number: it comes from no kernel.
    match text.parse() {
        Ok(cpu) if cpu >= CPU_MAX => Err(BadCpuList::TooLarge(cpu)),
        Ok(cpu) if text.bytes().all(|b| b.is_ascii_digit()) => Ok(cpu),
        _ => Err(BadCpuList::NotANumber(part.chars().take(40).collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let rows: [(&str, &[usize]); 6] = [
            ("", &[]),
            ("\n", &[]),
            ("0\n", &[0]),
            ("0-3,8,10-11\n", &[0, 1, 2, 3, 8, 10, 11]),
            ("7-7", &[7]),
            ("65535", &[65535]),
        ];
        for (text, cpus) in rows {
            assert_eq!(parse(text.as_bytes()).as_deref(), Ok(cpus), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_list() {
        let not = |part: &str| BadCpuList::NotANumber(part.to_owned());
        let rows = [
            ("0-4294967295", BadCpuList::TooLarge(4294967295)),
            ("0-18446744073709551615", BadCpuList::TooLarge(usize::MAX)),
            ("65536", BadCpuList::TooLarge(65536)),
            ("99999999999999999999999", not("99999999999999999999999")),
            ("3-1", BadCpuList::NotAscending(3)),
            ("0-9,4", BadCpuList::NotAscending(4)),
            ("0,0", BadCpuList::NotAscending(0)),
            ("-1", not("-1")),
            ("+1", not("+1")),
            ("0,", not("")),
            ("1-", not("1-")),
            ("1-2-3", not("1-2-3")),
            ("all", not("all")),
            ("0-3:2/4", not("0-3:2/4")),
        ];
        for (text, error) in rows {
            assert_eq!(parse(text.as_bytes()), Err(error), "{text:?}");
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = parse(&b"1,x"[..]).unwrap_err();
        assert_eq!(error.to_string(), "\"x\" is not a CPU or a range of CPUs");
    }
}
