//! In what the machines of two sides differ: whatever else changed comes after that.

use record::{Align, Frequency, HugePages, Limit, Machine, Smt, Table};

/// A table of the facts that differ; none where all that is known is equal.
pub(super) fn differences(before: &[Machine], after: &[Machine]) -> Option<Table> {
    let (before, after) = (before.first()?, after.first()?);
    let columns = [("fact", Align::Left), ("before", Align::Left), ("after", Align::Left)];
    let mut table = Table::new("The machines differ", &columns);
    for ((fact, before), (_, after)) in facts(before).into_iter().zip(facts(after)) {
        if before != after {
            table.rows.push(vec![fact, before, after]);
        }
    }
    for ((fact, before), (_, after)) in later(before).into_iter().zip(later(after)) {
        if let (Some(before), Some(after)) = (before, after)
            && before != after
        {
            table.rows.push(vec![fact.to_owned(), before, after]);
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Facts that older run files lack, and that many machines hide: where one side does not know, that
/// is no difference.
fn later(machine: &Machine) -> [(&'static str, Option<String>); 7] {
    let frequency = machine.frequency.as_ref();
    let governors = |it: &Frequency| (!it.governors.is_empty()).then(|| it.governors.join(" and "));
    let on = |is: bool| if is { "on" } else { "off" }.to_owned();
    let limit = |limit: Option<Limit>| {
        limit.map(|limit| match limit {
            Limit::Unlimited => "none".to_owned(),
            Limit::At(bytes) => format!("{bytes} bytes"),
        })
    };
    [
        ("SMT", machine.smt.map(smt)),
        ("frequency driver", frequency.and_then(|it| it.driver.clone())),
        ("frequency governor", frequency.and_then(governors)),
        ("turbo", frequency.and_then(|it| it.turbo).map(on)),
        ("memory limit", limit(machine.memory_max_bytes)),
        ("memory slowed down from", limit(machine.memory_high_bytes)),
        ("huge pages (THP)", machine.huge_pages.as_ref().map(huge_pages)),
    ]
}

fn smt(smt: Smt) -> String {
    match smt {
        Smt::On => "on",
        Smt::Off => "off",
        Smt::NotSupported => "not supported",
        Smt::Unused => "not in use",
    }
    .to_owned()
}

fn huge_pages(it: &HugePages) -> String {
    match it {
        HugePages::NotBuiltIn => "not built into the kernel".into(),
        HugePages::Set { enabled, defrag: Some(defrag) } => format!("{enabled}, defrag {defrag}"),
        HugePages::Set { enabled, defrag: None } => enabled.clone(),
    }
}

/// Every fact in words; those of both sides in the same order.
fn facts(machine: &Machine) -> Vec<(String, String)> {
    let known = |value: &Option<String>| value.clone().unwrap_or("not known".into());
    let mut facts = vec![
        ("architecture".to_owned(), machine.architecture.clone()),
        ("CPU".to_owned(), known(&machine.cpu_model)),
        ("CPUs".to_owned(), machine.cpus.len().to_string()),
        ("may run on".to_owned(), format!("{:?}", machine.affinity)),
        ("CPU quota".to_owned(), format!("{:?}", machine.cpu_quota)),
        ("hypervisor".to_owned(), format!("{:?}", machine.hypervisor)),
        ("kernel".to_owned(), known(&machine.kernel)),
        ("timer ticks".to_owned(), format!("{:?}", machine.tick_hz)),
        ("clock source".to_owned(), known(&machine.clocksource)),
        ("C library".to_owned(), known(&machine.libc)),
        ("system call filter".to_owned(), format!("{:?}", machine.seccomp)),
        ("tracer".to_owned(), format!("{:?}", machine.traced)),
    ];
    let mitigations: Vec<String> =
        machine.mitigations.iter().map(|(name, line)| format!("{name}: {line}")).collect();
    facts.push(("CPU weaknesses".to_owned(), mitigations.join("; ")));
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(before: Machine, after: Machine) -> Vec<Vec<String>> {
        differences(&[before], &[after]).map_or(Vec::new(), |table| table.rows)
    }

    fn tuned() -> Machine {
        Machine {
            smt: Some(Smt::On),
            frequency: Some(Frequency {
                driver: Some("acpi-cpufreq".into()),
                governors: vec!["powersave".into()],
                turbo: Some(true),
            }),
            memory_max_bytes: Some(Limit::Unlimited),
            memory_high_bytes: Some(Limit::Unlimited),
            huge_pages: Some(HugePages::Set { enabled: "always".into(), defrag: None }),
            ..Machine::default()
        }
    }

    #[test]
    fn settings_that_changed_are_told() {
        let mut after = tuned();
        after.smt = Some(Smt::Off);
        after.frequency = Some(Frequency {
            driver: Some("acpi-cpufreq".into()),
            governors: vec!["performance".into()],
            turbo: Some(false),
        });
        after.memory_max_bytes = Some(Limit::At(4096));
        after.huge_pages = Some(HugePages::Set { enabled: "never".into(), defrag: None });
        let expected = [
            ["SMT", "on", "off"],
            ["frequency governor", "powersave", "performance"],
            ["turbo", "on", "off"],
            ["memory limit", "none", "4096 bytes"],
            ["huge pages (THP)", "always", "never"],
        ];
        assert_eq!(rows(tuned(), after), expected);
    }

    #[test]
    fn what_an_older_file_lacks_is_no_difference() {
        assert_eq!(rows(Machine::default(), tuned()), Vec::<Vec<String>>::new());
        assert_eq!(rows(tuned(), Machine::default()), Vec::<Vec<String>>::new());
    }
}
