//! Signals while a thread is at them.

use ringfence::id::SignalHandle;

use super::{
    TABLE,
    table::{Entry, Slot},
    word::{Block, for_calls},
};
use crate::{api::HsaSignal, device::DeviceInner};

/// A signal that this thread is at. Until this is gone, its memory is a signal's: of the classes whose memory goes with a signal,
/// who destroys it leaves that to this; of the others it stays, and may be another signal's by now, which [`check`](Self::check)
/// finds out.
#[derive(Debug)]
pub(crate) struct Held<'a> {
    device: &'a DeviceInner,
    slot: &'a Slot,
    signal: SignalHandle,
    entry: Entry,
}

/// The signal with this name, if there is one and it is of the device's runtime.
#[inline]
pub(crate) fn hold(device: &DeviceInner, signal: SignalHandle) -> Option<Held<'_>> {
    let (slot, entry) = TABLE.find(signal)?;
    if !device.owns(entry) {
        return None;
    }
    if !entry.class.stays() {
        slot.enter(signal)?;
    }
    Some(Held { device, slot, signal, entry })
}

/// The same, or a panic that says so: a caller that uses a signal after it was destroyed must not go on.
#[inline]
#[track_caller]
pub(crate) fn expect(device: &DeviceInner, signal: SignalHandle) -> Held<'_> {
    match hold(device, signal) {
        Some(held) => held,
        None => unknown(signal),
    }
}

/// One access to the signal with this name; a panic if it is not there, or not any more.
///
/// This is on the path of every use: a signal whose memory stays takes a look before and one after, and is not counted.
#[inline]
#[track_caller]
pub(crate) fn at<T>(device: &DeviceInner, signal: SignalHandle, access: impl Fn(Block) -> T) -> T {
    if let Some((slot, entry)) = TABLE.find(signal)
        && entry.class.stays()
        && device.owns(entry)
    {
        // SAFETY: as in `Held::block`.
        let answer = access(unsafe { Block::of(entry) });
        if slot.has(signal) {
            return answer;
        }
    }
    at_held(device, signal, access)
}

/// The same for a signal that is counted, and for one that is not there.
#[inline(never)]
#[track_caller]
fn at_held<T>(device: &DeviceInner, signal: SignalHandle, access: impl Fn(Block) -> T) -> T {
    let held = expect(device, signal);
    let answer = access(held.block());
    held.check();
    answer
}

/// Where a signal lies that a packet names. Nobody is held up by that: no packet may name what is destroyed before it ran
/// (contract 2 of `Signals`).
#[inline]
pub(crate) fn address(device: &DeviceInner, signal: SignalHandle) -> Option<u64> {
    TABLE.look_up(signal).filter(|entry| device.owns(*entry)).map(|entry| entry.address)
}

#[cold]
#[track_caller]
fn unknown(signal: SignalHandle) -> ! {
    panic!("{signal:?} is no signal of this backend, or was destroyed")
}

impl Held<'_> {
    /// What it is.
    #[inline]
    pub(crate) fn entry(&self) -> Entry {
        self.entry
    }

    /// Its words; not to be used when this is gone.
    #[inline]
    pub(crate) fn block(&self) -> Block {
        // SAFETY: the address is the table's, and what lies there is a signal until this is gone: see above. The device keeps
        // the runtime up, without whose end not even the memory that stays would go.
        unsafe { Block::of(self.entry) }
    }

    /// As the runtime's calls take it; none for one in device memory. Not to be used when this is gone.
    pub(crate) fn for_calls(&self) -> Option<HsaSignal> {
        // SAFETY: as in `block`.
        unsafe { for_calls(self.entry) }
    }

    /// Panics if it was destroyed meanwhile: what was read of it may be another's.
    #[inline]
    #[track_caller]
    pub(crate) fn check(&self) {
        if !self.slot.has(self.signal) {
            unknown(self.signal);
        }
    }
}

impl Drop for Held<'_> {
    #[inline]
    fn drop(&mut self) {
        if !self.entry.class.stays()
            && let Some(entry) = TABLE.leave(self.signal, self.entry)
        {
            self.device.give_back(entry);
        }
    }
}
