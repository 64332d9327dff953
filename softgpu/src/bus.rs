//! What a device's engines may do to memory.
//!
//! Packet processors, copy engines and kernels know memory by this trait alone, so that they are pure:
//! tests give them a bus over a map, the engine thread gives them the page table.

use crate::address::Address;

/// An access to an address that nothing is mapped at: a VM fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("nothing is mapped at {at} (an access of {bytes} bytes)")]
pub struct Fault {
    /// Where.
    pub at: Address,
    /// How much.
    pub bytes: u64,
}

/// Memory as one device sees it. Words are naturally aligned; loads acquire and stores release.
pub trait Bus {
    /// Copies memory out.
    fn read(&self, at: Address, into: &mut [u8]) -> Result<(), Fault>;
    /// Copies memory in.
    fn write(&self, at: Address, from: &[u8]) -> Result<(), Fault>;
    /// Copies `bytes` from one place to another; the places may overlap.
    fn copy(&self, to: Address, from: Address, bytes: u64) -> Result<(), Fault>;
    /// Repeats `pattern` over `bytes`, the last time cut short.
    fn fill(&self, to: Address, pattern: &[u8], bytes: u64) -> Result<(), Fault>;
    /// Loads 4 bytes.
    fn load_u32(&self, at: Address) -> Result<u32, Fault>;
    /// Loads 8 bytes.
    fn load_u64(&self, at: Address) -> Result<u64, Fault>;
    /// Stores 4 bytes.
    fn store_u32(&self, at: Address, value: u32) -> Result<(), Fault>;
    /// Stores 8 bytes.
    fn store_u64(&self, at: Address, value: u64) -> Result<(), Fault>;
    /// Adds to 8 bytes, modulo 2^64, and answers with the sum.
    fn add_u64(&self, at: Address, value: u64) -> Result<u64, Fault>;
    /// Sets bits of 8 bytes, and answers with what was there before.
    fn or_u64(&self, at: Address, bits: u64) -> Result<u64, Fault>;
    /// The start of the allocation that contains `at`, and its length: kernels' names are found so.
    fn extent(&self, at: Address) -> Option<(Address, u64)>;
    /// Where this process has `at`, for kernels that are functions of the program: `None` where the
    /// host maps it nowhere.
    fn host(&self, at: Address) -> Option<*mut u8>;
}
