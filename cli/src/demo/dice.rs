//! Reproducible random numbers for the mix.

/// Steele, Lea and Flood's SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);
impl Dice {
    /// The same seed gives the same numbers.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// One of `0..sides`. The bias is below 2^-22 for the few sides that the mix needs.
    pub(crate) fn below(&mut self, sides: u32) -> u32 {
        (((self.next() >> 32) * u64::from(sides)) >> 32) as u32
    }
}
