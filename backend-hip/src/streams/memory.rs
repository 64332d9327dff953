//! Memory in a stream's order, and what stands in for it where HIP has none.

use std::sync::PoisonError;

use ringfence::{
    backend::streams::{CaptureStatus, StreamMemory},
    error::DriverError,
    id::{Bytes, DeviceContext, RawMemory, RawStream},
};

use super::{HipStreams, StreamEntry, class, frees::Passed, number, raw};
use crate::error::{HipError, UNKNOWN_HANDLE};

/// Where memory comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MemoryKind {
    /// `hipMallocAsync`, where HIP has it and the GPU can, from 5.7 on; else as [`Plain`](Self::Plain).
    #[default]
    StreamOrdered,
    /// `hipMalloc`. What is freed is kept, and given out again once the stream is past its free: `hipFree` would wait for the whole GPU.
    /// [`HipStreams::release_kept_memory`] gives it back.
    Plain,
}

/// Which call made a piece of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// Of the pool of this GPU.
    Pool(i32),
    /// Plain memory of this crate's own, which may be given out again.
    Plain(Plain),
    /// Plain memory of somebody else's, of this GPU.
    Adopted(i32),
}

impl Origin {
    /// The GPU that it goes with.
    pub(super) const fn device(self) -> i32 {
        match self {
            Self::Pool(device) | Self::Adopted(device) => device,
            Self::Plain(plain) => plain.device,
        }
    }
}

/// Plain memory that was freed. It is kept, since `hipFree` waits for the whole GPU: also for work that waits for the very
/// host that frees.
#[derive(Debug, Default)]
pub(super) struct Kept {
    blocks: Vec<Block>,
}

impl Kept {
    /// A GPU was reset, and its memory is gone.
    pub(super) fn abandon(&mut self, device: i32) {
        self.blocks.retain(|block| block.kind.device != device);
    }
}

#[derive(Clone, Copy, Debug)]
struct Block {
    memory: RawMemory,
    kind: Plain,
    behind: Passed,
}

/// A piece of plain memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Plain {
    device: i32,
    bytes: usize,
}

impl Plain {
    /// What is allocated for so many bytes: powers of two up to a mebibyte, then whole ones.
    fn holding(bytes: usize, device: i32) -> Self {
        const MIB: usize = 1 << 20;
        let bytes = match bytes {
            ..MIB => bytes.next_power_of_two().max(512),
            _ => bytes.checked_next_multiple_of(MIB).unwrap_or(bytes),
        };
        Self { device, bytes }
    }
}

impl HipStreams {
    /// Gives plain memory that was freed, and that no stream uses any more, back to HIP. Waits for the whole GPU, and is refused while
    /// somebody captures in global mode. Answers with how many pieces went.
    ///
    /// # Errors
    /// What HIP says; what could not be given back is kept.
    pub fn release_kept_memory(&self) -> Result<usize, DriverError> {
        let over: Vec<Block> = {
            let mut kept = self.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.blocks.extract_if(.., |block| self.0.frees.is_past(block.behind)).collect()
        };
        let (mut released, mut outcome) = (0, Ok(()));
        for block in over {
            // SAFETY: the memory was allocated by `hipMalloc`, `free` took it off the list once, and its stream is past it.
            let freed = unsafe { (self.hip().functions().hipFree)(raw(block.memory.as_u64())) };
            match self.hip().check(freed) {
                Ok(()) => released += 1,
                Err(error) => {
                    outcome = Err(error);
                    let mut kept = self.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
                    kept.blocks.push(block);
                }
            }
        }
        outcome.map(|()| released)
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
        self.allocate_kept(bytes, StreamEntry { device })
    }

    /// Makes memory known that somebody else allocated, so that a pool can free it.
    ///
    /// # Errors
    /// [`HipError::NoSuchDevice`].
    ///
    /// # Safety
    /// It was allocated on `place` by a call of HIP's that `kind` names, and nobody else frees it.
    pub unsafe fn adopt_memory(
        &self,
        memory: RawMemory,
        kind: MemoryKind,
        place: DeviceContext,
    ) -> Result<(), HipError> {
        let device = self.hip().ordinal(place.device)?;
        let origin = match kind {
            MemoryKind::StreamOrdered => Origin::Pool(device),
            MemoryKind::Plain => Origin::Adopted(device),
        };
        self.0.memory.insert(memory.as_u64(), origin);
        Ok(())
    }

