//! Signals: a word that streams write, and what the host knows of it.

use std::{
    ffi::c_void,
    sync::{
        OnceLock,
        atomic::{AtomicI64, AtomicU8, AtomicU64, Ordering},
    },
};

use ringfence::{
    backend::SignalMemory,
    error::{CreateError, DriverError},
    id::{DeviceId, SignalHandle, SignalValue},
};

use ringfence_backend_shared::words::{Pinned, SLABS, WORDS, WordId, Words};

use crate::runtime::Hip;

/// All signals of one driver, whichever GPU they belong to: a queue of one waits for another's.
#[derive(Debug)]
pub(crate) struct Table<P = Hip> {
    number: TableNumber,
    words: Words<P>,
    cells: Box<[OnceLock<Box<[Cell]>>]>,
}

/// The upper half of each handle: words have the same numbers in every table, and a look at the wrong one would find a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TableNumber(u32);

impl TableNumber {
    /// One that no other table of the process has.
    fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(u32::try_from(number).expect("a process that makes four billion of them leaks them"))
    }

    /// The lower half is the word's number and 1, so that no handle is 0.
    fn handle(self, word: WordId) -> SignalHandle {
        SignalHandle::new(u64::from(self.0) << 32 | (word.as_u64() + 1))
    }

    /// The word, if the handle is of this table.
    #[inline]
    fn word(self, signal: SignalHandle) -> Option<WordId> {
        let (table, word) = (signal.as_u64() >> 32, signal.as_u64() & u64::from(u32::MAX));
        if table != u64::from(self.0) {
            return None;
        }
        WordId::from_u64(word.checked_sub(1)?)
    }
}

const _: () = assert!(SLABS * WORDS < u32::MAX as usize, "a handle's lower half holds any word");

/// What the host knows of a signal.
#[derive(Debug, Default)]
pub(super) struct Cell {
    /// How often it was armed: the last time is at that place, modulo 2, of `arms`.
    turn: AtomicU64,
    /// Two, since one is read by other threads while the next is written.
    arms: [Arm; 2],
    /// How many completions were submitted.
    submitted: AtomicU64,
    /// Its memory, as `SignalMemory::ALL` numbers it, and 1; 0 if it was destroyed.
    memory: AtomicU8,
}

/// One arming.
#[derive(Debug, Default)]
struct Arm {
    value: AtomicI64,
    /// How many completions there had been.
    base: AtomicU64,
}

/// What one look at a signal found.
#[derive(Clone, Copy, Debug)]
struct Armed {
    value: i64,
    base: u64,
    done: u64,
}

/// A signal that exists.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signal<'a> {
    cell: &'a Cell,
    word: &'a AtomicU64,
}

/// A number of completions, counted over a signal's whole life.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Completions(pub(super) u64);

impl<P: Pinned> Table<P> {
    pub(crate) fn new(memory: P) -> Self {
        let cells = (0..SLABS).map(|_| OnceLock::new()).collect();
        Self { number: TableNumber::next(), words: Words::new(memory), cells }
    }

    /// A signal of `device`: it goes with that one.
    pub(super) fn create(
        &self,
        memory: SignalMemory,
        device: DeviceId,
    ) -> Result<SignalHandle, CreateError> {
        let word = self.words.take_as_it_is(device).map_err(|error| match error {
            DriverError::DeviceLost(_) => CreateError::DeviceLost,
            _ => CreateError::OutOfMemory,
        })?;
        let (slab, index) = word.place();
        let cells = &self.cells[slab];
        let cells = cells.get_or_init(|| (0..WORDS).map(|_| Cell::default()).collect());
        let kind = SignalMemory::ALL.iter().position(|one| *one == memory).unwrap_or(0) as u8;
        cells[index].memory.store(kind + 1, Ordering::Release);
        let handle = self.number.handle(word);
        self.expect(handle).arm(SignalValue::ARMED);
        Ok(handle)
    }

    /// Gives a signal back. One that is destroyed twice is destroyed once.
    pub(super) fn destroy(&self, signal: SignalHandle) {
        let Some((id, cell)) = self.cell(signal) else { return };
        if cell.memory.swap(0, Ordering::AcqRel) != 0 {
            self.words.give(id);
        }
    }

