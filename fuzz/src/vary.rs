//! Seeded variations of an input, and making a faulty one small.

/// `input` with a few bytes changed, dropped, doubled or moved, as `seed` says.
pub(crate) fn vary(input: &[u8], seed: u64) -> Vec<u8> {
    let mut random = SplitMix(seed);
    let mut varied = input.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(varied.len() + 1);
        let end = (at + random.below(12)).min(varied.len());
        match random.below(4) {
            0 => varied.insert(at, random.byte()),
            1 => drop(varied.drain(at..end)),
            2 => {
                let piece = varied[at..end].to_vec();
                let to = random.below(varied.len() + 1);
                varied.splice(to..to, piece);
            }
            _ => {
                if let Some(byte) = varied.get_mut(at) {
                    *byte = random.byte();
                }
            }
        }
    }
    varied
}

/// A smaller input that is still faulty: pieces are dropped, then bytes are made 0, as long as that works.
pub(crate) fn shrink(input: &[u8], is_faulty: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut small = input.to_vec();
    let mut piece = small.len().div_ceil(2);
    while piece > 0 {
        let mut at = 0;
        while at < small.len() {
            let mut smaller = small.clone();
            smaller.drain(at..(at + piece).min(small.len()));
            if is_faulty(&smaller) {
                small = smaller;
            } else {
                at += piece;
            }
        }
        piece /= 2;
    }
    for at in 0..small.len() {
        let byte = std::mem::take(&mut small[at]);
        if byte != 0 && !is_faulty(&small) {
            small[at] = byte;
        }
    }
    small
}

/// Bytes that mean something to a parser, or to nobody.
const INTERESTING: &[u8] = b"{}[]=\"'\\,.#\n\r\t 09-_ex\0\x7f\x80\xc3\xff";

/// A small generator with a fixed sequence for each seed (SplitMix64).
pub(crate) struct SplitMix(u64);
impl SplitMix {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }
    /// Any byte.
    pub(crate) fn any(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
    /// Half of the time one of [`INTERESTING`], else any.
    fn byte(&mut self) -> u8 {
        match self.below(2) {
            0 => INTERESTING[self.below(INTERESTING.len())],
            _ => self.any(),
        }
    }
    /// A number below `bound`; 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).expect("a length fits into 64 bits");
        usize::try_from(self.next() % bound).expect("below a usize")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_variation() {
        let input = b"name = 'x'";
        assert_eq!(vary(input, 7), vary(input, 7));
        assert!((0..20).any(|seed| vary(input, seed) != input));
        vary(b"", 3);
    }

    #[test]
    fn what_matters_is_left() {
        let small = shrink(b"a long text with a Z and a Q in it", |input| {
            input.contains(&b'Z') && input.contains(&b'Q')
        });
        assert_eq!(small, b"ZQ");
    }
}
