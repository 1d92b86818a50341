//! /proc/cpuinfo: what the CPUs call themselves, and whether they say that they are virtual.
//!
//! Pure. The file's keys differ by architecture; these are the kernel's show_cpuinfo functions for
//! x86, ARM, POWER, MIPS and RISC-V.

use std::io::Read;

use crate::{arm, cpu_list, text};

/// No machine mixes more kinds of core than this; hostile text might.
const KINDS_MAX: usize = 8;

/// What /proc/cpuinfo says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cpuinfo {
    /// The model; several kinds are joined by ` + `.
    pub model: Option<String>,
    /// x86 only: whether CPUID announces a hypervisor. `None` where there is no line of flags.
    pub hypervisor_flag: Option<bool>,
    /// The numbers of the CPUs that are online.
    pub processors: Vec<usize>,
}

/// Reads /proc/cpuinfo.
pub fn parse(reader: impl Read) -> Cpuinfo {
    let mut info = Cpuinfo::default();
    let mut named = None;
    let mut parts = Parts::default();
    for (key, value) in text::fields(&text::read(reader)) {
        match key {
            "processor" => info.processors.extend(cpu(value)),
            "flags" if info.hypervisor_flag.is_none() => {
                info.hypervisor_flag = Some(value.split(' ').any(|flag| flag == "hypervisor"));
            }
            "model name" | "cpu model" | "cpu" | "uarch" if named.is_none() => {
                named = text::word(value);
            }
            "CPU implementer" => parts.implementer = hexadecimal(value),
            "CPU part" => parts.add(value),
            _ => {}
        }
    }
    // 32-bit ARM has a model name too, but it says "ARMv7 Processor" only: the part says more.
    info.model = parts.join().or(named);
    info
}

/// The kinds of ARM core met so far, in the order of their first CPU.
#[derive(Default)]
struct Parts {
    implementer: Option<u32>,
    names: Vec<String>,
}

impl Parts {
    fn add(&mut self, value: &str) {
        let (Some(implementer), Some(part)) = (self.implementer, hexadecimal(value)) else {
            return;
        };
        let name = arm::name(implementer, part);
        if self.names.len() < KINDS_MAX && !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    fn join(self) -> Option<String> {
        (!self.names.is_empty()).then(|| self.names.join(" + "))
    }
}

fn cpu(value: &str) -> Option<usize> {
    value.parse().ok().filter(|&cpu| cpu < cpu_list::CPU_MAX)
}

fn hexadecimal(value: &str) -> Option<u32> {
    u32::from_str_radix(value.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(text: &str) -> Option<String> {
        parse(text.as_bytes()).model
    }

    #[test]
    fn models_by_architecture() {
        let rows = [
            ("model name\t: AMD EPYC\n", Some("AMD EPYC")),
            ("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", Some("Neoverse-N1")),
            (
                "model name\t: ARMv7 Processor rev 3 (v7l)\nCPU implementer\t: 0x41\n\
                 CPU part\t: 0xd08\n",
                Some("Cortex-A72"),
            ),
            (
                "processor\t: 0\ncpu\t\t: POWER9, altivec supported\n",
                Some("POWER9, altivec supported"),
            ),
            ("hart\t\t: 1\nuarch\t\t: sifive,u74-mc\n", Some("sifive,u74-mc")),
            ("CPU part\t: 0xd0c\n", None),
            ("model name\t:\n", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(model(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn each_kind_of_core_is_named_once() {
        let text = "CPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n\
                    CPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n\
                    CPU implementer\t: 0x41\nCPU part\t: 0xd0b\n";
        assert_eq!(model(text).as_deref(), Some("Cortex-A55 + Cortex-A76"));
    }

    #[test]
    fn the_hypervisor_flag_is_a_whole_word() {
        let rows = [
            ("flags\t\t: fpu hypervisor lahf_lm\n", Some(true)),
            ("flags\t\t: fpu lahf_lm\n", Some(false)),
            ("flags\t\t: fpu nohypervisor\n", Some(false)),
            ("Features\t: fp asimd\n", None),
        ];
        for (text, expected) in rows {
            assert_eq!(parse(text.as_bytes()).hypervisor_flag, expected, "{text}");
        }
    }

    #[test]
    fn processors_are_numbers_that_linux_can_have() {
        let text = "processor\t: 0\nprocessor\t: 12\nprocessor\t: 4294967295\nprocessor: x\n";
        assert_eq!(parse(text.as_bytes()).processors, [0, 12]);
    }
}
