//! Memory in a stream's order, and what stands in for it where HIP has none.

use std::{collections::VecDeque, ffi::c_void, sync::PoisonError};

use ringfence::{
    backend::streams::{StreamEvents, StreamMemory, StreamState},
    error::DriverError,
    id::{Bytes, DeviceContext, DeviceId, RawEvent, RawMemory, RawStream},
};

use super::{HipStreams, StreamEntry, class, number, raw};
use crate::error::UNKNOWN_HANDLE;

/// Where memory comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MemoryKind {
    /// `hipMallocAsync`, where HIP has it and the GPU can; else as [`Plain`](Self::Plain).
    #[default]
    StreamOrdered,
    /// `hipMalloc`. A free records an event, and a later call gives the memory back once that is over; `hipFree` waits for the
    /// whole GPU then.
    Plain,
}

/// Which call made a piece of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    Pool,
    Plain,
}

/// Plain memory that was freed in a stream's order, and waits for that.
#[derive(Debug, Default)]
pub(super) struct Fallback {
    waiting: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    memory: RawMemory,
    event: RawEvent,
}

impl HipStreams {
    /// Plain memory that was freed, and that its stream may still use.
    #[must_use]
    pub fn waiting_to_be_freed(&self) -> usize {
        self.0.fallback.lock().unwrap_or_else(PoisonError::into_inner).waiting.len()
    }

    /// Memory that no stream's order knows of (`hipMalloc`): it can be used at once, by any stream of the GPU, and be freed as other
    /// memory is.
    ///
    /// # Errors
    /// What HIP says; [`DriverError::CaptureConflict`] while a global capture goes on.
    pub fn allocate_plain(
        &self,
        bytes: Bytes,
        place: DeviceContext,
    ) -> Result<RawMemory, DriverError> {
        let device = self.hip().ordinal(place.device).map_err(class)?;
        let bytes = usize::try_from(bytes.as_u64().max(1)).map_err(|_| UNKNOWN_HANDLE)?;
        let memory = self.malloc(bytes, StreamEntry { device })?;
        self.0.memory.insert(number(memory), Origin::Plain);
        Ok(RawMemory::new(number(memory)))
    }

    /// Makes memory known that somebody else allocated, so that a pool can free it.
    ///
    /// # Safety
    /// It was allocated by a call of HIP's that `kind` names, and nobody else frees it.
    pub unsafe fn adopt_memory(&self, memory: RawMemory, kind: MemoryKind) {
        let origin = match kind {
            MemoryKind::StreamOrdered => Origin::Pool,
            MemoryKind::Plain => Origin::Plain,
        };
        self.0.memory.insert(memory.as_u64(), origin);
    }

    fn malloc(&self, bytes: usize, entry: StreamEntry) -> Result<*mut c_void, DriverError> {
        self.sweep();
        let hip = self.hip();
        let _current = hip.on(entry.device).map_err(class)?;
        let mut memory = std::ptr::null_mut();
        // SAFETY: `memory` is writable.
        hip.check(unsafe { (hip.functions().hipMalloc)(&raw mut memory, bytes) })?;
        Ok(memory)
    }

    fn free_plain(
        &self,
        memory: RawMemory,
        stream: RawStream,
        entry: StreamEntry,
    ) -> Result<(), DriverError> {
        let device = u32::try_from(entry.device).map_err(|_| UNKNOWN_HANDLE)?;
        let event = self.create_event(DeviceContext::primary(DeviceId::new(device)))?;
        if let Err(error) = self.record_event(event, stream) {
            self.destroy_event(event);
            return Err(error);
        }
        let mut fallback = self.0.fallback.lock().unwrap_or_else(PoisonError::into_inner);
        fallback.waiting.push_back(Waiting { memory, event });
        drop(fallback);
        self.sweep();
        Ok(())
    }

    /// Gives back what no stream uses any more. What cannot be given back now is asked about again.
    fn sweep(&self) {
        let mut over = Vec::new();
        {
            let mut fallback = self.0.fallback.lock().unwrap_or_else(PoisonError::into_inner);
            for _ in 0..fallback.waiting.len() {
                let Some(waiting) = fallback.waiting.pop_front() else { break };
                match self.query_event(waiting.event) {
                    StreamState::Idle => over.push(waiting),
                    _ => fallback.waiting.push_back(waiting),
                }
            }
        }
        // Not under the lock: it waits for the whole GPU.
        for Waiting { memory, event } in over {
            // SAFETY: the memory was allocated by `hipMalloc`, `free` took it off the list once, and its stream is past it.
            let freed = unsafe { (self.hip().functions().hipFree)(raw(memory.as_u64())) };
            if self.hip().check(freed).is_ok() {
                self.destroy_event(event);
            } else {
                let mut fallback = self.0.fallback.lock().unwrap_or_else(PoisonError::into_inner);
                fallback.waiting.push_back(Waiting { memory, event });
            }
        }
    }
}

impl StreamMemory for HipStreams {
    fn allocate(&self, bytes: Bytes, stream: RawStream) -> Result<RawMemory, DriverError> {
        let entry = self.stream(stream)?.of();
        // HIP answers a request for nothing with no address.
        let bytes = usize::try_from(bytes.as_u64().max(1)).map_err(|_| UNKNOWN_HANDLE)?;
        let (hip, mut memory) = (self.hip(), std::ptr::null_mut());
        let ordered = match self.0.options.memory {
            MemoryKind::StreamOrdered => hip.functions().hipMallocAsync,
            MemoryKind::Plain => None,
        };
        let ordered = match ordered {
            None => Err(DriverError::Unsupported),
            Some(allocate) => {
                let _held = self.stream(stream)?;
                // SAFETY: the stream exists while it is held, and `memory` is writable.
                hip.check(unsafe { allocate(&raw mut memory, bytes, raw(stream.as_u64())) })
            }
        };
        let origin = match ordered {
            Ok(()) => Origin::Pool,
            Err(DriverError::Unsupported) => {
                memory = self.malloc(bytes, entry)?;
                Origin::Plain
            }
            Err(error) => return Err(error),
        };
        self.0.memory.insert(number(memory), origin);
        Ok(RawMemory::new(number(memory)))
    }

    /// Memory that this did not allocate, or that was freed, is answered as unknown.
    fn free(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError> {
        let entry = self.stream(stream)?.of();
        let origin = self.0.memory.take(memory.as_u64()).ok_or(UNKNOWN_HANDLE)?;
        let freed = match origin {
            Origin::Plain => self.free_plain(memory, stream, entry),
            Origin::Pool => self.free_ordered(memory, stream),
        };
        if freed.is_err() {
            self.0.memory.insert(memory.as_u64(), origin); // a refusal frees nothing
        }
        freed
    }
}

impl HipStreams {
    fn free_ordered(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError> {
        let free = self.hip().functions().hipFreeAsync.ok_or(DriverError::Unsupported)?;
        let _held = self.stream(stream)?;
        let _no_destruction = self
            .hip()
            .version()
            .destroy_needs_an_empty_pool()
            .then(|| self.0.destruction.read().unwrap_or_else(PoisonError::into_inner));
        // SAFETY: the stream exists while it is held; the memory is `hipMallocAsync`'s, and was taken off the list by this call.
        self.hip().check(unsafe { free(raw(memory.as_u64()), raw(stream.as_u64())) })
    }
}
