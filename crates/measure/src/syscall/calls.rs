//! The calls: what each is named, and what it stands for.

/// One call, or the empty loop around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Getppid,
    Gettid,
    Close,
    Read,
    Write,
    SchedYield,
    FutexWake,
    ClockKernel,
    ClockVdso,
    Loop,
}

/// All of them, in the order in which they are shown.
pub(super) const CALLS: [Call; 10] = [
    Call::Gettid,
    Call::Getppid,
    Call::Close,
    Call::Read,
    Call::Write,
    Call::SchedYield,
    Call::FutexWake,
    Call::ClockKernel,
    Call::ClockVdso,
    Call::Loop,
];

/// The call whose id this is.
pub(super) fn by_name(id: &str) -> Option<Call> {
    CALLS.into_iter().find(|call| call.id() == id)
}

impl Call {
    /// The case's id, and the middle of the finding's.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Getppid => "getppid",
            Self::Gettid => "gettid",
            Self::Close => "close",
            Self::Read => "read",
            Self::Write => "write",
            Self::SchedYield => "sched_yield",
            Self::FutexWake => "futex_wake",
            Self::ClockKernel => "clock_gettime.kernel",
            Self::ClockVdso => "clock_gettime.vdso",
            Self::Loop => "loop",
        }
    }

    /// What a person calls it.
    pub(super) fn shown(self) -> &'static str {
        match self {
            Self::Getppid => "getppid",
            Self::Gettid => "gettid",
            Self::Close => "close(-1)",
            Self::Read => "read, 1 byte of /dev/zero",
            Self::Write => "write, 1 byte to /dev/null",
            Self::SchedYield => "sched_yield to nobody",
            Self::FutexWake => "futex wake of nobody",
            Self::ClockKernel => "clock_gettime in the kernel",
            Self::ClockVdso => "clock_gettime by the vDSO",
            Self::Loop => "(the empty loop)",
        }
    }
}
