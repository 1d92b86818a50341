//! What on this machine makes entering the kernel dearer or cheaper than elsewhere.

use record::{Caveat, Machine, Seccomp};

/// A mitigation that acts on the way into or out of the kernel.
struct OnTheWay {
    /// What the kernel's line on a weakness holds when it is in force, in lower case.
    word: &'static str,
    /// What it does, and so to the number.
    does: &'static str,
}

/// From the kernel's admin-guide on hardware vulnerabilities and arch/x86/kernel/cpu/bugs.c. None
/// of these is a number, because what each costs depends on the CPU; switch it off and compare, if
/// you must know. A line may say "Vulnerable" and yet name one that is in force, where only a part
/// (such as microcode) is missing.
const ON_THE_WAY: [OnTheWay; 13] = [
    OnTheWay { word: "pti", does: "page tables are switched on each entry and exit (PTI)" },
    OnTheWay { word: "clear cpu buffers", does: "CPU buffers are cleared on each exit" },
    OnTheWay { word: "clear register file", does: "register files are cleared on each exit" },
    OnTheWay { word: "lfence", does: "indirect branches in the kernel wait (LFENCE)" },
    OnTheWay { word: "retpoline", does: "indirect calls in the kernel go by retpolines" },
    OnTheWay { word: "mitigation: ibrs", does: "a control register is written on entry (IBRS)" },
    OnTheWay { word: "mitigation: ibpb", does: "all branch predictions are dropped on each entry" },
    OnTheWay { word: "untrained return", does: "return predictions are cleared on each entry" },
    OnTheWay { word: "safe ret", does: "returns in the kernel take a safe detour" },
    OnTheWay {
        word: "stuffing",
        does: "the kernel counts its calls, to refill return predictions",
    },
    OnTheWay { word: "aligned branch", does: "indirect branches in the kernel take a detour" },
    OnTheWay { word: "bhi: sw loop", does: "the branch history is cleared on each entry" },
    OnTheWay { word: "bhi: syscall hardening", does: "calls are dispatched without a table" },
];

/// Weaknesses whose mitigations act there.
const AT_THE_DOOR: [&str; 10] = [
    "indirect_target_selection",
    "mds",
    "meltdown",
    "mmio_stale_data",
    "reg_file_data_sampling",
    "retbleed",
    "spec_rstack_overflow",
    "spectre_v2",
    "tsa",
    "tsx_async_abort",
];

/// The caveats for the cost of a call: of this machine, and of these trials.
pub(super) fn of(machine: &Machine, traced: bool) -> Vec<Caveat> {
    let mut caveats = mitigations(machine);
    if let Some(Seccomp::Filtered { filters }) = machine.seccomp {
        let many = match filters {
            None => "A seccomp filter is".to_owned(),
            Some(1) => "A seccomp filter is".to_owned(),
            Some(n) => format!("{n} seccomp filters are"),
        };
        let text = format!(
            "{many} in force, as in most containers: each call is checked, which costs something \
             even where the kernel knows the filter's answer without running it."
        );
        caveats.push(Caveat::new("seccomp", text));
    }
    if traced {
        let text = "A tracer was attached: where it watches system calls, these numbers are the \
                    tracer's, not the kernel's.";
        caveats.push(Caveat::new("traced", text));
    }
    caveats
}

fn mitigations(machine: &Machine) -> Vec<Caveat> {
    if machine.mitigations.is_empty() {
        let text = "Which mitigations of CPU weaknesses are in force could not be read: these \
                    numbers hold whatever is.";
        return vec![Caveat::new("mitigations_unknown", text)];
    }
    let lines: Vec<(&str, String)> = machine
        .mitigations
        .iter()
        .filter(|(name, _)| AT_THE_DOOR.contains(&name.as_str()))
        .map(|(name, line)| (name.as_str(), line.to_lowercase()))
        .collect();
    let in_force = |way: &&OnTheWay| lines.iter().any(|(_, line)| names(line, way.word));
    let active: Vec<&str> = ON_THE_WAY.iter().filter(in_force).map(|way| way.does).collect();
    let mut caveats = Vec::new();
    if !active.is_empty() {
        let text = format!(
            "Mitigations in force that can raise the cost of a call into the kernel: {}.",
            active.join("; ")
        );
        caveats.push(Caveat::new("mitigations", text));
    }
    let open = |(_, line): &&(&str, String)| {
        let none_in_force = !ON_THE_WAY.iter().any(|way| names(line, way.word));
        line.starts_with("vulnerable") && none_in_force
    };
    let open: Vec<&str> = lines.iter().filter(open).map(|(name, _)| *name).collect();
    if !open.is_empty() {
        let text = format!(
            "The kernel calls this machine vulnerable to {}: where that is mitigated, calls can \
             cost more.",
            open.join(", ")
        );
        caveats.push(Caveat::new("unmitigated", text));
    }
    caveats
}

