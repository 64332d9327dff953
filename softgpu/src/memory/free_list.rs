//! Free ranges of an arena.

use std::collections::BTreeMap;

/// Free ranges by start; no two of them touch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FreeList {
    free: BTreeMap<u64, u64>,
    bytes: u64,
}
impl FreeList {
    /// All of `start..start + bytes` is free.
    pub fn new(start: u64, bytes: u64) -> Self {
        Self { free: BTreeMap::from([(start, bytes)]), bytes }
    }
    /// How much is free.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
    /// Takes the first `bytes` that begin at a multiple of `align`.
    pub fn take(&mut self, bytes: u64, align: u64) -> Option<u64> {
        let fits = |(&start, &length): (&u64, &u64)| {
            let at = start.next_multiple_of(align);
            let room = (start + length).saturating_sub(at);
            (bytes <= room).then_some((start, length, at))
        };
        let (start, length, at) = self.free.iter().find_map(fits)?;
        self.free.remove(&start);
        if at > start {
            self.free.insert(start, at - start);
        }
        if at + bytes < start + length {
            self.free.insert(at + bytes, start + length - at - bytes);
        }
        self.bytes -= bytes;
        Some(at)
    }
    /// Gives back what [`take`](Self::take) took.
    pub fn give(&mut self, at: u64, bytes: u64) {
        self.bytes += bytes;
        let (mut start, mut length) = (at, bytes);
        if let Some((&before, &its)) = self.free.range(..at).next_back()
            && before + its == at
        {
            self.free.remove(&before);
            (start, length) = (before, its + bytes);
        }
        if let Some(after) = self.free.remove(&(at + bytes)) {
            length += after;
        }
        self.free.insert(start, length);
    }
}
