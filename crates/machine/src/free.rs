//! How much memory a program may still ask for.

use crate::{
    Live, Source,
    source::{self},
};

/// What the kernel holds to be available to new programs without swapping (MemAvailable), in bytes;
/// none where it does not say.
pub fn memory_free_bytes() -> Option<u64> {
    of(&Live)
}

fn of(source: &dyn Source) -> Option<u64> {
    let text = source::text(source, "/proc/meminfo")?;
    let (_, value) = crate::text::fields(&text).find(|(key, _)| *key == "MemAvailable")?;
    value.strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bundle;

    #[test]
    fn kilobytes_are_bytes() {
        for (text, expected) in [
            ("MemTotal: 100 kB\nMemAvailable:    2048 kB\n", Some(2 << 20)),
            ("MemTotal: 100 kB\n", None),
            ("MemAvailable: many kB\n", None),
            ("MemAvailable: 99999999999999999 kB\n", None),
        ] {
            let bundle = Bundle::parse(format!("=== /proc/meminfo\n{text}").as_bytes());
            assert_eq!(of(&bundle), expected, "{text}");
        }
    }
}
