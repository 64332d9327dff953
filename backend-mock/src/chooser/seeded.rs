//! Answers from a small generator: fast, reproducible, good enough to shuffle.

use super::{Chooser, MAX_MOVES, Odds, Site};

/// A chooser whose answers follow from a seed and the odds alone.
///
/// ```
/// use ringfence_mock::chooser::{Chooser, Profile, Seeded, Site};
/// let draws = |seed| {
///     let mut chooser = Seeded::new(seed, Profile::Busy.odds());
///     [(); 16].map(|()| chooser.choose(Site::Which, 8))
/// };
/// assert_eq!(draws(1), draws(1)); // so that a seed is all that a report needs
/// assert_ne!(draws(1), draws(2));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seeded {
    state: u64,
    odds: Odds,
}
impl Seeded {
    /// The same seed and odds give the same answers.
    pub fn new(seed: u64, odds: Odds) -> Self {
        Self { state: seed, odds }
    }
    /// Steele, Lea and Flood's SplitMix64: one addition and two multiplications.
    #[inline]
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// One of `0..n`, from the upper half of a draw. The bias for small `n` is below 2^-24.
    #[inline]
    fn below(draw: u64, n: u32) -> u32 {
        (((draw >> 32) * u64::from(n)) >> 32) as u32
    }
}
impl Chooser for Seeded {
    #[inline]
    fn choose(&mut self, at: Site, n: u32) -> u32 {
        if n < 2 {
            return 0;
        }
        if at == Site::ReadIndex
            && let Some(habit) = self.odds.read_index
        {
            return (habit as u32).min(n - 1);
        }
        let draw = self.next();
        if draw & 0xff >= self.odds.chance(at).of_256() {
            return 0;
        }
        match at {
            // 0 is "all that is due": a slow device makes 0 to MAX_MOVES - 1 moves.
            Site::Moves => 1 + Self::below(draw, n.min(MAX_MOVES + 1) - 1),
            Site::ReadIndex | Site::Lane | Site::Which => Self::below(draw, n),
            Site::Batch | Site::Patience | Site::Interrupt | Site::Handler | Site::Stamps => {
                1 + Self::below(draw, n - 1)
            }
        }
    }
}
