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
    let charts = sooner_read(charts);
    let out = env::var_os("OUT_DIR").ok_or("OUT_DIR is set by cargo")?;
    let write = |name: &str, text: String| fs::write(Path::new(&out).join(name), text);
    write("charts.gz.base64", STANDARD.encode(gzip(charts.as_bytes())?))?;
    write("charts.sha256.base64", STANDARD.encode(Sha256::digest(&charts)))?;
    Ok(())
}

/// What is within the first script element: the charts; the second sets formulas, of which Fathom
/// has none.
fn first_script(scripts: &str) -> Option<&str> {
    let (_, rest) = scripts.split_once('>')?;
    let (script, _) = rest.split_once("</script>")?;
    script.contains("plotly.js").then_some(script)
}

/// The same script in a form that browsers read sooner, by a fifth of the time until a figure is
/// there. Two things cost them time: the two dozen letters beyond ASCII make every letter of four
/// million two bytes wide, and a function that does not stand in parentheses is first only skimmed,
/// and read again when it is called. Where the script has another shape it stays as it is.
fn sooner_read(script: &str) -> String {
    let begin = ", () => {\n\"use strict\";var Plotly=";
    let end = "return Plotly;\n}));";
    let found = script.matches(begin).count() == 1 && script.trim_end().ends_with(end);
    let mut script = script.trim_end().to_owned();
    if found {
        script = script.replace(begin, &begin.replace("() =>", "(() =>"));
        script.truncate(script.len() - end.len());
        script.push_str("return Plotly;\n})));");
    }
    let mut units = [0; 2];
    let escaped = |letter: char| match letter.is_ascii() {
        true => letter.to_string(),
        false => {
            letter.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
        }
    };
    script.chars().map(escaped).collect()
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    // No time and no name: the same source is to yield the same command.
    let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    gzip.finish()
}
