//! When ordinary memory is given in huge pages (THP).
//!
//! Pure, over a [`Source`]. Not here: pages that are set aside as huge ones (hugetlbfs), which
//! programs must ask for. Source: Documentation/admin-guide/mm/transhuge.rst.

use record::HugePages;

use crate::source::{self, Source};

const MEMORY: &str = "/sys/kernel/mm";
const NAME: &str = "transparent_hugepage";

/// The settings; `None` where they are hidden.
pub fn huge_pages(source: &dyn Source) -> Option<HugePages> {
    let chosen = |file| chosen(&source::word(source, &format!("{MEMORY}/{NAME}/{file}"))?);
    if let Some(enabled) = chosen("enabled") {
        return Some(HugePages::Set { enabled, defrag: chosen("defrag") });
    }
    // The folder beside it is there, so that nothing hides this one: the kernel lacks it.
    let names = source.names(MEMORY);
    let lacks = !names.is_empty() && !names.iter().any(|name| name == NAME);
    lacks.then_some(HugePages::NotBuiltIn)
}

/// `always [madvise] never`: the word in brackets.
fn chosen(words: &str) -> Option<String> {
    let brackets = |word: &str| Some(word.strip_prefix('[')?.strip_suffix(']')?.to_owned());
    words.split_whitespace().find_map(brackets).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bundle;

    #[test]
    fn the_word_in_brackets_is_chosen() {
        let rows = [
            ("always [madvise] never", Some("madvise")),
            ("always defer defer+madvise [madvise] never", Some("madvise")),
            ("[defer+madvise]", Some("defer+madvise")),
            ("always madvise never", None),
            ("[] x", None),
            ("[a b]", None),
        ];
        for (words, expected) in rows {
            assert_eq!(chosen(words).as_deref(), expected, "{words}");
        }
    }

    #[test]
    fn a_kernel_without_is_told_from_one_that_hides_them() {
        let enabled = "=== /sys/kernel/mm/transparent_hugepage/enabled\nalways madvise [never]\n";
        let other = "=== /sys/kernel/mm/ksm/run\n0\n";
        let set = HugePages::Set { enabled: "never".to_owned(), defrag: None };
        let rows = [(enabled, Some(set)), (other, Some(HugePages::NotBuiltIn)), ("", None)];
        for (text, expected) in rows {
            assert_eq!(huge_pages(&Bundle::parse(text.as_bytes())), expected, "{text}");
        }
    }
}
