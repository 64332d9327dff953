//! Which handles exist.
//!
//! Handles of HIP and CUDA are addresses, and neither HIP 7 (<https://github.com/ROCm/rocm-systems/tree/develop/projects/clr/hipamd/src>)
//! nor CUDA (driver 580, tried) checks them: a call with one that is gone is a crash. A handle is therefore looked up before each call, and
//! kept from being destroyed by us while the call lasts. What is not known is answered as a stale handle is.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::{Arc, PoisonError, RwLock},
    thread,
};

/// Threads that use different handles seldom meet.
const SHARDS: usize = 16;

/// Handles of one kind, each with what has to be known of it.
///
/// ```
/// use ringfence_backend_shared::registry::Registry;
/// let streams = Registry::default();
/// streams.insert(0x7f00, "on GPU 0");
/// {
///     let held = streams.hold(0x7f00).expect("it was just made"); // for the time of a call
///     assert_eq!(held.of(), "on GPU 0");
/// }
/// assert_eq!(streams.take(0x7f00), Some("on GPU 0")); // by the one who destroys it
/// assert!(streams.hold(0x7f00).is_none()); // an error of the caller, and no crash
/// ```
#[derive(Debug)]
pub struct Registry<T> {
    shards: [Shard<T>; SHARDS],
}

type Table<T> = HashMap<u64, Arc<T>, BuildHasherDefault<AddressHasher>>;

/// On a cache line of its own.
#[derive(Debug)]
#[repr(align(64))]
struct Shard<T>(RwLock<Table<T>>);

/// A handle that is not destroyed by this crate while this exists. No lock is held: a thread may hold a handle twice.
#[derive(Debug)]
pub struct Held<T>(Arc<T>);

impl<T> Default for Registry<T> {
    fn default() -> Self {
        Self { shards: std::array::from_fn(|_| Shard(RwLock::default())) }
    }
}

impl<T> Registry<T> {
    /// A handle that the runtime just made. It gives the address of one that is gone again.
    pub fn insert(&self, handle: u64, of: T) {
        let mut table = self.shard(handle).write().unwrap_or_else(PoisonError::into_inner);
        table.insert(handle, Arc::new(of));
    }

    /// The handle for the time of a call; `None` if there is no such.
    #[inline]
    pub fn hold(&self, handle: u64) -> Option<Held<T>> {
        let table = self.shard(handle).read().unwrap_or_else(PoisonError::into_inner);
        table.get(&handle).cloned().map(Held)
    }

    /// Takes a handle out, for the one caller who destroys it: once the calls that use it are over. Who holds it may not call this.
    pub fn take(&self, handle: u64) -> Option<T> {
        let mut entry = {
            let mut table = self.shard(handle).write().unwrap_or_else(PoisonError::into_inner);
            table.remove(&handle)?
        };
        loop {
            // Nobody finds it any more; whoever found it is in a call that ends.
            entry = match Arc::try_unwrap(entry) {
                Ok(of) => return Some(of),
                Err(entry) => entry,
            };
            thread::yield_now();
        }
    }

    /// Forgets every handle that is not to be kept: the runtime destroyed them all. Calls that use one are not waited for.
    pub fn retain(&self, mut keep: impl FnMut(&T) -> bool) {
        for Shard(table) in &self.shards {
            table.write().unwrap_or_else(PoisonError::into_inner).retain(|_, of| keep(of));
        }
    }

    fn shard(&self, handle: u64) -> &RwLock<Table<T>> {
        &self.shards[mixed(handle) as usize % SHARDS].0
    }
}

impl<T: Copy> Held<T> {
    /// What is known of it.
    pub fn of(&self) -> T {
        *self.0
    }
}

/// Addresses differ in the middle of their bits.
fn mixed(address: u64) -> u64 {
    address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

/// For addresses, which need no protection from collisions.
#[derive(Debug, Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    fn write_u64(&mut self, address: u64) {
        self.0 = (self.0 ^ address).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}

#[cfg(test)]
mod tests;
