//! Which signals there are: what a handle of the library means.
//!
//! A handle is a place and a turn, not an address: one that is made up or stale is found out before any memory is touched, and
//! the class of the signal, which says what may be done with it, need not be read from its memory. Signals of all devices are in
//! one table, for a packet of one may wait for a signal of another.
//!
//! A signal whose memory goes when it is destroyed is counted while a thread is at it: then the last of those who are gives it
//! back, not the one who destroys it. Of the others the memory stays ([`Class::stays`]), and nobody counts.

use std::sync::{
    Mutex, OnceLock, PoisonError,
    atomic::{AtomicU64, Ordering},
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
    /// Whether the memory of a destroyed one stays a signal's until the runtime ends, since this crate keeps it for the next.
    /// These are the kinds that are loaded and armed most, which so need no count.
    pub(crate) const fn stays(self) -> bool {
        matches!(self, Self::Host | Self::Raw)
    }

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

/// A place of the table.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// Address and class; 0: nothing is here. The upper 8 bits of a user's address are 0, with 5 levels of pages too.
    word: AtomicU64,
    /// The turn, which counts the signals that were here; whether the present one is [`DYING`]; and how many threads are at it.
    life: AtomicU64,
    /// Start and GPU.
    owner: AtomicU64,
}

/// Destroyed, but somebody is at it still.
const DYING: u64 = 1 << 31;

/// Whether `life` is that of the signal with this name, and not yet destroyed.
#[inline]
const fn is_of(life: u64, signal: SignalHandle) -> bool {
    (life ^ signal.as_u64()) >> 32 == 0 && life & DYING == 0
}

impl Slot {
    /// Whether the signal with this name is here still. What its memory was seen to hold before is its own then.
    #[inline]
    pub(crate) fn has(&self, signal: SignalHandle) -> bool {
        is_of(self.life.load(Ordering::Acquire), signal)
    }

    /// Counts this thread among those who are at the signal with this name, if it is here: it is not given back before
    /// [`Table::leave`], which has to follow.
    pub(crate) fn enter(&self, signal: SignalHandle) -> Option<()> {
        let one_more = |life| is_of(life, signal).then_some(life + 1);
        self.life.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more).ok().map(drop)
    }
}

/// What became of a signal that is to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Removed {
    /// It has no name any more and nobody is at it: whoever got this gives it back.
    Now(Entry),
    /// Nobody gets at it any more; the last who is at it gives it back.
    Later,
    /// There was none.
    Unknown,
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
        let turn = slot.life.load(Ordering::Relaxed) >> 32;
        let owner = u64::from(entry.owner.runtime) << 32 | u64::from(entry.owner.device);
        slot.owner.store(owner, Ordering::Release);
        slot.word.store(entry.address << 8 | entry.class as u64, Ordering::Release);
        Some(SignalHandle::new(turn << 32 | u64::from(place + 1)))
    }

    /// The signal with this name, if it is there.
    #[inline]
    pub(crate) fn look_up(&self, signal: SignalHandle) -> Option<Entry> {
        self.find(signal).map(|(_, entry)| entry)
    }

    /// The same, with its place.
    #[inline]
    pub(crate) fn find(&self, signal: SignalHandle) -> Option<(&Slot, Entry)> {
        let slot = self.slot(signal)?;
        let (word, owner) = (slot.word.load(Ordering::Acquire), slot.owner.load(Ordering::Acquire));
        // Last: what was read before is of this turn then, for the turn goes on before anything else is stored here.
        if !slot.has(signal) {
            return None;
        }
        let class = Class::from_bits(word & 0xff)?;
        let owner = Owner { runtime: (owner >> 32) as u32, device: owner as u32 };
        Some((slot, Entry { address: word >> 8, class, owner }))
    }

    /// Ends what [`Slot::enter`] began. The last who was at a signal that was removed meanwhile gets what it was, to give
    /// it back.
    #[must_use = "a signal that was removed meanwhile is to be given back"]
    pub(crate) fn leave(&self, signal: SignalHandle, entry: Entry) -> Option<Entry> {
        let before = self.slot(signal)?.life.fetch_sub(1, Ordering::AcqRel);
        debug_assert!(before & (DYING - 1) > 0, "nobody was at {signal:?}");
        if before & (DYING | (DYING - 1)) != DYING | 1 {
            return None;
        }
        self.finish(signal);
        Some(entry)
    }

    /// Forgets all signals of one start of a runtime, which ends: what their handles named goes with it. How many there were.
    pub(crate) fn forget(&self, runtime: u32) -> usize {
        let used = self.places.lock().unwrap_or_else(PoisonError::into_inner).next;
        let names = (0..used).filter_map(|place| {
            let name = SignalHandle::new(u64::from(place + 1));
            let turn = self.slot(name)?.life.load(Ordering::Relaxed) >> 32;
            Some(SignalHandle::new(turn << 32 | name.as_u64()))
        });
        let left = names
            .filter(|name| self.look_up(*name).is_some_and(|entry| entry.owner.runtime == runtime));
        left.filter(|name| self.remove(*name) != Removed::Unknown).count()
    }

    /// Forgets a signal: of those who try, one does.
    pub(crate) fn remove(&self, signal: SignalHandle) -> Removed {
        let Some((slot, entry)) = self.find(signal) else { return Removed::Unknown };
        let dying = |life| is_of(life, signal).then_some(life | DYING);
        match slot.life.fetch_update(Ordering::AcqRel, Ordering::Acquire, dying) {
            Err(_) => Removed::Unknown,
            Ok(before) if before & (DYING - 1) > 0 => Removed::Later,
            Ok(_) => {
                self.finish(signal);
                Removed::Now(entry)
            }
        }
    }

    /// The place serves again, by another name. Called once for each name, when nobody can get at it any more.
    fn finish(&self, signal: SignalHandle) {
        let Some((slot, place)) = self.slot(signal).zip(place(signal)) else { return };
        slot.life.store(u64::from(turn(signal).wrapping_add(1)) << 32, Ordering::Release);
        slot.word.store(0, Ordering::Release);
        self.places.lock().unwrap_or_else(PoisonError::into_inner).free.push(place);
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
