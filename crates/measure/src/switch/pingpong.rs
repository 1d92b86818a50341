//! Two sides that wake each other and wait: what a switch from one to the other costs.

use std::ops::RangeInclusive;

use lab::{Counted, Timed, Trial, timed};
use record::{Observation, Part, Quantity, Reading, Refusal, Unit};
use stats::Random;

use super::{
    awake::Awake,
    channel::{Channel, Medium},
    looks::{self, Looks},
    partner::{BothSides, Kind, Places, beside, no, turns},
};

/// Nanoseconds per switch that the kernel counted.
pub(super) const SWITCH: &str = "switch";
/// The looks that found both sides on one CPU, where they may run anywhere.
pub(super) const TOGETHER: &str = "on_one_cpu";
/// In the proof: nanoseconds per round trip, which should be two of them,
pub(super) const ROUND_TRIP: &str = "round_trip_ns";
/// switches of both sides together per round trip,
pub(super) const PER_TRIP: &str = "switches_per_round_trip";
/// and the share of looks that found both on one CPU.
pub(super) const ON_ONE_CPU: &str = "on_one_cpu_share";

/// A side that works for long is now and then interrupted by the kernel's own threads, at most so
/// often; beside work of that length they cost nothing.
const NS_PER_PREEMPTION: f64 = 1e6;

/// Round trips before anything is counted: both sides have met, and their caches are warm.
const WARM_UP: u64 = 3;
/// More migrations than this per round trip, of sides that are pinned, are no accident.
const MIGRATIONS_MAX: f64 = 0.01;

/// Where the sides run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    SameCpu,
    /// On CPUs that have nothing else to do.
    TwoIdle,
    /// On CPUs that somebody keeps awake.
    TwoAwake,
    /// Wherever the scheduler likes.
    Free,
}

/// All of them, in the order in which they are shown.
pub(super) const PLACEMENTS: [Placement; 4] =
    [Placement::SameCpu, Placement::TwoAwake, Placement::TwoIdle, Placement::Free];

impl Placement {
    /// The end of the finding's id.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::SameCpu => "same_cpu",
            Self::TwoIdle => "two_cpus.idle",
            Self::TwoAwake => "two_cpus.awake",
            Self::Free => "free",
        }
    }

    /// Whether the two sides may run at once.
    fn is_across(self) -> bool {
        self != Self::SameCpu
    }

    /// The CPUs of a trial; `pair` is the pair to be used where it takes two, and without one there
    /// are no such places.
    pub(super) fn places(self, trial: &Trial, pair: Option<[usize; 2]>) -> Option<Places> {
        let alike = |cpus: Vec<usize>| Places { here: cpus.clone(), there: cpus };
        match self {
            Self::Free => Some(alike(trial.cpus.clone())),
            Self::SameCpu => Some(alike(vec![trial.home_cpu()])),
            Self::TwoIdle | Self::TwoAwake => {
                pair.map(|[here, there]| Places { here: vec![here], there: vec![there] })
            }
        }
    }
}

/// One of the pairs, in one of its directions, by the trial's own seed.
pub(super) fn draw(pairs: &[[usize; 2]], seed: u64) -> Option<[usize; 2]> {
    let mut random = Random::new(seed);
    let [one, other] = *pairs.get(random.below(pairs.len().max(1)))?;
    Some(if random.below(2) == 0 { [one, other] } else { [other, one] })
}

/// One window of round trips.
pub(super) fn trial(
    medium: Medium,
    kind: Kind,
    placement: Placement,
    places: &Places,
    trial: &Trial,
) -> Result<Observation, Refusal> {
    let channel = Channel::new(medium, kind == Kind::Thread)
        .map_err(|error| no("a channel between two sides", &error))?;
    let looks = match placement {
        Placement::Free => Some(Looks::new().map_err(|error| no("memory to share", &error))?),
        _ => None,
    };
    let here = || looks.iter().for_each(Looks::here);
    let there = || looks.iter().for_each(Looks::there);
    beside(kind, (medium, &channel), places, &there, |sides| {
        let awake = match placement {
            Placement::TwoAwake => Some(Awake::keep(&[places.here[0], places.there[0]])?),
            _ => None,
        };
        turns(&channel, WARM_UP, here)?;
        let mut watched = Watched { sides, awake, looks: looks.as_ref() };
        let mut broken = Ok(());
        let timed = timed(&mut watched, trial.window, |count| {
            if broken.is_ok() {
                broken = turns(&channel, count, here);
            }
        });
        broken?;
        let timed = timed?;
        let per_trip = prove(medium, placement, &timed)?;
        let mut seen = timed.observe(SWITCH, timed.cost_ns() / per_trip);
        seen.proof.insert(PER_TRIP.to_owned(), per_trip);
        seen.proof.insert(ROUND_TRIP.to_owned(), timed.cost_ns());
        let looked = timed.counter(looks::LOOKS).filter(|looks| *looks > 0.0);
        if let Some((all, some)) = looked.zip(timed.counter(looks::TOGETHER)) {
            seen.proof.insert(ON_ONE_CPU.to_owned(), some / all);
            // A trial has both on one CPU or neither, so only all of them together say how often.
            let part = Part { events: some as u64, of: all as u64 };
            seen.readings.insert(TOGETHER.to_owned(), Reading::Share(part));
        }
        Ok(seen)
    })
}

