//! In what the machines of two sides differ: whatever else changed comes after that.

use record::{Align, Machine, Table};

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
    (!table.rows.is_empty()).then_some(table)
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
