//! What is kept of all iterations: whole numbers only, so that the order of adding does not matter.

use crate::Error;

/// More different loads than this would take 100 MB to add up; then somebody holds nearly all.
const LOADS_MAX: u64 = 1 << 22;

/// Sums over iterations, for each load from `first` on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub iterations: u64,
    /// The load that the first entry of each list is about.
    pub first: u32,
    /// How many servers held just this load.
    pub held: Vec<u64>,
    /// The square of the number of servers that held at most this load, where not all did: the sum
    /// over iterations, for the standard error of their share.
    pub squares: Vec<u128>,
    /// In how many iterations the fullest server held just this load.
    pub fullest: Vec<u64>,
    /// Servers per load in the iteration at hand.
    now: Vec<u64>,
}

impl Tally {
    /// Adds the loads of one iteration.
    pub fn add(&mut self, loads: &[u32]) -> Result<(), Error> {
        let (Some(&low), Some(&high)) = (loads.iter().min(), loads.iter().max()) else {
            return Ok(());
        };
        self.reach(low, high)?;
        self.now.clear();
        self.now.resize((high - low) as usize + 1, 0);
        loads.iter().for_each(|load| self.now[(load - low) as usize] += 1);
        let base = (low - self.first) as usize;
        let mut up_to = 0;
        for (index, &servers) in self.now.iter().enumerate() {
            up_to += servers;
            self.held[base + index] += servers;
            self.squares[base + index] += u128::from(up_to) * u128::from(up_to);
        }
        // From the fullest on, all servers count: `fullest` says in how many iterations.
        let top = base + self.now.len() - 1;
        self.squares[top] -= u128::from(up_to) * u128::from(up_to);
        self.fullest[top] += 1;
        self.iterations += 1;
        Ok(())
    }

    /// Adds another thread's sums.
    pub fn join(&mut self, other: &Self) -> Result<(), Error> {
        if other.held.is_empty() {
            return Ok(());
        }
        self.reach(other.first, other.first + (other.held.len() as u32 - 1))?;
        let base = (other.first - self.first) as usize;
        for index in 0..other.held.len() {
            self.held[base + index] += other.held[index];
            self.squares[base + index] += other.squares[index];
            self.fullest[base + index] += other.fullest[index];
        }
        self.iterations += other.iterations;
        Ok(())
    }

    /// Makes the lists reach from `low` to `high`.
    fn reach(&mut self, low: u32, high: u32) -> Result<(), Error> {
        if self.held.is_empty() {
            self.first = low;
        }
        let first = self.first.min(low);
        let before = (self.first - first) as usize;
        let length = (u64::from(high - first) + 1).max((self.held.len() + before) as u64);
        if length > LOADS_MAX {
            return Err(Error::TooWide { max: LOADS_MAX as usize });
        }
        let length = length as usize;
        widen(&mut self.held, before, length);
        widen(&mut self.squares, before, length);
        widen(&mut self.fullest, before, length);
        self.first = first;
        Ok(())
    }
}

fn widen<T: Clone + Default>(list: &mut Vec<T>, before: usize, length: usize) {
    if before > 0 {
        list.splice(0..0, std::iter::repeat_n(T::default(), before));
    }
    list.resize(length, T::default());
}

#[test]
fn sums_do_not_depend_on_the_order() {
    let rounds: [[u32; 3]; 4] = [[5, 5, 6], [1, 2, 9], [30, 0, 0], [4, 5, 5]];
    let mut forward = Tally::default();
    rounds.iter().for_each(|loads| forward.add(loads).unwrap());
    let (mut one, mut other) = (Tally::default(), Tally::default());
    rounds[2..].iter().rev().for_each(|loads| one.add(loads).unwrap());
    rounds[..2].iter().rev().for_each(|loads| other.add(loads).unwrap());
    one.join(&other).unwrap();
    one.now.clear();
    forward.now.clear();
    assert_eq!(one, forward);
    assert_eq!((forward.first, forward.held.len(), forward.iterations), (0, 31, 4));
    assert_eq!(forward.held.iter().sum::<u64>(), 12);
    // At most 5: two, two, two and three servers; the three of the last are in `fullest`.
    assert_eq!((forward.squares[5], forward.fullest[5]), (4 + 4 + 4, 1));
}
