//! One placement of all items.
//!
//! Of servers that look alike the first that was drawn gets the item. It was drawn at random, so
//! this is a fair tie, and it needs no further draw: with fresh loads the multiset of loads is the
//! same Markov chain whoever wins a tie.

use stats::Random;

use super::draws::{Bound, one, two};

/// How a server is chosen for an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Any, with equal chances: what [`crate::exact::Load`] answers without simulation.
    Random,
    /// The less loaded of several drawn at random.
    Choices {
        /// How many are drawn.
        choices: u32,
        /// Whether the same server may be drawn twice. It may in the published tables and in
        /// Envoy; without replacement the last per cent of items is placed a little better.
        replacement: bool,
    },
    /// The least loaded of all, at random among those that look alike.
    LeastLoaded,
}

/// Loads as they are, and as they look to whoever chooses.
pub(crate) struct Room {
    loads: Vec<u32>,
    /// As of the last refresh; unused where loads are always fresh.
    seen: Vec<u32>,
    /// Which servers got items since then, or `seen.len()` and more of them: then all are copied.
    touched: Vec<u32>,
    /// A permutation of all servers, of which draws without replacement shuffle the front.
    order: Vec<u32>,
    /// Who looks least loaded.
    least: Vec<u32>,
}

/// More than so many distinct servers are drawn by shuffling, fewer by drawing again.
const REDRAWN_MAX: u32 = 4;

impl Room {
    pub fn new(servers: u32) -> Self {
        let none = vec![0; servers as usize];
        Self {
            loads: none.clone(),
            seen: none,
            touched: Vec::new(),
            order: (0..servers).collect(),
            least: Vec::new(),
        }
    }

    /// Places `items`, and says how many each server got. A fresh look is taken after every
    /// `refresh` items.
    pub fn place(
        &mut self,
        items: u32,
        policy: Policy,
        refresh: u32,
        random: &mut Random,
    ) -> &[u32] {
        self.loads.fill(0);
        match policy {
            Policy::Random => self.place_at_random(items, random),
            Policy::Choices { choices: 2, replacement: true } if refresh == 1 => {
                self.place_by_two::<true>(items, random);
            }
            Policy::Choices { choices: 2, replacement: false } if refresh == 1 => {
                self.place_by_two::<false>(items, random);
            }
            Policy::Choices { choices, replacement } => {
                self.place_by_choice(items, choices, replacement, refresh, random);
            }
            Policy::LeastLoaded if refresh == 1 => self.place_evenly(items),
            Policy::LeastLoaded => self.place_on_least(items, refresh, random),
        }
        &self.loads
    }

    fn servers(&self) -> u32 {
        self.loads.len() as u32
    }

    fn place_at_random(&mut self, items: u32, random: &mut Random) {
        let bound = Bound::new(self.servers());
        for _ in 0..items / 2 {
            let (a, b) = two(random, bound, bound);
            self.loads[a] += 1;
            self.loads[b] += 1;
        }
        if items % 2 == 1 {
            self.loads[one(random, bound)] += 1;
        }
    }

    /// The common case: no branch depends on the loads.
    fn place_by_two<const REPLACEMENT: bool>(&mut self, items: u32, random: &mut Random) {
        let servers = self.servers();
        let first = Bound::new(servers);
        let second = Bound::new(if REPLACEMENT { servers } else { servers.saturating_sub(1) });
        let loads = self.loads.as_mut_slice();
        let mut stream = random.clone();
        for _ in 0..items {
            let (a, mut b) = two(&mut stream, first, second);
            if !REPLACEMENT {
                // The second is one of the others: those from the first on move up by one.
                b += usize::from(b >= a);
            }
            let chosen = if loads[b] < loads[a] { &mut loads[b] } else { &mut loads[a] };
            *chosen += 1;
        }
        *random = stream;
    }

    fn place_by_choice(
        &mut self,
        items: u32,
        choices: u32,
        replacement: bool,
        refresh: u32,
        random: &mut Random,
    ) {
        self.seen.fill(0);
        let mut to_refresh = refresh;
        for _ in 0..items {
            let chosen = match replacement {
                true => self.choose_with_replacement(choices, random),
                false if choices <= REDRAWN_MAX => self.choose_by_redraw(choices, random),
                false => self.choose_by_shuffle(choices, random),
            };
            self.put(chosen);
            to_refresh -= 1;
            if to_refresh == 0 {
                self.refresh();
                to_refresh = refresh;
            }
        }
        self.refresh();
    }

