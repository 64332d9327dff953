//! What the mock's work has written: the mock itself knows times and order, and no values.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use ringfence::{
    backend::streams::StreamProgress,
    id::{Position, RawProgress},
};
use ringfence_mock::streams::{seen::OpId, system::MockStreams};

use super::super::Spot;

/// A word that the mock's work writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MockCell(u32);

/// What one piece of work does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    Set(Spot<MockCell>, u32),
    Copy(Spot<MockCell>, Spot<MockCell>),
}

#[derive(Debug, Default)]
pub(super) struct Values {
    next: AtomicU32,
    state: Mutex<State>,
}
#[derive(Debug, Default)]
struct State {
    words: HashMap<Spot<MockCell>, u32>,
    kept: Kept,
    /// How many host functions were seen.
    seen: usize,
}
/// What submitted work does once it has run.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// What a node of a graph does at each launch.
    nodes: HashMap<OpId, Effect>,
    /// What has happened once this host function has run: it follows the work on its stream.
    witnessed: HashMap<OpId, Vec<Effect>>,
    /// What has happened once this word is so far: where a host function would be recorded.
    marked: Vec<(RawProgress, Position, Vec<Effect>)>,
}
impl Kept {
    pub(super) fn node(&mut self, op: OpId, effect: Effect) {
        self.nodes.insert(op, effect);
    }
    /// What these nodes do together.
    pub(super) fn of_nodes(&self, nodes: &[OpId]) -> Vec<Effect> {
        nodes.iter().filter_map(|node| self.nodes.get(node).copied()).collect()
    }
    pub(super) fn witness(&mut self, by: OpId, effects: Vec<Effect>) {
        self.witnessed.insert(by, effects);
    }
    pub(super) fn witness_by_mark(&mut self, word: RawProgress, at: Position, does: Vec<Effect>) {
        self.marked.push((word, at, does));
    }
}

impl Values {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub(super) fn cell(&self) -> MockCell {
        MockCell(self.next.fetch_add(1, Ordering::Relaxed))
    }
    pub(super) fn store(&self, to: Spot<MockCell>, value: u32) {
        self.state().words.insert(to, value);
    }
    pub(super) fn apply(&self, effects: &[Effect]) {
        self.state().apply(effects);
    }
    /// Submits something, with what it does: nobody sees the one without the other.
    pub(super) fn submit<T>(&self, submit: impl FnOnce(&mut Kept) -> T) -> T {
        submit(&mut self.state().kept)
    }
    /// Does what finished work did, in the order of its end, and reads a word.
    pub(super) fn read(&self, driver: &MockStreams, from: Spot<MockCell>) -> u32 {
        let mut state = self.state();
        let seen = state.seen;
        let new = driver.with_model(|model| model.host_functions()[seen..].to_vec());
        state.seen += new.len();
        for function in new {
            let effects = state.kept.witnessed.remove(&function).unwrap_or_default();
            state.apply(&effects);
        }
        let waiting = std::mem::take(&mut state.kept.marked);
        for (word, at, effects) in waiting {
            if driver.observe(word) >= at {
                state.apply(&effects);
            } else {
                state.kept.marked.push((word, at, effects));
            }
        }
        state.word(from)
    }
}
impl State {
    fn word(&self, from: Spot<MockCell>) -> u32 {
        self.words.get(&from).copied().unwrap_or(0)
    }
    fn apply(&mut self, effects: &[Effect]) {
        for effect in effects {
            let (to, value) = match *effect {
                Effect::Set(to, value) => (to, value),
                Effect::Copy(from, to) => (to, self.word(from)),
            };
            self.words.insert(to, value);
        }
    }
}
