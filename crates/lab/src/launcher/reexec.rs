//! A worker process: this program once more, under a hidden sub-command, asked by pipe.
//!
//! Whatever it does to itself, this side stays whole: an answer that is late, garbled or missing
//! becomes a refusal, and the process is killed.

use std::{
    ffi::OsString,
    io::{Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    time::Duration,
};

use record::{Observation, Refusal};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};

use super::{Launcher, Worker};
use crate::{Trial, worker::Answer};

/// No answer is longer; what is longer is none.
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// How long one poll waits. Waiting is counted in these, so that a command which was stopped
/// (Ctrl-Z) for an hour finds its worker one step late, and not an hour.
const STEP: Duration = Duration::from_millis(100);

/// Starts `program` with `arguments`, the experiment's name and this process's id.
///
/// The worker asks the kernel to be killed when the *thread* that started it ends, so it must be
/// started from a thread that outlives it.
pub struct Reexec {
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Reexec {
    /// This program itself, with these arguments before the experiment's name.
    pub fn of_this_program(arguments: &[&str]) -> Self {
        Self::new("/proc/self/exe", arguments)
    }

    /// Any program that speaks a worker's language.
    pub fn new(program: impl Into<PathBuf>, arguments: &[&str]) -> Self {
        Self { program: program.into(), arguments: arguments.iter().map(OsString::from).collect() }
    }
}

impl Launcher for Reexec {
    fn start(&self, experiment: &str) -> Result<Box<dyn Worker + '_>, Refusal> {
        let mut command = Command::new(&self.program);
        command.arg0("fathom").args(&self.arguments).arg(experiment);
        command.arg(std::process::id().to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let broken = |seen: &str| Refusal::Broken { seen: format!("can't be started: {seen}") };
        let mut child = command.spawn().map_err(|error| broken(&error.to_string()))?;
        let (Some(asks), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(broken("no pipes"));
        };
        Ok(Box::new(Process { child, asks, answers, pending: Vec::new() }))
    }
}

struct Process {
    child: Child,
    asks: ChildStdin,
    answers: ChildStdout,
    /// Bytes of an answer whose end has not come yet.
    pending: Vec<u8>,
}

impl Worker for Process {
    fn run(&mut self, trial: &Trial, deadline: Duration) -> Result<Observation, Refusal> {
        let mut line = serde_json::to_vec(trial)
            .map_err(|error| Refusal::Broken { seen: format!("can't be asked: {error}") })?;
        line.push(b'\n');
        // A worker that is gone shows as EPIPE here, and its end is told below.
        let asked = self.asks.write_all(&line).and_then(|()| self.asks.flush());
        let answer = match asked {
            Ok(()) => self.line(deadline)?,
            Err(_) => return Err(self.fate()),
        };
        let answer: Answer = serde_json::from_slice(&answer).map_err(|_| self.garbled(&answer))?;
        answer.0
    }
}

impl Process {
    /// The next line that the worker writes, without its end.
    fn line(&mut self, deadline: Duration) -> Result<Vec<u8>, Refusal> {
        let mut steps_left = deadline.as_millis().div_ceil(STEP.as_millis());
        let mut chunk = [0; 4096];
        loop {
            if let Some(end) = self.pending.iter().position(|&byte| byte == b'\n') {
                let rest = self.pending.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.pending, rest);
                line.pop();
                return Ok(line);
            }
            if self.pending.len() > ANSWER_BYTES_MAX {
                let start = self.pending[..200].to_vec();
                return Err(self.garbled(&start));
            }
            if !self.readable()? {
                steps_left = steps_left.saturating_sub(1);
                if steps_left == 0 {
                    let waited_ms = deadline.as_millis() as u64;
                    return Err(self.killed(Refusal::TimedOut { waited_ms }));
                }
                continue;
            }
            match self.answers.read(&mut chunk) {
                Ok(0) => return Err(self.fate()),
                Ok(read) => self.pending.extend_from_slice(&chunk[..read]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.killed(Refusal::Broken { seen: error.to_string() })),
            }
        }
    }