    /// Plain memory that nobody uses: kept, or new.
    fn allocate_kept(&self, bytes: usize, entry: StreamEntry) -> Result<RawMemory, DriverError> {
        let kind = Plain::holding(bytes, entry.device);
        let again = {
            let mut kept = self.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let fits = |block: &Block| block.kind == kind && self.0.frees.is_past(block.behind);
            let at = kept.blocks.iter().position(fits);
            at.map(|at| kept.blocks.swap_remove(at).memory)
        };
        let memory = match again {
            Some(memory) => memory,
            None => self.malloc(kind)?,
        };
        self.0.memory.insert(memory.as_u64(), Origin::Plain(kind));
        Ok(memory)
    }

    fn malloc(&self, kind: Plain) -> Result<RawMemory, DriverError> {
        let hip = self.hip();
        let _current = hip.on(kind.device).map_err(class)?;
        let mut memory = std::ptr::null_mut();
        // SAFETY: `memory` is writable.
        hip.check(unsafe { (hip.functions().hipMalloc)(&raw mut memory, kind.bytes) })?;
        Ok(RawMemory::new(number(memory)))
    }

    fn free_plain(
        &self,
        memory: RawMemory,
        kind: Plain,
        stream: RawStream,
    ) -> Result<(), DriverError> {
        let behind = self.count_free(stream)?;
        let mut kept = self.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.blocks.push(Block { memory, kind, behind });
        Ok(())
    }
}

impl StreamMemory for HipStreams {
    fn allocate(&self, bytes: Bytes, stream: RawStream) -> Result<RawMemory, DriverError> {
        let entry = self.stream(stream)?.of();
        // HIP answers a request for nothing with no address.
        let bytes = usize::try_from(bytes.as_u64().max(1)).map_err(|_| UNKNOWN_HANDLE)?;
        let (hip, mut memory) = (self.hip(), std::ptr::null_mut());
        let ordered = match self.0.options.memory {
            // A stream could never be destroyed while the pool keeps a block.
            MemoryKind::StreamOrdered if hip.version().destroy_needs_an_empty_pool() => None,
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
        match ordered {
            Ok(()) => {}
            Err(DriverError::Unsupported) => return self.allocate_kept(bytes, entry),
            Err(error) => return Err(error),
        }
        let memory = RawMemory::new(number(memory));
        self.0.memory.insert(memory.as_u64(), Origin::Pool(entry.device));
        // A stream that cannot follow is lost with its GPU: the block is nobody's, and stays.
        self.follow_last_free(memory, stream)?;
        Ok(memory)
    }

    /// Memory that this did not allocate, or that was freed, is answered as unknown.
    fn free(&self, memory: RawMemory, stream: RawStream) -> Result<(), DriverError> {
        let _held = self.stream(stream)?;
        let origin = self.0.memory.take(memory.as_u64()).ok_or(UNKNOWN_HANDLE)?;
        let freed = match origin {
            Origin::Plain(kind) => self.free_plain(memory, kind, stream).map(|()| Free::Done),
            // HIP frees memory that is no pool's as `hipFree` does.
            Origin::Pool(_) | Origin::Adopted(_) => self.free_ordered(memory, stream),
        };
        if freed != Ok(Free::Done) {
            self.0.memory.insert(memory.as_u64(), origin); // a refusal frees nothing
        }
        freed.map(drop)
    }
}

/// What became of a free that HIP took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Free {
    /// The memory is gone once the stream is past it.
    Done,
    /// It became part of a graph, and the memory is what it was.
    Recorded,
}

impl HipStreams {
    fn free_ordered(&self, memory: RawMemory, stream: RawStream) -> Result<Free, DriverError> {
        let free = self.hip().functions().hipFreeAsync.ok_or(DriverError::Unsupported)?;
        let _held = self.stream(stream)?;
        let recorded = self.hip().version().captures_record_frees()
            && self.status_of_held(stream) == CaptureStatus::Active;
        // A stream that captures would write the word at once; a pool frees on none.
        if self.status_of_held(stream) == CaptureStatus::None {
            self.remember_free(memory, stream)?;
        }
        // SAFETY: the stream exists while it is held; the memory is `hipMallocAsync`'s, and was taken off the list by this call.
        let freed = self.hip().check(unsafe { free(raw(memory.as_u64()), raw(stream.as_u64())) });
        if freed.is_err() {
            self.0.frees.forget(memory);
        }
        freed?;
        Ok(if recorded { Free::Recorded } else { Free::Done })
    }
}
