//! Signs of containers, one row each, and what is no sign.

use super::*;
use crate::Bundle;

const ID: &str = "7f0f8e2ab3c4d5e6f708192a3b4c5d6e7f0f8e2ab3c4d5e6f708192a3b4c5d6e";

fn named(name: &str) -> Option<Container> {
    Some(Container::Named(name.to_owned()))
}

fn of(files: &[(&str, &str)]) -> Option<Container> {
    let file = |(path, content): &(&str, &str)| format!("=== {path}\n{content}\n");
    let text: String = files.iter().map(file).collect();
    container(&Bundle::parse(text.as_bytes()))
}

const NO_GROUP: (&str, &str) = ("/proc/self/cgroup", "0::/\n");

/// Links of a process that is in namespaces of its own, or in the kernel's first ones.
fn namespaces(own: bool) -> [(&'static str, &'static str); 4] {
    match own {
        true => [
            ("/proc/self/ns/pid", "pid:[4026532400]"),
            ("/proc/self/ns/cgroup", "cgroup:[4026532401]"),
            ("/proc/self/ns/uts", "uts:[4026532402]"),
            ("/proc/self/ns/ipc", "ipc:[4026532403]"),
        ],
        false => [
            ("/proc/self/ns/pid", "pid:[4026531836]"),
            ("/proc/self/ns/cgroup", "cgroup:[4026531835]"),
            ("/proc/self/ns/uts", "uts:[4026531838]"),
            ("/proc/self/ns/ipc", "ipc:[4026531839]"),
        ],
    }
}

#[test]
fn groups_have_names() {
    let rows = [
        ("3:cpu:/docker/ID", named("docker")),
        ("0::/system.slice/docker-ID.scope", named("docker")),
        ("0::/system.slice/docker-ID.scope/init", named("docker")),
        ("0::/machine.slice/libpod-ID.scope/container", named("podman")),
        ("4:memory:/kubepods/burstable/pod1f/ID", named("kubernetes")),
        ("0::/kubepods.slice/kubepods-pod1f.slice/cri-containerd-ID.scope", named("kubernetes")),
        ("4:memory:/docker/ID/kubepods/burstable/pod1f/ID", named("kubernetes")),
        ("0::/lxc.payload.web/init.scope", named("lxc")),
        ("2:pids:/lxc/web", named("lxc")),
        ("0::/system.slice/docker.service", Some(Container::NoneSeen)),
        ("0::/system.slice/docker-compose.scope", Some(Container::NoneSeen)),
        ("0::/user.slice/libpod-conmon-ID.scope", Some(Container::NoneSeen)),
        ("0::/lxc.monitor.web", Some(Container::NoneSeen)),
        ("0::/user.slice/docker/build", Some(Container::NoneSeen)),
        ("nonsense", Some(Container::NoneSeen)),
    ];
    for (groups, expected) in rows {
        let groups = groups.replace("ID", ID);
        assert_eq!(of(&[("/proc/self/cgroup", &groups)]), expected, "{groups}");
    }
}

#[test]
fn mounts_have_origins() {
    let rows = [
        (
            "9 8 8:1 /var/lib/kubelet/pods/1f/etc-hosts /etc/hosts rw - ext4 /dev/sda1 rw",
            named("kubernetes"),
        ),
        (
            "9 8 0:9 / /run/secrets/kubernetes.io/serviceaccount ro - tmpfs tmpfs rw",
            named("kubernetes"),
        ),
        (
            "9 8 0:9 / / rw - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A:/x",
            named("docker"),
        ),
        (
            "9 8 0:9 / / rw - overlay overlay rw,lowerdir=/var/lib/containers/storage/overlay/l/A",
            named("podman"),
        ),
        ("9 8 0:9 /proc/stat /proc/stat rw - fuse.lxcfs lxcfs rw", named("lxc")),
        // Hosts of containers.
        ("9 8 0:9 / /var/lib/lxcfs rw - fuse.lxcfs lxcfs rw", Some(Container::NoneSeen)),
        (
            "9 8 0:9 / /var/lib/docker/overlay2/1/merged rw - overlay overlay \
             rw,lowerdir=/var/lib/docker/overlay2/l/A",
            Some(Container::NoneSeen),
        ),
        (
            "9 8 8:1 /var/lib/kubelet/pods/1f/volumes/a /var/lib/kubelet/pods/1f/volume-subpaths/a \
             rw - ext4 /dev/sda1 rw",
            Some(Container::NoneSeen),
        ),
        ("9 8 8:1 / / rw - ext4 /dev/sda1 rw", Some(Container::NoneSeen)),
    ];
    for (mount, expected) in rows {
        assert_eq!(of(&[("/proc/self/mountinfo", mount)]), expected, "{mount}");
    }
}

#[test]
fn managers_say_their_name() {
    let rows = [
        ("/run/host/container-manager", "systemd-nspawn", named("systemd-nspawn")),
        ("/run/systemd/container", "lxc", named("lxc")),
        ("/run/systemd/container", "my-server-17", Some(Container::Nameless)),
        ("/run/systemd/container", "", Some(Container::NoneSeen)),
    ];
    for (path, word, expected) in rows {
        assert_eq!(of(&[NO_GROUP, (path, word)]), expected, "{path} {word}");
    }
}

#[test]
fn a_marker_counts_where_there_are_namespaces() {
    let markers = [("/.dockerenv", "docker"), ("/run/.containerenv", "podman")];
    for (marker, name) in markers {
        let unknown = [NO_GROUP, (marker, "")];
        assert_eq!(of(&unknown), named(name), "{marker}");
        let own = [&unknown[..], &namespaces(true)].concat();
        assert_eq!(of(&own), named(name), "{marker}");
        // A virtual machine whose disk was once a container's image.
        let initial = [&unknown[..], &namespaces(false)].concat();
        assert_eq!(of(&initial), Some(Container::NoneSeen), "{marker}");
        // Toolbox shares the host's namespaces, but for that of users.
        let rootless = [&initial[..], &[("/proc/self/ns/user", "user:[4026532900]")]].concat();
        assert_eq!(of(&rootless), named(name), "{marker}");
    }
}

#[test]
fn namespaces_alone_make_a_nameless_container() {
    assert_eq!(of(&[&[NO_GROUP][..], &namespaces(true)].concat()), Some(Container::Nameless));
    assert_eq!(of(&[&[NO_GROUP][..], &namespaces(false)].concat()), Some(Container::NoneSeen));
}

#[test]
fn where_nothing_can_be_looked_at_nothing_is_known() {
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[("/.dockerenv", "")]), None);
}

#[test]
fn no_id_and_no_name_comes_out() {
    let groups = format!("0::/lxc.payload.secret-name/docker-{ID}.scope\n");
    let shown = format!("{:?}", of(&[("/proc/self/cgroup", &groups)]));
    assert!(!shown.contains("secret") && !shown.contains(ID), "{shown}");
}
