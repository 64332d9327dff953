//! Memory for kernel arguments and staged copies: a ring of chunks, used again when the watermark
//! covers the last packet that reads them. It has no signal of its own.

use std::{collections::VecDeque, num::NonZeroU64};

use crate::{
    error::Error,
    id::{LaneId, UseId},
    proof::Proven,
    retire::RetireQueue,
};

/// A chunk of the embedder's staging memory, by number from 0.
///
/// ```
/// use ringfence::staging::ChunkIndex;
/// /// Where a chunk of 4,096 bytes starts in the embedder's memory.
/// fn start(memory: &mut [u8], chunk: ChunkIndex) -> &mut [u8] {
///     &mut memory[chunk.as_u32() as usize * 4096..]
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChunkIndex(u32);
impl ChunkIndex {
    /// The number; the chunk starts at this times the chunk size.
    pub const fn as_u32(self) -> u32 {
        self.0
    }
}

/// Some bytes of a chunk.
///
/// ```
/// use ringfence::staging::Piece;
/// /// The bytes themselves, in memory with chunks of `chunk_bytes`.
/// fn bytes<'a>(memory: &'a mut [u8], piece: &Piece, chunk_bytes: u64) -> &'a mut [u8] {
///     let first = u64::from(piece.chunk.as_u32()) * chunk_bytes + piece.offset;
///     &mut memory[first as usize..][..piece.len as usize]
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    /// The chunk.
    pub chunk: ChunkIndex,
    /// The first byte, counted from the chunk's start.
    pub offset: u64,
    /// How many bytes.
    pub len: u64,
}

/// What became of a request.
///
/// ```
/// use ringfence::{backend::*, drive::Tracker, error::Error, staging::*};
/// use std::num::NonZeroU64;
/// /// Bytes for the arguments of a kernel. Without any: submit what was taken before, and ask again.
/// fn arguments<D: Device, Q: PacketQueue>(
///     tracker: &mut Tracker<D, Q>,
///     kernarg: &mut Staging,
/// ) -> Result<Option<Piece>, Error> {
///     match kernarg.take(64, NonZeroU64::MIN)? {
///         Staged::Piece(piece) => return Ok(Some(piece)),
///         Staged::Full(None) => {} // no wait would help
///         Staged::Full(Some(_oldest)) => {
///             let _synced = tracker.synchronize()?;
///             kernarg.reclaim(tracker.queue().mark().observe());
///         }
///     }
///     Ok(None)
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Staged {
    /// Here they are.
    Piece(Piece),
    /// Every chunk is in use. When this use is proven one is free; without it, nothing that was taken
    /// from the chunks has been submitted yet, and no wait would help.
    Full(Option<UseId>),
}

/// Gives out pieces of equal chunks, in order.
///
/// Take pieces, publish the packet that reads them, and say so with [`used_by`](Self::used_by); then
/// [`reclaim`](Self::reclaim) now and then with what the stream's watermark shows.
///
/// ```
/// use ringfence::{id::*, staging::{Staged, Staging}, watermark::Watermark};
/// let lane = LaneId::new(QueueId::new(0), Generation::FIRST);
/// # use std::num::{NonZeroU32, NonZeroU64};
/// let chunks = NonZeroU32::new(4).expect("not 0");
/// let (bytes, align) = (NonZeroU64::new(4096).expect("not 0"), NonZeroU64::MIN);
/// let mut kernarg = Staging::new(lane, chunks, bytes);
/// let Staged::Piece(arguments) = kernarg.take(64, align)? else { panic!("all chunks are free") };
/// assert_eq!((arguments.offset, arguments.len), (0, 64));
/// kernarg.used_by(UseId::new(lane, PacketId::new(0)));
/// let freed = kernarg.reclaim(Watermark::new(lane).observe());
/// assert_eq!(freed, 0); // nothing is proven
/// # Ok::<(), ringfence::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Staging {
    chunk_bytes: u64,
    current: Option<ChunkIndex>,
    filled: u64,
    /// Who reads the current chunk last, and whether something taken from it is not submitted yet.
    last_use: Option<UseId>,
    unsubmitted: Unsubmitted,
    free: VecDeque<ChunkIndex>,
    /// Full chunks that a packet to come reads.
    spilled: Vec<ChunkIndex>,
    busy: RetireQueue<ChunkIndex>,
}

/// Whether pieces were taken that no published packet reads yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unsubmitted {
    None,
    Some,
}

