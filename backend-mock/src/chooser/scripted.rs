//! Answers from a list.

use std::collections::VecDeque;

use super::{Chooser, Site};

/// Gives the listed answers in order, then 0 for ever. An answer that is out of range becomes the
/// last that is in range.
///
/// ```
/// use ringfence_mock::chooser::{Chooser, Scripted, Site};
/// let mut chooser = Scripted::new([2, 9]);
/// assert_eq!(chooser.choose(Site::Which, 4), 2);
/// assert_eq!(chooser.choose(Site::Which, 4), 3); // 9 is out of range: the last that is in it
/// assert_eq!(chooser.choose(Site::Which, 4), 0); // the list is over
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scripted {
    answers: VecDeque<u32>,
}
impl Scripted {
    /// Always 0: a prompt, healthy, orderly device.
    pub fn tame() -> Self {
        Self::default()
    }
    /// These answers, then 0.
    pub fn new(answers: impl IntoIterator<Item = u32>) -> Self {
        Self { answers: answers.into_iter().collect() }
    }
    /// The answers that are left.
    pub fn left(&self) -> usize {
        self.answers.len()
    }
}
impl Chooser for Scripted {
    fn choose(&mut self, _at: Site, n: u32) -> u32 {
        self.answers.pop_front().unwrap_or(0).min(n - 1)
    }
}
