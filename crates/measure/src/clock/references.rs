//! What others measured.

use record::Reference;

const SOURCE: &str = "E. Jones, How often do nanosecond timestamps collide? (2023)";
const I5: &str = "i5-1135G7";
const M1: &str = "M1 Max, macOS";

/// Finding, machine, value in the finding's unit. The published program read in a tight loop; its
/// threads did not start together, and its shares are of all readings, overlapping or not.
const PUBLISHED: [(&str, &str, f64); 7] = [
    ("clock.realtime.collisions.threads_2.tight", I5, 0.02),
    ("clock.realtime.collisions.threads_8.tight", I5, 0.056),
    ("clock.realtime.step", I5, 32.0),
    ("clock.realtime.step", M1, 1000.0),
    ("clock.realtime.equal_neighbours", M1, 0.96),
    ("clock.monotonic.step", M1, 42.0),
    ("clock.monotonic.equal_neighbours", M1, 0.20),
];

/// The references of a finding; empty where nobody's is known.
pub(super) fn of(finding: &str) -> Vec<Reference> {
    let reference = |&(_, machine, value): &(&str, &str, f64)| Reference {
        machine: machine.to_owned(),
        year: 2023,
        value,
        source: SOURCE.to_owned(),
    };
    PUBLISHED.iter().filter(|(id, ..)| *id == finding).map(reference).collect()
}
