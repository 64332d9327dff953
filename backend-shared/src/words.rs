//! 64-bit words in pinned host memory, which a stream writes and the host reads.
//!
//! They are made in slabs and never given back to the runtime: freeing pinned memory waits for the whole device and breaks captures. So a word's
//! place is valid for ever, and looking at one that was given back is harmless.

use std::{
    ffi::c_void,
    ptr::NonNull,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use ringfence::error::DriverError;

/// Where pinned host memory comes from.
pub trait Pinned {
    /// So many bytes, for any GPU, at the address that the host has it at. It is never freed.
    ///
    /// # Errors
    /// What the runtime says.
    fn pinned(&self, bytes: usize) -> Result<NonNull<c_void>, DriverError>;
}

/// Bytes from one word to the next: a cache line, so that a stream's writes take nobody else's line away.
const STRIDE: usize = 64;
/// Words of a slab, which is two pages.
pub const WORDS: usize = 128;
/// Slabs that can be made: half a million words.
pub const SLABS: usize = 4096;

/// Names a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WordId(u32);

impl WordId {
    /// As a number.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0 as u64
    }
    /// The word with this number; one that was never made is found out when it is looked at.
    #[must_use]
    pub fn from_u64(number: u64) -> Option<Self> {
        u32::try_from(number).ok().map(Self)
    }
    /// Its slab, and its number in that.
    #[must_use]
    pub const fn place(self) -> (usize, usize) {
        (self.0 as usize / WORDS, self.0 as usize % WORDS)
    }
}

/// All words of one user.
///
/// ```
/// use ringfence::error::DriverError;
/// use ringfence_backend_shared::words::{Pinned, WordId, Words};
/// use std::{ffi::c_void, ptr::NonNull, sync::atomic::Ordering};
/// /// Memory that any device of this test reaches: the host's own.
/// struct Heap;
/// impl Pinned for Heap {
///     fn pinned(&self, bytes: usize) -> Result<NonNull<c_void>, DriverError> {
///         Ok(NonNull::from(vec![0_u64; bytes.div_ceil(8)].leak()).cast())
///     }
/// }
/// let words = Words::new(Heap);
/// let id = words.take(17)?;
/// let word = words.word(id).expect("it was just made");
/// assert_eq!(word.load(Ordering::Acquire), 17);
/// assert_eq!(WordId::from_u64(id.as_u64()), Some(id)); // as a pool names it
/// words.give(id);
/// # Ok::<(), DriverError>(())
/// ```
#[derive(Debug)]
pub struct Words<P> {
    memory: P,
    slabs: Box<[OnceLock<Slab>]>,
    free: Mutex<Free>,
}

#[derive(Debug, Default)]
struct Free {
    ids: Vec<WordId>,
    /// By number, of all that were made: a word that is given back twice is still one word.
    lent: Vec<Lent>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lent {
    Yes,
    No,
}

#[derive(Debug)]
struct Slab(NonNull<c_void>);
// SAFETY: the slab is memory that lives until the process ends, and is only reached through atomics.
unsafe impl Send for Slab {}
// SAFETY: as above.
unsafe impl Sync for Slab {}

impl<P: Pinned> Words<P> {
    /// None yet.
    pub fn new(memory: P) -> Self {
        let slabs = (0..SLABS).map(|_| OnceLock::new()).collect();
        Self { memory, slabs, free: Mutex::default() }
    }

    /// A word that nobody has, with this value.
    ///
    /// # Errors
    /// When the runtime has no pinned memory left, or refuses it because somebody captures.
    pub fn take(&self, value: u64) -> Result<WordId, DriverError> {
        let id = self.take_as_it_is()?;
        if let Some(word) = self.word(id) {
            word.store(value, Ordering::Release);
        }
        Ok(id)
    }

    /// A word that nobody has, with the value that its last user left: 0 at first.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn take_as_it_is(&self) -> Result<WordId, DriverError> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let id = match free.ids.pop() {
            Some(id) => id,
            None => self.grow(&mut free)?,
        };
        free.lent[id.0 as usize] = Lent::Yes;
        Ok(id)
    }

    /// Gives a word back that no stream writes any more. A word that nobody has is none.
    pub fn give(&self, id: WordId) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.lent.get(id.0 as usize) == Some(&Lent::Yes) {
            free.lent[id.0 as usize] = Lent::No;
            free.ids.push(id);
        }
    }

    /// The word, if it was ever made.
    #[inline]
    pub fn word(&self, id: WordId) -> Option<&AtomicU64> {
        let (slab, index) = id.place();
        let Slab(start) = self.slabs.get(slab)?.get()?;
        let at = start.cast::<[u64; STRIDE / 8]>();
        // SAFETY: a slab has `WORDS` places of this size, and `index` is below that.
        let at = unsafe { at.add(index) };
        // SAFETY: the place is aligned, lives for ever, and is only reached through atomics.
        Some(unsafe { AtomicU64::from_ptr(at.as_ptr().cast()) })
    }

    /// Where a GPU finds it: pinned host memory has one address for all of them.
    pub fn address(&self, id: WordId) -> Option<*mut c_void> {
        self.word(id).map(|word| word.as_ptr().cast())
    }

    fn grow(&self, free: &mut Free) -> Result<WordId, DriverError> {
        let slab = free.lent.len() / WORDS;
        let Some(place) = self.slabs.get(slab) else {
            return Err(DriverError::OutOfMemory(ringfence::error::DriverCode::new(2)));
        };
        let at = self.memory.pinned(WORDS * STRIDE)?;
        // SAFETY: so many bytes were just allocated, and nobody else has them.
        unsafe { at.as_ptr().cast::<u8>().write_bytes(0, WORDS * STRIDE) };
        let _only_here = place.set(Slab(at));
        free.lent.resize(free.lent.len() + WORDS, Lent::No);
        let first = u32::try_from(slab * WORDS).unwrap_or(u32::MAX);
        free.ids.extend((1..WORDS as u32).rev().map(|index| WordId(first + index)));
        Ok(WordId(first))
    }
}
