//! The words of a signal's block, which host and devices share.

use std::{
    mem::offset_of,
    sync::atomic::{AtomicI64, AtomicU64, Ordering},
};

use super::table::{Class, Entry};
use crate::{
    api::HsaSignal,
    sys::{amd_signal_kind_t, amd_signal_t},
};

/// Bytes of a block: `amd_signal_t`.
pub(crate) const BLOCK: usize = size_of::<amd_signal_t>();

const _: () = assert!(BLOCK == 64 && align_of::<amd_signal_t>() <= 64);

/// A signal's block.
///
/// Whether its value may be stored by the host is a question of order, not of memory: every access is one atomic load or store of
/// an aligned word, which is what devices do as well. A read-modify-write never is: over PCIe it is none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block(u64);

impl Block {
    /// The block of a signal in the table.
    ///
    /// # Safety
    /// `entry` came from the table, so that its address is that of an `amd_signal_t`, which is there until the last use of this.
    pub(crate) const unsafe fn of(entry: Entry) -> Self {
        Self(entry.address)
    }

    /// The block that lies at `address`.
    ///
    /// # Safety
    /// It does, as long as this is used.
    pub(crate) const unsafe fn at(address: u64) -> Self {
        Self(address)
    }

    /// The value, with acquire order.
    #[inline]
    pub(crate) fn load(self) -> i64 {
        self.signed(offset_of!(amd_signal_t, __bindgen_anon_1)).load(Ordering::Acquire)
    }

    /// Stores the value, and wakes nobody. A store to device memory may linger.
    #[inline]
    pub(crate) fn store(self, value: i64) {
        self.signed(offset_of!(amd_signal_t, __bindgen_anon_1)).store(value, Ordering::Release);
    }

    /// Lays out a signal of no event with this value and no times.
    pub(crate) fn lay_out(self, value: i64) {
        for field in [
            offset_of!(amd_signal_t, event_mailbox_ptr),
            offset_of!(amd_signal_t, event_id), // and the reserved half behind it
            offset_of!(amd_signal_t, start_ts),
            offset_of!(amd_signal_t, end_ts),
            offset_of!(amd_signal_t, __bindgen_anon_2),
            offset_of!(amd_signal_t, reserved3),
        ] {
            self.unsigned(field).store(0, Ordering::Relaxed);
        }
        self.store(value);
        let kind = i64::from(amd_signal_kind_t::AMD_SIGNAL_KIND_USER.0);
        self.signed(offset_of!(amd_signal_t, kind)).store(kind, Ordering::Release);
    }

    /// The same for a block that is a signal of the runtime's, of no event: the rest of it is the runtime's.
    pub(crate) fn lay_out_again(self, value: i64) {
        self.clear_times();
        self.store(value);
    }

    /// No times.
    pub(crate) fn clear_times(self) {
        self.unsigned(offset_of!(amd_signal_t, start_ts)).store(0, Ordering::Relaxed);
        self.unsigned(offset_of!(amd_signal_t, end_ts)).store(0, Ordering::Relaxed);
    }

    /// Whether it is a signal whose value is in its block.
    pub(crate) fn is_user(self) -> bool {
        let kind = self.signed(offset_of!(amd_signal_t, kind)).load(Ordering::Acquire);
        kind == i64::from(amd_signal_kind_t::AMD_SIGNAL_KIND_USER.0)
    }

    /// Whether an interrupt event comes with it.
    pub(crate) fn has_event(self) -> bool {
        self.unsigned(offset_of!(amd_signal_t, event_mailbox_ptr)).load(Ordering::Acquire) != 0
    }

    /// Start and end of the packet that completed it last, in ticks of its agent's clock.
    pub(crate) fn times(self) -> [u64; 2] {
        let load = |field| self.unsigned(field).load(Ordering::Acquire);
        [load(offset_of!(amd_signal_t, start_ts)), load(offset_of!(amd_signal_t, end_ts))]
    }

    #[inline]
    fn signed(&self, offset: usize) -> &AtomicI64 {
        let word = (self.0 as usize + offset) as *mut i64;
        // SAFETY: the block is there as long as this is used (the constructors' promise), and the offset is that of an aligned
        // word of it.
        unsafe { AtomicI64::from_ptr(word) }
    }

    #[inline]
    fn unsigned(&self, offset: usize) -> &AtomicU64 {
        let word = (self.0 as usize + offset) as *mut u64;
        // SAFETY: as above.
        unsafe { AtomicU64::from_ptr(word) }
    }
}

/// The signal of `entry` as the runtime's calls take it; none if they do not.
///
/// # Safety
/// As [`Block::of`].
pub(crate) unsafe fn for_calls(entry: Entry) -> Option<HsaSignal> {
    match entry.class {
        Class::Raw | Class::InDevice => return None,
        Class::Host | Class::Interrupt | Class::Shared => {}
    }
    // SAFETY: the runtime made it, and the caller promised that it is there.
    Some(unsafe { HsaSignal::from_address(entry.address) })
}
