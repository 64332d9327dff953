//! Memory of a few KiB. An access outside it, or of a word that is not aligned, is a fault.

use std::cell::RefCell;

use ringfence_softgpu::{
    address::Address,
    bus::{Bus, Fault},
};

/// One allocation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Memory {
    start: u64,
    content: RefCell<Vec<u8>>,
}
impl Memory {
    pub(super) fn new(start: u64, content: Vec<u8>) -> Self {
        Self { start, content: RefCell::new(content) }
    }
    /// What it holds from `at` on.
    pub(super) fn bytes(&self, at: u64, bytes: usize) -> Vec<u8> {
        let from = (at - self.start) as usize;
        self.content.borrow()[from..from + bytes].to_vec()
    }
    fn on<R>(&self, at: Address, bytes: u64, act: impl FnOnce(&mut [u8]) -> R) -> Result<R, Fault> {
        let mut content = self.content.borrow_mut();
        let found = at.as_u64().checked_sub(self.start).and_then(|from| {
            let from = usize::try_from(from).ok()?;
            content.get_mut(from..from.checked_add(usize::try_from(bytes).ok()?)?)
        });
        found.map(act).ok_or(Fault { at, bytes })
    }
    fn word<const N: usize, R>(
        &self,
        at: Address,
        act: impl FnOnce(&mut [u8; N]) -> R,
    ) -> Result<R, Fault> {
        if !at.as_u64().is_multiple_of(N as u64) {
            return Err(Fault { at, bytes: N as u64 });
        }
        self.on(at, N as u64, |bytes| act(bytes.try_into().expect("as long as was asked")))
    }
    fn change(&self, at: Address, new: impl FnOnce(u64) -> u64) -> Result<(u64, u64), Fault> {
        self.word(at, |bytes| {
            let old = u64::from_le_bytes(*bytes);
            let new = new(old);
            *bytes = new.to_le_bytes();
            (old, new)
        })
    }
}
impl Bus for Memory {
    fn read(&self, at: Address, into: &mut [u8]) -> Result<(), Fault> {
        self.on(at, into.len() as u64, |bytes| into.copy_from_slice(bytes))
    }
    fn write(&self, at: Address, from: &[u8]) -> Result<(), Fault> {
        self.on(at, from.len() as u64, |bytes| bytes.copy_from_slice(from))
    }
    fn copy(&self, to: Address, from: Address, bytes: u64) -> Result<(), Fault> {
        let moved = self.on(from, bytes, |bytes| bytes.to_vec())?;
        self.write(to, &moved)
    }
    fn fill(&self, to: Address, pattern: &[u8], bytes: u64) -> Result<(), Fault> {
        let repeated = pattern.iter().cycle();
        self.on(to, bytes, |bytes| {
            bytes.iter_mut().zip(repeated).for_each(|(to, from)| *to = *from)
        })
    }
    fn load_u32(&self, at: Address) -> Result<u32, Fault> {
        self.word(at, |bytes| u32::from_le_bytes(*bytes))
    }
    fn load_u64(&self, at: Address) -> Result<u64, Fault> {
        self.word(at, |bytes| u64::from_le_bytes(*bytes))
    }
    fn store_u32(&self, at: Address, value: u32) -> Result<(), Fault> {
        self.word(at, |bytes| *bytes = value.to_le_bytes())
    }
    fn store_u64(&self, at: Address, value: u64) -> Result<(), Fault> {
        self.word(at, |bytes| *bytes = value.to_le_bytes())
    }
    fn add_u64(&self, at: Address, value: u64) -> Result<u64, Fault> {
        Ok(self.change(at, |old| old.wrapping_add(value))?.1)
    }
    fn or_u64(&self, at: Address, bits: u64) -> Result<u64, Fault> {
        Ok(self.change(at, |old| old | bits)?.0)
    }
    fn extent(&self, at: Address) -> Option<(Address, u64)> {
        let bytes = self.content.borrow().len() as u64;
        let inside = at.as_u64().checked_sub(self.start)? < bytes;
        inside.then_some((Address::new(self.start), bytes))
    }
    /// Kernels that are functions of a program are not a matter of packets.
    fn host(&self, _at: Address) -> Option<*mut u8> {
        None
    }
}
