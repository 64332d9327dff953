//! What a test does to the driver.

use std::num::NonZeroU32;

use ringfence::{backend::streams::DriverState, error::DriverError, id::RawStream};

use super::Model;
use crate::streams::{counts::CallKind, seen::DeviceMove};

impl Model {
    /// The `nth` call of this kind from now on, counted from 0, fails with `error`.
    pub fn plan_fault(&mut self, kind: CallKind, nth: u64, error: DriverError) {
        self.faults.push_back((kind, nth, error));
    }
    pub(super) fn planned_fault(&mut self, kind: CallKind) -> Option<DriverError> {
        let mut hit = None;
        for (index, (planned, left, _)) in self.faults.iter_mut().enumerate() {
            match (*planned == kind, *left) {
                (true, 0) if hit.is_none() => hit = Some(index),
                (true, 1..) => *left -= 1,
                _ => {}
            }
        }
        hit.and_then(|index| self.faults.remove(index)).map(|(.., error)| error)
    }
    /// Creation fails while so many streams are alive.
    pub fn fail_at_live(&mut self, limit: Option<NonZeroU32>) {
        self.live_limit = limit;
    }
    /// The stream is in error from now on, and stays so. Work that was submitted still ends.
    pub fn poison(&mut self, raw: RawStream, error: DriverError) {
        if let Some(stream) = self.streams.get_mut(&raw) {
            stream.error = Some(error);
        }
    }
    /// Nothing runs or ends any more, and every call fails (M18).
    pub fn lose_device(&mut self) {
        self.leave(DriverState::Lost, DeviceMove::Lost);
    }
    /// What follows happens in a forked child: every call hangs (M19).
    pub fn fork(&mut self) {
        self.leave(DriverState::Forked, DeviceMove::Forked);
    }
    /// The process exits: every call is a crash (M20).
    pub fn begin_exit(&mut self) {
        self.leave(DriverState::ShuttingDown, DeviceMove::Exiting);
    }
    fn leave(&mut self, to: DriverState, seen: DeviceMove) {
        if self.state == DriverState::Ready {
            self.state = to;
            self.moves.push(seen);
        }
    }
}
