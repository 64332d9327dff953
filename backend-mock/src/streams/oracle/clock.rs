//! Which work is ordered after which: a vector clock over streams.

use std::{collections::BTreeMap, sync::Arc};

use super::stream::Life;
use crate::streams::seen::OpId;

/// For each other stream, the last piece of work that is waited for: pieces are numbered in the order of
/// submission over the whole driver, so that one number covers all earlier ones of its stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock(Arc<BTreeMap<Life, OpId>>);
impl Clock {
    /// Whether `op` of stream `of` is waited for.
    pub(super) fn covers(&self, of: Life, op: OpId) -> bool {
        self.0.get(&of).is_some_and(|&last| op <= last)
    }
    /// From here on `op` of stream `of` is waited for.
    pub(super) fn add(&mut self, of: Life, op: OpId) {
        if !self.covers(of, op) {
            Arc::make_mut(&mut self.0).insert(of, op);
        }
    }
    /// From here on all that `other` waits for is waited for.
    pub(super) fn join(&mut self, other: &Self) {
        if Arc::ptr_eq(&self.0, &other.0) {
            return;
        }
        for (&of, &op) in other.0.iter() {
            self.add(of, op);
        }
    }
    /// Forgets what `still` says is finished, so that a long run does not grow.
    pub(super) fn prune(&mut self, still: impl Fn(Life, OpId) -> bool) {
        if self.0.iter().any(|(&of, &op)| !still(of, op)) {
            Arc::make_mut(&mut self.0).retain(|&of, &mut op| still(of, op));
        }
    }
}
