//! The clocks: what each is named, and what it is good for.

/// One clock, as a program can read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    Realtime,
    Monotonic,
    MonotonicRaw,
    Boottime,
    Tai,
    RealtimeCoarse,
    MonotonicCoarse,
    ProcessCpu,
    ThreadCpu,
    Tsc,
}

/// All of them, in the order in which they are shown.
pub(super) const CLOCKS: [Clock; 10] = [
    Clock::Realtime,
    Clock::Monotonic,
    Clock::MonotonicRaw,
    Clock::Boottime,
    Clock::Tai,
    Clock::RealtimeCoarse,
    Clock::MonotonicCoarse,
    Clock::ProcessCpu,
    Clock::ThreadCpu,
    Clock::Tsc,
];

/// The names by which clocks are chosen.
pub const CLOCK_NAMES: [&str; CLOCKS.len()] = {
    let mut names = [""; CLOCKS.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = CLOCKS[place].name();
        place += 1;
    }
    names
};

/// The clock of this name.
pub(super) fn by_name(name: &str) -> Option<Clock> {
    CLOCKS.into_iter().find(|clock| clock.name() == name)
}

impl Clock {
    /// The middle of its findings' ids.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Realtime => "realtime",
            Self::Monotonic => "monotonic",
            Self::MonotonicRaw => "monotonic_raw",
            Self::Boottime => "boottime",
            Self::Tai => "tai",
            Self::RealtimeCoarse => "realtime_coarse",
            Self::MonotonicCoarse => "monotonic_coarse",
            Self::ProcessCpu => "process_cpu",
            Self::ThreadCpu => "thread_cpu",
            Self::Tsc => "tsc",
        }
    }

    /// What programs call it.
    pub(super) fn shown(self) -> &'static str {
        match self {
            Self::Realtime => "CLOCK_REALTIME",
            Self::Monotonic => "CLOCK_MONOTONIC",
            Self::MonotonicRaw => "CLOCK_MONOTONIC_RAW",
            Self::Boottime => "CLOCK_BOOTTIME",
            Self::Tai => "CLOCK_TAI",
            Self::RealtimeCoarse => "CLOCK_REALTIME_COARSE",
            Self::MonotonicCoarse => "CLOCK_MONOTONIC_COARSE",
            Self::ProcessCpu => "CLOCK_PROCESS_CPUTIME_ID",
            Self::ThreadCpu => "CLOCK_THREAD_CPUTIME_ID",
            Self::Tsc => "the TSC",
        }
    }

    /// Its number for clock_gettime(2); the TSC is no clock of the kernel's.
    pub(super) fn id(self) -> Option<libc::clockid_t> {
        Some(match self {
            Self::Realtime => libc::CLOCK_REALTIME,
            Self::Monotonic => libc::CLOCK_MONOTONIC,
            Self::MonotonicRaw => libc::CLOCK_MONOTONIC_RAW,
            Self::Boottime => libc::CLOCK_BOOTTIME,
            Self::Tai => libc::CLOCK_TAI,
            Self::RealtimeCoarse => libc::CLOCK_REALTIME_COARSE,
            Self::MonotonicCoarse => libc::CLOCK_MONOTONIC_COARSE,
            Self::ProcessCpu => libc::CLOCK_PROCESS_CPUTIME_ID,
            Self::ThreadCpu => libc::CLOCK_THREAD_CPUTIME_ID,
            Self::Tsc => return None,
        })
    }

    /// Whether it moves at timer interrupts only.
    pub(super) fn is_coarse(self) -> bool {
        matches!(self, Self::RealtimeCoarse | Self::MonotonicCoarse)
    }

    /// Whether readings of several threads are worth comparing: all read the same clock, and it
    /// moves between two readings. Of a coarse one nearly all are equal, and that is no news.
    pub(super) fn is_shared(self) -> bool {
        !matches!(self, Self::ProcessCpu | Self::ThreadCpu) && !self.is_coarse()
    }

    /// Whether an administrator, or NTP, may set it back.
    pub(super) fn can_be_set(self) -> bool {
        matches!(self, Self::Realtime | Self::RealtimeCoarse | Self::Tai)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_lead_back() {
        for (clock, name) in CLOCKS.into_iter().zip(CLOCK_NAMES) {
            assert_eq!(by_name(name), Some(clock));
        }
        assert_eq!(by_name("sundial"), None);
    }
}
