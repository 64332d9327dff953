//! The bus of a device: the page table, and the memory behind it.

use std::{
    cell::Cell,
    ptr,
    sync::{
        RwLockReadGuard,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use super::{Memory, Owner, PageTable, Region, visibility::Flushes};
use crate::{
    address::Address,
    bus::{Bus, Fault},
    lock,
    settings::HostStores,
};

/// How many regions a view remembers.
const RECENT: usize = 6;

/// Memory as one GPU sees it.
///
/// Others write to the same memory at any time, the host and other devices: words are atomic, and what
/// is larger may be torn, as on hardware.
pub struct View<'a> {
    memory: &'a Memory,
    table: RwLockReadGuard<'a, PageTable>,
    gpu: u32,
    now: Duration,
    /// The regions found last: a packet's accesses go to its ring, its queue and its signal in turn.
    recent: [Cell<Region>; RECENT],
    /// Where each of them starts, and how long it is.
    bounds: [Cell<(u64, u64)>; RECENT],
    /// Which of them is forgotten next.
    oldest: Cell<usize>,
}

impl<'a> View<'a> {
    pub(super) fn new(
        memory: &'a Memory,
        table: RwLockReadGuard<'a, PageTable>,
        gpu: u32,
        now: Duration,
    ) -> Self {
        let recent = [const { Cell::new(Region::EMPTY) }; RECENT];
        let bounds = [const { Cell::new((0, 0)) }; RECENT];
        Self { memory, table, gpu, now, recent, bounds, oldest: Cell::new(0) }
    }
    #[inline(always)]
    fn find(&self, at: Address, bytes: u64) -> Result<(&Cell<Region>, *mut u8), Fault> {
        for (bounds, region) in self.bounds.iter().zip(&self.recent) {
            let (start, length) = bounds.get();
            let offset = at.as_u64().wrapping_sub(start);
            if offset < length && bytes <= length - offset {
                return Ok((region, (region.get().host + offset) as *mut u8));
            }
        }
        self.find_in_table(at, bytes)
    }
    #[cold]
    fn find_in_table(&self, at: Address, bytes: u64) -> Result<(&Cell<Region>, *mut u8), Fault> {
        let region = *self.table.find(self.gpu, at, bytes)?;
        let oldest = self.oldest.replace((self.oldest.get() + 1) % RECENT);
        self.bounds[oldest].set((region.start.as_u64(), region.bytes));
        self.recent[oldest].set(region);
        let offset = at.since(region.start).ok_or(Fault { at, bytes })?;
        Ok((&self.recent[oldest], (region.host + offset) as *mut u8))
    }
    #[inline(always)]
    fn word64(&self, at: Address) -> Result<(&Cell<Region>, &AtomicU64), Fault> {
        let (region, host) = self.find(at, 8)?;
        if !host.cast::<u64>().is_aligned() {
            return Err(Fault { at, bytes: 8 });
        }
        // SAFETY: 8 bytes from `host` are in a region of the page table, which stays mapped while the
        // table is locked; aligned as checked; the host and devices use words of it as atomics.
        Ok((region, unsafe { AtomicU64::from_ptr(host.cast()) }))
    }
    #[inline(always)]
    fn word32(&self, at: Address) -> Result<&AtomicU32, Fault> {
        let (_, host) = self.find(at, 4)?;
        if !host.cast::<u32>().is_aligned() {
            return Err(Fault { at, bytes: 4 });
        }
        // SAFETY: as in `word64`, with 4 bytes.
        Ok(unsafe { AtomicU32::from_ptr(host.cast()) })
    }
    /// How this GPU sees the host's stores to a region: whose path must be flushed, and how long a
    /// store lingers.
    #[inline(always)]
    fn delayed(&self, region: &Cell<Region>) -> Option<(u32, Duration)> {
        let Owner::Gpu(owner) = region.get().owner else { return None };
        let settings = &self.memory.settings;
        let own = owner == self.gpu;
        match if own { settings.host_stores } else { settings.peer_stores } {
            HostStores::Coherent => None,
            HostStores::Flushed(lingering) => Some((owner, lingering)),
        }
    }
    /// How often the path to `owner` was flushed, looking now.
    fn flushes(&self, owner: u32) -> Flushes {
        let owner = owner as usize;
        let register = self.memory.registers[owner].load(Ordering::Relaxed) as *mut u64;
        // SAFETY: the register pages stay mapped as long as the process lives; both registers (memory
        // and register flush, 4 bytes each) are one aligned word.
        let register = unsafe { AtomicU64::from_ptr(register) };
        let flushes = &self.memory.flushes[owner];
        if register.load(Ordering::Relaxed) != 0 && register.swap(0, Ordering::AcqRel) != 0 {
            flushes.fetch_add(1, Ordering::Relaxed);
        }
        Flushes(flushes.load(Ordering::Relaxed))
    }
    #[inline(always)]
    fn wrote(&self, region: &Cell<Region>, at: Address, value: u64) {
        if let Some((owner, _)) = self.delayed(region) {
            let flushes = self.flushes(owner);
            lock(&self.memory.visibility).wrote(self.gpu, at, value, flushes);
        }
    }
    #[inline(always)]
    fn seen(&self, region: &Cell<Region>, at: Address, value: u64) -> u64 {
        let Some((owner, lingering)) = self.delayed(region) else { return value };
        let flushes = self.flushes(owner);
        let mut visibility = lock(&self.memory.visibility);
        visibility.see(self.gpu, at, value, flushes, self.now, lingering)
    }
}

impl Bus for View<'_> {
    fn read(&self, at: Address, into: &mut [u8]) -> Result<(), Fault> {
        let (_, host) = self.find(at, into.len() as u64)?;
        // SAFETY: the source is in a mapped region of at least this length, as in `word64`; `into` is
        // this process's own and no device memory.
        unsafe { ptr::copy_nonoverlapping(host, into.as_mut_ptr(), into.len()) };
        Ok(())
    }
    fn write(&self, at: Address, from: &[u8]) -> Result<(), Fault> {
        let (_, host) = self.find(at, from.len() as u64)?;
        // SAFETY: as in `read`, the other way.
        unsafe { ptr::copy_nonoverlapping(from.as_ptr(), host, from.len()) };
        Ok(())
    }
    fn copy(&self, to: Address, from: Address, bytes: u64) -> Result<(), Fault> {
        let (_, source) = self.find(from, bytes)?;
        let (_, target) = self.find(to, bytes)?;
        // SAFETY: both are in mapped regions of at least this length, as in `word64`; they may overlap.
        unsafe { ptr::copy(source, target, bytes as usize) };
        Ok(())
    }
    fn fill(&self, to: Address, pattern: &[u8], bytes: u64) -> Result<(), Fault> {
        let (_, target) = self.find(to, bytes)?;
        for done in (0..bytes as usize).step_by(pattern.len().max(1)) {
            let length = pattern.len().min(bytes as usize - done);
            // SAFETY: `done` is below the length of the region that was found.
            let place = unsafe { target.add(done) };
            // SAFETY: `length` bytes are left in the region from `place`, as in `word64`; `pattern` is
            // this process's own and no device memory.
            unsafe { ptr::copy_nonoverlapping(pattern.as_ptr(), place, length) };
        }
        Ok(())
    }
    fn load_u32(&self, at: Address) -> Result<u32, Fault> {
        Ok(self.word32(at)?.load(Ordering::Acquire))
    }
    fn load_u64(&self, at: Address) -> Result<u64, Fault> {
        let (region, word) = self.word64(at)?;
        Ok(self.seen(region, at, word.load(Ordering::Acquire)))
    }
    fn store_u32(&self, at: Address, value: u32) -> Result<(), Fault> {
        self.word32(at)?.store(value, Ordering::Release);
        Ok(())
    }
    fn store_u64(&self, at: Address, value: u64) -> Result<(), Fault> {
        let (region, word) = self.word64(at)?;
        word.store(value, Ordering::Release);
        self.wrote(region, at, value);
        Ok(())
    }
    fn add_u64(&self, at: Address, value: u64) -> Result<u64, Fault> {
        let (region, word) = self.word64(at)?;
        let memory = word.load(Ordering::Acquire);
        let seen = self.seen(region, at, memory);
        let sum = seen.wrapping_add(value);
        if seen == memory {
            let sum = word.fetch_add(value, Ordering::AcqRel).wrapping_add(value);
            self.wrote(region, at, sum);
            return Ok(sum);
        }
        // The host's store is still on its way: it lands on top of this sum, which is lost.
        self.wrote(region, at, memory);
        Ok(sum)
    }
    fn or_u64(&self, at: Address, bits: u64) -> Result<u64, Fault> {
        let (region, word) = self.word64(at)?;
        let before = word.fetch_or(bits, Ordering::AcqRel);
        self.wrote(region, at, before | bits);
        Ok(before)
    }
    fn extent(&self, at: Address) -> Option<(Address, u64)> {
        let region = self.table.at(at)?;
        Some((region.start, region.bytes))
    }
    fn host(&self, at: Address) -> Option<*mut u8> {
        self.find(at, 1).ok().map(|(_, host)| host)
    }
}
