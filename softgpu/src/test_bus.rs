//! A bus over allocations in plain vectors, for the tests of everything that works on memory.

use std::{cell::RefCell, collections::BTreeMap};

use crate::{
    address::Address,
    bus::{Bus, Fault},
};

/// Whether kernels that are functions of a program find their memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Host {
    #[default]
    Found,
    Nowhere,
}

/// Allocations by their address. An access outside of them, and of a word that is not aligned, is a fault.
#[derive(Debug, Default)]
pub struct TestBus(RefCell<BTreeMap<u64, Vec<u8>>>, Host);
impl TestBus {
    /// A bus with one allocation of this content.
    #[must_use]
    pub fn with(at: Address, content: Vec<u8>) -> Self {
        Self::default().and(at, content)
    }
    /// The same bus with one more.
    #[must_use]
    pub fn and(self, at: Address, content: Vec<u8>) -> Self {
        self.0.borrow_mut().insert(at.as_u64(), content);
        self
    }
    /// The same bus, on which the host has no address for anything: no function of a program can be a kernel.
    #[must_use]
    pub fn without_host(self) -> Self {
        Self(self.0, Host::Nowhere)
    }
    /// What an allocation holds.
    ///
    /// # Panics
    /// If there is none at that address.
    pub fn content(&self, at: Address) -> Vec<u8> {
        self.0.borrow()[&at.as_u64()].clone()
    }
    /// `bytes` bytes from anywhere.
    ///
    /// # Panics
    /// If they are in no allocation.
    pub fn bytes(&self, at: Address, bytes: usize) -> Vec<u8> {
        let mut content = vec![0; bytes];
        self.read(at, &mut content).expect("the test reads memory that it mapped");
        content
    }
    /// Stores bytes anywhere.
    ///
    /// # Panics
    /// If there is no allocation.
    pub fn put(&self, at: Address, content: &[u8]) {
        self.write(at, content).expect("the test writes memory that it mapped");
    }
    fn on<R>(&self, at: Address, bytes: u64, act: impl FnOnce(&mut [u8]) -> R) -> Result<R, Fault> {
        let mut map = self.0.borrow_mut();
        let found = map.range_mut(..=at.as_u64()).next_back().and_then(|(start, content)| {
            let from = usize::try_from(at.as_u64() - start).ok()?;
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
    fn rmw(&self, at: Address, new: impl FnOnce(u64) -> u64) -> Result<(u64, u64), Fault> {
        self.word(at, |bytes| {
            let old = u64::from_le_bytes(*bytes);
            let new = new(old);
            *bytes = new.to_le_bytes();
            (old, new)
        })
    }
}
impl Bus for TestBus {
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
        Ok(self.rmw(at, |old| old.wrapping_add(value))?.1)
    }
    fn or_u64(&self, at: Address, bits: u64) -> Result<u64, Fault> {
        Ok(self.rmw(at, |old| old | bits)?.0)
    }
    fn extent(&self, at: Address) -> Option<(Address, u64)> {
        let map = self.0.borrow();
        let (&start, content) = map.range(..=at.as_u64()).next_back()?;
        let bytes = content.len() as u64;
        (at.as_u64() - start < bytes).then_some((Address::new(start), bytes))
    }
    fn host(&self, at: Address) -> Option<*mut u8> {
        self.on(at, 1, |bytes| bytes.as_mut_ptr()).ok().filter(|_| self.1 == Host::Found)
    }
}
