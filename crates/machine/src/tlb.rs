//! How many pages the CPU remembers the places of: its TLBs for data, in pages of 4 KiB.
//!
//! Pure, over a function that answers as CPUID does. Sources: AMD64 Architecture Programmer's
//! Manual, volume 3, functions 8000_0005h and 8000_0006h; Intel Software Developer's Manual, volume
//! 2A, CPUID leaf 18h. Other CPUs don't tell programs.

/// EAX, EBX, ECX, EDX.
pub type Registers = [u32; 4];

const AMD_LEVELS: [(u32, u32, u32); 2] = [(0x8000_0005, 16, 0xff), (0x8000_0006, 16, 0xfff)];
const INTEL_LEAF: u32 = 0x18;
/// No CPU describes as many.
const SUBLEAVES_MAX: u32 = 32;

/// The pages of 4 KiB that each level of the data TLB holds, nearest first; empty where the CPU
/// does not tell. `cpuid` takes a leaf and a subleaf.
pub fn data_pages(cpuid: impl Fn(u32, u32) -> Registers) -> Vec<u32> {
    let vendor = cpuid(0, 0);
    match vendor_name(vendor).as_slice() {
        b"AuthenticAMD" | b"HygonGenuine" => amd(cpuid),
        b"GenuineIntel" if vendor[0] >= INTEL_LEAF => intel(cpuid),
        _ => Vec::new(),
    }
}

fn vendor_name([_, ebx, ecx, edx]: Registers) -> Vec<u8> {
    [ebx, edx, ecx].into_iter().flat_map(u32::to_le_bytes).collect()
}

fn amd(cpuid: impl Fn(u32, u32) -> Registers) -> Vec<u32> {
    let most = cpuid(0x8000_0000, 0)[0];
    let told = AMD_LEVELS.into_iter().filter(|(leaf, ..)| *leaf <= most);
    let pages = told.map(|(leaf, shift, mask)| (cpuid(leaf, 0)[1] >> shift) & mask);
    pages.filter(|pages| *pages > 0).collect()
}

fn intel(cpuid: impl Fn(u32, u32) -> Registers) -> Vec<u32> {
    /// For data, for both, and for loading alone: who stores has another beside it.
    const KINDS: [u32; 3] = [1, 3, 4];
    let most = cpuid(INTEL_LEAF, 0)[0].min(SUBLEAVES_MAX);
    let mut levels: Vec<(u32, u32)> = (0..=most)
        .map(|subleaf| cpuid(INTEL_LEAF, subleaf))
        .filter(|[_, ebx, _, edx]| ebx & 1 == 1 && KINDS.contains(&(edx & 0x1f)))
        .map(|[_, ebx, sets, edx]| ((edx >> 5) & 7, (ebx >> 16).saturating_mul(sets)))
        .filter(|(_, pages)| *pages > 0)
        .collect();
    levels.sort_unstable();
    levels.dedup_by_key(|(level, _)| *level);
    levels.into_iter().map(|(_, pages)| pages).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vendor(name: &[u8; 12], most: u32) -> Registers {
        let word = |at: usize| u32::from_le_bytes(name[at..at + 4].try_into().unwrap());
        [most, word(0), word(8), word(4)]
    }

    /// Zen 4: 72 pages near the core, 3072 behind them.
    #[test]
    fn amd_tells_two_levels() {
        let cpuid = |leaf, _| match leaf {
            0 => vendor(b"AuthenticAMD", 16),
            0x8000_0000 => [0x8000_0021, 0, 0, 0],
            0x8000_0005 => [0, 0xff48_ff40, 0, 0],
            0x8000_0006 => [0, 0x6c00_2200, 0, 0],
            _ => [0; 4],
        };
        assert_eq!(data_pages(cpuid), [0x48, 0xc00]);
        let old = |leaf, _| if leaf == 0 { vendor(b"AuthenticAMD", 1) } else { [0; 4] };
        assert_eq!(data_pages(old), [0; 0]);
    }

    /// Alder Lake's fast cores: 96 for loading, 16 for storing, 2048 shared behind them.
    #[test]
    fn intel_tells_levels_in_any_order() {
        let entry = |pages4k: u32, ways: u32, sets, kind: u32, level: u32| {
            [4, ways << 16 | pages4k, sets, kind | level << 5]
        };
        let cpuid = move |leaf, subleaf| match (leaf, subleaf) {
            (0, _) => vendor(b"GenuineIntel", 0x20),
            (0x18, 0) => [4, 0, 0, 0],
            (0x18, 1) => entry(1, 8, 256, 3, 2),
            (0x18, 2) => entry(1, 6, 16, 4, 1),
            (0x18, 3) => entry(1, 16, 1, 5, 1),
            (0x18, 4) => entry(1, 8, 16, 2, 1),
            _ => [0; 4],
        };
        assert_eq!(data_pages(cpuid), [96, 2048]);
        let old = |leaf, _| if leaf == 0 { vendor(b"GenuineIntel", 0x16) } else { [u32::MAX; 4] };
        assert_eq!(data_pages(old), [0; 0]);
    }

    #[test]
    fn nonsense_is_no_tlb() {
        assert_eq!(data_pages(|_, _| [0; 4]), [0; 0]);
        let _ = data_pages(|_, _| [u32::MAX; 4]);
        let _ = data_pages(|leaf, _| match leaf {
            0 => vendor(b"GenuineIntel", u32::MAX),
            _ => [u32::MAX; 4],
        });
    }
}
