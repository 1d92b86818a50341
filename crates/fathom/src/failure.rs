//! How the command fails: one clear line, and an exit code that scripts can rely on.

use std::{io::Write, process::ExitCode};

/// Says one line on standard error; that nobody reads on is no failure, and so no panic.
pub fn say(line: &str) {
    // Words from files and arguments may be in it.
    let _ = writeln!(std::io::stderr(), "fathom: {}", report::one_line(line));
}

/// A failure, told in one line.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    line: String,
}

impl Failure {
    /// The words were wrong: what, where, and what would be right.
    pub fn wrong(line: impl Into<String>) -> Self {
        Self { code: 2, line: line.into() }
    }

    /// It is not possible here: the present value, and what would allow it.
    pub fn not_here(line: impl Into<String>) -> Self {
        Self { code: 3, line: line.into() }
    }

    /// It failed midway.
    pub fn midway(line: impl Into<String>) -> Self {
        Self { code: 4, line: line.into() }
    }

    /// Says the line on standard error.
    pub fn tell(&self) {
        say(&self.line);
    }

    /// Says the line and returns the code.
    pub fn told(self) -> ExitCode {
        self.tell();
        self.code()
    }

    /// The exit code.
    pub fn code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}
