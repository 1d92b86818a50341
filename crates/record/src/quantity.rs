//! Numbers with their unit, and the one way in which Fathom prints them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a finding's numbers are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
    /// Events per second.
    #[serde(rename = "1/s")]
    PerSecond,
    /// One quantity divided by another of the same unit.
    #[serde(rename = "ratio")]
    Ratio,
    /// How many.
    #[serde(rename = "count")]
    Count,
    /// Bytes; printed in multiples of 1024.
    #[serde(rename = "bytes")]
    Bytes,
    /// A part of a whole, 0 to 1; printed in per cent.
    #[serde(rename = "share")]
    Share,
}

/// A number with its unit; `Display` is how a person reads it: three significant digits and the
/// largest unit that leaves at least 1 before the point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// The number, counted in `unit`.
    pub value: f64,
    /// What it is counted in.
    pub unit: Unit,
}

impl Quantity {
    /// `value` counted in `unit`.
    pub fn new(value: f64, unit: Unit) -> Self {
        Self { value, unit }
    }

    /// The scaled number and its suffix, chosen for a value of this size.
    fn scaled(self) -> (f64, &'static str) {
        let value = self.value;
        match self.unit {
            Unit::Nanoseconds => {
                pick(value, &[(1e9, " s"), (1e6, " ms"), (1e3, " µs"), (1.0, " ns")])
            }
            Unit::PerSecond => (value, "/s"),
            Unit::Count => (value, ""),
            Unit::Bytes => pick(value, &[(GIB, " GiB"), (MIB, " MiB"), (KIB, " KiB"), (1.0, " B")]),
            Unit::Ratio => (value, "x"),
            Unit::Share => (value * 100.0, " %"),
        }
    }

    /// The number as somebody else published it: no digit is added to theirs, nor by scaling it.
    pub fn as_published(self) -> String {
        let (number, suffix) = self.scaled();
        format!("{}{suffix}", six_digits(number))
    }

    /// The number as an edge of bins that are `width` wide and end at `most`: scaled as that is,
    /// and with as many digits as tell one edge from the next.
    pub fn edge(self, width: f64, most: f64) -> String {
        let (_, suffix) = Self::new(most, self.unit).scaled();
        let factor = factor_of(self.unit, suffix);
        let digits = (1.0 - (width / factor).abs().log10().floor()).clamp(0.0, 9.0);
        // Of no width, or none that is a number, the usual digits do.
        if !(width > 0.0 && (1e-6..1e9).contains(&(most / factor).abs())) {
            return self.to_string();
        }
        format!("{:.*}{suffix}", digits as usize, self.value / factor)
    }

    /// `low to high unit`, both scaled alike so that they can be compared at a glance.
    pub fn range(low: f64, high: f64, unit: Unit) -> String {
        let (_, suffix) = Self::new(high.abs().max(low.abs()), unit).scaled();
        let factor = factor_of(unit, suffix);
        let text = |number: f64| match unit {
            Unit::PerSecond | Unit::Count => grouped(number),
            _ => three_digits(number / factor),
        };
        format!("{} to {}{suffix}", text(low), text(high))
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.unit == Unit::PerSecond {
            return out.pad(&format!("{}/s", grouped(self.value)));
        }
        if self.unit == Unit::Count {
            return out.pad(&grouped(self.value));
        }
        if self.unit == Unit::Share && (SHARE_ALL_BUT..1.0).contains(&self.value) {
            // All is a word that must be true.
            return out.pad(">99.9 %");
        }
        let (number, suffix) = self.scaled();
        out.pad(&format!("{}{suffix}", three_digits(number)))
    }
}

const KIB: f64 = 1024.0;
const MIB: f64 = 1024.0 * KIB;
const GIB: f64 = 1024.0 * MIB;

/// A share from here on rounds to 100 % in three digits.
const SHARE_ALL_BUT: f64 = 0.9995;

/// What one step of a printed `suffix` is worth in `unit`.
fn factor_of(unit: Unit, suffix: &str) -> f64 {
    match (unit, suffix.trim()) {
        (Unit::Nanoseconds, "s") => 1e9,
        (Unit::Nanoseconds, "ms") => 1e6,
        (Unit::Nanoseconds, "µs") => 1e3,
        (Unit::Share, _) => 0.01,
        (Unit::Bytes, "GiB") => GIB,
        (Unit::Bytes, "MiB") => MIB,
        (Unit::Bytes, "KiB") => KIB,
        _ => 1.0,
    }
}

