//! What the kernel runs under, from the signs that a machine gives of it.
//!
//! Pure, over a [`Source`]. x86 announces a hypervisor in CPUID, so that silence there is an
//! answer: bare metal. Other architectures announce nothing: a sign is an answer, silence is not.

use record::Hypervisor;

use crate::source::{self, Source};

/// Signatures of CPUID leaf 0x4000_0000, and whose they are. Collected from the vendors' own
/// interface documents and the kernel's arch/x86/kernel/cpu.
const SIGNATURES: &[(&[u8; 12], &str)] = &[
    (b"KVMKVMKVM\0\0\0", "KVM"),
    (b"Microsoft Hv", "Hyper-V"),
    (b"VMwareVMware", "VMware"),
    (b"XenVMMXenVMM", "Xen"),
    (b"VBoxVBoxVBox", "VirtualBox"),
    (b"TCGTCGTCGTCG", "QEMU"),
    (b"bhyve bhyve ", "bhyve"),
    (b" lrpepyh  vr", "Parallels"),
    (b"prl hyperv  ", "Parallels"),
    (b"ACRNACRNACRN", "ACRN"),
];

/// How the firmware's vendor or product begins, and whose machine that is.
const FIRMWARES: &[(&str, &str)] = &[
    ("KVM", "KVM"),
    ("QEMU", "QEMU"),
    ("Amazon EC2", "Amazon EC2"),
    ("Google Compute Engine", "Google Compute Engine"),
    ("OpenStack", "OpenStack"),
    ("VMware", "VMware"),
    ("Xen", "Xen"),
    ("Virtual Machine", "Hyper-V"),
    ("VirtualBox", "VirtualBox"),
    ("innotek GmbH", "VirtualBox"),
    ("Parallels", "Parallels"),
    ("BHYVE", "bhyve"),
    ("Apple Virtualization", "Apple Virtualization"),
];

/// Said of a hypervisor that is certainly there and has no name.
const NAMELESS: &str = "unknown";

/// What the kernel runs under; `None` where no sign decides it.
///
/// `flag` is /proc/cpuinfo's word (x86 only), `signature` that of CPUID.
pub fn hypervisor(
    source: &dyn Source,
    flag: Option<bool>,
    signature: Option<[u8; 12]>,
) -> Option<Hypervisor> {
    // Xen's paravirtual guests have this file, and may lack the flag.
    if let Some(kind) = source::word(source, "/sys/hypervisor/type") {
        return Some(Hypervisor::Named(if kind == "xen" { "Xen".to_owned() } else { kind }));
    }
    if flag == Some(false) {
        return Some(Hypervisor::None);
    }
    let signed = signature.map(|signature| Hypervisor::Named(signed(&signature)));
    let announced = (flag == Some(true)).then(|| Hypervisor::Named(NAMELESS.to_owned()));
    signed.or_else(|| device_tree(source)).or_else(|| firmware(source)).or(announced)
}

fn signed(signature: &[u8; 12]) -> String {
    if let Some((_, name)) = SIGNATURES.iter().find(|(known, _)| *known == signature) {
        return (*name).to_owned();
    }
    let letters: String =
        signature.iter().filter(|b| b.is_ascii_graphic()).map(|&b| char::from(b)).collect();
    if letters.is_empty() { NAMELESS.to_owned() } else { letters }
}

fn device_tree(source: &dyn Source) -> Option<Hypervisor> {
    let compatible = source::word(source, "/proc/device-tree/hypervisor/compatible")?;
    let name = match compatible.as_str() {
        kvm if kvm.contains("kvm") => "KVM",
        xen if xen.contains("xen") => "Xen",
        vmware if vmware.contains("vmware") => "VMware",
        _ => NAMELESS,
    };
    Some(Hypervisor::Named(name.to_owned()))
}

