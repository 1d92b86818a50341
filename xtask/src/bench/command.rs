//! The command as a user runs it, for benches that judge what comes of that.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use record::Run;

/// Builds the command and says where it is.
pub fn build(root: &Path, release: bool) -> Result<PathBuf> {
    build_package(root, "fathom", release)
}

/// Builds a package of the workspace and says where its program is.
pub fn build_package(root: &Path, package: &str, release: bool) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["build", "--quiet", "--package", package]);
    command.args(release.then_some("--release"));
    if !command.status().context("cargo build")?.success() {
        bail!("{package} can't be built");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    Ok(root.join(target).join(if release { "release" } else { "debug" }).join(package))
}

/// One run of `fathom syscall`.
pub fn syscall(fathom: &Path, time: &str) -> Result<Run> {
    let output = Command::new(fathom)
        .args(["syscall", "--json", "--time", time])
        .output()
        .with_context(|| format!("{}", fathom.display()))?;
    if !output.status.success() {
        bail!("fathom ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    record::file::from_json(&output.stdout).context("fathom wrote no run")
}
