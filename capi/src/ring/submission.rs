//! What is published.

use std::ffi::c_void;

use ringfence::{backend::PacketQueue, drive::Submission, id::Barrier, placement::Role};

use super::{
    queue::{Kernels, Queue, Work},
    types::{ringfence_role_t, ringfence_scope_t, role, scope},
};
use crate::status::{Failure, ringfence_status_t as Status};

/// One packet to publish. All 0 but for `work`: a kernel in order after everything before it, visible to its own agent, with
/// a completion signal that the ring alone looks at.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ringfence_submission_t {
    /// `RINGFENCE_SUBMIT_KERNEL` or `RINGFENCE_SUBMIT_MARKER`.
    pub kind: u32,
    /// `RINGFENCE_SUBMIT_NO_BARRIER`, `RINGFENCE_SUBMIT_UNSIGNALED` and `RINGFENCE_SUBMIT_TIMED`, or-ed.
    pub flags: u32,
    /// What its signal is for.
    pub role: ringfence_role_t,
    /// Which caches it invalidates first.
    pub acquire: ringfence_scope_t,
    /// Which caches it writes back at the end.
    pub release: ringfence_scope_t,
    /// 0.
    pub reserved: u32,
    /// Handed to the queue's `commit`, inside the call; with HSA a `ringfence_hsa_dispatch_t`.
    pub work: *const c_void,
}
/// Runs the caller's own kind of work.
pub const RINGFENCE_SUBMIT_KERNEL: u32 = 0;
/// A BARRIER_AND without dependencies and with the barrier bit: its completion proves everything before it, visible to the
/// host.
pub const RINGFENCE_SUBMIT_MARKER: u32 = 1;
/// Without the barrier bit: it may run beside earlier packets, and its completion proves itself alone.
pub const RINGFENCE_SUBMIT_NO_BARRIER: u32 = 1;
/// Without a completion signal: only a later packet proves it.
pub const RINGFENCE_SUBMIT_UNSIGNALED: u32 = 2;
/// With its timing taken, for the event that is recorded with it.
pub const RINGFENCE_SUBMIT_TIMED: u32 = 4;
const FLAGS: u32 =
    RINGFENCE_SUBMIT_NO_BARRIER | RINGFENCE_SUBMIT_UNSIGNALED | RINGFENCE_SUBMIT_TIMED;

impl ringfence_submission_t {
    pub(crate) fn read(
        &self,
        on: &Queue,
    ) -> Result<Submission<<Queue as PacketQueue>::Work>, Failure> {
        Failure::unless_0("submission->reserved", self.reserved)?;
        let role: Role = role(self.role)?;
        let mut made = match self.kind {
            RINGFENCE_SUBMIT_KERNEL if on.takes_kernels() == Kernels::PastIt => {
                return Err(Failure::new(
                    Status::RINGFENCE_UNSUPPORTED,
                    format_args!(
                        "a queue of HIP's takes no kernels as packets; launch them on its stream (`ringfence_queue_stream`), and submit a marker"
                    ),
                ));
            }
            RINGFENCE_SUBMIT_KERNEL => {
                on.check(Work(self.work))?;
                Submission::kernel(Work(self.work)).role(role)
            }
            RINGFENCE_SUBMIT_MARKER => Submission::marker(role),
            other => return Err(Failure::unknown("submission->kind", other)),
        };
        if self.flags & !FLAGS != 0 {
            return Err(Failure::unknown("submission->flags", self.flags));
        }
        if self.flags & RINGFENCE_SUBMIT_NO_BARRIER != 0 {
            made = made.barrier(Barrier::Clear);
        }
        if self.flags & RINGFENCE_SUBMIT_UNSIGNALED != 0 {
            made = made.unsignaled();
        }
        if self.flags & RINGFENCE_SUBMIT_TIMED != 0 {
            made = made.timed();
        }
        if let Some(acquire) = scope(self.acquire)? {
            made = made.acquire(acquire);
        }
        if let Some(release) = scope(self.release)? {
            made = made.release(release);
        }
        Ok(made)
    }
}