impl Staging {
    /// `chunks` chunks of `chunk_bytes` each, read by packets of `lane`.
    pub fn new(lane: LaneId, chunks: std::num::NonZeroU32, chunk_bytes: NonZeroU64) -> Self {
        let mut busy = RetireQueue::new(lane);
        busy.reserve(chunks.get() as usize);
        Self {
            chunk_bytes: chunk_bytes.get(),
            current: None,
            filled: 0,
            last_use: None,
            unsubmitted: Unsubmitted::None,
            spilled: Vec::with_capacity(chunks.get() as usize),
            free: (0..chunks.get()).map(ChunkIndex).collect(),
            busy,
        }
    }
    /// Takes `len` bytes whose place, counted from the start of the first chunk, is a multiple of `align`.
    ///
    /// # Errors
    /// [`Error::StagingTooLarge`] when no chunk is that large.
    pub fn take(&mut self, len: u64, align: NonZeroU64) -> Result<Staged, Error> {
        if len > self.chunk_bytes {
            return Err(Error::StagingTooLarge { wanted: len, chunk: self.chunk_bytes });
        }
        if let Some(chunk) = self.current {
            let offset = self.aligned(chunk, self.filled, align);
            if offset.checked_add(len).is_some_and(|end| end <= self.chunk_bytes) {
                return Ok(Staged::Piece(self.cut(chunk, offset, len)));
            }
            match (self.unsubmitted, self.last_use) {
                (Unsubmitted::None, Some(last_use)) => self.busy.hold(last_use, chunk),
                (Unsubmitted::None, None) => self.free.push_back(chunk),
                // A packet to come reads this chunk and the next one: it is held until that is known.
                (Unsubmitted::Some, _) if self.free.is_empty() => return Ok(self.full()),
                (Unsubmitted::Some, _) => self.spilled.push(chunk),
            }
            self.current = None;
            self.last_use = None;
        }
        let Some(chunk) = self.free.pop_front() else {
            return Ok(self.full());
        };
        self.current = Some(chunk);
        let offset = self.aligned(chunk, 0, align);
        if offset + len > self.chunk_bytes {
            return Err(Error::StagingTooLarge { wanted: offset + len, chunk: self.chunk_bytes });
        }
        Ok(Staged::Piece(self.cut(chunk, offset, len)))
    }
    /// The next offset in `chunk` at or after `from` whose place in the whole memory is aligned.
    fn aligned(&self, chunk: ChunkIndex, from: u64, align: NonZeroU64) -> u64 {
        let start = u64::from(chunk.0) * self.chunk_bytes;
        (start + from).next_multiple_of(align.get()) - start
    }
    fn cut(&mut self, chunk: ChunkIndex, offset: u64, len: u64) -> Piece {
        self.filled = offset + len;
        self.unsubmitted = Unsubmitted::Some;
        Piece { chunk, offset, len }
    }
    fn full(&self) -> Staged {
        Staged::Full(self.busy.oldest())
    }
    /// Every piece taken since the last call is read by this packet, which is published. Only a fence at
    /// or after it frees its chunk: a stream whose packets have no barrier bit publishes one now and then.
    ///
    /// ```
    /// use ringfence::{backend::*, drive::*, error::Error, staging::Staging};
    /// /// Launches a kernel that reads everything taken from `kernarg` since the last launch.
    /// fn launch<D: Device, Q: PacketQueue>(
    ///     tracker: &mut Tracker<D, Q>,
    ///     kernarg: &mut Staging,
    ///     work: Q::Work,
    /// ) -> Result<(), Error> {
    ///     kernarg.used_by(tracker.submit(Submission::kernel(work))?);
    ///     kernarg.reclaim(tracker.queue().mark().observe());
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    /// If the packet is of another queue or generation: a stream that moves takes another staging ring.
    pub fn used_by(&mut self, of: UseId) {
        assert_eq!(of.lane(), self.busy.lane(), "staged for another queue or generation");
        // The newest one of those that were told, in whatever order.
        let newer = self.last_use.filter(|last| last.packet() > of.packet());
        let of = newer.unwrap_or(of);
        self.last_use = Some(of);
        self.unsubmitted = Unsubmitted::None;
        for chunk in self.spilled.drain(..) {
            self.busy.hold(of, chunk);
        }
    }
    /// Frees the chunks whose last packet `proven` covers, and says how many.
    pub fn reclaim(&mut self, proven: Proven) -> usize {
        let before = self.free.len();
        while let Some(chunk) = self.busy.next_free(proven) {
            self.free.push_back(chunk);
        }
        self.free.len() - before
    }
    /// Chunks that can be taken now.
    pub fn free_chunks(&self) -> usize {
        self.free.len()
    }
}

#[cfg(all(test, not(ringfence_loom)))]
mod tests;
