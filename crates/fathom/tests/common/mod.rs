//! What the end-to-end tests share: a folder of one's own, the command run in it within a bound,
//! and its run files as plain JSON. Nothing here knows the types of the crates under test.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod browser;
pub mod names;
pub mod processes;
pub mod sudden;

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs::{self, Permissions},
    io::{ErrorKind, Read},
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

/// The command that Cargo built for these tests.
pub const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");
/// What a survey says where it wrote its files of its own accord, for the first time.
pub const SURVEYED: &str = "fathom: the run is in fathom-run.json\n\
                            fathom: the report is in fathom-report.html\n";
/// Longer than anything here may take, however busy the machine is.
pub const WAIT_MAX: Duration = Duration::from_secs(90);
/// The user `nobody` of most systems; it need not be in the user database.
const NOBODY: u32 = 65534;

/// A folder of one's own.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The command in this folder, with no input, and nothing of the caller's taste in colours.
    pub fn fathom<S: AsRef<OsStr>>(&self, words: &[S]) -> Command {
        self.command(FATHOM, words)
    }

    /// Any program, likewise.
    pub fn command<S: AsRef<OsStr>>(&self, program: impl AsRef<OsStr>, words: &[S]) -> Command {
        let mut command = Command::new(program);
        command.args(words).current_dir(self.path()).stdin(Stdio::null());
        for name in ["COLUMNS", "NO_COLOR", "TERM", "RUST_BACKTRACE"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs the command to its end.
    pub fn run<S: AsRef<OsStr>>(&self, words: &[S]) -> Answer {
        answer(&mut self.fathom(words))
    }

    /// The names of all files here, in order.
    pub fn names(&self) -> Vec<String> {
        names_in(self.path())
    }

    /// The file of this name.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Makes a file and returns its path as a word for the command line.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.file(name);
        fs::write(&path, bytes).expect("a file in a temporary folder");
        path.into_os_string().into_string().expect("a path that is text")
    }

    /// Sets the permissions of the folder itself.
    pub fn permit(&self, mode: u32) {
        set_mode(self.path(), mode);
    }

    /// A copy of the command that any user can reach, in a folder that any user can write to.
    pub fn copy_for_anybody(&self) -> PathBuf {
        self.permit(0o755);
        let program = self.file("fathom");
        fs::copy(FATHOM, &program).expect("a copy of the command");
        set_mode(&program, 0o755);
        program
    }
}

pub fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("permissions of our own file");
}

pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder that can be listed");
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.filter_map(Result::ok).map(name).collect();
    names.sort();
    names
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Makes root's child an ordinary user's; an ordinary user's stays as it is.
pub fn as_ordinary_user(command: &mut Command) -> &mut Command {
    if is_root() { command.uid(NOBODY).gid(NOBODY) } else { command }
}

/// What the command said and how it ended.
pub struct Answer {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

/// Not all of it: a run can be long.
impl std::fmt::Debug for Answer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (status, stdout, stderr) = (self.status, &self.stdout, &self.stderr);
        write!(out, "{status}; stdout: {stdout:.300}\nstderr: {stderr:.1500}")
    }
}

impl Answer {
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Checks the exit code, and that nothing panicked.
    #[track_caller]
    pub fn ended(self, code: i32) -> Self {
        assert!(!self.stderr.contains("panicked"), "{self:?}");
        assert_eq!(self.code(), Some(code), "{self:?}");
        self
    }

    /// Standard output, which is to be JSON and nothing else.
    #[track_caller]
    pub fn json(&self) -> Value {
        json(&self.stdout)
    }
}

/// Starts `command` with both outputs piped. A copied program may still be open for writing in a
/// child that another test is just starting; that passes.
pub fn spawn(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    spawn_as_it_is(command)
}

/// The same with the outputs left as they are.
pub fn spawn_as_it_is(command: &mut Command) -> Child {
    let begin = Instant::now();
    loop {
        match command.spawn() {
            Ok(child) => return child,
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                assert!(begin.elapsed() < WAIT_MAX, "{command:?} stays busy");
                thread::sleep(Duration::from_millis(20));
            }
            Err(error) => panic!("{command:?}: {error}"),
        }
    }
}

/// Runs `command` to its end, within [`WAIT_MAX`].
pub fn answer(command: &mut Command) -> Answer {
    finish(spawn(command), WAIT_MAX)
}

/// Waits for the end of a child, and for what it still has to say.
#[track_caller]
pub fn finish(mut child: Child, within: Duration) -> Answer {
    let stdout = child.stdout.take().map(reader);
    let stderr = child.stderr.take().map(reader);
    let status = ended(&mut child, within);
    let begin = Instant::now();
    let heard = |reader: Option<JoinHandle<Vec<u8>>>| {
        // Whatever outlives the child may hold its outputs open for ever.
        while reader.as_ref().is_some_and(|reader| !reader.is_finished()) {
            assert!(begin.elapsed() < WAIT_MAX, "the child has ended, its output has not");
            thread::sleep(Duration::from_millis(1));
        }
        let bytes = reader.map(|reader| reader.join().expect("a reader")).unwrap_or_default();
        String::from_utf8(bytes).expect("text")
    };
    Answer { status, stdout: heard(stdout), stderr: heard(stderr) }
}

/// Waits for the end of a child; one that does not end is killed, and the test has failed.
#[track_caller]
pub fn ended(child: &mut Child, within: Duration) -> ExitStatus {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child of ours") {
            return status;
        }
        if begin.elapsed() > within {
            child.kill().expect("a child of ours");
            child.wait().expect("a child of ours");
            panic!("not ended within {within:?}");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn reader(mut from: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).expect("a pipe of ours");
        bytes
    })
}

#[track_caller]
pub fn json(text: &str) -> Value {
    let start: String = text.chars().take(200).collect();
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {start}"))
}

/// A value that is to be text.
#[track_caller]
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// A value that is to be an array.
#[track_caller]
pub fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap_or_else(|| panic!("no array: {value}"))
}

/// The section of this name.
#[track_caller]
pub fn section<'a>(run: &'a Value, name: &str) -> &'a Value {
    list(&run["sections"])
        .iter()
        .find(|it| it["name"] == name)
        .unwrap_or_else(|| panic!("no section {name}"))
}

/// The findings of all sections.
#[track_caller]
pub fn findings(run: &Value) -> Vec<&Value> {
    list(&run["sections"]).iter().flat_map(|it| list(&it["findings"])).collect()
}

/// The columns of trials of a section, one object per case.
#[track_caller]
pub fn columns<'a>(run: &'a Value, name: &str) -> &'a Vec<Value> {
    list(&section(run, name)["recorded"]["trials"])
}

/// A column of numbers; a trial without one is left out.
#[track_caller]
pub fn numbers(column: &Value) -> Vec<f64> {
    list(column).iter().filter_map(Value::as_f64).collect()
}

/// How many findings were measured.
pub fn measured(run: &Value) -> usize {
    findings(run).iter().filter(|it| it["outcome"] == "measured").count()
}

/// What all refused trials of a section were refused with.
pub fn refusals(run: &Value, name: &str) -> Vec<Value> {
    let refused = |case: &Value| {
        let refused = case["refused"].as_object().cloned().unwrap_or_default();
        refused.into_iter().map(|(_, refusal)| refusal).collect::<Vec<_>>()
    };
    columns(run, name).iter().flat_map(refused).collect()
}

/// The ids of all findings.
pub fn finding_ids(run: &Value) -> BTreeSet<&str> {
    findings(run).iter().filter_map(|it| it["id"].as_str()).collect()
}
