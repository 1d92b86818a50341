//! What x86 processors say of the hypervisor above them, and of their TLBs.
//!
//! Not here: what a signature means; that is [`crate::hypervisor`]; nor what a TLB's numbers do,
//! which is [`crate::tlb`]. Source: the kernel's
//! arch/x86/include/asm/cpuid, which reserves the leaves from 0x4000_0000 on for hypervisors.

/// The twelve letters by which a hypervisor names itself; `None` without one, or not on x86.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub fn hypervisor_signature() -> Option<[u8; 12]> {
    /// Leaf 1, register ECX: this bit is zero on every real processor.
    const VIRTUAL: u32 = 1 << 31;
    if cpuid(1).ecx & VIRTUAL == 0 {
        return None;
    }
    let first = signature(0x4000_0000);
    if first != *b"Microsoft Hv" {
        return Some(first);
    }
    // KVM and Xen can pose as Hyper-V for the sake of Windows, and then name themselves further up.
    let further = (0x4000_0100..0x4000_0500).step_by(0x100).map(signature);
    let mut others = further.filter(|s| s == b"KVMKVMKVM\0\0\0" || s == b"XenVMMXenVMM");
    Some(others.next().unwrap_or(first))
}

/// The twelve letters by which a hypervisor names itself; `None` without one, or not on x86.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
pub fn hypervisor_signature() -> Option<[u8; 12]> {
    None
}

/// The pages that each level of the data TLB holds; empty where the CPU does not tell.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub fn data_tlb_pages() -> Vec<u32> {
    crate::tlb::data_pages(|leaf, subleaf| {
        let it = __cpuid_count(leaf, subleaf);
        [it.eax, it.ebx, it.ecx, it.edx]
    })
}

/// The pages that each level of the data TLB holds; empty where the CPU does not tell.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
pub fn data_tlb_pages() -> Vec<u32> {
    Vec::new()
}

#[cfg(target_arch = "x86")]
use core::arch::x86::{__cpuid, __cpuid_count, CpuidResult};
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::{__cpuid, __cpuid_count, CpuidResult};

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn cpuid(leaf: u32) -> CpuidResult {
    __cpuid(leaf)
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn signature(leaf: u32) -> [u8; 12] {
    let found = cpuid(leaf);
    let mut letters = [0; 12];
    for (at, register) in [found.ebx, found.ecx, found.edx].into_iter().enumerate() {
        letters[4 * at..4 * at + 4].copy_from_slice(&register.to_le_bytes());
    }
    letters
}
