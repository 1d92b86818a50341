//! The bar on standard error, where that is a terminal; and the ear for signals.
//!
//! It draws when it is told of a trial's end, and from no thread of its own: nothing is drawn while
//! a trial runs.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::{Go, Progress, Watch};

use crate::signals::Signals;

/// A share of the whole is counted in thousandths.
const WHOLE: u64 = 1000;
const DRAWS_PER_SECOND: u8 = 5;

/// Watches a run.
pub struct Bar<'a> {
    bar: ProgressBar,
    signals: &'a Signals,
    /// The whole run's time, and what of it the finished sections took.
    time: Duration,
    done: Duration,
    /// The time of the section under way.
    section: Duration,
}

impl<'a> Bar<'a> {
    /// A bar for a run of this length.
    pub fn new(time: Duration, signals: &'a Signals) -> Self {
        let target = ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND);
        let bar = ProgressBar::with_draw_target(Some(WHOLE), target);
        let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {eta:>4} left  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, signals, time, done: Duration::ZERO, section: Duration::ZERO }
    }

    /// The next section begins, and may take this long.
    pub fn section(&mut self, time: Duration) {
        self.done += self.section;
        self.section = time;
    }

    /// Whether a signal came.
    pub fn interrupted(&self) -> bool {
        self.signals.came()
    }
}

impl Watch for Bar<'_> {
    fn seen(&mut self, progress: &Progress) -> Go {
        if progress.round_ended {
            let done = self.done + self.section.mul_f64(progress.share);
            let share = done.as_secs_f64() / self.time.as_secs_f64();
            let (experiment, case) = (progress.experiment, progress.case);
            self.bar.set_message(format!("{experiment}: {case}, round {}", progress.round + 1));
            self.bar.set_position((share * WHOLE as f64) as u64);
        }
        if self.interrupted() { Go::Stop } else { Go::On }
    }
}

impl Drop for Bar<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
