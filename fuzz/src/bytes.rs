//! Choices from bytes; when the bytes are used up, every choice is the first.

/// The bytes that are left.
#[derive(Debug)]
pub(crate) struct Bytes<'a> {
    left: &'a [u8],
}
impl<'a> Bytes<'a> {
    pub(crate) fn new(all: &'a [u8]) -> Self {
        Self { left: all }
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.left.is_empty()
    }
    pub(crate) fn byte(&mut self) -> u8 {
        let (first, rest) = self.left.split_first().unwrap_or((&0, &[]));
        self.left = rest;
        *first
    }
    /// One of `0..n`; `n` is at least 1.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        u32::from(self.byte()) % n
    }
    /// One of `all`, which is not empty.
    pub(crate) fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::from(self.byte()) % all.len()]
    }
}
