//! 64-bit words in pinned host memory, which a stream writes and the host reads.
//!
//! They are made in slabs and never given back to the runtime: freeing pinned memory waits for the whole device and breaks captures. So a word's
//! place is valid as long as its device is not reset, and looking at one that was given back is harmless.
//!
//! A reset takes the pinned memory of its device away. [`Words::abandon`] then puts memory of the host's own in the place of each slab of that
//! device: whoever still has a word looks at that, no device ever gets its address, and its number never comes back.

use std::{
    collections::HashMap,
    ffi::c_void,
    ptr::NonNull,
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering},
    },
};

use ringfence::{error::DriverError, id::DeviceId};

/// Where pinned host memory comes from.
pub trait Pinned {
    /// So many bytes, for any GPU, at the address that the host has it at. It is never freed, and stays until `device` is reset: it is
    /// made with that one current.
    ///
    /// # Errors
    /// What the runtime says.
    fn pinned(&self, bytes: usize, device: DeviceId) -> Result<NonNull<c_void>, DriverError>;
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
/// use ringfence::{error::DriverError, id::DeviceId};
/// use ringfence_backend_shared::words::{Pinned, WordId, Words};
/// use std::{ffi::c_void, ptr::NonNull, sync::atomic::Ordering};
/// /// Memory that any device of this test reaches: the host's own.
/// struct Heap;
/// impl Pinned for Heap {
///     fn pinned(&self, bytes: usize, _: DeviceId) -> Result<NonNull<c_void>, DriverError> {
///         Ok(NonNull::from(vec![0_u64; bytes.div_ceil(8)].leak()).cast())
///     }
/// }
/// let words = Words::new(Heap);
/// let id = words.take(17, DeviceId::new(0))?;
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
    /// Of slabs that were not abandoned.
    ids: HashMap<DeviceId, Vec<WordId>>,
    /// By number, of all that were made: a word that is given back twice is still one word.
    lent: Vec<Lent>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lent {
    Yes,
    No,
}

/// Memory that lives until the process ends, and is only reached through atomics: pinned, or the host's own.
#[derive(Debug)]
struct Slab {
    start: AtomicPtr<c_void>,
    device: DeviceId,
    /// Its device was reset, and what is at `start` is no device's.
    abandoned: AtomicBool,
}

impl<P: Pinned> Words<P> {
    /// None yet.
    pub fn new(memory: P) -> Self {
        let slabs = (0..SLABS).map(|_| OnceLock::new()).collect();
        Self { memory, slabs, free: Mutex::default() }
    }

    /// A word that nobody has, with this value, for a stream of `device`.
    ///
    /// # Errors
    /// When the runtime has no pinned memory left, or refuses it because somebody captures.
    pub fn take(&self, value: u64, device: DeviceId) -> Result<WordId, DriverError> {
        let id = self.take_as_it_is(device)?;
        if let Some(word) = self.word(id) {
            word.store(value, Ordering::Release);
        }
        Ok(id)
    }

    /// A word that nobody has, with the value that its last user left: 0 at first.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn take_as_it_is(&self, device: DeviceId) -> Result<WordId, DriverError> {
        let mut free = self.free();
        let id = match free.ids.get_mut(&device).and_then(Vec::pop) {
            Some(id) => id,
            None => self.grow(&mut free, device)?,
        };
        free.lent[id.0 as usize] = Lent::Yes;
        Ok(id)
    }

    /// Gives a word back that no stream writes any more. A word that nobody has is none, and an abandoned one stays nobody's.
    pub fn give(&self, id: WordId) {
        let mut free = self.free();
        if free.lent.get(id.0 as usize) == Some(&Lent::Yes) {
            free.lent[id.0 as usize] = Lent::No;
            if let Some(slab) = self.slab(id).filter(|slab| !slab.is_abandoned()) {
                free.ids.entry(slab.device).or_default().push(id);
            }
        }
    }

    /// The device was reset, and its pinned memory is gone: none of its words is given to a device again, and whoever still has one finds
    /// memory of the host's own, 0 at first. Nobody may be looking at one of them during this call.
    pub fn abandon(&self, device: DeviceId) {
        let mut free = self.free();
        free.ids.remove(&device);
        let made = self.slabs.iter().map_while(OnceLock::get);
        for slab in made.filter(|slab| slab.device == device && !slab.is_abandoned()) {
            slab.abandoned.store(true, Ordering::Release);
            // Never freed either: words are looked at without a lock.
            let instead = vec![0_u64; WORDS * STRIDE / 8].leak();
            slab.start.store(instead.as_mut_ptr().cast(), Ordering::Release);
        }
    }

    /// The word, if it was ever made.
    #[inline]
    pub fn word(&self, id: WordId) -> Option<&AtomicU64> {
        let start = self.slab(id)?.start.load(Ordering::Acquire);
        let (_, index) = id.place();
        // SAFETY: a slab has `WORDS` places of this size, and `index` is below that.
        let at = unsafe { start.cast::<[u64; STRIDE / 8]>().add(index) };
        // SAFETY: the place is aligned, lives for ever (who resets a device sees to it that nobody looks), and is only reached through atomics.
        Some(unsafe { AtomicU64::from_ptr(at.cast()) })
    }

    /// Where a GPU finds it: pinned host memory has one address for all of them. None has an abandoned one.
    pub fn address(&self, id: WordId) -> Option<*mut c_void> {
        if self.slab(id)?.is_abandoned() {
            return None;
        }
        self.word(id).map(|word| word.as_ptr().cast())
    }

    #[inline]
    fn slab(&self, id: WordId) -> Option<&Slab> {
        self.slabs.get(id.place().0)?.get()
    }

    fn free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn grow(&self, free: &mut Free, device: DeviceId) -> Result<WordId, DriverError> {
        let slab = free.lent.len() / WORDS;
        let Some(place) = self.slabs.get(slab) else {
            return Err(DriverError::OutOfMemory(ringfence::error::DriverCode::new(2)));
        };
        let at = self.memory.pinned(WORDS * STRIDE, device)?.as_ptr();
        // SAFETY: so many bytes were just allocated, and nobody else has them.
        unsafe { at.cast::<u8>().write_bytes(0, WORDS * STRIDE) };
        let (start, abandoned) = (AtomicPtr::new(at), AtomicBool::new(false));
        let _only_here = place.set(Slab { start, device, abandoned });
        free.lent.resize(free.lent.len() + WORDS, Lent::No);
        let first = u32::try_from(slab * WORDS).unwrap_or(u32::MAX);
        let others = (1..WORDS as u32).rev().map(|index| WordId(first + index));
        free.ids.entry(device).or_default().extend(others);
        Ok(WordId(first))
    }
}

impl Slab {
    #[inline]
    fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests;
