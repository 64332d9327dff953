//! Choices at random, from a seed: no two runs of threads are alike, but their choices are.

use std::time::Duration;

use crate::settings::Span;

/// A source of numbers (xorshift64*, Vigna 2016).
#[derive(Clone, Debug)]
pub struct Chance(u64);
impl Chance {
    /// The choices of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    /// A number of `least..=most`.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        match most.saturating_sub(least) {
            0 => least,
            u64::MAX => self.next(),
            width => least + ((u128::from(self.next()) * u128::from(width + 1)) >> 64) as u64,
        }
    }
    /// A duration of a span.
    pub fn within(&mut self, span: Span) -> Duration {
        if span.least >= span.most {
            return span.least;
        }
        let nanoseconds = |duration: Duration| duration.as_nanos() as u64;
        Duration::from_nanos(self.between(nanoseconds(span.least), nanoseconds(span.most)))
    }
}

#[cfg(test)]
mod tests;
