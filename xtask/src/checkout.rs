//! Where the checkout is, and which of its files count.
//!
//! Git's own listing is asked, so that build output and scratch files never count while a file that
//! was forgotten to be added does.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The folder that holds the workspace; cargo names it at run time, so that a copy of the checkout
/// checks itself and not the place where it was first built.
pub fn root() -> Result<PathBuf> {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").context("run this as `cargo xtask`")?;
    let root = Path::new(&manifest).parent().context("the xtask crate has no parent folder")?;
    Ok(root.to_path_buf())
}

/// Every file under `folder`, as sorted paths relative to it, with `/` between the names.
///
/// In a git checkout: what is tracked, and what is neither tracked nor ignored. Anywhere else, and
/// in a folder of which git lists nothing: what a walk finds, without `.git` and `target`.
/// Symbolic links are left out: what they point to is somebody else's or listed already.
pub fn files(folder: &Path) -> Result<BTreeSet<String>> {
    if !folder.is_dir() {
        bail!("{} is not a folder", folder.display());
    }
    let listed: BTreeSet<String> =
        git_files(folder).into_iter().filter(|path| is_plain_file(&folder.join(path))).collect();
    if !listed.is_empty() {
        return Ok(listed);
    }
    let mut walked = BTreeSet::new();
    walk(folder, "", &mut walked)?;
    Ok(walked)
}

/// Nothing where git is missing or knows no checkout: the caller then walks.
fn git_files(folder: &Path) -> Vec<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(["ls-files", "-co", "--exclude-standard", "-z"]);
    match git.output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout)
            .split('\0')
            .filter(|path| !path.is_empty())
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

/// False for a tracked file that was deleted but not yet committed, too.
fn is_plain_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

fn walk(folder: &Path, prefix: &str, found: &mut BTreeSet<String>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("read {}", folder.display()))?;
        let kind = entry.file_type().with_context(|| format!("read {}", folder.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if kind.is_dir() && name != ".git" && name != "target" {
            walk(&entry.path(), &format!("{prefix}{name}/"), found)?;
        } else if kind.is_file() {
            found.insert(format!("{prefix}{name}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(folder: &Path) -> Vec<String> {
        files(folder).unwrap().into_iter().collect()
    }

    #[test]
    fn git_decides_what_counts() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("target")).unwrap();
        for name in ["a", "b", "ignored", "target/c"] {
            fs::write(root.join(name), "").unwrap();
        }
        std::os::unix::fs::symlink("a", root.join("link")).unwrap();
        assert_eq!(listed(root), ["a", "b", "ignored"], "walked");

        fs::write(root.join(".gitignore"), "ignored\n/target\n").unwrap();
        let git = |words: &[&str]| Command::new("git").arg("-C").arg(root).args(words).output();
        if git(&["init", "--quiet"]).is_err() {
            eprintln!("skipped: needs git");
            return;
        }
        git(&["add", "a", "b"]).unwrap();
        fs::remove_file(root.join("b")).unwrap();
        fs::write(root.join("new"), "").unwrap();
        assert_eq!(listed(root), [".gitignore", "a", "new"], "tracked, untracked, not ignored");
        assert_eq!(listed(&root.join("target")), ["c"], "an ignored folder is walked");
    }
}
