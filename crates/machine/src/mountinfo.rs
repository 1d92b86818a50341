//! /proc/self/mountinfo: where filesystems are mounted, as this process sees it.
//!
//! Pure. Source: proc_pid_mountinfo(5).

use std::io::Read;

use crate::text;

/// One mount.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mount {
    /// The folder within the filesystem that is mounted.
    pub root: String,
    /// Where it is mounted.
    pub point: String,
    /// `cgroup2`.
    pub filesystem: String,
    /// The filesystem's own options; for cgroup v1 its controllers are among them.
    pub options: Vec<String>,
}

/// Reads /proc/self/mountinfo, in the order of mounting.
pub fn parse(reader: impl Read) -> Vec<Mount> {
    text::read(reader).lines().filter_map(mount).collect()
}

fn mount(line: &str) -> Option<Mount> {
    // Optional fields precede a lone hyphen. No path looks like one: all begin with /.
    let (before, after) = line.split_once(" - ")?;
    let mut before = before.split(' ').skip(3);
    let (root, point) = (before.next()?, before.next()?);
    let mut after = after.split(' ');
    let (filesystem, _device, options) = (after.next()?, after.next()?, after.next()?);
    Some(Mount {
        root: unescape(root),
        point: unescape(point),
        filesystem: filesystem.to_owned(),
        options: options.split(',').map(str::to_owned).collect(),
    })
}

/// Undoes the kernel's escapes of space, tab, newline, backslash and `#`: `\040` is a space.
fn unescape(escaped: &str) -> String {
    let mut parts = escaped.split('\\');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..3).and_then(|code| u8::from_str_radix(code, 8).ok());
        match code.filter(u8::is_ascii) {
            Some(code) => {
                text.push(char::from(code));
                text.push_str(&part[3..]);
            }
            None => {
                text.push('\\');
                text.push_str(part);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let mount = |root: &str, point: &str, filesystem: &str, options: &[&str]| {
            let options = options.iter().map(|&option| option.to_owned()).collect();
            let (root, point) = (root.to_owned(), point.to_owned());
            Mount { root, point, filesystem: filesystem.to_owned(), options }
        };
        let rows = [
            (
                "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw",
                Some(mount("/", "/sys/fs/cgroup/unified", "cgroup2", &["rw"])),
            ),
            (
                "36 35 0:31 /docker/7f /sys/fs/cgroup/cpu,cpuacct ro,nosuid shared:11 master:3 - \
                 cgroup cgroup rw,cpu,cpuacct",
                Some(mount(
                    "/docker/7f",
                    "/sys/fs/cgroup/cpu,cpuacct",
                    "cgroup",
                    &["rw", "cpu", "cpuacct"],
                )),
            ),
            (
                "99 1 8:1 /a\\040b /mnt/c\\134d rw - ext4 /dev/sda1 rw",
                Some(mount("/a b", "/mnt/c\\d", "ext4", &["rw"])),
            ),
            ("22 27 0:21 / /proc rw,relatime", None),
            (" - cgroup cgroup rw", None),
            ("", None),
        ];
        for (line, expected) in rows {
            assert_eq!(parse(line.as_bytes()), expected.into_iter().collect::<Vec<_>>(), "{line}");
        }
    }

    #[test]
    fn escapes() {
        let rows = [("\\040", " "), ("a\\", "a\\"), ("\\04", "\\04"), ("\\777x", "\\777x")];
        for (escaped, expected) in rows.into_iter().chain([("\\é0", "\\é0"), ("", "")]) {
            assert_eq!(unescape(escaped), expected, "{escaped}");
        }
    }
}