/// Whether a line names a mitigation that acts here: not its absence ("PTI: disabled"), and not one
/// that acts only where a guest is left ("IBPB on VMEXIT", "Clear CPU buffers: VM").
fn names(line: &str, word: &str) -> bool {
    let begins = |at: usize| line[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
    line.match_indices(word).any(|(at, _)| {
        let rest = &line[at + word.len()..];
        let elsewhere = [": disabled", " disabled", " on vmexit", ": vm"];
        begins(at) && !elsewhere.iter().any(|end| rest.starts_with(end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(mitigations: &[(&str, &str)]) -> Machine {
        let pair = |(name, line): &(&str, &str)| ((*name).to_owned(), (*line).to_owned());
        Machine { mitigations: mitigations.iter().map(pair).collect(), ..Machine::default() }
    }

    #[test]
    fn only_what_is_in_force_is_told() {
        let none = of(&machine(&[("meltdown", "Not affected")]), false);
        assert_eq!(none, []);
        for (name, line, does) in [
            ("meltdown", "Mitigation: PTI", Some("(PTI)")),
            ("meltdown", "Vulnerable", None),
            ("mds", "Vulnerable: Clear CPU buffers attempted, no microcode", Some("on each exit")),
            ("mds", "Mitigation: Clear CPU buffers; SMT disabled", Some("on each exit")),
            ("spectre_v2", "Mitigation: Retpolines; STIBP disabled", Some("retpolines")),
            ("spectre_v2", "Mitigation: Full AMD retpoline, IBPB: conditional", Some("retpolines")),
            ("spectre_v2", "Mitigation: Enhanced IBRS; IBPB: conditional", None),
            ("spectre_v2", "Mitigation: IBRS; BHI: SW loop, KVM: SW loop", Some("(IBRS)")),
            ("retbleed", "Mitigation: IBPB", Some("dropped on each entry")),
            ("retbleed", "Mitigation: Stuffing", Some("counts its calls")),
            ("spec_rstack_overflow", "Mitigation: IBPB on VMEXIT only", None),
            ("vmscape", "Mitigation: IBPB before exit to userspace", None),
            ("tsa", "Mitigation: Clear CPU buffers: VM", None),
            ("reg_file_data_sampling", "Mitigation: Clear Register File", Some("register files")),
            ("spectre_v2", "Vulnerable: LFENCE", Some("LFENCE")),
            ("retbleed", "Mitigation: untrained return thunk; SMT disabled", Some("cleared")),
            // Seen on a machine where the safe detour was in force and its microcode missing.
            ("spec_rstack_overflow", "Vulnerable: Safe RET, no microcode", Some("safe detour")),
            (
                "indirect_target_selection",
                "Mitigation: Aligned branch/return thunks",
                Some("detour"),
            ),
        ] {
            let caveats = of(&machine(&[(name, line)]), false);
            let of_kind = |kind| caveats.iter().find(|caveat| caveat.kind == kind);
            let told = of_kind("mitigations").map(|caveat| caveat.text.as_str());
            match does {
                Some(does) => assert!(told.unwrap().contains(does), "{line}: {told:?}"),
                None => assert_eq!(told, None, "{line}"),
            }
            let open = line == "Vulnerable";
            assert_eq!(of_kind("unmitigated").is_some(), open, "{line}");
        }
    }

    #[test]
    fn what_does_not_concern_the_door_is_not_told() {
        assert_eq!(of(&machine(&[("spec_store_bypass", "Vulnerable")]), false), []);
        let unknown = of(&machine(&[]), false);
        assert_eq!(unknown[0].kind, "mitigations_unknown");
    }

    #[test]
    fn a_filter_and_a_tracer_are_told() {
        let calm = machine(&[("meltdown", "Not affected")]);
        let filtered = |filters| Some(Seccomp::Filtered { filters });
        let caveats = of(&Machine { seccomp: filtered(Some(2)), ..calm.clone() }, true);
        assert!(caveats[0].text.starts_with("2 seccomp filters are in force"));
        assert_eq!(caveats[1].kind, "traced");
        let one = of(&Machine { seccomp: filtered(Some(1)), ..calm.clone() }, false);
        assert!(one[0].text.starts_with("A seccomp filter is in force"));
        assert_eq!(of(&Machine { seccomp: Some(Seccomp::Off), ..calm }, false), []);
    }
}
