//! /proc/meminfo: how much memory there is, and how much could be had.
//!
//! Pure. Source: proc_meminfo(5). A node's own file (Documentation/ABI/stable/sysfs-devices-node)
//! writes its numbers in the same way.

use std::io::Read;

use record::Memory;

use crate::text;

/// Reads /proc/meminfo; `None` where it does not even tell the total.
pub fn parse(reader: impl Read) -> Option<Memory> {
    let mut total_bytes = None;
    let mut memory = Memory::default();
    for (key, value) in text::fields(&text::read(reader)) {
        match key {
            "MemTotal" => total_bytes = bytes(value),
            // Since Linux 3.14.
            "MemAvailable" => memory.available_bytes = bytes(value),
            "SwapTotal" => memory.swap_bytes = bytes(value),
            "SwapFree" => memory.swap_free_bytes = bytes(value),
            _ => {}
        }
    }
    Some(Memory { total_bytes: total_bytes?, ..memory })
}

/// `24684092 kB` in bytes. The kernel writes kB and means KiB.
pub fn bytes(value: &str) -> Option<u64> {
    value.strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts() {
        let rows = [
            ("24684092 kB", Some(24_684_092 << 10)),
            ("0 kB", Some(0)),
            ("12", None),
            ("-1 kB", None),
            ("18446744073709551615 kB", None),
            (" kB", None),
        ];
        for (value, expected) in rows {
            assert_eq!(bytes(value), expected, "{value}");
        }
    }

    #[test]
    fn what_an_old_kernel_or_a_broken_file_lacks_is_unknown() {
        let text = "MemTotal:        1000 kB\nMemFree:  10 kB\nSwapTotal: 0 kB\nSwapFree: x kB\n";
        let expected = Memory {
            total_bytes: 1000 << 10,
            available_bytes: None,
            swap_bytes: Some(0),
            swap_free_bytes: None,
        };
        assert_eq!(parse(text.as_bytes()), Some(expected));
        assert_eq!(parse(&b"MemAvailable: 10 kB\n"[..]), None);
        assert_eq!(parse(&b""[..]), None);
    }
}
