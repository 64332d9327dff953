//! A driver in the hands of something that may be leaked.

use std::{
    fmt,
    sync::{Arc, Weak},
};

use super::{MockStreams, Shared};
use crate::streams::seen::{Caller, Declaration};

/// A driver, of which this keeps no part alive.
#[derive(Clone)]
pub(crate) struct Leakable(Weak<Shared>);
impl MockStreams {
    /// For what may be leaked, and is to tell the oracle if it is not.
    pub(crate) fn downgrade(&self) -> Leakable {
        Leakable(Arc::downgrade(&self.shared))
    }
}
impl Leakable {
    /// Tells the oracle, while there is one.
    pub(crate) fn declare(&self, said: Declaration) {
        if let Some(shared) = self.0.upgrade() {
            MockStreams { shared, caller: Caller::Library }.declare(said);
        }
    }
}
impl fmt::Debug for Leakable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Leakable").finish()
    }
}
