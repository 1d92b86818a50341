//! Rows on what is around a program: hypervisor, container, kernel, clock, C library, onlookers.

use record::{Container, Hypervisor, Locale, Machine, Quantity, Seccomp, Unit};

use super::{
    Row,
    words::{UNKNOWN, counted, known},
};

pub(super) fn rows(machine: &Machine) -> Vec<Row> {
    let ticks = machine.tick_hz.map(|hz| format!("{hz} a second"));
    [
        ("hypervisor", hypervisor(machine)),
        ("container", container(machine)),
        ("kernel", known(machine.kernel.as_ref())),
        ("timer ticks", known(ticks)),
        ("clock source", known(machine.clocksource.as_ref())),
        ("clock step", clock(machine)),
        ("C library", known(machine.libc.as_ref())),
        ("locale", locale(machine)),
        ("system call filter", seccomp(machine.seccomp)),
        ("tracer", known(machine.traced.map(|is| if is { "attached" } else { "none" }))),
        (
            "CPU weaknesses",
            match machine.mitigations.len() {
                0 => UNKNOWN.into(),
                1 => "1 is known to the kernel; what concerns this CPU is below".into(),
                n => format!("{n} are known to the kernel; what concerns this CPU is below"),
            },
        ),
    ]
    .map(|(what, value)| (what.to_owned(), value))
    .into()
}

fn hypervisor(machine: &Machine) -> String {
    match &machine.hypervisor {
        Some(Hypervisor::None) => "none".into(),
        Some(Hypervisor::Named(name)) => name.clone(),
        None => UNKNOWN.into(),
    }
}

fn container(machine: &Machine) -> String {
    match &machine.container {
        Some(Container::NoneSeen) => "none seen".into(),
        Some(Container::Named(name)) => name.clone(),
        Some(Container::Nameless) => "of a kind that does not show".into(),
        None => UNKNOWN.into(),
    }
}

fn clock(machine: &Machine) -> String {
    let step = match machine.clock_step_ns {
        Some(ns) => format!("{} measured", Quantity::new(ns as f64, Unit::Nanoseconds)),
        None => "not measured".into(),
    };
    let claimed = machine.clock_resolution_ns.map(|ns| format!("; the kernel claims {ns} ns"));
    step + &claimed.unwrap_or_default()
}

/// `de_DE.UTF-8 (LANG)`.
fn locale(machine: &Machine) -> String {
    match &machine.locale {
        Some(Locale::Set { variable, name, installed }) => {
            let name = name.as_deref().unwrap_or("no name of a locale");
            let lacks = match installed {
                Some(false) => "; not installed, so that programs get C",
                _ => "",
            };
            format!("{name} ({variable}){lacks}")
        }
        Some(Locale::Unset) => "C (no variable is set)".into(),
        None => UNKNOWN.into(),
    }
}

fn seccomp(seccomp: Option<Seccomp>) -> String {
    match seccomp {
        Some(Seccomp::Off) => "none".into(),
        Some(Seccomp::Strict) => "strict".into(),
        Some(Seccomp::Filtered { filters: Some(n) }) => counted(n as usize, "seccomp filter"),
        Some(Seccomp::Filtered { filters: None }) => "seccomp".into(),
        None => UNKNOWN.into(),
    }
}
