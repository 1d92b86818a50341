//! Headless Chromium, spoken to over two pipes: what a page asks for, complains of, and looks like.
//!
//! The DevTools protocol in the little of it that is needed: JSON documents that end in a zero
//! byte, on descriptors 3 and 4 of the browser. No port is opened. `cargo xtask bench report` uses
//! this file too.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Longer than any page may take, however busy the machine is.
const WAIT_MAX: Duration = Duration::from_secs(60);
/// The shell hands its own input and output on as the descriptors that the protocol is spoken on.
/// Root, as in a container, has no sandbox to put the browser in.
const START: &str = r#"exec chromium --headless=new --remote-debugging-pipe --disable-gpu \
    --no-first-run --no-default-browser-check --disable-extensions --disable-background-networking \
    --hide-scrollbars "--user-data-dir=$1" $2 about:blank \
    3<&0 4>&1 >/dev/null 2>/dev/null </dev/null"#;

/// A browser with one page.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    id: u64,
    /// Everything that it reported unasked since the last page was opened.
    pub events: Vec<Value>,
    _profile: TempDir,
}

/// Whether there is one.
pub fn is_here() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join("chromium").is_file())
}

impl Browser {
    pub fn start() -> Self {
        let profile = tempfile::tempdir().expect("a temporary folder");
        let sandbox = if rustix::process::geteuid().is_root() { "--no-sandbox" } else { "" };
        let mut child = Command::new("sh")
            .args(["-c", START, "sh"])
            .arg(profile.path())
            .arg(sandbox)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let to = child.stdin.take().expect("a pipe");
        let from = BufReader::new(child.stdout.take().expect("a pipe"));
        let (session, events) = (None, Vec::new());
        let mut it = Self { child, to, from, session, id: 0, events, _profile: profile };
        let target = it.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let asked = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = it.ask("Target.attachToTarget", asked);
        it.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            it.ask(&format!("{domain}.enable"), json!({}));
        }
        it
    }

    /// One command, and its answer.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let mut command = json!({ "id": self.id, "method": method, "params": params });
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        let mut bytes = command.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).expect("a browser that reads");
        loop {
            let heard = self.hear();
            if heard["id"].as_u64() == Some(self.id) {
                assert!(heard["error"].is_null(), "{method}: {}", heard["error"]);
                return heard["result"].clone();
            }
            self.events.push(heard);
        }
    }

    fn hear(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes).expect("a browser that answers");
        assert_eq!(bytes.pop(), Some(0), "the browser is gone");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    /// How the page is to be seen.
    pub fn look(&mut self, width: u32, scheme: &str) {
        let metrics =
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.ask("Emulation.setDeviceMetricsOverride", metrics);
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.ask("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
    }

    /// Opens a page and waits until its figures are drawn.
    pub fn open(&mut self, page: &Path) {
        self.events.clear();
        let url = format!("file://{}", page.display());
        self.ask("Page.navigate", json!({ "url": url }));
        self.until("document.documentElement?.dataset.figures !== undefined");
    }

    /// What a script in the page yields.
    #[track_caller]
    pub fn value(&mut self, script: &str) -> Value {
        let asked = json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let answer = self.ask("Runtime.evaluate", asked);
        assert!(answer["exceptionDetails"].is_null(), "{script}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Waits until a script yields true.
    #[track_caller]
    pub fn until(&mut self, script: &str) {
        let begin = Instant::now();
        while self.value(script) != json!(true) {
            assert!(begin.elapsed() < WAIT_MAX, "never true: {script}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Moves the mouse there.
    pub fn point_at(&mut self, x: f64, y: f64) {
        self.mouse("mouseMoved", x, y);
    }

    /// Draws the mouse from one place to another with its button held.
    pub fn drag(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.mouse("mouseMoved", x1, y1);
        self.mouse("mousePressed", x1, y1);
        for step in 1..=5 {
            let share = f64::from(step) / 5.0;
            self.mouse("mouseMoved", x1 + (x2 - x1) * share, y1 + (y2 - y1) * share);
        }
        self.mouse("mouseReleased", x2, y2);
    }

    fn mouse(&mut self, kind: &str, x: f64, y: f64) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let held = u8::from(kind == "mousePressed");
        let event = json!({
            "type": kind, "x": x, "y": y, "button": button, "buttons": held, "clickCount": held,
        });
        self.ask("Input.dispatchMouseEvent", event);
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.ask("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "code": key }));
        }
    }

    /// What is seen, as a PNG; kept at `to`.
    pub fn screenshot(&mut self, to: &Path) {
        let answer = self.ask("Page.captureScreenshot", json!({ "format": "png" }));
        keep(&answer, to);
    }

    /// The page on paper, as a PDF; kept at `to`.
    pub fn print(&mut self, to: &Path) -> usize {
        let asked = json!({ "printBackground": true, "paperWidth": 8.27, "paperHeight": 11.69 });
        keep(&self.ask("Page.printToPDF", asked), to)
    }

    /// The addresses that were asked for, but for the page itself and what is within it.
    pub fn requests(&self) -> Vec<&str> {
        let urls = self.of("Network.requestWillBeSent");
        let urls = urls.filter_map(|params| params["request"]["url"].as_str());
        urls.filter(|url| !url.starts_with("data:")).skip(1).collect()
    }

    /// What the console says: errors, exceptions and violations of the policy among it.
    pub fn complaints(&self) -> Vec<&Value> {
        ["Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"]
            .into_iter()
            .flat_map(|method| self.of(method))
            .collect()
    }

    fn of(&self, method: &str) -> impl Iterator<Item = &Value> {
        let method = method.to_owned();
        self.events.iter().filter(move |it| it["method"] == *method).map(|it| &it["params"])
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may be gone; whatever it has started goes with it.
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let _ = self.from.read_to_end(&mut Vec::new());
        let _ = self.child.wait();
    }
}

/// A base64 answer as a file: its size.
fn keep(answer: &Value, to: &Path) -> usize {
    let bytes = unbase64(answer["data"].as_str().expect("base64"));
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).expect("a folder");
    }
    fs::write(to, &bytes).expect("a file of ours");
    bytes.len()
}

fn unbase64(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let bits: Vec<u8> = text.bytes().filter_map(value).collect();
    let group = |part: &[u8]| {
        let all = part.iter().fold(0u32, |all, bits| all << 6 | u32::from(*bits));
        let all = all << (6 * (4 - part.len()));
        all.to_be_bytes()[1..part.len()].to_vec()
    };
    bits.chunks(4).flat_map(group).collect()
}