    /// The signal.
    ///
    /// # Panics
    /// If there is no such, or no more.
    #[inline]
    pub(super) fn expect(&self, signal: SignalHandle) -> Signal<'_> {
        self.find(signal).unwrap_or_else(|| {
            panic!("there is no {signal:?}: it was destroyed, or is of another `HipStreams`")
        })
    }

    #[inline]
    pub(super) fn find(&self, signal: SignalHandle) -> Option<Signal<'_>> {
        let (id, cell) = self.cell(signal)?;
        let word = self.words.word(id)?;
        (cell.memory.load(Ordering::Acquire) != 0).then_some(Signal { cell, word })
    }

    /// Where a stream writes it; none has the signal of a device that was reset, which only the host looks at from then on.
    pub(super) fn address(&self, signal: SignalHandle) -> Option<*mut c_void> {
        self.words.address(self.number.word(signal)?)
    }

    /// Its device was reset: nobody completes it any more.
    pub(super) fn is_abandoned(&self, signal: SignalHandle) -> bool {
        self.find(signal).is_some() && self.address(signal).is_none()
    }

    /// Whether who watches it is to be told: it is complete, or will not be, since it was destroyed or its device was reset.
    pub(super) fn is_over(&self, signal: SignalHandle) -> bool {
        self.find(signal).is_none_or(|found| self.address(signal).is_none() || found.load() < 1)
    }

    /// The device was reset: its signals are never completed, whatever the host finds.
    pub(crate) fn abandon(&self, device: DeviceId) {
        self.words.abandon(device);
    }

    #[inline]
    fn cell(&self, signal: SignalHandle) -> Option<(WordId, &Cell)> {
        let id = self.number.word(signal)?;
        let (slab, index) = id.place();
        Some((id, self.cells.get(slab)?.get()?.get(index)?))
    }
}

#[cfg(test)]
impl<'a> Signal<'a> {
    /// One whose word is not a stream's.
    pub(super) fn of(cell: &'a Cell, word: &'a AtomicU64) -> Self {
        Self { cell, word }
    }
}

impl Signal<'_> {
    /// Its value.
    #[inline]
    pub(super) fn load(self) -> i64 {
        let Armed { value, base, done } = self.armed();
        value.wrapping_sub_unsigned(done.wrapping_sub(base))
    }

    #[inline]
    fn armed(self) -> Armed {
        loop {
            let turn = self.cell.turn.load(Ordering::Acquire);
            let arm = &self.cell.arms[(turn & 1) as usize];
            // With acquire: who reads what a later arming wrote here sees below that there was one.
            let (value, base) =
                (arm.value.load(Ordering::Acquire), arm.base.load(Ordering::Acquire));
            // With acquire: what the stream released before it wrote is visible.
            let done = self.word.load(Ordering::Acquire);
            // Armed again in between, they would not belong together.
            if self.cell.turn.load(Ordering::Acquire) == turn {
                return Armed { value, base, done };
            }
        }
    }

    /// One thread at a time arms a signal.
    pub(super) fn arm(self, value: SignalValue) {
        let done = self.word.load(Ordering::Acquire);
        let turn = self.cell.turn.load(Ordering::Relaxed) + 1;
        let arm = &self.cell.arms[(turn & 1) as usize];
        arm.value.store(value.as_i64(), Ordering::Release);
        arm.base.store(done, Ordering::Release);
        self.cell.turn.store(turn, Ordering::Release);
    }

    /// The number that the word has once the next packet has completed it. The caller submits that write, after those of
    /// earlier calls.
    pub(super) fn next_completion(self) -> Completions {
        let done = self.word.load(Ordering::Acquire);
        let next = self.cell.submitted.load(Ordering::Relaxed).max(done) + 1;
        self.cell.submitted.store(next, Ordering::Relaxed);
        Completions(next)
    }

    /// The number at which the value falls below `below`.
    pub(super) fn falls_below(self, below: i64) -> Completions {
        let Armed { value, base, .. } = self.armed();
        Completions(base.saturating_add_signed(value.saturating_sub(below).saturating_add(1)))
    }

    /// The host completes it as a packet would: what was submitted for it is not waited for.
    pub(super) fn complete(self) {
        let Completions(to) = self.falls_below(1);
        self.cell.submitted.fetch_max(to, Ordering::Relaxed);
        self.word.fetch_max(to, Ordering::AcqRel);
    }

    /// Makes its value 0 for the host. A completion that comes late takes it to -1.
    pub(super) fn force(self) {
        self.arm(SignalValue::DONE);
    }

    /// Whether who waits for it may sleep.
    pub(super) fn is_interrupt(self) -> bool {
        let memory = self.cell.memory.load(Ordering::Relaxed);
        SignalMemory::ALL.get(usize::from(memory).wrapping_sub(1)) == Some(&SignalMemory::Interrupt)
    }
}
