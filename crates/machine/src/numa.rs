//! The NUMA nodes: which CPUs are near to how much memory.
//!
//! Pure, over a [`Source`]. Source: Documentation/ABI/stable/sysfs-devices-node.

use record::NumaNode;

use crate::{
    cpu_list, memory,
    source::{self, Source},
    text,
};

const FOLDER: &str = "/sys/devices/system/node";

/// The nodes that are online, in the order of their numbers; none where the kernel knows of none.
pub fn nodes(source: &dyn Source) -> Vec<NumaNode> {
    let number = |name: String| name.strip_prefix("node")?.parse().ok();
    let mut numbers: Vec<u32> = source.names(FOLDER).into_iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers.into_iter().filter_map(|number| node(source, number)).collect()
}

/// `None` where its CPUs are hidden. A list without CPUs is that of a node of memory alone.
fn node(source: &dyn Source, node: u32) -> Option<NumaNode> {
    let folder = format!("{FOLDER}/node{node}");
    let cpus = cpu_list::parse(source.open(&format!("{folder}/cpulist"))?).ok()?;
    let meminfo = source::text(source, &format!("{folder}/meminfo")).unwrap_or_default();
    // `Node 0 MemTotal:  7563476 kB`
    let total = text::fields(&meminfo).find(|(key, _)| key.ends_with(" MemTotal"));
    Some(NumaNode { node, cpus, memory_bytes: total.and_then(|(_, value)| memory::bytes(value)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bundle;

    #[test]
    fn nodes_come_by_number_and_may_lack_cpus_or_memory() {
        let text = "=== /sys/devices/system/node/node10/cpulist\n\n\
                    === /sys/devices/system/node/node10/meminfo\nNode 10 MemTotal:  1024 kB\n\
                    === /sys/devices/system/node/node2/cpulist\n0-1,4\n\
                    === /sys/devices/system/node/node3/meminfo\nNode 3 MemTotal:  8 kB\n\
                    === /sys/devices/system/node/nodes/cpulist\n7\n\
                    === /sys/devices/system/node/has_cpu\n2\n";
        let expected = [
            NumaNode { node: 2, cpus: vec![0, 1, 4], memory_bytes: None },
            NumaNode { node: 10, cpus: vec![], memory_bytes: Some(1 << 20) },
        ];
        assert_eq!(nodes(&Bundle::parse(text.as_bytes())), expected);
        assert_eq!(nodes(&Bundle::default()), []);
    }
}
