//! What the kernel says of each CPU weakness, in its own words.
//!
//! Pure, over a [`Source`]. Source: Documentation/ABI/testing/sysfs-devices-system-cpu,
//! "vulnerabilities".

use std::collections::BTreeMap;

use crate::source::{self, Source};

const FOLDER: &str = "/sys/devices/system/cpu/vulnerabilities";

/// The kernel's words by the weakness's name; empty where it does not say (before Linux 4.15).
pub fn mitigations(source: &dyn Source) -> BTreeMap<String, String> {
    let words = |name: String| {
        let words = source::word(source, &format!("{FOLDER}/{name}"))?;
        Some((name, words))
    };
    source.names(FOLDER).into_iter().filter_map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bundle;

    #[test]
    fn names_and_words() {
        let text = format!("=== {FOLDER}/l1tf\nNot affected\n=== {FOLDER}/mds\n\n");
        let found = mitigations(&Bundle::parse(text.as_bytes()));
        assert_eq!(found, BTreeMap::from([("l1tf".to_owned(), "Not affected".to_owned())]));
    }
}
