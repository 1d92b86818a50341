//! The experiments that there are, in the order in which a survey asks them.

use lab::Experiment;

/// All of them.
pub const ALL: &[&dyn Experiment] = &[&measure::Clocks, &measure::Syscall, &measure::Switch];

/// The experiment of this name.
pub fn by_name(name: &str) -> Option<&'static dyn Experiment> {
    ALL.iter().copied().find(|experiment| experiment.about().name == name)
}
