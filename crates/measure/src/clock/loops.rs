//! What the sampling loop adds to the readings themselves, for whoever doubts the numbers.

use machine::clock::now_ns;

use super::{Clock, sys};

/// Nanoseconds per turn of three loops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loops {
    /// The loop that trials use: a reading, stored.
    pub sampling: f64,
    /// A reading, dropped.
    pub bare: f64,
    /// A constant, stored.
    pub storing: f64,
}

/// Times the three loops over so many turns each, one after another, with CLOCK_REALTIME.
pub fn loops(turns: usize) -> Loops {
    let mut memory = vec![1u64; turns];
    let mut timed = |run: &mut dyn FnMut(&mut [u64])| {
        let begun_ns = now_ns();
        run(&mut memory);
        (now_ns() - begun_ns) as f64 / turns as f64
    };
    Loops {
        sampling: timed(&mut |memory| sys::sample(Clock::Realtime, memory)),
        bare: timed(&mut |memory| sys::read_repeatedly(Clock::Realtime, memory.len() as u64)),
        storing: timed(&mut |memory| {
            for slot in memory {
                *slot = std::hint::black_box(7);
            }
        }),
    }
}
