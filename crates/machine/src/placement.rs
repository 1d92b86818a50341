//! Where a thread runs.

use std::io;

use record::Machine;
use rustix::thread::{CpuSet, sched_setaffinity};

/// Lets the calling thread run on this CPU only.
///
/// # Errors
/// Where there is no such CPU, or the control group or a filter forbids it.
pub fn pin_to(cpu: usize) -> io::Result<()> {
    pin_to_any(&[cpu])
}

/// Lets the calling thread run on these CPUs only, wherever among them the scheduler likes.
/// Allocates nothing, so that a child that was just forked may call it.
///
/// # Errors
/// Where there is none of these CPUs, or the control group or a filter forbids them.
pub fn pin_to_any(cpus: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu >= CpuSet::MAX_CPU {
            return Err(rustix::io::Errno::INVAL.into());
        }
        set.set(cpu);
    }
    sched_setaffinity(None, &set).map_err(io::Error::from)
}

/// The CPUs that this process may use, of the fastest kind where there are several: a median over
/// two kinds would be of neither.
pub fn fastest(machine: &Machine) -> Vec<usize> {
    let may = |cpu: usize| machine.affinity.contains(&cpu);
    let fast = |kind: &Option<String>| kind.as_deref() == Some("performance");
    let fastest: Vec<usize> =
        machine.cpus.iter().filter(|it| fast(&it.kind) && may(it.cpu)).map(|it| it.cpu).collect();
    if fastest.is_empty() { machine.affinity.clone() } else { fastest }
}

#[cfg(test)]
mod tests {
    use record::LogicalCpu;

    use super::*;

    #[test]
    fn the_fastest_kind_that_is_permitted_is_chosen() {
        let cpu = |cpu, kind: Option<&str>| LogicalCpu {
            cpu,
            package: None,
            core: None,
            kind: kind.map(str::to_owned),
        };
        let hybrid = vec![
            cpu(0, Some("performance")),
            cpu(1, Some("performance")),
            cpu(2, Some("efficiency")),
        ];
        for (affinity, cpus, chosen) in [
            (vec![0, 1, 2], hybrid.clone(), vec![0, 1]),
            (vec![1, 2], hybrid.clone(), vec![1]),
            (vec![2], hybrid, vec![2]),
            (vec![0, 1], vec![cpu(0, None), cpu(1, None)], vec![0, 1]),
        ] {
            let machine = Machine { affinity, cpus, ..Machine::default() };
            assert_eq!(fastest(&machine), chosen);
        }
    }

    #[test]
    fn a_thread_runs_where_it_is_pinned() {
        std::thread::spawn(|| {
            let allowed = rustix::thread::sched_getaffinity(None).unwrap();
            for cpu in (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).take(4) {
                pin_to(cpu).unwrap();
                assert_eq!(rustix::thread::sched_getcpu(), cpu);
            }
            assert!(pin_to(CpuSet::MAX_CPU - 1).is_err());
            assert!(pin_to(usize::MAX).is_err());
        })
        .join()
        .unwrap();
    }
}
