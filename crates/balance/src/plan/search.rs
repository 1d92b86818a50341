//! The least whole number that is enough.

use crate::Error;

/// The least number from `least` to `most` for which `enough` says yes, where it says yes to all
/// above one that it said yes to; `None` where it says no to `most`. It is first asked near
/// `least`: the answer is seldom far.
pub(crate) fn least(
    least: u64,
    most: u64,
    mut enough: impl FnMut(u64) -> Result<bool, Error>,
) -> Result<Option<u64>, Error> {
    // All below `low` are too few; the first above `high` was enough, or is out of range.
    let (mut low, mut stride) = (least, 1u64);
    let mut high = loop {
        let at = low.saturating_add(stride - 1).min(most);
        if enough(at)? {
            break at;
        }
        if at == most {
            return Ok(None);
        }
        low = at + 1;
        stride = stride.saturating_mul(2);
    };
    while low < high {
        let middle = low + (high - low) / 2;
        match enough(middle)? {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Ok(Some(low))
}

#[test]
fn the_least_is_found_wherever_it_is() {
    for wanted in 3..200 {
        assert_eq!(least(3, 150, |at| Ok(at >= wanted)), Ok((wanted <= 150).then_some(wanted)));
    }
    assert_eq!(least(1, u64::MAX, |at| Ok(at > 1 << 60)), Ok(Some((1 << 60) + 1)));
    assert_eq!(least(1, 9, |_| Err(Error::Stopped)), Err(Error::Stopped));
}