    fn choose_with_replacement(&self, choices: u32, random: &mut Random) -> usize {
        let bound = Bound::new(self.servers());
        let mut best = None;
        let mut left = choices;
        while left > 0 {
            let (a, b) = two(random, bound, bound);
            best = self.better(best, a);
            if left > 1 {
                best = self.better(best, b);
            }
            left = left.saturating_sub(2);
        }
        best.unwrap_or(0)
    }

    fn choose_by_redraw(&self, choices: u32, random: &mut Random) -> usize {
        let bound = Bound::new(self.servers());
        let mut drawn = [0; REDRAWN_MAX as usize];
        let mut best = None;
        for index in 0..(choices as usize).min(drawn.len()) {
            let mut server = one(random, bound);
            while drawn[..index].contains(&server) {
                server = one(random, bound);
            }
            drawn[index] = server;
            best = self.better(best, server);
        }
        best.unwrap_or(0)
    }

    /// The front of a shuffle, whatever order it starts from, is a draw without replacement.
    fn choose_by_shuffle(&mut self, choices: u32, random: &mut Random) -> usize {
        let mut best = None;
        for index in 0..(choices as usize).min(self.order.len()) {
            let rest = Bound::new((self.order.len() - index) as u32);
            self.order.swap(index, index + one(random, rest));
            best = self.better(best, self.order[index] as usize);
        }
        best.unwrap_or(0)
    }

    fn better(&self, best: Option<usize>, other: usize) -> Option<usize> {
        match best {
            Some(best) if self.seen[best] <= self.seen[other] => Some(best),
            _ => Some(other),
        }
    }

    /// With fresh loads nobody is ever two items ahead.
    fn place_evenly(&mut self, items: u32) {
        let servers = self.servers();
        self.loads.fill(items / servers);
        self.loads[..(items % servers) as usize].iter_mut().for_each(|load| *load += 1);
    }

    fn place_on_least(&mut self, items: u32, refresh: u32, random: &mut Random) {
        self.seen.fill(0);
        let mut left = items;
        while left > 0 {
            let lowest = self.seen.iter().min().copied().unwrap_or(0);
            let of_lowest = |&server: &u32| self.seen[server as usize] == lowest;
            let least = (0..self.servers()).filter(of_lowest);
            self.least.clear();
            self.least.extend(least);
            let bound = Bound::new(self.least.len() as u32);
            let now = left.min(refresh);
            for _ in 0..now {
                self.put(self.least[one(random, bound)] as usize);
            }
            self.refresh();
            left -= now;
        }
    }

    fn put(&mut self, server: usize) {
        self.loads[server] += 1;
        if self.touched.len() < self.loads.len() {
            self.touched.push(server as u32);
        }
    }

    /// Looks at the servers that got items; at all, where that may be more of them than there are.
    fn refresh(&mut self) {
        if self.touched.len() == self.loads.len() {
            self.seen.copy_from_slice(&self.loads);
        } else {
            for &server in &self.touched {
                self.seen[server as usize] = self.loads[server as usize];
            }
        }
        self.touched.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICIES: [Policy; 6] = [
        Policy::Random,
        Policy::Choices { choices: 1, replacement: true },
        Policy::Choices { choices: 2, replacement: true },
        Policy::Choices { choices: 3, replacement: false },
        Policy::Choices { choices: 7, replacement: false },
        Policy::LeastLoaded,
    ];

    #[test]
    fn every_item_is_placed_once() {
        for policy in POLICIES {
            for refresh in [1, 3, 500] {
                let mut room = Room::new(7);
                for items in [0, 1, 6, 100, 101] {
                    let loads = room.place(items, policy, refresh, &mut Random::new(5));
                    assert_eq!(loads.iter().sum::<u32>(), items, "{policy:?} {refresh}");
                }
            }
        }
    }

    #[test]
    fn who_looks_at_all_places_evenly() {
        for policy in [Policy::Choices { choices: 7, replacement: false }, Policy::LeastLoaded] {
            let mut room = Room::new(7);
            let loads = room.place(100, policy, 1, &mut Random::new(5));
            assert!(loads.iter().all(|load| [14, 15].contains(load)), "{loads:?}");
        }
    }

    #[test]
    fn one_server_gets_all() {
        for policy in POLICIES.into_iter().filter(|p| !matches!(p, Policy::Choices { .. })) {
            assert_eq!(Room::new(1).place(9, policy, 4, &mut Random::new(1)), [9]);
        }
        let two = Policy::Choices { choices: 2, replacement: true };
        assert_eq!(Room::new(1).place(9, two, 1, &mut Random::new(1)), [9]);
    }
}
