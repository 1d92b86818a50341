//! The machine as a section, like any answer: facts, CPU weaknesses, caveats.
//!
//! Not here: how a fact is put into words; that is in a file per group of rows.

mod caveats;
mod memory;
mod processor;
mod system;
mod words;

use record::{Align, Conclusion, Machine, Section, Table};

const QUESTION: &str = "What is this machine, as far as it decides what programs measure on it?";

/// What is told of a fact, and what it is.
type Row = (String, String);

/// What this machine is, as a section of a run.
pub fn section(machine: &Machine) -> Section {
    Section {
        name: "machine".into(),
        question: QUESTION.into(),
        workload_version: 1,
        recorded: None,
        conclusion: Conclusion {
            tables: vec![facts(machine), mitigations(machine)]
                .into_iter()
                .filter(|table| !table.rows.is_empty())
                .collect(),
            caveats: caveats::of(machine),
            ..Conclusion::default()
        },
    }
}

fn facts(machine: &Machine) -> Table {
    let mut table = Table::new("Facts", &[("what", Align::Left), ("value", Align::Left)]);
    let groups = [processor::rows(machine), memory::rows(machine), system::rows(machine)];
    table.rows = groups.into_iter().flatten().map(|(what, value)| vec![what, value]).collect();
    table
}

fn mitigations(machine: &Machine) -> Table {
    let columns = [("weakness", Align::Left), ("the kernel says", Align::Left)];
    let mut table = Table::new("CPU weaknesses that concern it", &columns);
    let concerns = |line: &&String| !line.starts_with("Not affected");
    let lines = machine.mitigations.iter().filter(|(_, line)| concerns(line));
    table.rows = lines.map(|(name, line)| vec![name.clone(), line.clone()]).collect();
    table
}

#[cfg(test)]
mod tests;
