//! What is still to be looked at, and what was: shared by the threads of a search.
//!
//! States are looked at in the order of the moves that lead to them (Dijkstra's order), so that the first
//! way to a broken rule is a shortest one. Threads take states of one length alone: one of them may still
//! find a shorter way while another would have gone on.

use std::{
    collections::HashMap,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use super::{
    Bounds,
    outcome::{Broken, Limit},
};
use crate::chooser::Point;

/// A choice, and the answers that lead there.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) answers: Vec<u16>,
    pub(super) point: Point,
    pub(super) moves: u32,
}

/// What came of one answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Successor {
    /// Another choice.
    State(u64),
    /// The end of a schedule.
    Over(u64),
    /// A broken rule.
    Broken,
}

/// What the threads share.
#[derive(Debug)]
pub(super) struct Pool<F> {
    /// By the number of moves.
    waiting: Vec<Vec<Node>>,
    lowest: usize,
    busy: usize,
    /// Each state, with what follows from it once that is known.
    pub(super) seen: HashMap<u64, Vec<Successor>>,
    pub(super) again: Vec<Node>,
    pub(super) transitions: u64,
    pub(super) hits: u64,
    pub(super) deepest: usize,
    pub(super) ends: std::collections::BTreeSet<u64>,
    pub(super) broken: Vec<Broken<F>>,
    pub(super) limit: Option<Limit>,
    /// States with so many moves before them, or more, are not wanted any more.
    enough: Option<u32>,
    done: bool,
}
impl<F> Default for Pool<F> {
    fn default() -> Self {
        Self {
            waiting: Vec::new(),
            lowest: 0,
            busy: 0,
            seen: HashMap::new(),
            again: Vec::new(),
            transitions: 0,
            hits: 0,
            deepest: 0,
            ends: std::collections::BTreeSet::new(),
            broken: Vec::new(),
            limit: None,
            enough: None,
            done: false,
        }
    }
}

#[derive(Debug)]
pub(super) struct Frontier<F> {
    pool: Mutex<Pool<F>>,
    more: Condvar,
    bounds: Bounds,
    recheck: u64,
    begun: Instant,
}

impl<F> Frontier<F> {
    pub(super) fn new(bounds: Bounds, recheck: u64) -> Self {
        let (pool, more) = (Mutex::default(), Condvar::new());
        Self { pool, more, bounds, recheck: recheck.max(1), begun: Instant::now() }
    }
    pub(super) fn lock(&self) -> MutexGuard<'_, Pool<F>> {
        // A thread that panicked has left nothing half done: each update is one of a whole state.
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub(super) fn into_pool(self) -> Pool<F> {
        self.pool.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
    /// A choice was met.
    pub(super) fn met(&self, pool: &mut Pool<F>, node: Node) {
        if pool.seen.contains_key(&node.point.key) {
            return self.met_again(pool, node);
        }
        if pool.enough.is_some_and(|enough| node.moves >= enough) {
            return;
        }
        if node.answers.len() >= self.bounds.choices {
            pool.limit = pool.limit.or(Some(Limit::Choices));
            return;
        }
        let at = node.moves as usize;
        if pool.waiting.len() <= at {
            pool.waiting.resize_with(at + 1, Vec::new);
        }
        pool.lowest = pool.lowest.min(at);
        pool.waiting[at].push(node);
    }
    /// A state that was met before: one in so many is kept, to see whether the same follows from it.
    fn met_again(&self, pool: &mut Pool<F>, node: Node) {
        pool.hits += 1;
        if pool.hits.is_multiple_of(self.recheck) {
            pool.again.push(node);
        }
    }
    /// The next state to look at; `None` when there is none, or no time.
    pub(super) fn take(&self) -> Option<Node> {
        let mut pool = self.lock();
        loop {
            if pool.done {
                return None;
            }
            if let Some(limit) = self.reached(&pool) {
                pool.limit = Some(limit);
                return self.finish(&mut pool);
            }
            while pool.waiting.get(pool.lowest).is_some_and(Vec::is_empty) && pool.busy == 0 {
                pool.lowest += 1;
            }
            let lowest = pool.lowest;
            match pool.waiting.get_mut(lowest).and_then(Vec::pop) {
                Some(node) if pool.seen.contains_key(&node.point.key) => {
                    self.met_again(&mut pool, node);
                }
                Some(node) => {
                    pool.seen.insert(node.point.key, Vec::new());
                    pool.deepest = pool.deepest.max(node.answers.len());
                    pool.busy += 1;
                    return Some(node);
                }
                None if pool.busy == 0 => return self.finish(&mut pool),
                None => pool = self.more.wait(pool).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
    /// All that follows from a state was entered.
    pub(super) fn looked_at(
        &self,
        mut pool: MutexGuard<'_, Pool<F>>,
        key: u64,
        then: Vec<Successor>,
    ) {
        pool.transitions += then.len() as u64;
        pool.seen.insert(key, then);
        pool.busy -= 1;
        drop(pool);
        self.more.notify_all();
    }
    /// Nothing more is wanted from a state that has `moves` or more before it.
    pub(super) fn content_with(&self, pool: &mut Pool<F>, moves: u32) {
        pool.enough = Some(pool.enough.map_or(moves, |enough| enough.min(moves)));
        for longer in pool.waiting.iter_mut().skip(moves as usize) {
            longer.clear();
        }
    }
    fn finish(&self, pool: &mut Pool<F>) -> Option<Node> {
        pool.done = true;
        self.more.notify_all();
        None
    }
    fn reached(&self, pool: &Pool<F>) -> Option<Limit> {
        if pool.seen.len() as u64 >= self.bounds.states {
            Some(Limit::States)
        } else if self.begun.elapsed() >= self.bounds.time {
            Some(Limit::Time)
        } else {
            None
        }
    }
}
