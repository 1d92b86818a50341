//! What on this machine makes entering the kernel dearer or cheaper than elsewhere.

use record::{Caveat, Machine, Seccomp};

/// A mitigation that acts on the way into or out of the kernel.
struct OnTheWay {
    /// What the kernel's line on it holds when it is in force.
    word: &'static str,
    /// What it does, and so to the number.
    does: &'static str,
}

/// From the kernel's admin-guide on hardware vulnerabilities. None of these is a number, because
/// what each costs depends on the CPU; switch it off and compare, if you must know.
const ON_THE_WAY: [OnTheWay; 7] = [
    OnTheWay { word: "PTI", does: "page tables are switched on each entry and exit (PTI)" },
    OnTheWay { word: "Clear CPU buffers", does: "CPU buffers are cleared on each exit" },
    OnTheWay { word: "Retpolines", does: "indirect calls in the kernel go by retpolines" },
    OnTheWay {
        word: "Mitigation: IBRS",
        does: "a control register is written on each entry (IBRS)",
    },
    OnTheWay {
        word: "untrained return thunk",
        does: "return predictions are cleared on each entry",
    },
    OnTheWay { word: "Mitigation: Safe RET", does: "returns in the kernel take a safe detour" },
    OnTheWay { word: "BHI: SW loop", does: "the branch history is cleared on each entry" },
];

/// The caveats of this machine for the cost of a call.
pub(super) fn of(machine: &Machine) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    caveats.extend(mitigations(machine));
    match machine.seccomp {
        Some(Seccomp::Filtered { filters }) => {
            let many =
                filters.map_or("A seccomp filter".to_owned(), |n| format!("{n} seccomp filters"));
            let text = format!(
                "{many} run at each call, as in most containers: what enters the kernel costs more \
                 for it."
            );
            caveats.push(Caveat::new("seccomp", text));
        }
        Some(Seccomp::Strict | Seccomp::Off) | None => {}
    }
    if machine.traced == Some(true) {
        let text = "A tracer is attached: where it watches system calls, these numbers are the \
                    tracer's, not the kernel's.";
        caveats.push(Caveat::new("traced", text));
    }
    caveats
}

fn mitigations(machine: &Machine) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    let lines = || machine.mitigations.values();
    let active: Vec<&str> = ON_THE_WAY
        .iter()
        .filter(|way| lines().any(|line| line.contains(way.word) && !line.starts_with("Vuln")))
        .map(|way| way.does)
        .collect();
    if !active.is_empty() {
        let text = format!(
            "Mitigations in force that can raise the cost of a call into the kernel: {}.",
            active.join("; ")
        );
        caveats.push(Caveat::new("mitigations", text));
    }
    let open: Vec<&str> = machine
        .mitigations
        .iter()
        .filter(|(_, line)| line.starts_with("Vulnerable"))
        .map(|(name, _)| name.as_str())
        .collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(mitigations: &[(&str, &str)]) -> Machine {
        let pair = |(name, line): &(&str, &str)| ((*name).to_owned(), (*line).to_owned());
        Machine { mitigations: mitigations.iter().map(pair).collect(), ..Machine::default() }
    }

    #[test]
    fn only_what_is_in_force_is_told() {
        assert_eq!(of(&machine(&[("meltdown", "Not affected")])), []);
        let caveats = of(&machine(&[
            ("meltdown", "Mitigation: PTI"),
            ("mds", "Vulnerable: Clear CPU buffers attempted, no microcode"),
            ("spectre_v2", "Mitigation: Retpolines; STIBP disabled; RSB filling"),
            ("spec_rstack_overflow", "Vulnerable: Safe RET, no microcode"),
        ]));
        let kinds: Vec<&str> = caveats.iter().map(|caveat| caveat.kind.as_str()).collect();
        assert_eq!(kinds, ["mitigations", "unmitigated"]);
        assert!(caveats[0].text.contains("(PTI); indirect calls in the kernel go by retpolines."));
        assert!(caveats[1].text.contains("vulnerable to mds, spec_rstack_overflow:"));
    }

    #[test]
    fn a_filter_and_a_tracer_are_told() {
        let seccomp = Some(Seccomp::Filtered { filters: Some(2) });
        let caveats = of(&Machine { seccomp, traced: Some(true), ..Machine::default() });
        assert!(caveats[0].text.starts_with("2 seccomp filters run at each call"));
        assert_eq!(caveats[1].kind, "traced");
        assert_eq!(of(&Machine { seccomp: Some(Seccomp::Off), ..Machine::default() }), []);
    }
}
