//! Puts the charts' script into the crate as the page carries it: compressed, as base64, with the
//! hash by which the page's policy admits it.
//!
//! Done once per build and not once per page, because compressing four megabytes takes longer than
//! all the rest of a page, and the command is then as small as a page.

use std::{
    env,
    error::Error,
    fs,
    io::{self, Write},
    path::Path,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let scripts = plotly::Plot::offline_js_sources();
    let charts = first_script(&scripts).ok_or("plotly holds no script in the shape it had")?;
    let out = env::var_os("OUT_DIR").ok_or("OUT_DIR is set by cargo")?;
    let write = |name: &str, text: String| fs::write(Path::new(&out).join(name), text);
    write("charts.gz.base64", STANDARD.encode(gzip(charts.as_bytes())?))?;
    write("charts.sha256.base64", STANDARD.encode(Sha256::digest(charts)))?;
    Ok(())
}

/// What is within the first script element: the charts; the second sets formulas, of which Fathom
/// has none.
fn first_script(scripts: &str) -> Option<&str> {
    let (_, rest) = scripts.split_once('>')?;
    let (script, _) = rest.split_once("</script>")?;
    script.contains("plotly.js").then_some(script)
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    // No time and no name: the same source is to yield the same command.
    let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    gzip.finish()
}
