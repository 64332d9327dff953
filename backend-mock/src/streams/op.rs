//! A piece of work of a runtime.

use std::borrow::Cow;

use ringfence::id::RawMemory;

use super::seen::{BufferId, Touches};
use crate::clock::Ticks;

/// How long a piece of work runs, in virtual ticks of 1 µs.
///
/// ```
/// use ringfence_mock::streams::op::{RunTime, StreamOp};
/// let hangs = StreamOp::endless("spin"); // until `MockStreams::end_endless`
/// assert_eq!(hangs.time(), RunTime::Endless);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RunTime {
    /// So long.
    Ticks(Ticks),
    /// Until somebody ends it ([`MockStreams::end_endless`](super::system::MockStreams::end_endless)).
    Endless,
}

/// A piece of work of a runtime: a kernel, a copy.
///
/// ```
/// use ringfence_mock::{clock::Ticks, streams::op::StreamOp};
/// let kernel = StreamOp::new("axpy", Ticks::new(20));
/// assert_eq!(kernel.name(), "axpy");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StreamOp {
    name: Cow<'static, str>,
    time: RunTime,
    touches: Touches,
}
impl StreamOp {
    /// Work called `name` that runs for `ticks` and touches nothing.
    pub fn new(name: impl Into<Cow<'static, str>>, ticks: Ticks) -> Self {
        Self { name: name.into(), time: RunTime::Ticks(ticks), touches: Touches::default() }
    }
    /// Work that never ends by itself.
    pub fn endless(name: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), time: RunTime::Endless, touches: Touches::default() }
    }
    /// It also reads `memory`.
    #[must_use]
    pub fn reads(mut self, memory: RawMemory) -> Self {
        self.touches.reads.push(memory);
        self
    }
    /// It also writes `memory`.
    #[must_use]
    pub fn writes(mut self, memory: RawMemory) -> Self {
        self.touches.writes.push(memory);
        self
    }
    /// It also uses this host buffer.
    #[must_use]
    pub fn uses(mut self, buffer: BufferId) -> Self {
        self.touches.buffers.push(buffer);
        self
    }
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// How long it runs.
    pub const fn time(&self) -> RunTime {
        self.time
    }
    /// What it touches.
    pub const fn touches(&self) -> &Touches {
        &self.touches
    }
}
