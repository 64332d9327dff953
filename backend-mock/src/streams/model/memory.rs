//! Memory, in a stream's order and synchronous (M6, M8).

use ringfence::{
    backend::streams::CaptureMode,
    error::DriverError,
    id::{Bytes, DeviceId, RawMemory, RawStream},
};

use super::{
    Asked, Model, Place, Submitted,
    ask::Verdict,
    capture::Recording,
    code,
    device::Waited,
    pace::Awaited,
    parts::{Effect, Life, Made, Memory, NodeEffect},
    streams::Use,
};
use crate::{
    clock::Ticks,
    streams::{
        counts::CallKind,
        op::RunTime,
        profile::{BlockingCapture, CapturedAllocation, CapturedFree, PlainFree},
        seen::{ThreadId, Touches},
    },
};

/// Work that takes no time of its own.
pub(super) const AT_ONCE: RunTime = RunTime::Ticks(Ticks::ZERO);
/// Addresses are given once each, so that a use after free is seen whatever was allocated since.
const FIRST: u64 = 0x10_0000_0000;
const STEP: u64 = 0x1000;

impl Model {
    /// Memory in a stream's order.
    ///
    /// # Errors
    /// When captures refuse it.
    pub fn allocate(
        &mut self,
        by: ThreadId,
        bytes: Bytes,
        raw: RawStream,
    ) -> Result<RawMemory, DriverError> {
        self.enter(by, CallKind::Allocate)?;
        let result = self.allocate_it(bytes, raw);
        self.noted(by, result)
    }
    fn allocate_it(&mut self, bytes: Bytes, raw: RawStream) -> Result<RawMemory, DriverError> {
        let device = self.working(raw, Use::Memory)?.key.place.device;
        self.others_refuse(raw, device)?;
        match (self.recording(raw)?, self.rules.captured_allocation) {
            (Recording::Into(id), CapturedAllocation::Node) => {
                let memory = self.fresh_memory(bytes, device, Made::Graph(id));
                let effect = NodeEffect::Allocate(memory);
                let _ = self.record_node(id, raw, AT_ONCE, Touches::default(), effect);
                Ok(memory)
            }
            _ => Ok(self.fresh_memory(bytes, device, Made::Pool)),
        }
    }
    pub(super) fn fresh_memory(&mut self, bytes: Bytes, device: DeviceId, made: Made) -> RawMemory {
        let raw = RawMemory::new(FIRST + self.fresh_name() * STEP);
        self.memory.insert(raw, Memory { bytes, device, made, life: Life::Allocated });
        raw
    }
    /// M8b: a blocking stream of the device captures, and this one does not.
    fn others_refuse(&self, raw: RawStream, device: DeviceId) -> Result<(), DriverError> {
        let refuses = self.rules.blocking_capture == BlockingCapture::Refuses;
        if refuses && !self.captures_now(raw) && self.blocking_capture(Some(device)) {
            return Err(code::UNSUPPORTED);
        }
        Ok(())
    }
    /// Gives memory back in a stream's order (M8).
    ///
    /// # Errors
    /// When captures refuse it, or the memory is none. A second free is a crash.
    pub fn free(
        &mut self,
        by: ThreadId,
        memory: RawMemory,
        raw: RawStream,
    ) -> Result<Submitted, DriverError> {
        self.enter(by, CallKind::Free)?;
        let result = self.free_it(memory, raw);
        self.noted(by, result)
    }
    fn free_it(&mut self, memory: RawMemory, raw: RawStream) -> Result<Submitted, DriverError> {
        let device = self.working(raw, Use::Memory)?.key.place.device;
        let made = self.allocated(memory)?;
        self.others_refuse(raw, device)?;
        if let Recording::Into(id) = self.recording(raw)? {
            let own = made == Made::Graph(id);
            match self.rules.captured_free {
                CapturedFree::AtOnce => return self.free_at_once(memory, made),
                CapturedFree::OwnOnly if !own => return Err(code::INVALID_VALUE),
                CapturedFree::NodeAndAtOnce if made == Made::Pool => {
                    self.memory.remove(&memory);
                }
                _ => {}
            }
            let effect = NodeEffect::Free(memory);
            let op = self.record_node(id, raw, AT_ONCE, Touches::default(), effect);
            return Ok(Submitted { op: Some(op), place: Place::Graph });
        }
        if made == Made::Plain && self.rules.plain_free == PlainFree::Waits {
            return self.free_at_once(memory, made);
        }
        self.memory.get_mut(&memory).expect("it was just looked up").life = Life::Freeing;
        let op = self.submit(raw, AT_ONCE, vec![Effect::Free(memory)]);
        Ok(Submitted { op: Some(op), place: Place::Device })
    }
    fn free_at_once(&mut self, memory: RawMemory, made: Made) -> Result<Submitted, DriverError> {
        if made == Made::Plain {
            self.wait_for_device("the free of plain memory")?;
        }
        self.memory.remove(&memory);
        Ok(Submitted { op: None, place: Place::Device })
    }
    fn wait_for_device(&mut self, what: &str) -> Result<(), DriverError> {
        let begin = self.now;
        let waited = self.wait_until(None, Awaited::Device);
        self.lock_out(begin);
        if waited == Waited::Done {
            return Ok(());
        }
        self.crash(format!("{what} waits for ever for the device"));
        Err(code::NOT_READY)
    }
    /// Who made this memory, when it may be freed.
    fn allocated(&mut self, memory: RawMemory) -> Result<Made, DriverError> {
        match self.memory.get(&memory) {
            Some(Memory { life: Life::Allocated, made, .. }) => return Ok(*made),
            Some(_) => self.crash(format!("{memory} was freed twice")),
            None if self.was_given(memory) => self.crash(format!("{memory} was freed twice")),
            None => {}
        }
        Err(code::INVALID_VALUE)
    }
    fn was_given(&self, memory: RawMemory) -> bool {
        (FIRST..=FIRST + self.next_name * STEP).contains(&memory.as_u64())
    }
    /// Synchronous memory (M6).
    ///
    /// # Errors
    /// When captures refuse it.
    pub fn malloc(
        &mut self,
        by: ThreadId,
        bytes: Bytes,
        device: DeviceId,
    ) -> Asked<Result<RawMemory, DriverError>> {
        self.guarded(by, CallKind::Malloc, |model| {
            Ok(model.fresh_memory(bytes, device, Made::Plain))
        })
    }
    /// A synchronous free, which waits for the device (M6).
    ///
    /// # Errors
    /// When captures refuse it, or the memory is none. A second free is a crash.
    pub fn free_now(&mut self, by: ThreadId, memory: RawMemory) -> Asked<Result<(), DriverError>> {
        self.guarded(by, CallKind::FreeNow, |model| {
            model.allocated(memory)?;
            model.wait_for_device("the free")?;
            model.memory.remove(&memory);
            Ok(())
        })
    }
    fn guarded<T>(
        &mut self,
        by: ThreadId,
        kind: CallKind,
        act: impl FnOnce(&mut Self) -> Result<T, DriverError>,
    ) -> Asked<Result<T, DriverError>> {
        if let Err(error) = self.enter(by, kind) {
            return Asked::plain(Err(error));
        }
        let (guard, consequence) = (self.rules.malloc, self.rules.malloc_consequence);
        match self.guard(by, CaptureMode::Global, guard, consequence) {
            Verdict::Allowed => {
                let result = act(self);
                Asked::plain(self.noted(by, result))
            }
            Verdict::Refused(invalidated) => {
                Asked { answer: Err(self.fails(by, code::UNSUPPORTED)), invalidated }
            }
        }
    }
    /// What became of memory.
    pub fn memory_state(&self, memory: RawMemory) -> MemoryState {
        match self.memory.get(&memory) {
            Some(Memory { life: Life::Allocated, .. }) => MemoryState::Allocated,
            Some(_) => MemoryState::Freeing,
            None => MemoryState::Gone,
        }
    }
}

/// What became of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryState {
    /// It may be used.
    Allocated,
    /// A free of it is on its way in some stream's order.
    Freeing,
    /// It was freed, or never existed.
    Gone,
}
