//! What the driver was seen to do: names of work, nodes of graphs, completions.

use std::sync::{Arc, Mutex, PoisonError};

use super::Hand;
use crate::streams::{
    seen::{Call, DeviceMove, OpId},
    system::MockStreams,
};

/// The last calls that name something.
#[derive(Debug, Default)]
pub(super) struct Watch {
    op: Option<OpId>,
    nodes: usize,
}
impl Watch {
    pub(super) fn over(driver: &MockStreams) -> Arc<Mutex<Self>> {
        let watch = Arc::new(Mutex::new(Self::default()));
        let seen = watch.clone();
        driver.on_call(Some(Box::new(move |call| {
            seen.lock().unwrap_or_else(PoisonError::into_inner).see(call);
        })));
        watch
    }
    fn see(&mut self, call: &Call) {
        match call {
            Call::Launch { op, .. } | Call::LaunchGraph { op, .. } => self.op = *op,
            Call::EndCapture { outcome: Ok(_), ops, .. } => self.nodes = ops.len(),
            _ => {}
        }
    }
}

impl Hand {
    /// The last work that was launched.
    pub(super) fn last_op(&self) -> Option<OpId> {
        self.0.watch.lock().unwrap_or_else(PoisonError::into_inner).op
    }
    /// The nodes of the last capture that ended well.
    pub(super) fn last_nodes(&self) -> usize {
        self.0.watch.lock().unwrap_or_else(PoisonError::into_inner).nodes
    }
    /// Finds out which named work the device has completed meanwhile, and in which order.
    pub(super) fn note_completions(&self) {
        let pending = |state: &super::State| {
            state.work.values().any(|work| work.op.is_some() && work.completed.is_none())
        };
        if !pending(&self.state()) {
            return;
        }
        let lines = self.driver().trace(super::TRACE);
        let mut state = self.state();
        for line in &lines {
            let super::State { work, completed, .. } = &mut *state;
            let open = work.values_mut().filter(|work| work.completed.is_none());
            for work in open {
                let Some(op) = work.op else { continue };
                if line.trim_start() == format!("device: {:?}", DeviceMove::Finished(op)) {
                    *completed += 1;
                    work.completed = Some(*completed);
                }
            }
        }
    }
}
