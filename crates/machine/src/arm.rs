//! Names of ARM processors, which name themselves by two numbers only.
//!
//! Implementer and part are fields of the register MIDR_EL1. The numbers are those of Arm's
//! technical reference manuals and of the kernel's arch/arm64/include/asm/cputype.h. The table is
//! not complete; [`name`] says the numbers where it has no name.

/// Implementer, part, name.
const NAMES: &[(u32, u32, &str)] = &[
    (0x41, 0xc07, "Cortex-A7"),
    (0x41, 0xc09, "Cortex-A9"),
    (0x41, 0xc0f, "Cortex-A15"),
    (0x41, 0xd03, "Cortex-A53"),
    (0x41, 0xd04, "Cortex-A35"),
    (0x41, 0xd05, "Cortex-A55"),
    (0x41, 0xd07, "Cortex-A57"),
    (0x41, 0xd08, "Cortex-A72"),
    (0x41, 0xd09, "Cortex-A73"),
    (0x41, 0xd0a, "Cortex-A75"),
    (0x41, 0xd0b, "Cortex-A76"),
    (0x41, 0xd0c, "Neoverse-N1"),
    (0x41, 0xd0d, "Cortex-A77"),
    (0x41, 0xd40, "Neoverse-V1"),
    (0x41, 0xd41, "Cortex-A78"),
    (0x41, 0xd44, "Cortex-X1"),
    (0x41, 0xd46, "Cortex-A510"),
    (0x41, 0xd47, "Cortex-A710"),
    (0x41, 0xd48, "Cortex-X2"),
    (0x41, 0xd49, "Neoverse-N2"),
    (0x41, 0xd4a, "Neoverse-E1"),
    (0x41, 0xd4b, "Cortex-A78C"),
    (0x41, 0xd4c, "Cortex-X1C"),
    (0x41, 0xd4d, "Cortex-A715"),
    (0x41, 0xd4e, "Cortex-X3"),
    (0x41, 0xd4f, "Neoverse-V2"),
    (0x41, 0xd80, "Cortex-A520"),
    (0x41, 0xd81, "Cortex-A720"),
    (0x41, 0xd82, "Cortex-X4"),
    (0x41, 0xd84, "Neoverse-V3"),
    (0x41, 0xd85, "Cortex-X925"),
    (0x41, 0xd87, "Cortex-A725"),
    (0x41, 0xd8e, "Neoverse-N3"),
    (0x43, 0x0a1, "ThunderX"),
    (0x43, 0x0af, "ThunderX2"),
    (0x46, 0x001, "A64FX"),
    (0x48, 0xd01, "Kunpeng-920"),
    (0x4e, 0x004, "Carmel"),
    (0x50, 0x000, "X-Gene"),
    (0x51, 0x001, "Oryon"),
    (0x51, 0xc00, "Falkor"),
    (0x61, 0x022, "M1 Icestorm"),
    (0x61, 0x023, "M1 Firestorm"),
    (0x61, 0x032, "M2 Blizzard"),
    (0x61, 0x033, "M2 Avalanche"),
    (0xc0, 0xac3, "AmpereOne"),
    (0xc0, 0xac4, "AmpereOne A"),
];

/// The name of a part, or the two numbers that stand for it.
pub fn name(implementer: u32, part: u32) -> String {
    match NAMES.iter().find(|row| (row.0, row.1) == (implementer, part)) {
        Some((_, _, name)) => (*name).to_owned(),
        None => format!("ARM implementer {implementer:#04x}, part {part:#05x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_and_unknown_parts() {
        let rows = [
            (0x41, 0xd0c, "Neoverse-N1"),
            (0xc0, 0xac3, "AmpereOne"),
            (0x41, 0x00f, "ARM implementer 0x41, part 0x00f"),
            (0x7f, 0xd0c, "ARM implementer 0x7f, part 0xd0c"),
        ];
        for (implementer, part, expected) in rows {
            assert_eq!(name(implementer, part), expected);
        }
    }

    #[test]
    fn no_part_is_named_twice() {
        for (at, row) in NAMES.iter().enumerate() {
            let again = NAMES[at + 1..].iter().any(|other| (other.0, other.1) == (row.0, row.1));
            assert!(!again, "{row:?}");
        }
    }
}
