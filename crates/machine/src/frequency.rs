//! What decides the CPUs' clock rate: driver, governors, turbo.
//!
//! Pure, over a [`Source`]. A virtual machine's CPUs mostly show nothing of it, because the host
//! decides. Source: Documentation/admin-guide/pm/cpufreq.rst and pm/intel_pstate.rst.

use std::collections::BTreeSet;

use record::Frequency;

use crate::source::{self, Source};

const CPU: &str = "/sys/devices/system/cpu";

/// What decides; `None` where nothing of it can be seen.
pub fn frequency(source: &dyn Source) -> Option<Frequency> {
    // A policy is a set of CPUs whose rate is set together; their number is that of the first.
    let mut policies = source.names(&format!("{CPU}/cpufreq"));
    policies.retain(|name| name.starts_with("policy"));
    let word =
        |policy: &String, file| source::word(source, &format!("{CPU}/cpufreq/{policy}/{file}"));
    let governors: BTreeSet<String> =
        policies.iter().filter_map(|policy| word(policy, "scaling_governor")).collect();
    let frequency = Frequency {
        // There is one driver at a time.
        driver: policies.iter().find_map(|policy| word(policy, "scaling_driver")),
        governors: governors.into_iter().collect(),
        turbo: turbo(source),
    };
    (frequency != Frequency::default()).then_some(frequency)
}

/// intel_pstate has a switch of its own, the other way round, and then there is no common one.
fn turbo(source: &dyn Source) -> Option<bool> {
    let switch = |path| match source::number::<u8>(source, &format!("{CPU}/{path}")) {
        Some(0) => Some(false),
        Some(1) => Some(true),
        _ => None,
    };
    let without = switch("intel_pstate/no_turbo");
    without.map(|without| !without).or_else(|| switch("cpufreq/boost"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bundle;

    fn of(files: &[(&str, &str)]) -> Option<Frequency> {
        let file = |(path, content): &(&str, &str)| format!("=== {CPU}/{path}\n{content}\n");
        let text: String = files.iter().map(file).collect();
        frequency(&Bundle::parse(text.as_bytes()))
    }

    #[test]
    fn either_switch_tells_of_turbo() {
        let rows: [(&[(&str, &str)], _); 7] = [
            (&[("intel_pstate/no_turbo", "0")], Some(true)),
            (&[("intel_pstate/no_turbo", "1")], Some(false)),
            (&[("cpufreq/boost", "1")], Some(true)),
            (&[("cpufreq/boost", "0")], Some(false)),
            (&[("intel_pstate/no_turbo", "1"), ("cpufreq/boost", "1")], Some(false)),
            (&[("cpufreq/boost", "2")], None),
            (&[("cpufreq/boost", "")], None),
        ];
        for (files, expected) in rows {
            assert_eq!(of(files).and_then(|it| it.turbo), expected, "{files:?}");
        }
    }

    #[test]
    fn governors_are_told_once_each() {
        let files = [
            ("cpufreq/policy0/scaling_driver", "acpi-cpufreq"),
            ("cpufreq/policy0/scaling_governor", "schedutil"),
            ("cpufreq/policy1/scaling_governor", "performance"),
            ("cpufreq/policy2/scaling_governor", "schedutil"),
            ("cpufreq/ondemand/sampling_rate", "1"),
        ];
        let expected = Frequency {
            driver: Some("acpi-cpufreq".to_owned()),
            governors: vec!["performance".to_owned(), "schedutil".to_owned()],
            turbo: None,
        };
        assert_eq!(of(&files), Some(expected));
    }

    #[test]
    fn a_folder_without_policies_shows_nothing() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("cpufreq/policy0/scaling_governor", "")]), None);
    }
}
