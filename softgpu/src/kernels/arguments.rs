//! The arguments of one dispatch, and the memory that they point to.

use super::Dispatch;
use crate::{
    address::Address,
    bus::{Bus, Fault},
};

/// Arguments by their offset in bytes. They are read one by one: only what a kernel really reads need
/// be mapped.
pub(super) struct Arguments<'a, B> {
    at: Address,
    grid: [u64; 3],
    pub(super) bus: &'a B,
}
impl<'a, B: Bus> Arguments<'a, B> {
    pub(super) fn new(dispatch: &Dispatch, bus: &'a B) -> Self {
        Self { at: dispatch.kernarg(), grid: dispatch.grid().map(u64::from), bus }
    }
    /// Work-items in x, y, z.
    pub(super) const fn grid(&self) -> [u64; 3] {
        self.grid
    }
    pub(super) fn u32(&self, offset: u64) -> Result<u32, Fault> {
        self.bytes(offset).map(u32::from_le_bytes)
    }
    pub(super) fn u64(&self, offset: u64) -> Result<u64, Fault> {
        self.bytes(offset).map(u64::from_le_bytes)
    }
    pub(super) fn address(&self, offset: u64) -> Result<Address, Fault> {
        self.u64(offset).map(Address::new)
    }
    /// Four words of 8 bytes (`ulong4`).
    pub(super) fn quad(&self, offset: u64) -> Result<[u64; 4], Fault> {
        let at = |index: u64| self.u64(offset + index * 8);
        Ok([at(0)?, at(1)?, at(2)?, at(3)?])
    }
    fn bytes<const N: usize>(&self, offset: u64) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        self.bus.read(self.at.plus(offset), &mut bytes)?;
        Ok(bytes)
    }
    /// Memory that an argument points to. Its length may be anything: it is checked before it is believed.
    pub(super) fn pointed(&self, at: Address, bytes: u64) -> Result<Vec<u8>, Fault> {
        let fault = Fault { at, bytes };
        let (start, all) = self.bus.extent(at).ok_or(fault)?;
        let left = at.since(start).and_then(|before| all.checked_sub(before)).ok_or(fault)?;
        let mut content =
            vec![0; usize::try_from(bytes).ok().filter(|_| bytes <= left).ok_or(fault)?];
        self.bus.read(at, &mut content)?;
        Ok(content)
    }
}

/// Bytes from `from` up to `end`; 0 if that lies before it.
pub(super) fn until(from: Address, end: Address) -> u64 {
    end.since(from).unwrap_or(0)
}
/// An address that atomic accesses of `bytes` bytes may use.
pub(super) const fn aligned(at: Address, bytes: u64) -> Result<Address, Fault> {
    if at.as_u64().is_multiple_of(bytes) { Ok(at) } else { Err(Fault { at, bytes }) }
}
