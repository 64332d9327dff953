//! Addresses and lengths of a device's address space.

use std::fmt;

/// An address as the device knows it. Where the host maps the same memory, it mostly does so at the
/// same address; memory of the host's own that was registered later lies elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Address(u64);
impl Address {
    /// No object.
    pub const NULL: Self = Self(0);
    /// The address with this number.
    pub const fn new(address: u64) -> Self {
        Self(address)
    }
    /// Its number.
    pub const fn as_u64(self) -> u64 {
        self.0
    }
    /// Whether it is 0.
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }
    /// The address `bytes` further. Device code computes modulo 2^64, and so does this.
    pub const fn plus(self, bytes: u64) -> Self {
        Self(self.0.wrapping_add(bytes))
    }
    /// How far this address is behind `start`; `None` if it is before it.
    pub const fn since(self, start: Self) -> Option<u64> {
        self.0.checked_sub(start.0)
    }
}
impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:#x}", self.0)
    }
}