    /// Waits one step for something to read.
    fn readable(&mut self) -> Result<bool, Refusal> {
        let step = Timespec { tv_sec: 0, tv_nsec: STEP.as_nanos() as _ };
        let mut fds = [PollFd::new(&self.answers, PollFlags::IN)];
        match poll(&mut fds, Some(&step)) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(Refusal::Broken { seen: format!("can't be waited for: {error}") }),
        }
    }

    fn garbled(&mut self, answer: &[u8]) -> Refusal {
        let start: String = String::from_utf8_lossy(answer).chars().take(60).collect();
        self.killed(Refusal::Broken { seen: format!("answered {start:?}") })
    }

    /// Ends the worker; the refusal says why.
    fn killed(&mut self, why: Refusal) -> Refusal {
        self.end();
        why
    }

    /// What became of a worker that closed its end of the pipe.
    fn fate(&mut self) -> Refusal {
        // It is ending by itself; a signal from here would hide how.
        for _ in 0..20 {
            match self.child.try_wait() {
                Ok(Some(status)) => return fate_of(status),
                _ => std::thread::sleep(Duration::from_millis(10)),
            }
        }
        self.killed(Refusal::Broken { seen: "closed its pipe and went on".into() })
    }

    fn end(&mut self) {
        // Fails only where it has ended already; waiting leaves no zombie.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

fn fate_of(status: ExitStatus) -> Refusal {
    match status.signal() {
        Some(signal) => Refusal::Crashed { signal },
        None => Refusal::Broken { seen: format!("ended early ({status})") },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Case;

    /// A worker that is a shell script: it can do what no experiment of ours would.
    fn asked(script: &str) -> Result<Observation, Refusal> {
        let launcher = Reexec::new("/bin/sh", &["-c", script]);
        let mut worker = launcher.start("script").unwrap();
        let trial = Trial {
            case: Case::new("a", &[]),
            window: Duration::from_millis(1),
            cpus: vec![0],
            start: 0,
            seed: 0,
        };
        worker.run(&trial, Duration::from_millis(300))
    }

    #[test]
    fn an_answer_is_read_even_in_pieces() {
        let result =
            asked(r#"read ask; printf '{"Ok":'; sleep 0.15; echo '{"readings":{},"proof":{}}}'"#);
        assert_eq!(result, Ok(Observation::default()));
    }

    #[test]
    fn whatever_a_worker_does_is_a_refusal() {
        let broken = |seen: &str| Refusal::Broken { seen: seen.into() };
        for (script, refusal) in [
            ("read ask; kill -SEGV $$", Refusal::Crashed { signal: 11 }),
            ("kill -KILL $$", Refusal::Crashed { signal: 9 }),
            ("read ask; sleep 60", Refusal::TimedOut { waited_ms: 300 }),
            ("kill -STOP $$", Refusal::TimedOut { waited_ms: 300 }),
            ("read ask; exit 3", broken("ended early (exit status: 3)")),
            ("read ask; echo hello", broken(r#"answered "hello""#)),
            ("read ask; printf '\\377\\n'", broken(r#"answered "�""#)),
            ("read ask; exec >&-; sleep 60", broken("closed its pipe and went on")),
        ] {
            assert_eq!(asked(script), Err(refusal), "{script}");
        }
        let endless = asked("read ask; yes | tr -d '\\n'").unwrap_err();
        assert!(matches!(endless, Refusal::Broken { .. }), "{endless}");
    }

    #[test]
    fn a_program_that_is_not_there_is_a_refusal() {
        let Err(refusal) = Reexec::new("/no/such/program", &[]).start("any") else { panic!() };
        assert!(refusal.to_string().contains("can't be started"), "{refusal}");
    }
}