/// The first step whose size `value` reaches once rounded to three digits: 999.7 ns is 1.00 µs.
fn pick(value: f64, steps: &[(f64, &'static str)]) -> (f64, &'static str) {
    let last = steps.len() - 1;
    let fits = |step: &&(f64, &str)| value.abs() / step.0 >= 0.9995;
    let (size, suffix) = *steps.iter().find(fits).unwrap_or(&steps[last]);
    (value / size, suffix)
}

/// Three significant digits, in plain notation; very large and very small values in scientific.
fn three_digits(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-6..1e9).contains(&size) {
        return format!("{value:.2e}");
    }
    let decimals = (2 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.decimals$}");
    // Rounding may have gained a digit: 9.996 is 10.0, not 10.00.
    let gained = text.trim_start_matches('-').replace('.', "").trim_start_matches('0').len() > 3;
    if gained && decimals > 0 { format!("{value:.*}", decimals - 1) } else { text }
}

/// As many digits as there are, but of a fraction six at most: 0.07 is 7.000000000000001 %.
fn six_digits(value: f64) -> String {
    let fine = |value: f64| value == 0.0 || (1e-6..1e15).contains(&value.abs());
    if value.fract() == 0.0 && fine(value) {
        return value.to_string();
    }
    let rounded = format!("{value:.5e}").parse().unwrap_or(value);
    if fine(rounded) { rounded.to_string() } else { format!("{rounded:e}") }
}

/// Three significant digits of a count, its thousands set apart: `51,800`.
pub fn grouped(value: f64) -> String {
    let size = value.abs();
    if !(1000.0..1e15).contains(&size) {
        return three_digits(value);
    }
    let step = 10f64.powi(size.log10().floor() as i32 - 2);
    let digits = format!("{:.0}", (size / step).round() * step);
    let mut text = String::from(if value < 0.0 { "-" } else { "" });
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share or a relative difference in per cent: `1.9 %`.
pub fn percent(share: f64) -> String {
    Quantity::new(share, Unit::Share).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edges of bins a fifth of a nanosecond apart all read "101 ns".
    #[test]
    fn edges_are_told_apart() {
        let edge = |value, width, most| Quantity::new(value, Unit::Nanoseconds).edge(width, most);
        assert_eq!(edge(100.36, 0.18, 140.0), "100.36 ns");
        assert_eq!(edge(1536.0, 20.0, 2500.0), "1.536 µs");
        assert_eq!(edge(180.0, 5.7, 260.0), "180.0 ns");
        assert_eq!(edge(100.0, 0.0, 100.0), "100 ns");
        assert_eq!(edge(1.0, f64::NAN, f64::INFINITY), "1.00 ns");
    }

    /// Ten of four million were not equal, and it read "100 %".
    #[test]
    fn all_but_a_few_are_not_all() {
        for (value, shown) in
            [(1.0, "100 %"), (0.999_999_8, ">99.9 %"), (0.9994, "99.9 %"), (0.0, "0 %")]
        {
            assert_eq!(Quantity::new(value, Unit::Share).to_string(), shown);
        }
    }

    #[test]
    fn prints_three_digits_in_the_largest_fitting_unit() {
        use Unit::{Nanoseconds, PerSecond, Ratio, Share};
        for (value, unit, text) in [
            (0.0, Nanoseconds, "0 ns"),
            (0.2345, Nanoseconds, "0.234 ns"),
            (1.0, Nanoseconds, "1.00 ns"),
            (9.996, Nanoseconds, "10.0 ns"),
            (193.4, Nanoseconds, "193 ns"),
            (999.4, Nanoseconds, "999 ns"),
            (999.7, Nanoseconds, "1.00 µs"),
            (1234.0, Nanoseconds, "1.23 µs"),
            (65_100.0, Nanoseconds, "65.1 µs"),
            (2.5e9, Nanoseconds, "2.50 s"),
            (51_840.0, PerSecond, "51,800/s"),
            (999.0, PerSecond, "999/s"),
            (999_999.0, PerSecond, "1,000,000/s"),
            (-1234.0, PerSecond, "-1,230/s"),
            (5.3, Ratio, "5.30x"),
            (0.0191, Share, "1.91 %"),
            (-12.34, Nanoseconds, "-12.3 ns"),
            (1e300, Ratio, "1.00e300x"),
        ] {
            assert_eq!(Quantity::new(value, unit).to_string(), text);
        }
    }

    #[test]
    fn what_others_published_gains_no_digits() {
        for (value, text) in [(67.0, "67 ns"), (0.5, "0.5 ns"), (2500.0, "2.5 µs")] {
            assert_eq!(Quantity::new(value, Unit::Nanoseconds).as_published(), text);
        }
    }

    /// It read "7.000000000000001 %".
    #[test]
    fn scaling_adds_no_digits_to_what_others_published() {
        for (value, unit, text) in [
            (0.07, Unit::Share, "7 %"),
            (0.056, Unit::Share, "5.6 %"),
            (0.1 + 0.2, Unit::Ratio, "0.3x"),
            (1_048_576.0, Unit::Count, "1048576"),
            (0.0, Unit::Share, "0 %"),
            (1e300, Unit::Ratio, "1e300x"),
            (1.25e-9, Unit::Ratio, "1.25e-9x"),
        ] {
            assert_eq!(Quantity::new(value, unit).as_published(), text);
        }
    }

    #[test]
    fn a_range_has_one_unit() {
        assert_eq!(Quantity::range(980.0, 1020.0, Unit::Nanoseconds), "0.980 to 1.02 µs");
        assert_eq!(Quantity::range(0.01, 0.03, Unit::Share), "1.00 to 3.00 %");
        assert_eq!(Quantity::range(190.0, 197.0, Unit::Nanoseconds), "190 to 197 ns");
        assert_eq!(Quantity::range(-1500.0, 40.0, Unit::Nanoseconds), "-1.50 to 0.0400 µs");
        let bytes = |value| Quantity::new(value, Unit::Bytes);
        assert_eq!(bytes(524_288.0).as_published(), "512 KiB");
        assert_eq!(bytes(1e9).to_string(), "954 MiB");
        // As a single number of these is printed.
        assert_eq!(Quantity::range(49_840.0, 1e6, Unit::PerSecond), "49,800 to 1,000,000/s");
        assert_eq!(Quantity::range(999.0, 1234.0, Unit::Count), "999 to 1,230");
    }
}
