//! By what two sides hand the turn to each other.

use std::{
    io,
    os::fd::OwnedFd,
    sync::atomic::{AtomicU32, Ordering},
};

use rustix::{
    event::{EventfdFlags, eventfd},
    io::{Errno, read, write},
    net::{AddressFamily, SocketFlags, SocketType, socketpair},
    pipe::{PipeFlags, pipe_with},
    thread::futex,
};

use super::sys::Shared;

/// What the turn is handed over by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Medium {
    Futex,
    Pipe,
    Eventfd,
    Socketpair,
    SchedYield,
}

/// All of them, in the order in which they are shown.
pub(super) const MEDIA: [Medium; 5] =
    [Medium::Futex, Medium::Pipe, Medium::Eventfd, Medium::Socketpair, Medium::SchedYield];

impl Medium {
    /// The word of the finding's id.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Futex => "futex",
            Self::Pipe => "pipe",
            Self::Eventfd => "eventfd",
            Self::Socketpair => "socketpair",
            Self::SchedYield => "sched_yield",
        }
    }

    /// Whether who waits for its turn sleeps.
    pub(super) fn sleeps(self) -> bool {
        self != Self::SchedYield
    }
}

/// One of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The one that measures.
    Here,
    /// Its partner.
    There,
}

/// The way between two sides. Each way has an end per side, so that nobody reads its own message.
pub(super) enum Channel {
    /// A word for each side: 1 is its turn.
    Futex { words: Shared, flags: futex::Flags },
    /// For each side what it reads from and what the other writes to.
    Files { reads: [OwnedFd; 2], writes: [OwnedFd; 2], message: &'static [u8] },
    /// One word: whose turn it is.
    Yield { turn: Shared },
}

/// A message of an eventfd: a count to be added, eight bytes long.
static ONE: [u8; 8] = 1u64.to_ne_bytes();

impl Channel {
    /// A channel between threads of this process, or between this process and a child.
    pub(super) fn new(medium: Medium, within_process: bool) -> io::Result<Self> {
        Ok(match medium {
            Medium::Futex => {
                // Only a futex that stays within a process is looked up by its address alone.
                let private =
                    if within_process { futex::Flags::PRIVATE } else { futex::Flags::empty() };
                Self::Futex { words: Shared::words(2)?, flags: private }
            }
            Medium::Pipe => {
                let (here, there) =
                    (pipe_with(PipeFlags::CLOEXEC)?, pipe_with(PipeFlags::CLOEXEC)?);
                let (reads, writes) = ([here.0, there.0], [here.1, there.1]);
                Self::Files { reads, writes, message: &ONE[..1] }
            }
            Medium::Eventfd => {
                let new = || eventfd(0, EventfdFlags::CLOEXEC);
                let (here, there) = (new()?, new()?);
                let writes = [here.try_clone()?, there.try_clone()?];
                Self::Files { reads: [here, there], writes, message: &ONE }
            }
            Medium::Socketpair => {
                let flags = SocketFlags::CLOEXEC;
                let (here, there) =
                    socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
                let writes = [there.try_clone()?, here.try_clone()?];
                Self::Files { reads: [here, there], writes, message: &ONE[..1] }
            }
            Medium::SchedYield => Self::Yield { turn: Shared::words(1)? },
        })
    }

    /// The calls of a turn, by one side alone, none of which has to wait.
    pub(super) fn calls(&self) -> Result<(), Errno> {
        let side = Side::Here;
        self.send(side)?;
        if let Self::Futex { words, flags } = self {
            // A side that finds its turn come would not even enter the kernel to wait for it.
            match futex::wait(words.word(side as usize), *flags, 0, None) {
                Ok(()) | Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        self.wait(side)
    }

    /// Hands the turn to `to`.
    pub(super) fn send(&self, to: Side) -> Result<(), Errno> {
        match self {
            Self::Futex { words, flags } => {
                let word = words.word(to as usize);
                word.store(1, Ordering::Release);
                futex::wake(word, *flags, 1).map(drop)
            }
            Self::Files { writes, message, .. } => {
                whole(write(&writes[to as usize], message)?, message.len())
            }
            Self::Yield { turn } => {
                turn.word(0).store(to as u32, Ordering::Release);
                Ok(())
            }
        }
    }

    /// Waits until it is the turn of `side`.
    pub(super) fn wait(&self, side: Side) -> Result<(), Errno> {
        match self {
            Self::Futex { words, flags } => wait_for_word(words.word(side as usize), *flags),
            Self::Files { reads, message, .. } => {
                let mut buffer = [0; ONE.len()];
                let buffer = &mut buffer[..message.len()];
                whole(read(&reads[side as usize], &mut *buffer)?, buffer.len())
            }
            Self::Yield { turn } => {
                while turn.word(0).load(Ordering::Acquire) != side as u32 {
                    rustix::thread::sched_yield();
                }
                Ok(())
            }
        }
    }
}

fn wait_for_word(word: &AtomicU32, flags: futex::Flags) -> Result<(), Errno> {
    while word.swap(0, Ordering::Acquire) == 0 {
        match futex::wait(word, flags, 0, None) {
            // Whoever wrote between the swap and the call made it return at once.
            Ok(()) | Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn whole(moved: usize, all: usize) -> Result<(), Errno> {
    if moved == all { Ok(()) } else { Err(Errno::IO) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is sent to one side reaches it, and not the other.
    #[test]
    fn every_channel_hands_the_turn_over() {
        for medium in MEDIA {
            for within in [true, false] {
                let channel = Channel::new(medium, within).unwrap();
                let turns = AtomicU32::new(0);
                std::thread::scope(|scope| {
                    scope.spawn(|| {
                        for turn in 0..100 {
                            channel.wait(Side::There).unwrap();
                            assert_eq!(turns.fetch_add(1, Ordering::Relaxed), 2 * turn + 1);
                            channel.send(Side::Here).unwrap();
                        }
                    });
                    for turn in 0..100 {
                        assert_eq!(turns.fetch_add(1, Ordering::Relaxed), 2 * turn);
                        channel.send(Side::There).unwrap();
                        channel.wait(Side::Here).unwrap();
                    }
                });
                assert_eq!(turns.load(Ordering::Relaxed), 200, "{}", medium.name());
            }
        }
    }
}
