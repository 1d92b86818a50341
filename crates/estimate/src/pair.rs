//! Two cases of one run against each other: by their ratio in each round, never by two medians.

use record::{Recorded, RestsOn};
use stats::{Comparison, derive_seed, ratios, within};

use crate::{floor_of, series, twins};

/// The ratio `of / to` in the rounds that have both, judged with the noise floor of all twins; none
/// where too few starts have such rounds.
pub fn pair(recorded: &Recorded, of: &RestsOn, to: &RestsOn) -> Option<Comparison> {
    let side = |it: &RestsOn| series(recorded, &it.case, &it.metric);
    // The words of `derived_ratio`: the same two cases yield the same interval by either way.
    let names = [of.case.as_str(), &to.case, &of.metric].join("/");
    let floor = floor_of(&twins(recorded)).unwrap_or(0.0);
    within(&ratios(&side(of), &side(to)), floor, derive_seed(recorded.seed, &names))
}
