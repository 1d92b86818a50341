//! Servers at random, two from each 64 bits.

use stats::{Random, derive_seed};

/// SplitMix64's step. A generator's state takes four of its numbers, so streams are four steps
/// apart, and no two share one.
const STEPS: u64 = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(4);

/// A stream of random numbers for each iteration, by its number alone.
pub(crate) struct Streams {
    base: u64,
}

impl Streams {
    /// Those of this seed and use.
    pub fn new(seed: u64, label: &str) -> Self {
        Self { base: derive_seed(seed, label) }
    }

    /// The stream of this iteration.
    pub fn of(&self, iteration: u64) -> Random {
        Random::new(self.base.wrapping_add(iteration.wrapping_mul(STEPS)))
    }
}

/// Numbers below this, and where a draw of 32 bits must be thrown away so that each is equally
/// likely (Lemire 2019).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    bound: u64,
    threshold: u32,
}

impl Bound {
    /// Below `bound`; 0 counts as 1.
    pub fn new(bound: u32) -> Self {
        let bound = bound.max(1);
        Self { bound: u64::from(bound), threshold: bound.wrapping_neg() % bound }
    }

    fn scale(self, bits: u32) -> (usize, bool) {
        let wide = u64::from(bits) * self.bound;
        ((wide >> 32) as usize, wide as u32 >= self.threshold)
    }
}

/// One independent number below each bound.
#[inline]
pub(crate) fn two(random: &mut Random, first: Bound, second: Bound) -> (usize, usize) {
    loop {
        let bits = random.next_u64();
        let (one, one_is_fair) = first.scale(bits as u32);
        let (other, other_is_fair) = second.scale((bits >> 32) as u32);
        if one_is_fair & other_is_fair {
            return (one, other);
        }
    }
}

/// One number below the bound.
#[inline]
pub(crate) fn one(random: &mut Random, bound: Bound) -> usize {
    two(random, bound, Bound::new(1)).0
}

#[test]
fn pairs_are_equally_likely_and_independent() {
    let mut random = Random::new(3);
    let mut seen = [0u32; 15];
    for _ in 0..150_000 {
        let (one, other) = two(&mut random, Bound::new(3), Bound::new(5));
        seen[one * 5 + other] += 1;
    }
    // Each is binomial with mean 10,000 and deviation 97: five deviations either way.
    assert!(seen.iter().all(|count| (9_515..10_485).contains(count)), "{seen:?}");
}
