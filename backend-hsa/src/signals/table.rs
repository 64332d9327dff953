//! Which signals there are: what a handle of the library means.
//!
//! A handle is a place and a turn, not an address: one that is made up or stale is found out before any memory is touched, and
//! the class of the signal, which says what may be done with it, need not be read from its memory. Signals of all devices are in
//! one table, for a packet of one may wait for a signal of another.

use std::sync::{
    Mutex, OnceLock, PoisonError,
    atomic::{AtomicU32, AtomicU64, Ordering},
};

use ringfence::id::SignalHandle;

/// What kind of signal it is, and so which calls take it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// The runtime's, in host memory; wakes nobody.
    Host = 1,
    /// The runtime's, with an interrupt event.
    Interrupt = 2,
    /// The runtime's, made to be shared with other processes.
    Shared = 3,
    /// A block that this crate laid out in a GPU's memory: no call of the runtime takes it.
    Raw = 4,
    /// The runtime's, in a GPU's memory: of its calls, only the one that destroys takes it here.
    InDevice = 5,
}

impl Class {
    const fn from_bits(bits: u64) -> Option<Self> {
        match bits {
            1 => Some(Self::Host),
            2 => Some(Self::Interrupt),
            3 => Some(Self::Shared),
            4 => Some(Self::Raw),
            5 => Some(Self::InDevice),
            _ => None,
        }
    }
}

/// A signal that is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// Where its `amd_signal_t` lies.
    pub(crate) address: u64,
    /// What it is.
    pub(crate) class: Class,
    /// The device that it was made by.
    pub(crate) owner: Owner,
}

/// A GPU of one start of a runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Owner {
    /// Which start.
    pub(crate) runtime: u32,
    /// Which of its GPUs.
    pub(crate) device: u32,
}

/// Places of one chunk.
const CHUNK: usize = 4096;
/// Chunks: a million signals, of 64 bytes each at least.
const CHUNKS: usize = 256;

#[derive(Debug, Default)]
struct Slot {
    /// Address and class; 0: nothing is here. The upper 8 bits of a user's address are 0, with 5 levels of pages too.
    word: AtomicU64,
    /// Counts the signals that were here: the turn of the present one.
    turn: AtomicU32,
    /// Start and GPU.
    owner: AtomicU64,
}

/// All signals of a process.
#[derive(Debug)]
pub(crate) struct Table {
    chunks: [OnceLock<Box<[Slot]>>; CHUNKS],
    places: Mutex<Places>,
}

#[derive(Debug)]
struct Places {
    /// Those that were left.
    free: Vec<u32>,
    /// The first that never was used.
    next: u32,
}

impl Table {
    /// No signal.
    pub(crate) const fn new() -> Self {
        let places = Mutex::new(Places { free: Vec::new(), next: 0 });
        Self { chunks: [const { OnceLock::new() }; CHUNKS], places }
    }

    /// Takes a signal in, and names it. `None` if the table is full.
    pub(crate) fn insert(&self, entry: Entry) -> Option<SignalHandle> {
        debug_assert!(entry.address != 0 && entry.address >> 56 == 0, "{entry:x?}");
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let place = match places.free.pop() {
            Some(place) => place,
            None if (places.next as usize) < CHUNK * CHUNKS => {
                places.next += 1;
                places.next - 1
            }
            None => return None,
        };
        drop(places);
        let chunk = self.chunks[place as usize / CHUNK]
            .get_or_init(|| (0..CHUNK).map(|_| Slot::default()).collect());
        let slot = &chunk[place as usize % CHUNK];
        let turn = slot.turn.load(Ordering::Relaxed);
        let owner = u64::from(entry.owner.runtime) << 32 | u64::from(entry.owner.device);
        slot.owner.store(owner, Ordering::Relaxed);
        slot.word.store(entry.address << 8 | entry.class as u64, Ordering::Release);
        Some(SignalHandle::new(u64::from(turn) << 32 | u64::from(place + 1)))
    }

    /// The signal with this name, if it is there.
    #[inline]
    pub(crate) fn look_up(&self, signal: SignalHandle) -> Option<Entry> {
        let slot = self.slot(signal)?;
        let word = slot.word.load(Ordering::Acquire);
        if slot.turn.load(Ordering::Relaxed) != turn(signal) {
            return None;
        }
        let class = Class::from_bits(word & 0xff)?;
        let owner = slot.owner.load(Ordering::Relaxed);
        let owner = Owner { runtime: (owner >> 32) as u32, device: owner as u32 };
        Some(Entry { address: word >> 8, class, owner })
    }

    /// Forgets all signals of one start of a runtime, which ends: what their handles named goes with it. How many there were.
    pub(crate) fn forget(&self, runtime: u32) -> usize {
        let used = self.places.lock().unwrap_or_else(PoisonError::into_inner).next;
        let names = (0..used).filter_map(|place| {
            let name = SignalHandle::new(u64::from(place + 1));
            let turn = self.slot(name)?.turn.load(Ordering::Relaxed);
            Some(SignalHandle::new(u64::from(turn) << 32 | name.as_u64()))
        });
        let left = names
            .filter(|name| self.look_up(*name).is_some_and(|entry| entry.owner.runtime == runtime));
        left.filter(|name| self.remove(*name).is_some()).count()
    }

    /// Forgets a signal: of those who try, one gets what it was.
    pub(crate) fn remove(&self, signal: SignalHandle) -> Option<Entry> {
        let entry = self.look_up(signal)?;
        let slot = self.slot(signal)?;
        // The turn decides who of two removes it: the next signal here has another.
        let next = turn(signal).wrapping_add(1);
        let (success, failure) = (Ordering::AcqRel, Ordering::Relaxed);
        slot.turn.compare_exchange(turn(signal), next, success, failure).ok()?;
        slot.word.store(0, Ordering::Release);
        let place = place(signal)?;
        self.places.lock().unwrap_or_else(PoisonError::into_inner).free.push(place);
        Some(entry)
    }

    #[inline]
    fn slot(&self, signal: SignalHandle) -> Option<&Slot> {
        let place = place(signal)? as usize;
        self.chunks.get(place / CHUNK)?.get()?.get(place % CHUNK)
    }
}

#[inline]
fn place(signal: SignalHandle) -> Option<u32> {
    (signal.as_u64() as u32).checked_sub(1)
}

#[inline]
fn turn(signal: SignalHandle) -> u32 {
    (signal.as_u64() >> 32) as u32
}