/// Both sides, what keeps their CPUs awake, and where they were seen.
struct Watched<'a> {
    sides: BothSides,
    awake: Option<Awake>,
    looks: Option<&'a Looks>,
}

impl Counted for Watched<'_> {
    fn read(&mut self) -> Vec<(&'static str, f64)> {
        let mut counts = self.sides.read();
        counts.extend(self.awake.as_ref().map(|awake| ("idle_class_spins", awake.spins() as f64)));
        counts.extend(self.looks.iter().flat_map(|looks| looks.counts()));
        counts
    }
}

/// How many switches of both sides a round trip may take: two, but for chance.
///
/// - Across CPUs a side whose partner is quick may find that its turn has come before it sleeps.
/// - A stream socket has one queue for who waits to read and who waits to write. So reading a byte
///   wakes its sender, which has room to write again and wants to read: it goes back to sleep.
fn switches_per_trip(medium: Medium, placement: Placement) -> RangeInclusive<f64> {
    let least = if placement.is_across() { 1.8 } else { 1.9 };
    let most = if medium == Medium::Socketpair { 4.1 } else { 2.1 };
    least..=most
}

/// Refuses what was no ping-pong between places as they were asked for; else the switches per round
/// trip.
pub(super) fn prove(medium: Medium, placement: Placement, timed: &Timed) -> Result<f64, Refusal> {
    let counted = |name| {
        timed.counter(name).ok_or_else(|| Refusal::NotPermitted {
            now: format!("{name} of both sides can't be read (/proc/PID/task/TID/status)"),
            fix: "mount /proc so that this user's processes are visible".into(),
        })
    };
    let trips = timed.calls as f64;
    let switches = counted("voluntary_switches")? + counted("involuntary_switches")?;
    let per_trip = switches / trips;
    let not = |seen: String| Err(Refusal::EventNotProven { seen });
    let trip = Quantity::new(timed.cost_ns(), Unit::Nanoseconds);
    let seen = || format!("{per_trip:.3} switches per round trip of {trip}");
    if medium == Medium::SchedYield && placement.is_across() {
        // Whatever was counted, it was others who got the CPU.
        return not(format!("{}: both sides ran at once, and yielded to nobody", seen()));
    }
    let preempted = timed.elapsed_ns as f64 / NS_PER_PREEMPTION / trips;
    let bounds = switches_per_trip(medium, placement);
    if !(*bounds.start()..=bounds.end() + preempted).contains(&per_trip) {
        return not(format!("{}, where 2 make one", seen()));
    }
    let migrations = timed.counter("migrations").unwrap_or(0.0);
    if placement != Placement::Free && migrations / trips > MIGRATIONS_MAX {
        return not(format!("{migrations} migrations of pinned sides"));
    }
    if timed.counter("idle_class_spins") == Some(0.0) {
        return not("the threads that were to keep the CPUs awake did not run".into());
    }
    Ok(per_trip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_refused_where_nothing_switched() {
        let timed = |switches: f64, migrations: f64| Timed {
            calls: 1000,
            elapsed_ns: 1_000_000,
            counted: vec![
                ("voluntary_switches", switches),
                ("involuntary_switches", 0.0),
                ("migrations", migrations),
            ],
        };
        let prove = |medium, placement, timed| prove(medium, placement, &timed);
        for (medium, placement, switches, migrations, right) in [
            (Medium::Futex, Placement::SameCpu, 2000.0, 0.0, true),
            (Medium::Futex, Placement::SameCpu, 1850.0, 0.0, false),
            (Medium::Futex, Placement::TwoIdle, 1850.0, 0.0, true),
            (Medium::Futex, Placement::TwoIdle, 1700.0, 0.0, false),
            (Medium::Futex, Placement::SameCpu, 10_000.0, 0.0, false),
            (Medium::Futex, Placement::SameCpu, 2000.0, 11.0, false),
            (Medium::Futex, Placement::Free, 2000.0, 500.0, true),
            (Medium::Socketpair, Placement::SameCpu, 3500.0, 0.0, true),
            (Medium::SchedYield, Placement::SameCpu, 2000.0, 0.0, true),
            // The classic mistake: each side yields to nobody, and a program reports 144 ns. Beside
            // somebody else's work it even switches.
            (Medium::SchedYield, Placement::TwoIdle, 2.0, 0.0, false),
            (Medium::SchedYield, Placement::TwoIdle, 2000.0, 0.0, false),
        ] {
            let proven = prove(medium, placement, timed(switches, migrations));
            assert_eq!(proven.is_ok(), right, "{medium:?} {placement:?} {switches} {migrations}");
        }
        let blind = Timed { calls: 1, elapsed_ns: 1, counted: vec![] };
        assert!(
            prove(Medium::Futex, Placement::SameCpu, blind)
                .unwrap_err()
                .to_string()
                .contains("/proc")
        );
    }
}