/// The firmware's tables, which anybody may read. A vendor that is not listed decides nothing.
fn firmware(source: &dyn Source) -> Option<Hypervisor> {
    let field = |name| source::word(source, &format!("/sys/class/dmi/id/{name}"));
    let (product, vendor) = (field("product_name"), field("sys_vendor"));
    // EC2 rents whole machines under the same vendor: `c7g.metal`.
    if product.as_deref().is_some_and(|product| product.contains(".metal")) {
        return Some(Hypervisor::None);
    }
    let known = |text: String| FIRMWARES.iter().find(|(begin, _)| text.starts_with(begin));
    let found = product.and_then(known).or_else(|| vendor.and_then(known));
    found.map(|(_, name)| Hypervisor::Named((*name).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bundle;

    const KVM: Option<[u8; 12]> = Some(*b"KVMKVMKVM\0\0\0");
    const TYPE: &str = "/sys/hypervisor/type";
    const TREE: &str = "/proc/device-tree/hypervisor/compatible";
    const VENDOR: &str = "/sys/class/dmi/id/sys_vendor";
    const PRODUCT: &str = "/sys/class/dmi/id/product_name";

    fn named(name: &str) -> Option<Hypervisor> {
        Some(Hypervisor::Named(name.to_owned()))
    }

    fn of(
        files: &[(&str, &str)],
        flag: Option<bool>,
        signature: Option<[u8; 12]>,
    ) -> Option<Hypervisor> {
        let file = |(path, content): &(&str, &str)| format!("=== {path}\n{content}\n");
        let text: String = files.iter().map(file).collect();
        hypervisor(&Bundle::parse(text.as_bytes()), flag, signature)
    }

    #[test]
    fn on_x86_the_flag_decides_and_the_signature_names() {
        let rows = [
            (Some(false), None, Some(Hypervisor::None)),
            (Some(true), KVM, named("KVM")),
            (Some(true), Some(*b"Microsoft Hv"), named("Hyper-V")),
            (Some(true), Some(*b"Some-thing\x1b\0"), named("Some-thing")),
            (Some(true), Some([0; 12]), named("unknown")),
            (Some(true), None, named("unknown")),
            (None, KVM, named("KVM")),
            (None, None, None),
        ];
        for (flag, signature, expected) in rows {
            assert_eq!(of(&[], flag, signature), expected, "{flag:?} {signature:?}");
        }
    }

    #[test]
    fn elsewhere_only_a_sign_is_an_answer() {
        let rows: [(&[(&str, &str)], _); 9] = [
            (&[(TYPE, "xen")], named("Xen")),
            (&[(TREE, "linux,kvm\0")], named("KVM")),
            (&[(TREE, "xen,xen-4.17\0xen,xen\0")], named("Xen")),
            (&[(TREE, "acme,visor\0")], named("unknown")),
            (&[(VENDOR, "QEMU"), (PRODUCT, "QEMU Virtual Machine")], named("QEMU")),
            (&[(VENDOR, "QEMU"), (PRODUCT, "KVM Virtual Machine")], named("KVM")),
            (&[(VENDOR, "Microsoft Corporation"), (PRODUCT, "Virtual Machine")], named("Hyper-V")),
            (&[(VENDOR, "Amazon EC2"), (PRODUCT, "c7g.metal")], Some(Hypervisor::None)),
            (&[(VENDOR, "Microsoft Corporation"), (PRODUCT, "Surface Pro X")], None),
        ];
        for (files, expected) in rows {
            assert_eq!(of(files, None, None), expected, "{files:?}");
        }
    }

    #[test]
    fn bare_x86_metal_is_not_argued_with_by_its_firmware() {
        let files = [(VENDOR, "Amazon EC2"), (PRODUCT, "m5.metal")];
        assert_eq!(of(&files, Some(false), None), Some(Hypervisor::None));
        assert_eq!(of(&[(VENDOR, "QEMU")], Some(false), None), Some(Hypervisor::None));
    }
}
