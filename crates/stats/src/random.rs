//! Random numbers whose sequence is part of the run file's promise.
//!
//! A seed must yield the same schedule in every later version, so neither the generator nor the
//! shuffle may change with a dependency's. The generator is xoshiro256++ (Blackman and Vigna,
//! 2019), seeded by SplitMix64 as its authors advise.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        let mut mix = seed;
        Self { state: std::array::from_fn(|_| split_mix(&mut mix)) }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        // The textbook writes the four updates in sequence; the same values, without the order.
        result
    }

    /// A number below `bound`, each equally likely (Lemire 2019, with rejection).
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        let threshold = bound.wrapping_neg().checked_rem(bound).unwrap_or(0);
        loop {
            let wide = u128::from(self.next_u64()) * u128::from(bound);
            if wide as u64 >= threshold {
                return (wide >> 64) as usize;
            }
        }
    }

    /// A number in [0, 1), in steps of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Puts `items` in random order, each order equally likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

/// A seed of its own for each `label`, so that a new user of randomness never disturbs another's.
pub fn derive_seed(seed: u64, label: &str) -> u64 {
    let mut mix = seed;
    let mut derived = split_mix(&mut mix);
    for byte in label.bytes() {
        mix = derived ^ u64::from(byte);
        derived = split_mix(&mut mix);
    }
    derived
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The authors' C code, seeded with the state {1, 2, 3, 4}.
    #[test]
    fn agrees_with_the_published_generator() {
        let mut random = Random { state: [1, 2, 3, 4] };
        let published = [
            41_943_041,
            58_720_359,
            3_588_806_011_781_223,
            3_591_011_842_654_386,
            9_228_616_714_210_784_205,
        ];
        assert_eq!(published.map(|_| random.next_u64()), published);
    }

    /// The authors' SplitMix64, seed 1234567.
    #[test]
    fn seeding_agrees_with_the_published_mixer() {
        let mut state = 1_234_567;
        assert_eq!(
            [split_mix(&mut state), split_mix(&mut state), split_mix(&mut state)],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn every_order_is_equally_likely() {
        let mut random = Random::new(1);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            random.shuffle(&mut items);
            *seen.entry(items).or_insert(0u32) += 1;
        }
        assert_eq!(seen.len(), 24);
        // Each count is binomial with mean 1000 and deviation 31: six deviations either way.
        assert!(seen.values().all(|count| (814..1186).contains(count)), "{seen:?}");
    }

    #[test]
    fn labels_have_streams_of_their_own() {
        let seeds = ["clock", "syscall", "syscall.", "", "a", "b"].map(|l| derive_seed(7, l));
        let distinct: std::collections::BTreeSet<_> = seeds.iter().collect();
        assert_eq!(distinct.len(), seeds.len());
        assert_ne!(derive_seed(8, "clock"), seeds[0]);
    }
}
