//! Whether two findings prove their event alike: if not, one of the two numbers may be of something
//! else.
//!
//! A trial whose own proof fails is refused, so whatever has a number has passed the bounds of its
//! experiment. What is left to be seen here is that one side had a witness that the other lacked,
//! or that what belongs to a call, like its one switch or read, happened more often on one side.

use std::collections::BTreeMap;

/// What counts trials, and not events within one.
const OF_TRIALS: [&str; 2] = ["trials", "refused_trials"];
/// How often the event was repeated in a window; what the others are divided by.
const CALLS: &str = "calls";
const NANOSECONDS: &str = "_ns";
/// What happens this often per call belongs to the call; an interruption or a page fault comes once
/// in thousands.
const PER_CALL_MIN: f64 = 0.5;
/// Of fewer calls a single disturbance would look like a part of each.
const CALLS_MIN: f64 = 100.0;
/// By how much it may differ. A switch across CPUs may be missed once in ten: 1.8 to 2.1 of them
/// pass as two.
const FACTOR_MAX: f64 = 1.25;

type Proof = BTreeMap<String, f64>;

/// In what two proofs differ; nothing where they are alike.
pub(super) fn differs(one: &Proof, other: &Proof) -> Option<String> {
    let counted = |proof: &Proof, name: &String| proof.contains_key(name);
    let names = one.keys().chain(other.keys()).filter(|name| !OF_TRIALS.contains(&name.as_str()));
    for name in names {
        if counted(one, name) != counted(other, name) {
            return Some(format!("proved in another way: {name} was not counted in every run"));
        }
        if let (Some(a), Some(b)) = (per_call(one, name), per_call(other, name))
            && a.max(b) >= PER_CALL_MIN
            && a.max(b) > a.min(b) * FACTOR_MAX
        {
            return Some(format!("not the same event: {name} a call were {a:.3} and {b:.3}"));
        }
    }
    None
}

/// How often this was counted in each call, where it is something that can be.
fn per_call(proof: &Proof, name: &str) -> Option<f64> {
    let calls = *proof.get(CALLS).filter(|calls| **calls >= CALLS_MIN)?;
    (name != CALLS && !name.ends_with(NANOSECONDS)).then_some(*proof.get(name)? / calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    const READS: [(&str, f64); 3] = [("calls", 1e4), ("kernel_reads", 1e4), ("trials", 50.0)];

    fn proof(counts: &[(&str, f64)]) -> Proof {
        counts.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect()
    }

    #[test]
    fn what_is_proved_alike_may_be_compared() {
        for (one, other, says) in [
            (&READS[..], &READS[..], None),
            // How many trials there were is no proof of what happened in one.
            (&READS, &[("calls", 9e3), ("kernel_reads", 9e3), ("refused_trials", 3.0)], None),
            (&READS, &[("calls", 1e4)], Some("kernel_reads was not counted")),
            (&[("calls", 1e4)], &READS, Some("kernel_reads was not counted")),
            (&READS, &[("calls", 1e4), ("kernel_reads", 5e3)], Some("1.000 and 0.500")),
            // A few disturbances, or many more calls in the same window, change no event.
            (&[("calls", 1e4), ("faults", 0.0)], &[("calls", 1e4), ("faults", 9.0)], None),
            (&[("calls", 3.0), ("faults", 0.0)], &[("calls", 3.0), ("faults", 3.0)], None),
            (&[("calls", 1e4), ("delay_ns", 0.0)], &[("calls", 1e4), ("delay_ns", 1e5)], None),
            (&[("calls", 1e4), ("switches", 1.8e4)], &[("calls", 1e4), ("switches", 2e4)], None),
        ] {
            let told = differs(&proof(one), &proof(other));
            match says {
                None => assert_eq!(told, None, "{one:?} {other:?}"),
                Some(says) => {
                    assert!(told.as_ref().is_some_and(|it| it.contains(says)), "{told:?}")
                }
            }
        }
    }
}
