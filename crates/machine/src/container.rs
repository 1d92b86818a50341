//! What container this runs in, from the signs that containers give of themselves.
//!
//! Pure, over a [`Source`]. Signs hold ids, names and paths; what comes out of here is a word from
//! a closed list. Nobody announces that there is no container, so that silence is "none seen".
//! Source: systemd's CONTAINER_INTERFACE.md; podman-run(1), "/run/.containerenv"; lxcfs(8);
//! the groups' names that runtimes give (docker's and podman's cgroup drivers, kubelet's kubepods).

use record::Container;

use crate::{
    mountinfo::{self, Mount},
    source::{self, Source},
    text,
};

/// Where managers leave their own name: for every process to read, and by systemd inside.
const MANAGER_FILES: [&str; 2] = ["/run/host/container-manager", "/run/systemd/container"];

/// The names that managers give themselves there.
const MANAGERS: [&str; 9] =
    ["docker", "podman", "lxc", "lxc-libvirt", "systemd-nspawn", "rkt", "wsl", "proot", "pouch"];

/// Files that say by being there whose container this is. CRI-O leaves podman's too, which is why
/// Kubernetes is looked for first.
const MARKERS: [(&str, &str, &str); 2] =
    [("/run", ".containerenv", "podman"), ("", ".dockerenv", "docker")];

/// The kernel's numbers for the namespaces that it starts with (include/linux/proc_ns.h).
const INITIAL: [(&str, u32); 5] = [
    ("pid", 0xEFFF_FFFC),
    ("cgroup", 0xEFFF_FFFB),
    ("uts", 0xEFFF_FFFE),
    ("ipc", 0xEFFF_FFFF),
    ("user", 0xEFFF_FFFD),
];

/// The shortest part of an id that runtimes put into names.
const ID_LETTERS_MIN: usize = 12;

/// The container; `None` where nothing could be looked at.
pub fn container(source: &dyn Source) -> Option<Container> {
    let groups = source::text(source, "/proc/self/cgroup");
    let mounts = source.open("/proc/self/mountinfo").map(mountinfo::parse);
    if groups.is_none() && mounts.is_none() {
        return None;
    }
    let (groups, mounts) = (groups.unwrap_or_default(), mounts.unwrap_or_default());
    let named = |name: &str| Container::Named(name.to_owned());
    let seen = by_manager(source)
        .or_else(|| by_groups(&groups).map(named))
        .or_else(|| by_mounts(&mounts).map(named))
        .or_else(|| by_markers(source).map(named))
        .or_else(|| has_own_processes(source).then_some(Container::Nameless));
    Some(seen.unwrap_or(Container::NoneSeen))
}

fn by_manager(source: &dyn Source) -> Option<Container> {
    let word = MANAGER_FILES.iter().find_map(|path| source::word(source, path))?;
    let known = MANAGERS.iter().find(|name| **name == word);
    Some(known.map_or(Container::Nameless, |name| Container::Named((*name).to_owned())))
}

/// The names of the groups, where the container sees its place among the host's.
fn by_groups(groups: &str) -> Option<&'static str> {
    let path = |line: &str| line.splitn(3, ':').nth(2).map(str::to_owned);
    let paths: Vec<String> = groups.lines().filter_map(path).collect();
    let names = || paths.iter().flat_map(|path| path.split('/'));
    if names().any(|name| name.starts_with("kubepods")) {
        return Some("kubernetes");
    }
    if names().any(|name| has_id(name, "docker-")) || paths.iter().any(|path| is_below_docker(path))
    {
        return Some("docker");
    }
    if names().any(|name| has_id(name, "libpod-")) {
        return Some("podman");
    }
    let lxc = |path: &String| path.starts_with("/lxc/") || path.contains("/lxc.payload");
    paths.iter().any(lxc).then_some("lxc")
}

/// `docker-7f0f...` with or without `.scope`, but neither docker.service nor libpod-conmon-7f0f...,
/// which are on the host.
fn has_id(name: &str, prefix: &str) -> bool {
    let rest = name.strip_prefix(prefix);
    rest.is_some_and(|rest| is_id(rest.strip_suffix(".scope").unwrap_or(rest)))
}

fn is_below_docker(path: &str) -> bool {
    path.split_once("/docker/").is_some_and(|(_, rest)| rest.split('/').next().is_some_and(is_id))
}

fn is_id(text: &str) -> bool {
    text.len() >= ID_LETTERS_MIN && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What is mounted: pods get files of the kubelet's, docker and podman stack layers from their own
/// folders, and LXC covers files of /proc.
fn by_mounts(mounts: &[Mount]) -> Option<&'static str> {
    // On the host itself the kubelet's folders are mounted within its own folder.
    let pod = |it: &Mount| {
        it.point.ends_with("/secrets/kubernetes.io/serviceaccount") && !it.point.contains("kubelet")
            || it.root.contains("/kubelet/pods/") && !it.point.contains("/kubelet/")
    };
    if mounts.iter().any(pod) {
        return Some("kubernetes");
    }
    let layers = |folder: &str| {
        let from = |option: &String| option.starts_with("lowerdir=") && option.contains(folder);
        mounts.iter().any(|it| it.point == "/" && it.options.iter().any(from))
    };
    if layers("/docker/overlay2/") {
        return Some("docker");
    }
    if layers("/containers/storage/") {
        return Some("podman");
    }
    let covers = |it: &Mount| it.filesystem == "fuse.lxcfs" && it.point.starts_with("/proc/");
    mounts.iter().any(covers).then_some("lxc")
}

/// A marker alone is not believed where no namespace differs from those that the kernel started
/// with: an image that was made into a virtual machine's disk still has the file.
fn by_markers(source: &dyn Source) -> Option<&'static str> {
    let is_there = |folder: &str, name: &str| {
        // It may be there for its owner only.
        let listed = || source.names(folder).iter().any(|it| it == name);
        source.open(&format!("{folder}/{name}")).is_some() || listed()
    };
    let initial: Vec<bool> =
        INITIAL.iter().filter_map(|(kind, _)| is_initial(source, kind)).collect();
    if !initial.is_empty() && initial.iter().all(|&it| it) {
        return None;
    }
    MARKERS.iter().find(|(folder, name, _)| is_there(folder, name)).map(|(_, _, whose)| *whose)
}

/// A namespace of its own for processes or groups, which plain programs have no use for.
fn has_own_processes(source: &dyn Source) -> bool {
    ["pid", "cgroup"].iter().any(|kind| is_initial(source, kind) == Some(false))
}

/// Whether this process is in the namespace of this kind that the kernel started with.
fn is_initial(source: &dyn Source, kind: &str) -> Option<bool> {
    let link = text::word(&source.link(&format!("/proc/self/ns/{kind}"))?)?;
    let (_, number) = INITIAL.iter().find(|(it, _)| *it == kind)?;
    Some(link == format!("{kind}:[{number}]"))
}

#[cfg(test)]
mod tests;
